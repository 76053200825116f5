// `op`: one operation on its own, with the names and arguments of the PopLibs tools.
#include <boost/json.hpp>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
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

/// The padding of one side, if it is not given: that of both.
const std::string asPadding = "padding";

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

sim::DataType typeOf(const std::string& name) {
    return name == "float" ? sim::DataType::Float : sim::DataType::Half;
}

sim::OperationOptions optionsFrom(const OpArguments& arguments) {
    sim::OperationOptions options;
    setRunOption(options.run, "target", arguments.target);
    if (!arguments.tilesPerIpu.empty())
        setRunOption(options.run, "tilesPerIpu", arguments.tilesPerIpu);
    if (!arguments.proportion.empty())
        setRunOption(options.run, "availableMemoryProportion", arguments.proportion);
    setRunOption(options.run, "partialsType", arguments.partialsType);
    options.dataType = typeOf(arguments.dataType);
    validate(options.run);
    return options;
}

/// A tool's arguments by name, with what they default to; "" if an argument is required.
struct Tool {
    std::string name;
    std::string help;
    std::map<std::string, std::string> defaults;
    std::function<sim::Graph(const OpArguments&, sim::DataType)> graph;
    /// Whether the tool compiles code for the IPU (compileIPUCode in its device's options).
    bool compilesCode = false;
};

std::int64_t number(const OpArguments& arguments, const std::string& key) {
    return numbers("--" + key, arguments.values.at(key)).front();
}

Numbers list(const OpArguments& arguments, const std::string& key) {
    return numbers("--" + key, arguments.values.at(key));
}

/// A value for each dimension of the field, or one for all of them.
Numbers forEachDim(const OpArguments& arguments, const std::string& key, const Numbers& field) {
    Numbers values = list(arguments, key);
    if (values.size() == 1)
        values.resize(field.size(), values.front());
    if (values.size() != field.size())
        throw UserError(fmt::format("--{}: {} values for {} field dimensions", key, values.size(),
                                    field.size()));
    return values;
}

/// Zeros on one side of the field: what --padding says unless they are given by themselves.
Numbers paddingOf(const OpArguments& arguments, const std::string& key, const Numbers& field) {
    return forEachDim(arguments, arguments.values.at(key) == asPadding ? asPadding : key, field);
}

sim::Graph convGraph(const OpArguments& a, sim::DataType type) {
    sim::SingleConvLayer layer;
    layer.field = list(a, "field");
    layer.kernel = forEachDim(a, "kernel-size", layer.field);
    layer.stride = forEachDim(a, "stride", layer.field);
    layer.dilation = forEachDim(a, "kernel-dilation", layer.field);
    layer.paddingLower = paddingOf(a, "padding-lower", layer.field);
    layer.paddingUpper = paddingOf(a, "padding-upper", layer.field);
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
    layer.kernel = forEachDim(a, "kernel-size", layer.field);
    layer.stride = forEachDim(a, "stride", layer.field);
    layer.paddingLower = paddingOf(a, "padding-lower", layer.field);
    layer.paddingUpper = paddingOf(a, "padding-upper", layer.field);
    layer.inferenceOnly = a.inferenceOnly;
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
          {"padding-lower", asPadding},
          {"padding-upper", asPadding},
          {"kernel-dilation", "1"},
          {"input-channels", ""},
          {"output-channels", ""},
          {"batch-size", "1"},
          {"conv-groups", "1"}},
         convGraph,
         true},
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
         },
         true},
        {"reduce_op",
         "A reduction",
         {{"shape", ""},
          {"dims", ""},
          {"operation", "ADD"},
          {"scale", "1.0"},
          {"update", "false"},
          {"type", "half"}},
         [](const OpArguments& a, sim::DataType) {
             return graphOf(sim::ReduceOp{list(a, "shape"), list(a, "dims"),
                                          reduceFunction(a.values.at("operation"))},
                            typeOf(a.values.at("type")));
         }},
        {"pooling_layer",
         "Forward and backward pooling",
         {{"field", ""},
          {"kernel-size", ""},
          {"stride", "1"},
          {"padding", "0"},
          {"padding-lower", asPadding},
          {"padding-upper", asPadding},
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
         },
         true},
    };
}

/// "AMP 16x8 units 8": the vertex by its grains and units.
std::string vertexText(const sim::ConvPlan& plan) {
    std::string text = fmt::format("{} {}x{}x{}", sim::toString(plan.method), plan.grains.groups,
                                   plan.grains.inChans, plan.grains.outChans);
    if (plan.convUnits > 0)
        text += fmt::format("/{}", plan.convUnits);
    return text;
}

/// "swap", "expand 0,1", "combine 16": how the problem was rewritten.
std::string transformText(const sim::ConvPlan& plan) {
    const sim::ConvTransform& transform = plan.transform;
    std::vector<std::string> parts;
    if (plan.joint)
        parts.emplace_back("joint");
    if (transform.swapOperands)
        parts.emplace_back("swap");
    if (!transform.expandedDims.empty())
        parts.push_back(fmt::format("expand {}", fmt::join(transform.expandedDims, ",")));
    if (transform.combinedGroups > 1)
        parts.push_back(fmt::format("combine {}", transform.combinedGroups));
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, " "));
}

/// "g1 b4 f7x2 o4 i1 k1x1", and the numbers of serial slices where there are any.
std::string partitionText(const sim::ConvSplits& s) {
    std::string text =
        fmt::format("g{} b{} f{} o{} i{} k{}", s.groups, s.batch, fmt::join(s.field, "x"),
                    s.outChans, s.inChans, fmt::join(s.kernel, "x"));
    if (s.outChansSerial > 1)
        text += fmt::format(" serial o{}", s.outChansSerial);
    if (s.inChansSerial > 1)
        text += fmt::format(" serial i{}", s.inChansSerial);
    return text;
}

/// A table for each operation, the chosen plan marked with '*'.
std::vector<Table> explanationTables(const std::vector<sim::ExplainedOperation>& operations) {
    std::vector<Table> tables;
    for (const sim::ExplainedOperation& operation : operations) {
        Table table{"plans",
                    fmt::format("Plans of {} (available memory proportion {})", operation.name,
                                operation.availableMemoryProportion),
                    {{"chosen", ""},
                     {"vertex", "Vertex"},
                     {"transform", "Transform"},
                     {"partition", "Partition"},
                     {"tiles", "Tiles", Unit::Cycles},
                     {"cycles", "Cycles", Unit::Cycles},
                     {"exchange", "Exchange", Unit::Cycles},
                     {"rearrange", "Transform copy", Unit::Cycles},
                     {"compute", "Compute", Unit::Cycles},
                     {"reduce", "Reduce", Unit::Cycles},
                     {"serial", "Serial", Unit::Cycles},
                     {"tempBytes", "Temporary", Unit::Bytes}}};
        for (const sim::ExplainedPlan& explained : operation.plans) {
            const sim::ConvPlan& plan = explained.plan;
            const sim::ConvCost& cost = plan.cost;
            table.add({std::string(explained.chosen ? "*" : ""), vertexText(plan),
                       transformText(plan), partitionText(plan.splits), plan.splits.tiles(),
                       cost.cycles(), cost.exchange, cost.rearrange, cost.compute, cost.reduce,
                       cost.serial, cost.tempBytes});
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

/// [{"operation", "availableMemoryProportion", "plans": [a plan as in "plan" with "chosen", ...]}]
boost::json::array explanationJson(const std::vector<sim::ExplainedOperation>& operations) {
    boost::json::array all;
    for (const sim::ExplainedOperation& operation : operations) {
        boost::json::array plans;
        for (const sim::ExplainedPlan& explained : operation.plans) {
            boost::json::value plan = boost::json::parse(explained.plan.toJson());
            plan.as_object()["chosen"] = explained.chosen;
            plans.push_back(std::move(plan));
        }
        all.push_back(
            boost::json::object{{"operation", operation.name},
                                {"availableMemoryProportion", operation.availableMemoryProportion},
                                {"plans", std::move(plans)}});
    }
    return all;
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
    sim::OperationOptions options = optionsFrom(arguments);
    options.compilesCode = tool.compilesCode;
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
