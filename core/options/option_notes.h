// What the user should know about options that are allowed.
#pragma once

#include <string>
#include <vector>

namespace tilescope {

struct EngineOptions;
struct RunOptions;

struct OptionNote {
    bool warning = false; ///< otherwise information
    std::string text;
};

/// Engine options that public documentation does not have, which are kept, and known ones that do
/// not act here, each with the reason (core/options/engine_options.h).
std::vector<OptionNote> engineOptionNotes(const EngineOptions& options);

/// Options that are given and change nothing beside the others.
std::vector<OptionNote> optionNotes(const RunOptions& options);

} // namespace tilescope
