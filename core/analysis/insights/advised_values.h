// Values in advice. Internal to core/analysis.
#pragma once

#include <optional>
#include <string>

#include "core/profile/profile.h"

namespace tilescope {

/// What a run had for an option, by its key; "" for what it does not say. A batch size may come
/// from the model.
std::string inForce(const ProfileInfo& info, const std::string& key);

/// The number of inForce(), if it is one.
std::optional<double> numberInForce(const ProfileInfo& info, const std::string& key);

/// The availableMemoryProportion that an operation was planned with: "0.6"; "" if it has none.
std::string proportionOf(const Operation& operation);

/// "(0.3 instead of 0.6)", as optionsNamedIn() reads it behind a flag.
std::string insteadOf(const std::string& value, const std::string& now);

/// Advice with a value to try behind each option that it lowers or raises and has none for yet:
/// "a lower --batch-size (16 instead of 32)".
std::string withValues(std::string advice, const ProfileInfo& info);

} // namespace tilescope
