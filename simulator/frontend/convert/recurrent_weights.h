// Values of a recurrent cell's weights, out of the operands of ONNX's recurrent operators.
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/frontend/resolve/node.h"
#include "simulator/recurrent/cell.h"

namespace tilescope::sim {

/// A weight of a cell as its host joins and transposes it from W [directions, gates * units,
/// inputs], R [directions, gates * units, units] and B [directions, 2 * gates * units] (the biases
/// of the input, then those of the state); none where the values of an operand that it takes are
/// not known.
struct RecurrentOperands {
    const Value* w = nullptr;
    const Value* r = nullptr;
    const Value* b = nullptr; ///< none: the cell has no bias
};
std::shared_ptr<const TensorData> cellWeightValue(const RecurrentCell& cell,
                                                  const CellWeight& weight, std::int64_t direction,
                                                  const RecurrentOperands& operands);

} // namespace tilescope::sim
