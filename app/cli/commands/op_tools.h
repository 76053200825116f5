// The PopLibs tools that `op` supports, each a row in the list of its family.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/cli/commands/common.h"
#include "core/table/table.h"
#include "simulator/operations/operations.h"

namespace tilescope::cli {

using Numbers = std::vector<std::int64_t>;

/// The command line of a tool: arguments that all tools have, and the tool's own.
struct OpArguments {
    std::string target = "mk2";
    std::string tilesPerIpu;
    std::string dataType = "half";
    std::string partialsType = "float";
    std::string proportion;
    std::string directory;
    bool inferenceOnly = false;
    bool explain = false;
    FormatFlags flags;
    std::map<std::string, std::string> values; ///< the tool's own arguments
    std::vector<std::string> notSimulated;     ///< given options of Tool::notSimulated

    /// One of the tool's own arguments as given, as a number, as a list ("{56,56}", "56,56" or
    /// "3"), or as a flag ("true", "false", "1" or "0"). UserError if it is not of that form.
    [[nodiscard]] const std::string& text(const std::string& key) const { return values.at(key); }
    [[nodiscard]] std::int64_t number(const std::string& key) const;
    [[nodiscard]] Numbers list(const std::string& key) const;
    [[nodiscard]] bool flag(const std::string& key) const;
    /// UserError unless it is one of these.
    [[nodiscard]] const std::string& oneOf(const std::string& key,
                                           const std::vector<std::string>& known) const;
    /// A value for each dimension of the field, or one for all of them.
    [[nodiscard]] Numbers forEachDim(const std::string& key, const Numbers& field) const;
};

/// A tool's arguments by name, with their defaults; "" if an argument is required.
struct Tool {
    std::string name;
    std::string help;
    std::map<std::string, std::string> defaults;
    std::function<sim::Graph(const OpArguments&, sim::DataType)> graph;
    /// Whether the tool compiles code for the IPU (compileIPUCode in its device's options).
    bool compilesCode = false;
    /// Options of the PopLibs tool that are not simulated, with a value or without: accepted, and
    /// said once where they are given.
    std::vector<std::string> notSimulated{};
};

sim::DataType dataTypeOf(const std::string& name);
sim::OperationOptions operationOptions(const OpArguments& arguments);

/// By family, each in its own file.
std::vector<Tool> convolutionTools();
std::vector<Tool> multiConvTools();
std::vector<Tool> productTools();
std::vector<Tool> recurrentTools();
std::vector<Tool> ctcTools();
/// All of them.
std::vector<Tool> opTools();

/// A table for each operation, the chosen plan marked with '*'.
std::vector<Table> planTables(const std::vector<sim::ExplainedOperation>& operations);

} // namespace tilescope::cli
