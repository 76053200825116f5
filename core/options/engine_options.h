// The Poplar engine options of public code and documentation, and what each does here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tilescope {

/// How the engine is called.
struct EngineOptions {
    /// Directory that keeps compiled programs for later runs; empty: none are kept.
    std::string executableCache;
    /// Poplar engine options, as POPLAR_ENGINE_OPTIONS gives them.
    std::map<std::string, std::string> given;
    friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

enum class EngineEffect {
    Acts,      ///< the profile is what the option asks for
    Recorded,  ///< kept with the profile; what it would change is not modelled
    NoMeaning, ///< about a device or files that a simulation does not have
};
template <>
inline constexpr auto enumTitles<EngineEffect> =
    std::to_array<std::string_view>({"acts", "recorded only", "no meaning in a simulator"});

/// What is said of an option that acts where the profile's figures do not show it at once.
struct EngineRemark {
    bool when = false;          ///< the value of the switch that it is said of
    std::string_view text = {}; ///< nothing is said if empty
};

struct EngineOption {
    std::string_view key; ///< "debug.instrument"
    EngineEffect effect = EngineEffect::Recorded;
    std::string_view what;                     ///< that it does here, or why it does nothing
    std::vector<std::string_view> values = {}; ///< allowed ones, the default first; none: any
    EngineRemark remark = {};
};

/// All, by key.
const std::vector<EngineOption>& engineOptionTable();

/// The row of an option; nullptr for an unknown one.
const EngineOption* findEngineOption(std::string_view key);

/// Reads Poplar engine options, a JSON object of strings (numbers and booleans are taken too), as
/// the original reads POPLAR_ENGINE_OPTIONS. `origin` names the source in errors.
void addEngineOptions(EngineOptions& options, std::string_view json, const std::string& origin);

/// Engine options as a JSON object, keys sorted; "" if there are none.
std::string engineOptionsJson(const EngineOptions& options);

/// The value in force of an option with a list of values: one that is not in it is the default.
std::string_view engineChoice(const EngineOptions& options, std::string_view key);
/// The value of a switch.
bool engineSwitch(const EngineOptions& options, std::string_view key, bool byDefault);

/// The value of a number, decimal or hexadecimal ("0x200"); `byDefault` for anything else.
std::int64_t engineNumber(const EngineOptions& options, std::string_view key,
                          std::int64_t byDefault);

/// Threads of the host that run the callbacks of streams.
struct CallbackThreads {
    bool dedicated = false; ///< one for each stream
    std::int64_t workers = 1;
};
CallbackThreads callbackThreads(const EngineOptions& options);

} // namespace tilescope
