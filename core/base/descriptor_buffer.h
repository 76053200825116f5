// Streams onto file descriptors that report why a write failed.
#pragma once

#include <array>
#include <functional>
#include <streambuf>

namespace tilescope {

/// Buffers writes to a file descriptor and remembers the first error; the descriptor stays open.
/// Unflushed bytes are not written: after an error they are not wanted.
class DescriptorBuffer : public std::streambuf {
public:
    explicit DescriptorBuffer(int descriptor);
    /// Like the other, with a descriptor that `open` returns (negative with errno on failure) once
    /// there is something to write.
    explicit DescriptorBuffer(std::function<int()> open);
    ~DescriptorBuffer() override = default;
    DescriptorBuffer(const DescriptorBuffer&) = delete;
    DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

    /// Opens now, if that has not been done. The descriptor.
    int open();
    /// errno of the first failed write; 0 if all went well.
    [[nodiscard]] int error() const { return error_; }

protected:
    int_type overflow(int_type character) override;
    int sync() override;

private:
    std::function<int()> open_;
    int descriptor_ = -1;
    int error_ = 0;
    std::array<char, 1 << 16> buffer_{};
};

} // namespace tilescope
