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

/// Notes on engine options that are not publicly documented (they are kept), and on known ones
/// without an effect here, with the reason (core/options/engine_options.h).
std::vector<OptionNote> engineOptionNotes(const EngineOptions& options);

/// Notes on options that are given but have no effect alongside the others.
std::vector<OptionNote> optionNotes(const RunOptions& options);

} // namespace tilescope
