// Cycles of elementwise vertices on one tile whose second operand is a vector.
// Formulas: PopLibs popops/popopsCycleEstimators.cpp; supervisor cycles.
#pragma once

#include <cstdint>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Whether popops takes a codelet that broadcasts a vector of `run` elements along the rows. Those
/// of single precision are slower than a binary operation on the vector written out, and are taken
/// for divisions only (popops/ElementWise.cpp, binaryOpBroadcastInnerVector).
bool broadcastsAlongRows(const Target& target, ElementwiseFunction function, DataType type,
                         std::int64_t run);

/// The same of an element for each row (haveOuterVectorBroadcastVertexForOp).
bool broadcastsByRow(ElementwiseFunction function);

/// `elements` halves, of which each `run` in a row take the whole vector, element by element: a
/// bias of channels (popops::BroadcastVectorInner1D). Six workers share the rows.
std::int64_t vectorInnerCycles(const Target& target, ElementwiseFunction function, bool inPlace,
                               std::int64_t elements, std::int64_t run);

/// `elements` results, of which each `run` in a row take one element of the vector. Workers share
/// short rows (popops::BroadcastVectorOuterByRow1D) or the elements of long ones (ByColumn1D).
std::int64_t vectorOuterCycles(const Target& target, DataType type, std::int64_t elements,
                               std::int64_t run);

} // namespace tilescope::sim
