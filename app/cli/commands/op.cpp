// `op`: one operation on its own, with the names and arguments of the PopLibs tools.
#include <boost/json.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/op_tools.h"
#include "core/base/units.h"
#include "core/store/profile_writer.h"

namespace tilescope::cli {
namespace {

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
    for (const Table& table : planTables(explained)) {
        streams.out << '\n';
        writeText(streams.out, table);
    }
}

int runTool(const Tool& tool, const OpArguments& arguments, const Streams& streams) {
    sim::OperationOptions options = operationOptions(arguments);
    options.compilesCode = tool.compilesCode;
    Profile profile;
    const sim::Graph graph = tool.graph(arguments, options.dataType);
    const sim::OperationResult result = runOperation(graph, options, &profile);
    std::vector<sim::ExplainedOperation> explained;
    if (arguments.explain)
        explained = explainOperations(graph, options.target, options.planning, explainedPlans);
    if (!arguments.directory.empty())
        writeProfile(profile, std::filesystem::path(arguments.directory) / "profile.pop");
    printResult(streams, arguments, result, explained);
    return profile.info.fits ? exitYes : exitNo;
}

} // namespace

void addOpCommand(CLI::App& app, Action& action, bool withTools) {
    CLI::App* op = app.add_subcommand(
        "op", "Simulates one operation, with the arguments of the PopLibs tool of that name");
    if (!withTools)
        return;
    op->require_subcommand(1);
    for (const Tool& tool : opTools()) {
        CLI::App* command = op->add_subcommand(tool.name, tool.help);
        if (!tool.alias.empty())
            command->alias(tool.alias);
        const auto arguments = std::make_shared<OpArguments>();
        const auto options = std::make_shared<ToolOptions>(*command, tool, *arguments);
        command->add_option("--target", arguments->target, "mk1, mk2, bow or c600");
        command->add_option("--tiles-per-ipu", arguments->tilesPerIpu);
        command->add_option("--data-type", arguments->dataType)
            ->check(CLI::IsMember({"half", "float"}));
        command->add_option("--partials-type", arguments->partialsType)
            ->check(CLI::IsMember({"half", "float"}));
        command->add_option("--available-memory-proportion", arguments->proportion);
        command->add_flag("--inference-only", arguments->inferenceOnly);
        command->add_flag("--explain", arguments->explain,
                          "the best plans of each method with the terms of their cost");
        command->add_option("-o,--output", arguments->directory,
                            "directory for the operation's profile.pop");
        addJsonFlag(*command, arguments->flags);
        command->callback([tool, arguments, options, &action] {
            action = [tool, arguments, options](const Streams& streams) {
                options->resolve(streams.err);
                return runTool(tool, *arguments, streams);
            };
        });
    }
}

} // namespace tilescope::cli
