// The activation functions of recurrent operators.
#pragma once

#include <optional>
#include <string>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

/// Activation number `at` of a recurrent node (those of all directions in a row), with that entry
/// of the node's lists of parameters which is its own; none for the value itself. Refuses a
/// function that is not known.
std::optional<ElementwiseAttributes> recurrentActivation(const NodeConverter& node,
                                                         const std::string& name, std::size_t at);

} // namespace tilescope::sim
