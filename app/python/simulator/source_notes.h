// What a Python program says about its lines besides the stacks in the model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/profile/source_code.h"

namespace tilescope::python {

/// (path, line, function) from the innermost frame out.
using PythonStack = std::vector<std::tuple<std::string, std::int32_t, std::string>>;

struct SourceNotes {
    std::map<std::string, std::string> texts;   ///< of the user's files, by path
    std::vector<std::string> libraries;         ///< parts of paths of files that are not the user's
    std::map<std::string, PythonStack> anchors; ///< by the name of a SourceAnchorKind
};

/// Adds them to the lines of an imported model. Throws InternalError for an unknown anchor.
void addNotes(SourceCode& source, const SourceNotes& notes);

} // namespace tilescope::python
