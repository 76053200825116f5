// Elements that follow each other on a tile and differ in some atoms only.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/layout/layout.h"

namespace tilescope::sim {

/// The innermost levels of an order on a tile that are all of certain atoms, or all of others.
struct InnerRun {
    bool isOfThem = true;      ///< of the certain atoms
    std::int64_t elements = 1; ///< that follow each other within these levels
};

/// `isOne[atom]`: whether it is one of the atoms; `sizes`: indices of each atom that the tile
/// holds.
InnerRun innerRun(const std::vector<OrderLevel>& order, const std::vector<bool>& isOne,
                  const std::vector<std::int64_t>& sizes);

} // namespace tilescope::sim
