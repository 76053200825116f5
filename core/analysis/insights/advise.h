// Advice with values derived from those in force. Internal to core/analysis/insights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/profile/profile.h"

namespace tilescope {

/// A run's value of an option, by its key; "" if the profile does not record it. A batch size may
/// come from the model.
std::string inForce(const ProfileInfo& info, const std::string& key);

/// The number of inForce(), if it is one.
std::optional<double> numberInForce(const ProfileInfo& info, const std::string& key);

/// The availableMemoryProportion that an operation was planned with: "0.6"; "" if it has none.
std::string proportionOf(const Operation& operation);

/// Collects options to try. Those that cannot be changed that way are left out: a smaller batch
/// than one sample, a choice that is in force already, a value that is incompatible with the run's
/// other options.
class Adviser {
public:
    explicit Adviser(const ProfileInfo& info)
        : info_(info) {}

    /// Without a value, half of the one in force, within the option's bounds.
    Adviser& lower(const std::string& key, std::string effect, const std::string& value = {});
    /// Likewise twice the one in force.
    Adviser& raise(const std::string& key, std::string effect, const std::string& value = {});
    Adviser& set(const std::string& key, const std::string& value, std::string effect);
    Adviser& change(const std::string& key, std::string effect);
    /// Makes the advice on an option, if there is one, require another option at a value.
    Adviser& needing(const std::string& key, const std::string& other, const std::string& value);
    /// Sets the cycles that the advice on an option is predicted to save, if there is one.
    Adviser& gaining(const std::string& key, std::int64_t cycles);
    [[nodiscard]] std::vector<Advice> advice() const;

private:
    Adviser& move(const std::string& key, std::string effect, std::string value,
                  Advice::Direction direction);

    const ProfileInfo& info_;
    std::vector<Advice> advice_;
};

} // namespace tilescope
