// `export`: a profile for other tools.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/export/csv_folder.h"
#include "app/cli/report/graph_section.h"
#include "app/cli/report/report_json.h"
#include "app/cli/summary_output.h"
#include "core/base/atomic_file.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/export/chrome_trace.h"

namespace tilescope::cli {
namespace {

struct ExportArguments {
    std::string profile;
    std::string format;
    std::string output;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t events = ChromeTraceOptions().mostEvents;
    std::vector<std::string> expand; ///< of --format dot
    bool traceOptions = false;       ///< one of --from, --to, --events was given
};

/// To the file of -o, complete or not at all, or to the standard output.
void writeTo(const ExportArguments& arguments, const Streams& streams,
             const std::function<void(std::ostream&)>& write) {
    if (arguments.output.empty())
        return write(streams.out);
    AtomicFile file(arguments.output);
    std::ofstream out(file.temporaryPath(), std::ios::binary);
    write(out);
    out.close();
    if (!out)
        throw UserError(fmt::format("cannot write '{}'", arguments.output));
    file.commit();
}

void exportTrace(const ExportArguments& arguments, const ProfileReader& reader,
                 const Streams& streams) {
    const ProfileInfo& info = reader.info();
    if (!info.hasExecution)
        throw UserError(fmt::format(
            "'{}' has no execution to export: the model {}", reader.file().string(),
            info.fits ? "was only compiled" : "does not fit in memory, so that it was not run"));
    const TraceIndex index = reader.traceIndex();
    const auto programs = reader.programs();
    const auto operations = reader.operations();
    const HostTimeline host(reader, index, programs, reader.streams());
    ChromeTraceOptions options;
    options.mostEvents = arguments.events;
    if (arguments.from != 0 || arguments.to != 0)
        options.range = {arguments.from, arguments.to != 0 ? arguments.to : index.totalCycles()};
    ChromeTraceResult result;
    writeTo(arguments, streams, [&](std::ostream& out) {
        result = writeChromeTrace(out, {info, index, programs, operations, &host}, options);
    });
    if (result.mergedSteps > 0)
        streams.err << fmt::format("tilescope: {} short steps are merged with their neighbours; "
                                   "--events or --from and --to give more detail\n",
                                   result.mergedSteps);
}

boost::json::value everything(const ProfileReader& reader) {
    const std::vector<Message> messages = reader.messages();
    boost::json::object object{
        {"summary", summaryJson({reader.info(), memorySummary(reader), messages, reader.file()})}};
    for (const Report& report : allReports())
        object[report.id] = reportJson(report, reader, {});
    return object;
}

void exportCsv(const ExportArguments& arguments, const ProfileReader& reader,
               const Streams& streams) {
    if (arguments.output.empty())
        throw UserError("option -o: --format csv writes several files and needs a folder for them");
    for (const std::string& name : writeCsvFolder(arguments.output, reader))
        streams.out << name << '\n';
}

void checkTraceOptions(const ExportArguments& arguments) {
    if (arguments.format != "chrome-trace" && arguments.traceOptions)
        throw UserError("options --from, --to and --events apply to --format chrome-trace only");
    if (arguments.format != "dot" && !arguments.expand.empty())
        throw UserError("option --expand: it applies to --format dot only");
    if (arguments.from < 0 || arguments.to < 0 || arguments.events < 1)
        throw UserError("options --from and --to are cycles from 0 on, --events is at least 1");
}

int exportProfile(const ExportArguments& arguments, const Streams& streams) {
    checkTraceOptions(arguments);
    const ProfileReader reader = openProfile(arguments.profile);
    if (arguments.format == "chrome-trace")
        exportTrace(arguments, reader, streams);
    else if (arguments.format == "csv")
        exportCsv(arguments, reader, streams);
    else if (arguments.format == "json")
        writeTo(arguments, streams, [&](std::ostream& out) { writeJson(out, everything(reader)); });
    else if (arguments.format == "dot")
        writeTo(arguments, streams,
                [&](std::ostream& out) { writeGraphDot(out, reader, arguments.expand); });
    else
        throw UserError(fmt::format("unknown format '{}': it can be chrome-trace, csv, json or dot",
                                    arguments.format));
    return exitYes;
}

} // namespace

void addExportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("export", "Writes a profile for other tools");
    const auto a = std::make_shared<ExportArguments>();
    command->add_option("PROFILE", a->profile, "profile.pop, or the directory it is in")
        ->required();
    command
        ->add_option("--format", a->format,
                     "chrome-trace (the execution, for Perfetto), csv (a folder of tables), json "
                     "(all reports) or dot (the model's graph, for Graphviz)")
        ->required();
    command->add_option("-o,--output", a->output,
                        "file (csv: folder) to write; without it the standard output");
    command
        ->add_option("--expand", a->expand,
                     "a scope of a dot to show the content of, or all (repeatable)")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    CLI::Option* from = command->add_option("--from", a->from,
                                            "first cycle of a chrome-trace; a part of an "
                                            "execution comes without the compilation");
    CLI::Option* to = command->add_option("--to", a->to, "end of it (0: the end)");
    CLI::Option* events = command->add_option(
        "--events", a->events, "most events of a chrome-trace; short steps beyond are merged");
    command->callback([a, from, to, events, &action] {
        a->traceOptions = from->count() + to->count() + events->count() > 0;
        action = [a](const Streams& streams) {
            return namingFile(a->profile, [&] { return exportProfile(*a, streams); });
        };
    });
}

} // namespace tilescope::cli
