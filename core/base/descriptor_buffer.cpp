#include "core/base/descriptor_buffer.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace tilescope {

DescriptorBuffer::DescriptorBuffer(int descriptor)
    : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::DescriptorBuffer(std::function<int()> open)
    : open_(std::move(open)) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

int DescriptorBuffer::open() {
    if (descriptor_ < 0 && error_ == 0) {
        descriptor_ = open_();
        error_ = descriptor_ < 0 ? errno : 0;
    }
    return descriptor_;
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
    if (from < pptr())
        open();
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

} // namespace tilescope
