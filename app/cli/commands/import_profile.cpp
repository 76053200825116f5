// `import`: captures of Poplar's profiles become profiles, traces of the host part of one.
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/run_job.h"
#include "app/cli/progress_line.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/database/page_checksum.h"
#include "core/import/add_host_traces.h"
#include "core/import/import.h"
#include "core/import/ipu_stack.h"
#include "core/import/trace_events.h"
#include "core/remote/capture_script.h"
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

/// The profile that -o means: FILE.pop itself, or in a folder.
fs::path outputOf(const fs::path& output) {
    std::error_code error;
    const bool isFile = fs::is_regular_file(output, error) ||
                        (output.extension() == ".pop" && !fs::is_directory(output, error));
    return isFile ? output : output / "profile.pop";
}

/// The profile that an input becomes; in a folder of its own if there are several.
fs::path profileOf(const ImportArguments& arguments, const fs::path& input) {
    if (!arguments.output.empty() && arguments.inputs.size() == 1)
        return outputOf(arguments.output);
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
            {"host", json::array(imported.host.begin(), imported.host.end())},
            {"missing", json::array(imported.missing.begin(), imported.missing.end())},
            {"coverage", std::move(lacks)}};
}

void printMachine(std::ostream& out, const ProfileInfo& info, const fs::path& profile) {
    out << fmt::format("{}: {}, {} of {} IPU{}\n", profile.string(), originText(info.origin),
                       info.target.name, info.target.ipus, info.target.ipus == 1 ? "" : "s");
}

void print(std::ostream& out, const Imported& imported, const fs::path& profile) {
    printMachine(out, imported.profile.info, profile);
    for (const std::string& line : imported.host)
        out << "  " << printable(line) << '\n';
    if (!imported.host.empty())
        return;
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

Profile loadProfile(const fs::path& file) {
    return namingFile(file.string(), [&] {
        const ProfileReader reader(file);
        verifyChecksums(reader.file());
        return reader.load();
    });
}

/// The profile itself, with what was run.
void attachToProfile(const ImportArguments& arguments, const fs::path& input,
                     const Streams& streams) {
    if (arguments.output.empty())
        throw UserError(fmt::format("'{}' is a profile already: -o names the folder or FILE.pop "
                                    "for it with its job, which may be the same",
                                    input.string()));
    if (!arguments.options.target.empty())
        throw UserError(fmt::format("--target: '{}' is a profile already, of '{}'", input.string(),
                                    ProfileReader(input).info().target.name));
    Profile profile = loadProfile(input);
    if (profile.info.origin == Origin())
        throw UserError(fmt::format("--job: '{}' was simulated, and has the options of its run",
                                    input.string()));
    attach(jobFor(profile.info, arguments.job), profile.info);
    const fs::path output = profileOf(arguments, input);
    writeProfile(profile, output);
    if (arguments.flags.json)
        return writeJson(streams.out, json::array{json::object{{"input", input.string()},
                                                               {"profile", output.string()},
                                                               {"job", arguments.job}}});
    printMachine(streams.out, profile.info, output);
    streams.out << fmt::format("  ran {}\n", printable(arguments.job));
}

bool isProfileWithJob(const ImportArguments& arguments, const fs::path& input) {
    return !arguments.job.empty() && arguments.inputs.size() == 1 &&
           formOf(input) == FileForm::Profile;
}

/// Cycles and memory of ipu-stack are two files of one profile: they are imported together.
bool areOneProfile(const std::vector<std::string>& inputs) {
    return inputs.size() == 2 && !isRemote(inputs[0]) && !isRemote(inputs[1]) &&
           ipuStackPartOf(inputs[0]) == IpuStackPart::Cycles &&
           ipuStackPartOf(inputs[1]) == IpuStackPart::Memory;
}

void writeImported(const ImportArguments& arguments, Imported imported, const fs::path& input,
                   json::array& all, const Streams& streams) {
    if (!arguments.job.empty())
        attach(jobFor(imported.profile.info, arguments.job), imported.profile.info);
    const fs::path profile = profileOf(arguments, input);
    writeProfile(imported.profile, profile);
    if (arguments.flags.json)
        all.push_back(describe(imported, input, profile));
    else
        print(streams.out, imported, profile);
}

int importProfiles(const ImportArguments& arguments, const Streams& streams) {
    if (areTogether(arguments))
        return importTogether(arguments, streams);
    if (areOneProfile(arguments.inputs)) {
        ImportArguments one = arguments;
        one.inputs.pop_back();
        checkOutputs(one);
        json::array all;
        writeImported(one,
                      importIpuStack(arguments.inputs[0], arguments.inputs[1], arguments.options),
                      arguments.inputs[0], all, streams);
        if (arguments.flags.json)
            writeJson(streams.out, all);
        return exitYes;
    }
    checkOutputs(arguments);
    json::array all;
    bool complete = true;
    for (const std::string& input : arguments.inputs) {
        const fs::path local = localInput(arguments, input, streams);
        if (isProfileWithJob(arguments, local)) {
            attachToProfile(arguments, local, streams);
            return exitYes;
        }
        ProgressLine line(streams);
        Imported imported =
            importFile(local, arguments.options, [&](double done, std::string_view what) {
                line.show(done, fmt::format("importing {}", what));
            });
        complete = complete && imported.missing.empty();
        writeImported(arguments, std::move(imported), input, all, streams);
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
    out << fmt::format("{}: {}\n", profile.string(), textOf(added));
    for (const std::string& note : notesOf(added))
        out << fmt::format("  {}\n", note);
}

int importTraces(const ImportArguments& arguments, const Streams& streams) {
    if (arguments.output.empty())
        throw UserError("--into needs -o: the folder for the profile with the host's events");
    const fs::path output = outputOf(arguments.output);
    checkWritable(output);
    const fs::path input = localFile(arguments.into, streams);
    std::vector<fs::path> files;
    for (const std::string& trace : arguments.inputs)
        files.push_back(localFile(trace, streams));
    const AddedHostTraces added = [&] {
        ProgressLine line(streams);
        return addHostTraces(input, files, arguments.clock, output,
                             [&](double done, std::string_view what) {
                                 line.show(done, fmt::format("reading {}", what));
                             });
    }();
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
    CLI::App* command =
        app.add_subcommand("import", "Makes profiles of captures of Poplar's profiles "
                                     "(capture-script) and of ipu-stack's profiles "
                                     "(CYCLES MEMORY), adds traces of "
                                     "the host to one; status 1: parts are missing");
    const auto a = std::make_shared<ImportArguments>();
    command->add_option("input", a->inputs, "captures, profiles of ipu-stack, or traces")
        ->required()
        ->type_name("INPUT");
    command->add_option("-o,--output", a->output,
                        "folder for the profile, or its FILE.pop; for the folders of several [the "
                        "capture's name]");
    command->add_option("--target", a->options.target,
                        "the machine whose constants complete what the capture says [the nearest]");
    command->add_option("--job", a->job,
                        "the job or model that was run: its options are then known, and it can be "
                        "run again; the input may be a profile that was imported");
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
