// `models`, `targets` and `schema`: what is built in.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/options/job.h"
#include "core/store/schema.h"
#include "core/sweep/sweep_file.h"
#include "core/target/target_file.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

int printModels(const Streams& streams, Format format) {
    Table table{"models",
                "",
                {{"name", "Name"},
                 {"input", "Input"},
                 {"description", "Description"},
                 {"options", "Options"}}};
    for (const sim::ZooEntry& entry : sim::zooEntries()) {
        std::vector<std::string> options;
        for (const sim::ZooOption& option : entry.options)
            options.push_back(fmt::format("{}={}", option.key, option.values()));
        table.add({entry.name, entry.inputShape, entry.description,
                   fmt::format("{}", fmt::join(options, " "))});
    }
    write(streams.out, table, format);
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
                 {"systemIpus", "IPUs"},
                 {"tilesPerIpu", "Tiles of an IPU"},
                 {"bytesPerTile", "Memory of a tile", Unit::Bytes},
                 {"bytesPerIpu", "Memory of an IPU", Unit::Bytes},
                 {"clockGHz", "Clock (GHz)"}}};
    for (const Target& t : targetPresets())
        table.add({t.name, t.description, t.architecture,
                   t.systemIpus > 0 ? std::to_string(t.systemIpus) : "any",
                   std::int64_t{t.tilesPerIpu}, t.bytesPerTile, t.bytesPerIpu(), t.clockHz / 1e9});
    writeText(streams.out, table);
    return exitYes;
}

struct FileFormat {
    std::int32_t applicationId;
    std::int32_t version;
    std::string_view sql;
};

void printSchema(const Streams& streams, const FileFormat& format, bool asJson) {
    if (asJson)
        writeJson(streams.out, json::object{{"applicationId", format.applicationId},
                                            {"userVersion", format.version},
                                            {"sql", format.sql}});
    else
        streams.out << format.sql;
}

} // namespace

void addModelsCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("models", "Lists the built-in models (the zoo)");
    const auto flags = std::make_shared<FormatFlags>();
    addJsonFlag(*command, *flags);
    setAction(*command, action, flags, [](const FormatFlags& f, const Streams& streams) {
        return printModels(streams, f.format());
    });
}

void addTargetsCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "targets",
        "Lists the IPUs that can be simulated; --json: every constant with its source. A file "
        "with constants of its own is one, too: see 'schema --target'");
    const auto flags = std::make_shared<FormatFlags>();
    addJsonFlag(*command, *flags);
    setAction(*command, action, flags, [](const FormatFlags& f, const Streams& streams) {
        return printTargets(streams, f.format());
    });
}

void addSchemaCommand(CLI::App& app, Action& action) {
    struct CatalogueArguments {
        bool job = false;
        bool sweep = false;
        bool target = false;
        FormatFlags flags;
    };
    CLI::App* command = app.add_subcommand("schema", "Prints the documented schema of profile.pop");
    const auto a = std::make_shared<CatalogueArguments>();
    CLI::Option* job =
        command->add_flag("--job", a->job, "print the JSON schema of job files instead");
    command->add_flag("--sweep", a->sweep, "print the schema of the results of 'sweep' instead")
        ->excludes(job);
    command
        ->add_flag("--target", a->target,
                   "print the JSON schema of target files, which --target of a run takes, instead")
        ->excludes(job)
        ->excludes("--sweep");
    addJsonFlag(*command, a->flags);
    command->callback([a, &action] {
        action = [a](const Streams& streams) {
            if (a->job)
                streams.out << jobSchema();
            else if (a->target)
                streams.out << targetFileSchema();
            else if (a->sweep)
                printSchema(streams, {sweepApplicationId, sweepSchemaVersion, sweepSchemaSql()},
                            a->flags.json);
            else
                printSchema(streams,
                            {profileApplicationId, profileSchemaVersion, profileSchemaSql()},
                            a->flags.json);
            return exitYes;
        };
    });
}

} // namespace tilescope::cli
