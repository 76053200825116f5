// `import`: captures of Poplar's profiles become profiles, traces of the host part of one.
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/capture_script.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/run_request.h"
#include "app/cli/progress_line.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/database/page_checksum.h"
#include "core/import/add_host_traces.h"
#include "core/import/import.h"
#include "core/import/trace_events.h"
#include "core/options/option_form.h"
#include "core/remote/profile_place.h"
#include "core/remote/remote_capture.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

struct ImportArguments {
    std::vector<std::string> inputs;
    std::string output;
    ImportOptions options;
    std::string job;    ///< that was run
    std::string enable; ///< the SDK's enable script on the inputs' machine
    std::string into;   ///< a profile: the inputs are traces of its host
    HostTraceClock clock;
    FormatFlags flags;
};

/// The profile that an input becomes: in DIR, or in a folder of its own if there are several.
fs::path profileOf(const ImportArguments& arguments, const fs::path& input) {
    fs::path folder = arguments.output;
    if (folder.empty() || arguments.inputs.size() > 1)
        folder /= input.stem();
    return folder / "profile.pop";
}

/// Throws if two inputs would become one profile.
void checkOutputs(const ImportArguments& arguments) {
    std::map<fs::path, std::string> outputs;
    for (const std::string& input : arguments.inputs) {
        const fs::path profile = profileOf(arguments, input);
        const auto [other, isNew] = outputs.try_emplace(profile, input);
        if (!isNew)
            throw UserError(fmt::format("'{}' and '{}' would both become '{}': import them one by "
                                        "one with -o",
                                        other->second, input, profile.string()));
        checkWritable(profile);
    }
}

/// Adds what was run, which Poplar's profile does not say.
void attachJob(ProfileInfo& info, const std::string& job) {
    const RunRequest request = resolveRequest(job, {});
    RunOptions options;
    setRunOptions(options, request.options);
    validate(options);
    // Of a replicated graph, the profile may be of one replica or of all.
    const std::int64_t ipus = options.machine.target.ipus;
    if (ipus != info.target.ipus && ipus * options.replication.replicas != info.target.ipus)
        throw UserError(fmt::format("--job: '{}' runs on {} IPUs, but the profile is of {}", job,
                                    ipus, info.target.ipus));
    info.options = optionsInForce(options);
    std::error_code error;
    info.options["modelFile"] = fs::is_regular_file(request.model, error)
                                    ? fs::absolute(request.model, error).string()
                                    : request.model;
    info.mode = options.batch.mode;
    info.deviceIterations = options.batch.deviceIterations;
    info.batchSize = options.batch.batchSize.value_or(0);
    info.replicas = options.replication.replicas;
    std::erase_if(info.coverage.rows, [&](const CoverageRow& row) {
        // The model's own batch is not read.
        return row.part == ProfilePart::Options ||
               (row.part == ProfilePart::Run && options.batch.batchSize);
    });
}

json::object describe(const Imported& imported, const fs::path& input, const fs::path& profile) {
    json::array lacks;
    for (const CoverageRow& row : imported.profile.info.coverage.rows)
        lacks.push_back(json::object{
            {"part", toString(row.part)}, {"state", toString(row.state)}, {"why", row.why}});
    return {{"input", input.string()},
            {"profile", profile.string()},
            {"origin", toString(imported.profile.info.origin.kind)},
            {"target", imported.profile.info.target.name},
            {"steps", imported.executedSteps},
            {"flatSteps", imported.flatSteps},
            {"bodies", imported.profile.trace.bodies.size()},
            {"missing", json::array(imported.missing.begin(), imported.missing.end())},
            {"coverage", std::move(lacks)}};
}

void print(std::ostream& out, const Imported& imported, const fs::path& profile) {
    const ProfileInfo& info = imported.profile.info;
    out << fmt::format("{}: {}, {} of {} IPU{}\n", profile.string(), originText(info.origin),
                       info.target.name, info.target.ipus, info.target.ipus == 1 ? "" : "s");
    out << fmt::format(
        "  {} steps in {} bodies", withThousands(imported.executedSteps),
        withThousands(static_cast<std::int64_t>(imported.profile.trace.bodies.size())));
    if (imported.flatSteps > 0)
        out << fmt::format(", {} of them without a place in the program tree",
                           withThousands(imported.flatSteps));
    out << '\n';
    for (const std::string& missing : imported.missing)
        out << "  missing: " << printable(missing) << '\n';
}

/// The input itself, a copy of a remote one, or a capture of it that is made there.
fs::path localInput(const ImportArguments& arguments, const std::string& input,
                    const Streams& streams) {
    if (arguments.enable.empty())
        return localFile(input, streams);
    if (!isRemote(input))
        throw UserError(fmt::format("--enable: '{}' is on this machine: run tilescope_capture.py "
                                    "here, which 'tilescope capture-script' prints",
                                    input));
    ProgressLine line(streams);
    line.show(0, fmt::format("capturing {}", input));
    return captureRemote(sshFromEnvironment(),
                         {remoteAddress(input), arguments.enable, captureScriptText()},
                         remoteCopies(), [&](std::int64_t done, std::int64_t bytes) {
                             line.show(static_cast<double>(done) / static_cast<double>(bytes),
                                       fmt::format("copying {}", input));
                         });
}

/// Whether the inputs are traces of one program's processes, which become one profile.
bool areTogether(const ImportArguments& arguments) {
    return arguments.inputs.size() > 1 &&
           std::ranges::all_of(arguments.inputs, [](const std::string& input) {
               return !isRemote(input) && formOf(input) == FileForm::HostTrace;
           });
}

int importTogether(const ImportArguments& arguments, const Streams& streams) {
    const fs::path profile = arguments.output.empty()
                                 ? profileOf(arguments, arguments.inputs.front())
                                 : fs::path(arguments.output) / "profile.pop";
    checkWritable(profile);
    const std::vector<fs::path> files(arguments.inputs.begin(), arguments.inputs.end());
    const Imported imported = [&] {
        ProgressLine line(streams);
        return importHostTraces(files, arguments.options, [&](double done, std::string_view what) {
            line.show(done, fmt::format("importing {}", what));
        });
    }();
    writeProfile(imported.profile, profile);
    if (arguments.flags.json)
        writeJson(streams.out, json::array{describe(imported, arguments.inputs.front(), profile)});
    else
        print(streams.out, imported, profile);
    return exitYes;
}

int importProfiles(const ImportArguments& arguments, const Streams& streams) {
    if (areTogether(arguments))
        return importTogether(arguments, streams);
    checkOutputs(arguments);
    json::array all;
    bool complete = true;
    for (const std::string& input : arguments.inputs) {
        ProgressLine line(streams);
        Imported imported = importFile(localInput(arguments, input, streams), arguments.options,
                                       [&](double done, std::string_view what) {
                                           line.show(done, fmt::format("importing {}", what));
                                       });
        if (!arguments.job.empty())
            attachJob(imported.profile.info, arguments.job);
        const fs::path profile = profileOf(arguments, input);
        writeProfile(imported.profile, profile);
        complete = complete && imported.missing.empty();
        if (arguments.flags.json)
            all.push_back(describe(imported, input, profile));
        else
            print(streams.out, imported, profile);
    }
    if (arguments.flags.json)
        writeJson(streams.out, all);
    return complete ? exitYes : exitNo;
}

json::object describe(const AddedHostTraces& added, const fs::path& profile) {
    return {{"profile", profile.string()},   {"events", added.events},
            {"points", added.points},        {"leftOut", added.leftOut},
            {"openEvents", added.openSpans}, {"tooMany", added.tooMany},
            {"isCut", added.isCut}};
}

void print(std::ostream& out, const AddedHostTraces& added, const fs::path& profile) {
    out << fmt::format("{}: {} events and {} points of counters of the host\n", profile.string(),
                       withThousands(added.events), withThousands(added.points));
    const auto note = [&](std::int64_t count, std::string_view what) {
        if (count > 0)
            out << fmt::format("  {} {}\n", withThousands(count), what);
    };
    note(added.openSpans, "without an end last until the trace's");
    note(added.leftOut, "are of kinds that no view shows (flows, snapshots, ends alone)");
    note(added.tooMany, fmt::format("are left out, the shortest: a profile keeps {}",
                                    withThousands(mostHostEvents)));
    if (added.isCut)
        out << "  the trace has no end: its program was stopped\n";
}

int importTraces(const ImportArguments& arguments, const Streams& streams) {
    if (arguments.output.empty())
        throw UserError("--into needs -o: the folder for the profile with the host's events");
    const fs::path output = fs::path(arguments.output) / "profile.pop";
    checkWritable(output);
    const fs::path input = localFile(arguments.into, streams);
    Profile profile = namingFile(input.string(), [&] {
        const ProfileReader reader(input);
        verifyChecksums(reader.file());
        return reader.load();
    });
    const std::vector<fs::path> files(arguments.inputs.begin(), arguments.inputs.end());
    const AddedHostTraces added = [&] {
        ProgressLine line(streams);
        return addHostTraces(profile, files, arguments.clock,
                             [&](double done, std::string_view what) {
                                 line.show(done, fmt::format("reading {}", what));
                             });
    }();
    writeProfile(profile, output);
    if (arguments.flags.json)
        writeJson(streams.out, describe(added, output));
    else
        print(streams.out, added, output);
    return exitYes;
}

int runImport(const ImportArguments& arguments, const Streams& streams) {
    return arguments.into.empty() ? importProfiles(arguments, streams)
                                  : importTraces(arguments, streams);
}

} // namespace

void addImportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "import",
        "Makes profiles of captures of Poplar's profiles (capture-script), adds traces of "
        "the host to one; status 1: parts are missing");
    const auto a = std::make_shared<ImportArguments>();
    command->add_option("input", a->inputs, "captures, or traces")->required()->type_name("INPUT");
    command->add_option("-o,--output", a->output,
                        "folder for the profile, or for the folders of several [the capture's "
                        "name]");
    command->add_option("--target", a->options.target,
                        "the machine whose constants complete what the capture says [the nearest]");
    command->add_option("--job", a->job,
                        "the job or model that was run: its options are then known, and it can be "
                        "run again");
    command
        ->add_option("--enable", a->enable,
                     "enable script of Poplar's SDK on the machine of ssh://host/path: captures "
                     "Poplar's profile there first")
        ->type_name("PATH");
    CLI::Option* into = command->add_option("--into", a->into,
                                            "the inputs are traces of the host (trace events in "
                                            "JSON, also .gz): a copy of this profile "
                                            "with them");
    into->type_name("PROFILE")->excludes("--target")->excludes("--job")->excludes("--enable");
    CLI::Option* offset = command->add_option("--offset", a->clock.offset,
                                              "seconds from the first run to the first event [0]");
    offset->needs(into);
    command->add_option("--zero", a->clock.zero, "the event that begins with the first run")
        ->type_name("EVENT")
        ->needs(into)
        ->excludes(offset);
    addJsonFlag(*command, a->flags);
    setAction(*command, action, a, runImport);
}

} // namespace tilescope::cli
