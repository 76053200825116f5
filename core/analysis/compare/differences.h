// What differs between two runs by what their profiles say of themselves: no table has to be read.
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

/// The same for people who know neither run: model, mode, batch and machine first, each by its
/// short name ("batch") and once, then the other options, those of the engine last.
std::vector<OptionChange> leadingChanges(const ProfileInfo& source, const ProfileInfo& target);

} // namespace tilescope
