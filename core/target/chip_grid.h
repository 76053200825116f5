// How tiles are arranged on a chip.
#pragma once

#include <cstdint>

namespace tilescope {

/// Columns of the exchange, and tiles of an island, which are side by side in their column.
/// Published for GC2 (16 columns x 19 rows x 4 tiles); ipu21's logical map of 23 rows x 64 is the
/// same with more rows.
inline constexpr std::int32_t chipColumns = 16;
inline constexpr std::int32_t tilesPerIsland = 4;

} // namespace tilescope
