// Blobs of the file that are compressed with zstd.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilescope {

std::vector<std::byte> compressed(std::span<const std::byte> raw);

/// Throws DamagedProfile, with this text, if `packed` is not such a blob or holds more than `most`
/// bytes.
std::vector<std::byte> decompressed(std::span<const std::byte> packed, std::size_t most,
                                    const char* damage);

} // namespace tilescope
