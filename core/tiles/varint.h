// LEB128 numbers, the only integer coding of the file's blobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/damaged_profile.h"

namespace tilescope {

inline void putVarint(std::vector<std::byte>& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::byte>(value));
}

/// Writes many numbers: room is looked after once for several of them.
class VarintWriter {
public:
    /// `expected`: about how many bytes there will be.
    explicit VarintWriter(std::size_t expected)
        : out_(expected) {}

    /// Makes room for so many numbers, without which put() must not be called.
    void makeRoomFor(std::size_t numbers) {
        constexpr std::size_t longest = 10; // bytes of a number
        if (size_ + numbers * longest > out_.size())
            out_.resize(2 * out_.size() + numbers * longest);
    }
    void put(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            out_[size_++] = static_cast<std::byte>(value | 0x80);
        out_[size_++] = static_cast<std::byte>(value);
    }
    [[nodiscard]] std::span<const std::byte> written() const {
        return std::span(out_).first(size_);
    }

private:
    std::vector<std::byte> out_;
    std::size_t size_ = 0;
};

/// Maps small magnitudes of either sign to small numbers.
inline std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

inline std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// Reads numbers one after the other; throws UserError at the end of the data or on a number of
/// more than 64 bits, so that a damaged blob is refused and never read past.
class VarintReader {
public:
    explicit VarintReader(std::span<const std::byte> data)
        : data_(data) {}

    [[nodiscard]] bool atEnd() const { return at_ == data_.size(); }
    [[nodiscard]] std::size_t remaining() const { return data_.size() - at_; }

    [[gnu::always_inline]] std::uint64_t next() {
        // Most numbers of millions are of one byte, and most others of two.
        if (at_ < data_.size() && data_[at_] < std::byte{0x80})
            return static_cast<std::uint64_t>(data_[at_++]);
        if (remaining() > 1 && data_[at_ + 1] < std::byte{0x80}) {
            const auto low = static_cast<std::uint64_t>(data_[at_] & std::byte{0x7F});
            const auto high = static_cast<std::uint64_t>(data_[at_ + 1]);
            at_ += 2;
            return high << 7 | low;
        }
        return nextOfSeveral();
    }
    std::int64_t nextSigned() { return unzigzag(next()); }

private:
    [[gnu::noinline]] std::uint64_t nextOfSeveral() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == data_.size())
                throw DamagedProfile("a per-tile blob ends too early");
            const auto byte = static_cast<std::uint64_t>(data_[at_++]);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80)
                return value;
        }
        throw DamagedProfile("a number of a per-tile blob is too long");
    }

    std::span<const std::byte> data_;
    std::size_t at_ = 0;
};

} // namespace tilescope
