// The model's graph on the command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/document.h"
#include "core/view/profile_view.h"

namespace tilescope::cli {

/// Scopes and operations with their costs and what they read from: `report operations --graph`.
/// `expand`: paths of scopes whose content is shown, or "all"; none: whatever fits on a page.
/// Throws UserError if the profile does not record a graph or has no such scope. Text output
/// indents names and lists what each line reads from, data output has paths and a table of edges.
Document graphDocument(const ProfileView& profile, const std::vector<std::string>& expand,
                       bool forPeople);

/// The same for Graphviz.
void writeGraphDot(std::ostream& out, const ProfileView& profile,
                   const std::vector<std::string>& expand);

} // namespace tilescope::cli
