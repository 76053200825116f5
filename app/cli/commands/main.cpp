#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <unistd.h>

#include "app/cli/commands/cli.h"

namespace tilescope::cli {
namespace {

/// Standard output that notices when it cannot write: buffers writes to a file descriptor and
/// remembers the first error.
class DescriptorBuffer : public std::streambuf {
public:
    explicit DescriptorBuffer(int descriptor);
    ~DescriptorBuffer() override;
    DescriptorBuffer(const DescriptorBuffer&) = delete;
    DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

    /// errno of the first failed write; 0 if all went well.
    [[nodiscard]] int error() const { return error_; }

protected:
    int_type overflow(int_type character) override;
    int sync() override;

private:
    int descriptor_;
    int error_ = 0;
    std::array<char, 1 << 16> buffer_{};
};

DescriptorBuffer::DescriptorBuffer(int descriptor)
    : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::~DescriptorBuffer() {
    DescriptorBuffer::sync();
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
    if (sync() != 0)
        return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof()))
        sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
}

int DescriptorBuffer::sync() {
    const char* from = pbase();
    while (error_ == 0 && from < pptr()) {
        const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
        if (written < 0 && errno != EINTR)
            error_ = errno;
        else if (written > 0)
            from += written;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
}

} // namespace
} // namespace tilescope::cli

int main(int argc, char** argv) {
    using namespace tilescope::cli;
    // A reader such as `head` may leave early: that shows as a failed write, not as a signal.
    std::signal(SIGPIPE, SIG_IGN);
    // A file that may not grow further is an error with a name as well.
    std::signal(SIGXFSZ, SIG_IGN);
    DescriptorBuffer buffer(STDOUT_FILENO);
    std::ostream out(&buffer);
    const int status = runCli(std::vector<std::string>(argv + 1, argv + argc),
                              {out, std::cerr, ::isatty(STDERR_FILENO) == 1});
    out.flush();
    if (buffer.error() == 0 || buffer.error() == EPIPE)
        return status;
    std::cerr << "tilescope: error: cannot write standard output: " << std::strerror(buffer.error())
              << '\n';
    return exitInternal;
}
