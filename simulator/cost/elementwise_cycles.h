// Cycles and codelets of elementwise vertices on one tile.
// Formulas: PopLibs popops/popopsCycleEstimators.hpp; supervisor cycles.
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
    BroadcastInner,  ///< the second operand is a vector that repeats along the rows: bias
    BroadcastOuter,  ///< the same, an element for each row
    Ternary,
};

/// `elements` results on a tile, spread over six workers. `run`: elements of a row, where a vector
/// is broadcast.
std::int64_t elementwiseCycles(const Target& target, ElementwiseFunction function,
                               Operands operands, bool inPlace, DataType type,
                               std::int64_t elements, std::int64_t run = 1);

/// Codelet class, "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::RELU,float>".
std::string elementwiseVertex(ElementwiseFunction function, Operands operands, bool inPlace,
                              DataType in, DataType out);

/// Transposes blocks of `rows` x `columns` elements, `elements` in all, by six workers
/// (poplar_rt::Transpose1D, as PopLibs estimates it).
std::int64_t transposeCycles(const Target& target, std::int64_t elements, std::int64_t rows,
                             std::int64_t columns, bool half);

/// Cast of `elements` on a tile by six workers (popops::Cast1D).
std::int64_t castCycles(const Target& target, std::int64_t elements, DataType from, DataType to);

} // namespace tilescope::sim
