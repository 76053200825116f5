// Differences between two runs according to the metadata of their profiles: no table is read.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// An option whose value differs; "" where a profile has none.
struct OptionChange {
    std::string option;
    std::string source;
    std::string target;
    friend bool operator==(const OptionChange&, const OptionChange&) = default;
};

/// Options of the run and of the engine, the model and the target, in the order of their names.
std::vector<OptionChange> optionChanges(const ProfileInfo& source, const ProfileInfo& target);

/// The same for people who know neither run: first model, mode, batch and machine, each once and
/// under its short name ("batch"), then the other options, those of the engine last.
std::vector<OptionChange> leadingChanges(const ProfileInfo& source, const ProfileInfo& target);

} // namespace tilescope
