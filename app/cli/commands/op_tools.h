// The PopLibs tools that `op` supports, each a row in the list of its family.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/commands/common.h"
#include "core/table/table.h"
#include "simulator/operations/operations.h"

namespace tilescope::cli {

using Numbers = std::vector<std::int64_t>;

/// The default of an argument that need not be given and that nothing stands in for.
inline const std::string notGiven = "none";

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

    /// One of the tool's own arguments as given, as a number, as a list ("{56,56}", "56,56" or
    /// "3"), or as a flag ("true", "false", "1", "0", or nothing for true). UserError if it is not
    /// of that form.
    [[nodiscard]] const std::string& text(const std::string& key) const { return values.at(key); }
    [[nodiscard]] std::int64_t number(const std::string& key) const;
    [[nodiscard]] Numbers list(const std::string& key) const;
    [[nodiscard]] bool flag(const std::string& key) const;
    /// UserError unless it is one of these.
    [[nodiscard]] const std::string& oneOf(const std::string& key,
                                           const std::vector<std::string>& known) const;
    [[nodiscard]] double real(const std::string& key) const;
    /// A value for each dimension of the field, or one for all of them.
    [[nodiscard]] Numbers forEachDim(const std::string& key, const Numbers& field) const;
    /// The passes of --single-phase: all, fwd, bwd or wu.
    [[nodiscard]] sim::Passes passes() const;
    /// The type of an argument whose default is "data-type": that of all data unless given.
    [[nodiscard]] sim::DataType type(const std::string& key) const;
};

/// Options of PopLibs' tool that mean nothing here. They are accepted, with or without a value, and
/// a note says why nothing follows from them.
struct IgnoredOptions {
    std::string because;
    std::vector<std::string> names;
};

/// An argument that is a JSON object, and the arguments that its keys stand for.
struct JsonOption {
    std::string name;
    std::map<std::string, std::string> arguments;
};

/// A tool's arguments by name, with their defaults; "" if an argument is required.
struct Tool {
    std::string name;
    std::string help;
    std::map<std::string, std::string> defaults;
    std::function<sim::Graph(const OpArguments&, sim::DataType)> graph;
    /// Whether the tool compiles code for the IPU (compileIPUCode in its device's options).
    bool compilesCode = false;
    std::vector<IgnoredOptions> ignored = {}; ///< beside commonIgnored()
    std::vector<JsonOption> json = {};
    std::vector<std::string> repeatable = {}; ///< arguments whose values are joined by ';'
    std::string alias = {};                   ///< another name of the tool
};

/// Options that many tools have: about devices, reports and the values of data.
std::vector<IgnoredOptions> commonIgnored();

/// The options of a tool on the command line.
class ToolOptions {
public:
    /// Both references outlive it.
    ToolOptions(CLI::App& command, const Tool& tool, OpArguments& arguments);
    /// Once the command line is read: puts what JSON objects hold into the arguments, and notes
    /// the options that mean nothing here.
    void resolve(std::ostream& notes);

private:
    struct Given {
        const CLI::Option* option;
        std::string because;
    };
    void readJson(const JsonOption& json, std::vector<std::string>& unknown);

    OpArguments& arguments_;
    std::vector<JsonOption> json_;
    std::map<std::string, std::string> jsonTexts_; ///< by option
    std::map<std::string, std::string> ignoredTexts_;
    std::vector<Given> ignored_;
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
