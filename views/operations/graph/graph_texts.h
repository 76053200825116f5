// Texts about an item of the model's graph.
#pragma once

#include <QString>

#include "views/operations/graph/graph_model.h"
#include "views/session/preferences.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// The whole debug path of an item.
QString fullName(const GraphModel& model, const GraphItem& item);

/// A tool tip of several lines, the name first: type, tensors with shapes, figures, in how many
/// places its function runs.
QString itemText(const GraphModel& model, const GraphItem& item, const Preferences& preferences);

/// Figures of a scope, of both profiles if there are two, and what enters and leaves it.
ValueTree scopeSummary(const GraphModel& model, GraphScopeId scope);

} // namespace tilescope::views
