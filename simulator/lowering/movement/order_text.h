// The order of elements on a tile, for people: "[N][C/16][HW][16]".
#pragma once

#include <string>
#include <vector>

#include "simulator/layout/layout.h"
#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

/// Names of the dimensions of an operand of `op`, for a view of `rank` dimensions: "N", "C", "H",
/// "W" for data of convolutions and poolings, "O", "I", "Y", "X" for their weights, else "d0",
/// "d1".
std::vector<std::string> dimensionNames(const Op& op, std::size_t operand, std::size_t rank);

/// The levels of an order, outermost first, in terms of a view's dimensions. Levels of one index
/// are left out. Of a dimension that is cut, "C/16" is the index divided by 16 and "C%16" its
/// remainder; a number is a group of that many of the dimension that is divided by it.
std::string orderText(const std::vector<OrderLevel>& order, const ViewDims& view,
                      const Storage& storage, const std::vector<std::string>& names);

} // namespace tilescope::sim
