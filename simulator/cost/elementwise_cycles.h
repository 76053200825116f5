// Cycles and codelets of elementwise, reduction and pooling vertices on one tile.
// Formulas: PopLibs popops/popopsCycleEstimators.hpp and popnn/codelets; supervisor cycles.
#pragma once

#include <cstdint>
#include <string>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

enum class Operands {
    Unary,
    Binary,
    BroadcastScalar, ///< the second operand is one value
    BroadcastInner,  ///< the second operand repeats along the outer dimension: bias
    Ternary,
};

/// `elements` results on a tile, spread over six workers.
std::int64_t elementwiseCycles(const Target& target, ElementwiseFunction function,
                               Operands operands, bool inPlace, DataType type,
                               std::int64_t elements);

/// Codelet class, "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::RELU,float>".
std::string elementwiseVertex(ElementwiseFunction function, Operands operands, bool inPlace,
                              DataType in, DataType out);

/// Reduces `inputs` elements to `outputs` on a tile.
std::int64_t reduceCycles(const Target& target, std::int64_t inputs, std::int64_t outputs,
                          DataType type);
std::string reduceVertex(ReduceFunction function, DataType in, DataType out);

/// Pools with a window of `window` elements for each of `outputs` results on a tile.
std::int64_t poolCycles(const Target& target, PoolKind kind, std::int64_t outputs,
                        std::int64_t window, DataType type);
std::string poolVertex(PoolKind kind, DataType type);

/// Looks up `indices` rows of `rowElements` on a tile (MultiSlice).
std::int64_t multiSliceCycles(const Target& target, std::int64_t indices, std::int64_t rowElements);

} // namespace tilescope::sim
