// `op`: one operation on its own, with the names and arguments of the PopLibs tools.
#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/op_explain.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/store/profile_writer.h"
#include "simulator/operations/operations.h"

namespace tilescope::cli {
namespace {

using Numbers = std::vector<std::int64_t>;

/// A list as the tools write it: "{56,56}", "56,56" or "3".
Numbers numbers(const std::string& key, const std::string& text) {
    Numbers values;
    std::string digits;
    const auto finish = [&] {
        if (!digits.empty())
            values.push_back(std::stoll(std::exchange(digits, {})));
    };
    for (const char c : text) {
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 && digits.size() < 12)
            digits += c;
        else if (c == ',' || c == '{' || c == '}' || c == ' ')
            finish();
        else
            throw UserError(
                fmt::format("{}: '{}' is not a list of numbers such as {{56,56}}", key, text));
    }
    finish();
    if (values.empty())
        throw UserError(fmt::format("{}: '{}' holds no number", key, text));
    return values;
}

/// One value for every dimension, or one for all of them.
Numbers forEachDim(const std::string& key, const std::string& text, std::size_t dims) {
    Numbers values = numbers(key, text);
    if (values.size() == 1)
        values.resize(dims, values.front());
    if (values.size() != dims)
        throw UserError(
            fmt::format("{}: {} values for {} field dimensions", key, values.size(), dims));
    return values;
}

struct OpArguments {
    std::string target = "mk2";
    std::string tilesPerIpu;
    std::string dataType = "half";
    std::string partialsType = "float";
    std::string proportion;
    std::string directory;
    bool bias = true;
    bool inferenceOnly = false;
    bool explain = false;
    FormatFlags flags;
    std::map<std::string, std::string> values; ///< the tool's own arguments
};

sim::OperationOptions optionsFrom(const OpArguments& arguments) {
    sim::OperationOptions options;
    setRunOption(options.run, "target", arguments.target);
    if (!arguments.tilesPerIpu.empty())
        setRunOption(options.run, "tilesPerIpu", arguments.tilesPerIpu);
    if (!arguments.proportion.empty())
        setRunOption(options.run, "availableMemoryProportion", arguments.proportion);
    setRunOption(options.run, "partialsType", arguments.partialsType);
    options.dataType = arguments.dataType == "float" ? sim::DataType::Float : sim::DataType::Half;
    validate(options.run);
    return options;
}

/// A tool's arguments by name, with what they default to; "" if an argument is required.
struct Tool {
    std::string name;
    std::string help;
    std::map<std::string, std::string> defaults;
    std::function<sim::Graph(const OpArguments&, sim::DataType)> graph;
};

std::int64_t number(const OpArguments& arguments, const std::string& key) {
    return numbers("--" + key, arguments.values.at(key)).front();
}

Numbers list(const OpArguments& arguments, const std::string& key) {
    return numbers("--" + key, arguments.values.at(key));
}

sim::Graph convGraph(const OpArguments& a, sim::DataType type) {
    sim::SingleConvLayer layer;
    layer.field = list(a, "field");
    const auto each = [&](const std::string& key) {
        return forEachDim("--" + key, a.values.at(key), layer.field.size());
    };
    layer.kernel = each("kernel-size");
    layer.stride = each("stride");
    layer.dilation = each("kernel-dilation");
    layer.paddingLower = layer.paddingUpper = each("padding");
    layer.inputChannels = number(a, "input-channels");
    layer.outputChannels = number(a, "output-channels");
    layer.batchSize = number(a, "batch-size");
    layer.groups = number(a, "conv-groups");
    layer.bias = a.bias;
    layer.inferenceOnly = a.inferenceOnly;
    // The tool's channels are those of one group.
    layer.inputChannels *= layer.groups;
    layer.outputChannels *= layer.groups;
    return graphOf(layer, type);
}

sim::Graph poolGraph(const OpArguments& a, sim::DataType type) {
    sim::PoolingLayer layer;
    layer.field = list(a, "field");
    const auto each = [&](const std::string& key) {
        return forEachDim("--" + key, a.values.at(key), layer.field.size());
    };
    layer.kernel = each("kernel-size");
    layer.stride = each("stride");
    layer.padding = each("padding");
    layer.channels = number(a, "channels");
    layer.batchSize = number(a, "batch-size");
    layer.kind = a.values.at("pooling-type") == "avg" ? sim::PoolKind::Average : sim::PoolKind::Max;
    return graphOf(layer, type);
}

sim::ReduceFunction reduceFunction(const std::string& name) {
    using F = sim::ReduceFunction;
    for (const F f : {F::Add, F::Max, F::Min, F::Multiply, F::SquareAdd, F::LogAdd})
        if (sim::toString(f) == name)
            return f;
    throw UserError(fmt::format(
        "--operation: '{}' is not one of ADD, MAX, MIN, MUL, SQUARE_ADD, LOG_ADD", name));
}

std::vector<Tool> tools() {
    return {
        {"single_conv_layer",
         "Forward, backward and weight update of a convolution",
         {{"field", ""},
          {"kernel-size", ""},
          {"stride", "1"},
          {"padding", "0"},
          {"kernel-dilation", "1"},
          {"input-channels", ""},
          {"output-channels", ""},
          {"batch-size", "1"},
          {"conv-groups", "1"}},
         convGraph},
        {"fully_connected_layer",
         "Forward, backward and weight update of a dense layer",
         {{"batch-size", "1"}, {"input-size", ""}, {"output-size", ""}, {"num-groups", "1"}},
         [](const OpArguments& a, sim::DataType type) {
             sim::FullyConnectedLayer layer;
             layer.batchSize = number(a, "batch-size");
             layer.inputSize = number(a, "input-size");
             layer.outputSize = number(a, "output-size");
             layer.groups = number(a, "num-groups");
             layer.bias = a.bias;
             layer.inferenceOnly = a.inferenceOnly;
             return graphOf(layer, type);
         }},
        {"general_matrix_multiply",
         "C += A x B",
         {{"m", ""}, {"k", ""}, {"n", ""}},
         [](const OpArguments& a, sim::DataType type) {
             return graphOf(
                 sim::GeneralMatrixMultiply{number(a, "m"), number(a, "k"), number(a, "n")}, type);
         }},
        {"reduce_op",
         "A reduction",
         {{"shape", ""},
          {"dims", ""},
          {"operation", "ADD"},
          {"scale", "1.0"},
          {"update", "false"},
          {"type", "half"}},
         [](const OpArguments& a, sim::DataType) {
             const sim::DataType type =
                 a.values.at("type") == "float" ? sim::DataType::Float : sim::DataType::Half;
             return graphOf(sim::ReduceOp{list(a, "shape"), list(a, "dims"),
                                          reduceFunction(a.values.at("operation"))},
                            type);
         }},
        {"pooling_layer",
         "Forward pooling",
         {{"field", ""},
          {"kernel-size", ""},
          {"stride", "1"},
          {"padding", "0"},
          {"channels", ""},
          {"batch-size", "1"},
          {"pooling-type", "max"}},
         poolGraph},
        {"embedding_layer",
         "Look-up and update of rows",
         {{"shape", ""}, {"num-indices", ""}},
         [](const OpArguments& a, sim::DataType type) {
             const Numbers shape = list(a, "shape");
             if (shape.size() != 2)
                 throw UserError("--shape: an embedding has two dimensions, rows and width");
             return graphOf(sim::EmbeddingLayer{shape[0], shape[1], number(a, "num-indices")},
                            type);
         }},
    };
}

// Alternatives of each method: enough to see what the choice was between.
constexpr std::size_t explainedPlans = 3;

void printResult(const Streams& streams, const OpArguments& arguments,
                 const sim::OperationResult& result,
                 const std::vector<sim::ExplainedOperation>& explained) {
    if (arguments.flags.json) {
        boost::json::object out;
        out["cycles"] = result.cycles;
        out["totalMemory"] = result.totalMemory;
        out["maxTileMemory"] = result.maxTileMemory;
        out["maxTileMemoryExcludingGaps"] = result.maxTileMemoryExcludingGaps;
        out["plan"] = result.plans.empty() ? boost::json::value(nullptr)
                                           : boost::json::parse(result.plans.front());
        boost::json::array passes;
        for (const std::string& plan : result.plans)
            passes.push_back(boost::json::parse(plan));
        out["plans"] = std::move(passes);
        if (arguments.explain)
            out["explain"] = explanationJson(explained);
        streams.out << boost::json::serialize(out) << '\n';
        return;
    }
    streams.out << fmt::format("Cycles                     {}\n", withThousands(result.cycles))
                << fmt::format("Total memory               {}\n",
                               formatBytes(result.totalMemory, ByteUnits::Plain))
                << fmt::format("Max tile, including gaps   {}\n",
                               formatBytes(result.maxTileMemory, ByteUnits::Plain))
                << fmt::format("Max tile, excluding gaps   {}\n",
                               formatBytes(result.maxTileMemoryExcludingGaps, ByteUnits::Plain));
    for (const std::string& plan : result.plans)
        streams.out << "Plan                       " << plan << '\n';
    for (const Table& table : explanationTables(explained)) {
        streams.out << '\n';
        writeText(streams.out, table);
    }
}

int runTool(const Tool& tool, const OpArguments& arguments, const Streams& streams) {
    const sim::OperationOptions options = optionsFrom(arguments);
    Profile profile;
    const sim::Graph graph = tool.graph(arguments, options.dataType);
    const sim::OperationResult result = runOperation(graph, options, &profile);
    std::vector<sim::ExplainedOperation> explained;
    if (arguments.explain)
        explained = explainOperations(graph, options.run, explainedPlans);
    if (!arguments.directory.empty())
        writeProfile(profile, std::filesystem::path(arguments.directory) / "profile.pop");
    printResult(streams, arguments, result, explained);
    return profile.info.fits ? exitYes : exitNo;
}

} // namespace

void addOpCommand(CLI::App& app, Action& action) {
    CLI::App* op = app.add_subcommand(
        "op", "Simulates one operation, with the arguments of the PopLibs tool of that name");
    op->require_subcommand(1);
    for (const Tool& tool : tools()) {
        CLI::App* command = op->add_subcommand(tool.name, tool.help);
        const auto arguments = std::make_shared<OpArguments>();
        arguments->values = tool.defaults;
        for (auto& [key, value] : arguments->values) {
            CLI::Option* option = command->add_option("--" + key, value);
            if (value.empty())
                option->required();
            else
                option->capture_default_str();
        }
        command->add_option("--target", arguments->target, "mk1, mk2, bow or c600");
        command->add_option("--tiles-per-ipu", arguments->tilesPerIpu);
        command->add_option("--data-type", arguments->dataType)
            ->check(CLI::IsMember({"half", "float"}));
        command->add_option("--partials-type", arguments->partialsType)
            ->check(CLI::IsMember({"half", "float"}));
        command->add_option("--available-memory-proportion", arguments->proportion);
        command->add_option("--bias", arguments->bias);
        command->add_flag("--inference-only", arguments->inferenceOnly);
        command->add_flag("--explain", arguments->explain,
                          "the best plans of each method with the terms of their cost");
        command->add_option("-o,--output", arguments->directory,
                            "directory for the operation's profile.pop");
        addJsonFlag(*command, arguments->flags);
        command->callback([tool, arguments, &action] {
            action = [tool, arguments](const Streams& streams) {
                return runTool(tool, *arguments, streams);
            };
        });
    }
}

} // namespace tilescope::cli
