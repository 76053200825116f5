// The operands of look-ups and updates, laid out by the plan and brought to its tiles.
#pragma once

#include <initializer_list>

#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/embedding_layout.h"
#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

/// Lays a table out as planned, if it has no place. `axis`: the looked-up dimension.
void ensureTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                 std::size_t axis);

/// Copies a table with another layout to the planned one, if look-up parts are to share its blocks
/// (popops: a sliceable tensor and a copy into it). Weights stay where they are.
void shareTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                std::size_t axis);

/// The table's blocks on every tile that works on them: the variable itself where it lies there.
VariableId bringTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                      std::size_t axis, OperandGather& gather);

/// What a vertex reads and writes, the table first, lies in memory elements of its own, where there
/// is room. No codelet demands it, but published fullest tiles have it.
void preferApart(ProgramBuilder& builder, std::initializer_list<VariableId> operands);

/// The indices of each look-up part on all its tiles.
VariableId bringIndices(LoweringContext& context, const EmbeddingLayout& layout, TensorId indices,
                        OperandGather& gather);

} // namespace tilescope::sim
