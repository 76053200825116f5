// Advice with values that follow from what is in force. Internal to core/analysis/insights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/profile/profile.h"

namespace tilescope {

/// What a run had for an option, by its key; "" for what it does not say. A batch size may come
/// from the model.
std::string inForce(const ProfileInfo& info, const std::string& key);

/// The number of inForce(), if it is one.
std::optional<double> numberInForce(const ProfileInfo& info, const std::string& key);

/// The availableMemoryProportion that an operation was planned with: "0.6"; "" if it has none.
std::string proportionOf(const Operation& operation);

/// Collects what is to be tried. What cannot be changed that way is left out: a batch of one sample
/// that is to be smaller, a choice that is in force already, a value that the other options of the
/// run do not go with.
class Adviser {
public:
    explicit Adviser(const ProfileInfo& info)
        : info_(info) {}

    /// Without a value, half of what is in force, within the option's bounds.
    Adviser& lower(const std::string& key, std::string effect, const std::string& value = {});
    /// Likewise twice of it.
    Adviser& raise(const std::string& key, std::string effect, const std::string& value = {});
    Adviser& set(const std::string& key, const std::string& value, std::string effect);
    Adviser& change(const std::string& key, std::string effect);
    /// The advice on an option, if there is one, needs another option at a value.
    Adviser& needing(const std::string& key, const std::string& other, const std::string& value);
    /// Cycles that the advice on an option is predicted to save, if there is one.
    Adviser& gaining(const std::string& key, std::int64_t cycles);
    [[nodiscard]] std::vector<Advice> advice() const;

private:
    Adviser& move(const std::string& key, std::string effect, std::string value,
                  Advice::Direction direction);

    const ProfileInfo& info_;
    std::vector<Advice> advice_;
};

} // namespace tilescope
