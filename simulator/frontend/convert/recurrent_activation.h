// The activation functions of recurrent operators.
#pragma once

#include <optional>
#include <string>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

/// Activation number `at` of a recurrent node (counted over all directions), with its entry of the
/// node's lists of parameters; none for the value itself. Refuses an unknown function.
std::optional<ElementwiseAttributes> recurrentActivation(const NodeConverter& node,
                                                         const std::string& name, std::size_t at);

} // namespace tilescope::sim
