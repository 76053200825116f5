// `export`: a profile for other tools.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/report/graph_section.h"
#include "app/cli/report/report_json.h"
#include "app/cli/summary_output.h"
#include "core/analysis/source/source_names.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/export/chrome_trace.h"
#include "core/export/flame_graph.h"
#include "core/report/missing_parts.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"

namespace tilescope::cli {
namespace {

struct ExportArguments {
    std::string profile;
    std::string format;
    std::string output;
    std::optional<std::int64_t> from, to, events; ///< of --format chrome-trace
    std::vector<std::string> expand;              ///< of --format dot
    std::string weight;                           ///< of flame graphs
    bool stripSource = false;                     ///< of --format profile
};

/// To the file of -o, complete or not at all, or to the standard output.
void writeTo(const ExportArguments& arguments, const Streams& streams,
             const std::function<void(std::ostream&)>& write) {
    if (arguments.output.empty())
        return write(streams.out);
    writeFileAtomically(arguments.output, write);
}

void exportTrace(const ExportArguments& arguments, const ProfileView& profile,
                 const Streams& streams) {
    const ProfileInfo& info = profile.info();
    if (!info.hasExecution)
        throw UserError(fmt::format(
            "'{}' has no execution to export: the model {}", profile.file().string(),
            info.fits ? "was only compiled" : "does not fit in memory and was not run"));
    const TraceIndex& index = *profile.trace();
    const auto& programs = *profile.programs();
    const HostTimeline host(profile.reader(), index, programs, *profile.streams());
    ChromeTraceOptions options;
    options.mostEvents = arguments.events.value_or(options.mostEvents);
    const std::int64_t from = arguments.from.value_or(0);
    const std::int64_t to = arguments.to.value_or(0);
    if (from != 0 || to != 0)
        options.range = {from, to != 0 ? to : index.totalCycles()};
    ChromeTraceResult result;
    writeTo(arguments, streams, [&](std::ostream& out) {
        result =
            writeChromeTrace(out, {info, index, programs, *profile.operations(), &host}, options);
    });
    if (result.mergedSteps > 0)
        streams.err << fmt::format("tilescope: {} short steps are merged with their neighbours; "
                                   "--events or --from and --to give more detail\n",
                                   result.mergedSteps);
}

FlameWeight weightFrom(const std::string& text) {
    if (text.empty())
        return FlameWeight::Cycles;
    if (const auto weight = fromName<FlameWeight>(text))
        return *weight;
    std::vector<std::string> names;
    for (const FlameWeight one : flameWeights)
        names.emplace_back(toString(one));
    throw UserError(fmt::format("option --weight: '{}' is not one of {}.{}", text,
                                fmt::join(names, ", "), didYouMean(text, names)));
}

std::string nameWithOrigin(const ProfileInfo& info) {
    return info.origin == Origin() ? info.model
                                   : fmt::format("{} ({})", info.model, originText(info.origin));
}

void exportFlames(const ExportArguments& arguments, const ProfileView& profile,
                  const Streams& streams) {
    const FlameWeight weight = weightFrom(arguments.weight);
    const std::vector<FlameStack> stacks = flameStacks(profile, weight);
    writeTo(arguments, streams, [&](std::ostream& out) {
        if (arguments.format == "collapsed")
            writeCollapsed(out, stacks);
        else
            writeSpeedscope(out, nameWithOrigin(profile.info()), stacks, weight);
    });
}

boost::json::value everything(const ProfileView& profile) {
    boost::json::object object{{"summary", summaryJson(summaryOf(profile))}};
    for (const Report& report : allReports())
        object[report.id] = reportJson(report, profile, {});
    return object;
}

/// Writes the main table of each section to FOLDER/SECTION.csv and its further tables to
/// SECTION_TABLE.csv. Insights are sentences with evidence instead of a table, and only in the
/// JSON.
void exportCsv(const ExportArguments& arguments, const ProfileView& profile,
               const Streams& streams) {
    if (arguments.output.empty())
        throw UserError("option -o: --format csv writes several files and needs a folder for them");
    std::vector<std::string> files;
    const auto add = [&](std::string name, const Table& table) {
        std::ostringstream text;
        writeCsv(text, table);
        writeFileAtomically(std::filesystem::path(arguments.output) / name, text.str());
        files.push_back(std::move(name));
    };
    for (const Report& report : allReports()) {
        if (report.id == "insights")
            continue;
        bool first = true;
        for (const Table& table : makeReport(report, profile, {}).tables) {
            add(first ? report.id + ".csv" : report.id + "_" + table.key + ".csv", table);
            first = false;
        }
    }
    if (const Table table = coverageTable(profile.info()); !table.rows.empty())
        add("coverage.csv", table);
    for (const std::string& name : files)
        streams.out << name << '\n';
}

/// A copy to be given away.
void exportCopy(const ExportArguments& arguments, const ProfileView& profile) {
    if (arguments.output.empty())
        throw UserError("option -o: --format profile needs a file to write");
    Profile copy = profile.reader().load();
    if (arguments.stripSource)
        copy.source = withoutTexts(std::move(copy.source));
    writeProfile(copy, arguments.output);
}

bool isFlames(std::string_view format) {
    return format == "collapsed" || format == "speedscope";
}

void checkTraceOptions(const ExportArguments& arguments) {
    if (arguments.format != "chrome-trace" && (arguments.from || arguments.to || arguments.events))
        throw UserError("options --from, --to and --events apply to --format chrome-trace only");
    if (arguments.format != "dot" && !arguments.expand.empty())
        throw UserError("option --expand: it applies to --format dot only");
    if (!isFlames(arguments.format) && !arguments.weight.empty())
        throw UserError("option --weight: it applies to --format collapsed and speedscope only");
    if (arguments.format != "profile" && arguments.stripSource)
        throw UserError("option --strip-source: it applies to --format profile only");
    if (arguments.from.value_or(0) < 0 || arguments.to.value_or(0) < 0 ||
        arguments.events.value_or(1) < 1)
        throw UserError("options --from and --to are cycles from 0 on, --events is at least 1");
}

int exportProfile(const ExportArguments& arguments, const Streams& streams) {
    checkTraceOptions(arguments);
    const ProfileView profile = openProfile(arguments.profile, streams);
    std::error_code error;
    if (std::filesystem::equivalent(arguments.output, profile.file(), error))
        throw UserError(fmt::format("option -o: '{}' is the profile itself", arguments.output));
    if (arguments.format == "chrome-trace")
        exportTrace(arguments, profile, streams);
    else if (arguments.format == "csv")
        exportCsv(arguments, profile, streams);
    else if (arguments.format == "json")
        writeTo(arguments, streams,
                [&](std::ostream& out) { writeJson(out, everything(profile)); });
    else if (arguments.format == "dot")
        writeTo(arguments, streams,
                [&](std::ostream& out) { writeGraphDot(out, profile, arguments.expand); });
    else if (isFlames(arguments.format))
        exportFlames(arguments, profile, streams);
    else if (arguments.format == "profile")
        exportCopy(arguments, profile);
    else
        throw UserError(fmt::format("unknown format '{}': it can be chrome-trace, csv, json, dot, "
                                    "collapsed, speedscope or profile",
                                    arguments.format));
    return exitYes;
}

} // namespace

void addExportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("export", "Writes a profile for other tools");
    const auto a = std::make_shared<ExportArguments>();
    addProfileArgument(*command, a->profile);
    command
        ->add_option(
            "--format", a->format,
            "chrome-trace (the execution, for Perfetto), csv (a folder of tables), json "
            "(all reports), dot (the model's graph, for Graphviz), collapsed or speedscope (a "
            "flame graph of the program's lines or, without them, of the operations), profile (a "
            "copy)")
        ->required();
    command->add_option("-o,--output", a->output, "file (csv: folder) to write [standard output]");
    command
        ->add_option("--expand", a->expand,
                     "dot: a scope whose content is shown, or all (repeatable)")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--weight", a->weight,
                        "collapsed, speedscope: cycles, flops, code or alwaysLive [cycles]");
    command->add_flag("--strip-source", a->stripSource,
                      "profile: without the texts of your program's files and the folders that "
                      "they are in");
    command->add_option("--from", a->from,
                        "first cycle of a chrome-trace; part of an execution is exported without "
                        "the compilation");
    command->add_option("--to", a->to, "end of it (0: the end)");
    command->add_option("--events", a->events,
                        "maximum number of events in a chrome-trace; short steps are merged");
    setProfileAction(*command, action, a, exportProfile);
}

} // namespace tilescope::cli
