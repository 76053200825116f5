// What is too large to be looked at.
#pragma once

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Elements of the largest tensor that is computed with: a gibibyte.
inline constexpr std::int64_t mostValues = std::int64_t{1} << 28;

/// A program that does not fit is planned all the same, and its profile says by how much. Throws
/// UserError naming a tensor that is so large against the machine's memory that nothing could be
/// learnt from that.
void checkSizes(const Graph& graph, const Target& target);

/// The same where values are computed, which this computer has to hold. `model`: the file, or the
/// name of a built-in model.
void checkValues(const Graph& graph, const std::string& model);

} // namespace tilescope::sim
