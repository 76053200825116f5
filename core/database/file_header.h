// The header of a SQLite file (https://www.sqlite.org/fileformat.html#the_database_header).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

inline constexpr std::size_t fileHeaderBytes = 100;
inline constexpr std::array<char, 16> fileMagic{'S', 'Q', 'L', 'i', 't', 'e', ' ', 'f',
                                                'o', 'r', 'm', 'a', 't', ' ', '3', '\0'};
inline constexpr std::size_t leastPageBytes = 512;
inline constexpr std::size_t mostPageBytes = 65536;

/// Places of numbers in the header.
inline constexpr std::size_t pageSizeAt = 16;
inline constexpr std::size_t writeVersionAt = 18;
inline constexpr std::size_t readVersionAt = 19;
inline constexpr std::size_t reservedAt = 20; ///< bytes at the end of each page
inline constexpr std::size_t encodingAt = 56;

/// The number in big-endian bytes, as everywhere in such a file.
constexpr std::uint64_t bigEndian(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    for (const std::byte byte : bytes)
        number = number << 8 | std::to_integer<std::uint64_t>(byte);
    return number;
}

/// Whether a page can have so many bytes.
constexpr bool isPageSize(std::size_t bytes) {
    return bytes >= leastPageBytes && bytes <= mostPageBytes && (bytes & (bytes - 1)) == 0;
}

/// Bytes of a page; 0 if the header states none that can be.
constexpr std::size_t pageSizeIn(std::span<const std::byte> header) {
    const std::size_t stated = bigEndian(header.subspan(pageSizeAt, 2));
    const std::size_t size = stated == 1 ? mostPageBytes : stated;
    return isPageSize(size) ? size : 0;
}

} // namespace tilescope
