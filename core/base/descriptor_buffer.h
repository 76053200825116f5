// Streams onto file descriptors that say why a write failed.
#pragma once

#include <array>
#include <streambuf>

namespace tilescope {

/// Buffers writes to a file descriptor and remembers the first error; the descriptor stays open.
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

} // namespace tilescope
