// Operations that a user declares in a file, PopART's custom operations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/graph/attributes.h"

namespace tilescope::sim {

/// One operation with one result. Variables of formulas (core/base/formula.h) are the elements of
/// the result on a tile (n) and in all (N), of each operand there (in0, in1, ...) and in all (IN0,
/// ...), and the machine's `workers` and `tiles`; in those of the shape, dimensions of operands
/// (in0_0, ...).
struct CustomOperation {
    std::vector<CustomLayout> inputs;
    std::vector<std::string> shape; ///< of the result, a formula each; empty: that of operand 0
    std::string type;               ///< of the result: "float", "half", "int"; empty: of operand 0
    CustomCost cost;
    friend bool operator==(const CustomOperation&, const CustomOperation&) = default;
};

/// By operator with its domain: "custom.ops.MyCube".
using CustomOperations = std::map<std::string, CustomOperation>;

} // namespace tilescope::sim
