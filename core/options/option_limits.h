// Bounds that several options, or checks of several together, need. Internal to core/options.
#pragma once

#include <cstdint>

namespace tilescope::limits {

inline constexpr std::int64_t mostIterations = 1'000'000'000'000;
// A POD256.
inline constexpr std::int64_t mostIpus = 256;
// Tiles are in islands of four.
inline constexpr std::int64_t leastTiles = 4;
// PopTorch's bounds of numIOTiles.
inline constexpr std::int64_t leastIoTiles = 32;
inline constexpr std::int64_t mostIoTiles = 192;

} // namespace tilescope::limits
