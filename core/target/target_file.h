// Machines of users: a preset with constants of their own, in a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/target/target.h"

namespace tilescope {

/// Whether a target's name is meant as a file: it ends in ".json".
bool isTargetFile(std::string_view name);

/// A preset by its name, or the machine of a file:
/// {"base": "mk2", "name": "my pod", "constants": {"internalSyncCycles": 150}}. Its name is the
/// file's path, by which it is found again; its description is its own name. Only constants of time
/// can be set: others decide what fits and how it is compiled. Other members are for people. Throws
/// UserError that names the file, the key and the remedy.
Target namedTarget(std::string_view name);

/// Numbers about a fitted constant, for people: "values", "p10", "p90".
using FitNotes = std::map<std::string, std::map<std::string, double>>;

/// The file of a machine: what of its constants differs from a preset.
std::string targetFileText(const Target& preset, const Target& target, const std::string& name,
                           const FitNotes& fitted);

/// A JSON schema of such files.
std::string targetFileSchema();

/// The name of a machine for people.
std::string machineName(const Target& target);

} // namespace tilescope
