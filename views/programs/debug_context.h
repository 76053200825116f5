// Where a step comes from: the model's operation, its tensors and the program's lines.
#pragma once

#include <optional>
#include <stop_token>

#include "core/view/profile_view.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Name, type, pass, stage, tensors with their shapes, and the stack of the program's lines from
/// the innermost on; none if the profile does not record the operation's place in the model.
std::optional<ValueNode> debugContext(const ProfileView& profile, OperationId operation,
                                      const std::stop_token& stop);

} // namespace tilescope::views
