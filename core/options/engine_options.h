// The Poplar engine options from public code and documentation, and what each does here.
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
    /// Directory for compiled programs, reused by later runs; empty: none are kept.
    std::string executableCache;
    /// Poplar engine options, as in POPLAR_ENGINE_OPTIONS.
    std::map<std::string, std::string> given;
    friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

enum class EngineEffect {
    Acts,      ///< has its effect on the profile
    Recorded,  ///< kept with the profile; its effect is not modelled
    NoMeaning, ///< concerns a device or files that a simulation does not have
};
template <>
inline constexpr auto enumTitles<EngineEffect> =
    std::to_array<std::string_view>({"acts", "recorded only", "no meaning in a simulator"});

/// A remark on an option whose effect is not obvious from the profile's figures.
struct EngineRemark {
    bool when = false;          ///< the value of the switch that the remark is about
    std::string_view text = {}; ///< empty: no remark
};

struct EngineOption {
    std::string_view key; ///< "debug.instrument"
    EngineEffect effect = EngineEffect::Recorded;
    std::string_view what;                     ///< its effect here, or why it has none
    std::vector<std::string_view> values = {}; ///< allowed ones, the default first; empty: any
    EngineRemark remark = {};
    std::int64_t least = 0; ///< a smaller number is refused; 0: nothing is
};

/// All, by key.
const std::vector<EngineOption>& engineOptionTable();

/// The row of an option; nullptr for an unknown one.
const EngineOption* findEngineOption(std::string_view key);

/// Reads Poplar engine options, a JSON object of strings (numbers and booleans are accepted too),
/// like POPLAR_ENGINE_OPTIONS. `origin` names the source in errors. Throws UserError.
void addEngineOptions(EngineOptions& options, std::string_view json, const std::string& origin);

/// Engine options as a JSON object, keys sorted; "" if there are none.
std::string engineOptionsJson(const EngineOptions& options);

/// The value in force of an option with a list of values: the default if the given one is not in
/// it.
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
