// `models`, `targets` and `schema`: what is built in.
#include <boost/json.hpp>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/options/job.h"
#include "core/store/schema.h"
#include "core/target/target.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

int printModels(const Streams& streams, Format format) {
    Table table{
        "models", "", {{"name", "Name"}, {"input", "Input"}, {"description", "Description"}}, {}};
    for (const sim::ZooEntry& entry : sim::zooEntries())
        table.rows.push_back({entry.name, entry.inputShape, entry.description});
    if (format == Format::Json)
        writeJson(streams.out, toJson(table));
    else
        writeText(streams.out, table);
    return exitYes;
}

json::object targetJson(const Target& target) {
    json::array constants;
    for (const TargetConstant& constant : targetConstants(target))
        constants.push_back(json::object{{"name", constant.name},
                                         {"value", constant.value},
                                         {"unit", constant.unit},
                                         {"assumed", constant.assumed},
                                         {"source", constant.source}});
    return {{"name", target.name},
            {"architecture", target.architecture},
            {"description", target.description},
            {"tilesPerIpu", target.tilesPerIpu},
            {"bytesPerTile", target.bytesPerTile},
            {"clockHz", target.clockHz},
            {"constants", std::move(constants)}};
}

int printTargets(const Streams& streams, Format format) {
    if (format == Format::Json) {
        json::array targets;
        for (const Target& target : targetPresets())
            targets.push_back(targetJson(target));
        writeJson(streams.out, targets);
        return exitYes;
    }
    Table table{"targets",
                "",
                {{"name", "Name"},
                 {"description", "Description"},
                 {"architecture", "Architecture"},
                 {"tilesPerIpu", "Tiles"},
                 {"bytesPerTile", "Memory of a tile", Unit::Bytes},
                 {"bytesPerIpu", "Memory of an IPU", Unit::Bytes},
                 {"clockGHz", "Clock (GHz)"}},
                {}};
    for (const Target& t : targetPresets())
        table.rows.push_back({t.name, t.description, t.architecture, std::int64_t{t.tilesPerIpu},
                              t.bytesPerTile, t.bytesPerIpu(), t.clockHz / 1e9});
    writeText(streams.out, table);
    return exitYes;
}

} // namespace

void addModelsCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("models", "Lists the built-in models (the zoo)");
    const auto flags = std::make_shared<FormatFlags>();
    addJsonFlag(*command, *flags);
    command->callback([flags, &action] {
        action = [flags](const Streams& streams) { return printModels(streams, flags->format()); };
    });
}

void addTargetsCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "targets", "Lists the IPUs to simulate; --json: every constant with its source");
    const auto flags = std::make_shared<FormatFlags>();
    addJsonFlag(*command, *flags);
    command->callback([flags, &action] {
        action = [flags](const Streams& streams) { return printTargets(streams, flags->format()); };
    });
}

void addSchemaCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("schema", "Prints the documented schema of profile.pop");
    const auto job = std::make_shared<bool>(false);
    const auto flags = std::make_shared<FormatFlags>();
    command->add_flag("--job", *job, "print the JSON schema of job files instead");
    addJsonFlag(*command, *flags);
    command->callback([job, flags, &action] {
        action = [job, flags](const Streams& streams) {
            if (*job)
                streams.out << jobSchema();
            else if (flags->json)
                writeJson(streams.out, json::object{{"applicationId", profileApplicationId},
                                                    {"userVersion", profileSchemaVersion},
                                                    {"sql", profileSchemaSql()}});
            else
                streams.out << profileSchemaSql();
            return exitYes;
        };
    });
}

} // namespace tilescope::cli
