// Bounds on the sizes of tensors.
#pragma once

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Elements of the largest tensor that can be computed: a gibibyte.
inline constexpr std::int64_t mostValues = std::int64_t{1} << 28;

/// A program that does not fit is planned all the same, and its profile shows by how much it
/// exceeds the memory. Throws UserError naming a tensor so much larger than the machine's memory
/// that such a profile would be useless.
void checkSizes(const Graph& graph, const Target& target);

/// The same where values are computed and must fit this computer's memory. `model`: the file, or
/// the name of a built-in model.
void checkValues(const Graph& graph, const std::string& model);

} // namespace tilescope::sim
