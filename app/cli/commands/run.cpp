// `run`: compiles and runs a model and writes its profile.
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/poplar_log.h"
#include "app/cli/summary_output.h"
#include "core/analysis/liveness.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/job.h"
#include "core/options/run_options.h"
#include "core/store/profile_writer.h"
#include "simulator/simulate.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

struct Arguments {
    std::string model;
    std::string directory;
    std::map<std::string, std::string> options; ///< given on the command line, by key
    FormatFlags flags;
};

struct Request {
    std::string model;
    RunOptions options;
};

/// A name that is neither a file nor a built-in model is most likely one of the latter, mistyped.
void checkModelName(const std::string& model) {
    std::error_code error;
    if (model.ends_with(".onnx") || model.find('/') != std::string::npos || sim::isZooName(model) ||
        fs::exists(model, error))
        return;
    std::vector<std::string> names;
    for (const sim::ZooEntry& entry : sim::zooEntries())
        names.push_back(entry.name);
    throw UserError(fmt::format("there is no file and no built-in model '{}'.{} 'tilescope models' "
                                "lists the built-in models.",
                                model, didYouMean(model, names)));
}

/// Engine options of the environment come first, then the job's, then the command line's.
Request requestFrom(const Arguments& arguments) {
    Request request{arguments.model, {}};
    if (const char* environment = std::getenv("POPLAR_ENGINE_OPTIONS"))
        if (*environment != '\0')
            addEngineOptions(request.options, environment,
                             "environment variable POPLAR_ENGINE_OPTIONS");
    std::map<std::string, std::string> options = arguments.options;
    if (request.model.ends_with(".json")) {
        Job job = readJob(request.model);
        request.model = std::move(job.model);
        if (const auto engine = job.options.find("engineOptions"); engine != job.options.end())
            setRunOption(request.options, engine->first, engine->second);
        job.options.erase("engineOptions");
        options.merge(job.options);
    }
    setRunOptions(request.options, options);
    validate(request.options);
    checkModelName(request.model);
    return request;
}

/// Shows the phase on the terminal in one line that is wiped at the end.
class ProgressLine {
public:
    explicit ProgressLine(const Streams& streams)
        : streams_(streams) {}
    ~ProgressLine() {
        if (streams_.errIsTerminal)
            streams_.err << "\r\x1b[K" << std::flush;
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::string_view phase, double done) {
        if (streams_.errIsTerminal)
            streams_.err << fmt::format("\r\x1b[K{:3.0f} % {}", 100 * done, phase) << std::flush;
    }

private:
    const Streams& streams_;
};

fs::path profilePath(const Arguments& arguments, const RunOptions& options) {
    fs::path directory = arguments.directory;
    if (directory.empty()) {
        const auto report = options.engineOptions.find("autoReport.directory");
        directory = report == options.engineOptions.end() ? "." : report->second;
    }
    return directory / "profile.pop";
}

/// With debug.allowOutOfMemory the profile of a model that does not fit is written all the same.
bool allowsOutOfMemory(const RunOptions& options) {
    const auto given = options.engineOptions.find("debug.allowOutOfMemory");
    return given == options.engineOptions.end() || given->second != "false";
}

double writeTimed(const Profile& profile, const fs::path& file) {
    const auto start = std::chrono::steady_clock::now();
    writeProfile(profile, file);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void printResult(const Streams& streams, const Profile& profile, const fs::path& file,
                 bool asJson) {
    const ProfileInfo& info = profile.info;
    const LivenessSeries liveness =
        livenessOf(info.target, profile.variables, profile.livenessClasses, profile.steps.size(),
                   TileSelection::all());
    const SummarySource source{
        info, summariseMemory(info.target, profile.tileMemory, liveness.notAlwaysLive),
        profile.messages, file};
    if (asJson)
        writeJson(streams.out, summaryJson(source));
    else
        writeSummary(streams.out, source);
}

int run(const Arguments& arguments, const Streams& streams) {
    const Request request = requestFrom(arguments);
    fs::path file = profilePath(arguments, request.options);
    // Where the profile cannot be written, say so before minutes of work.
    { const AtomicFile probe(file); }
    Profile profile;
    {
        ProgressLine line(streams);
        profile = sim::simulateModel(
            request.model, request.options,
            [&](std::string_view phase, double done) { line.show(phase, done); });
    }
    writeLog(streams.err, profile.messages);
    if (profile.info.fits || allowsOutOfMemory(request.options))
        profile.info.timings["write"] = writeTimed(profile, file);
    else
        file.clear();
    printResult(streams, profile, file, arguments.flags.json);
    if (profile.info.fits)
        return exitYes;
    streams.err << "tilescope: error: " << sim::outOfMemoryText(profile) << '\n';
    return exitNo;
}

std::string helpText(const OptionSpec& spec) {
    std::string text = spec.help;
    if (!spec.choices.empty() && spec.type != OptionSpec::Type::Flag)
        text += fmt::format(": {}", fmt::join(spec.choices, "|"));
    if (!spec.defaultValue.empty() && spec.type != OptionSpec::Type::Flag)
        text += fmt::format(" [{}]", spec.defaultValue);
    return text;
}

void addTableOptions(CLI::App& command, std::map<std::string, std::string>& options) {
    for (const OptionSpec& spec : runOptionTable()) {
        const auto store = [&options, key = spec.key](const std::string& value) {
            options[key] = value;
        };
        if (spec.type == OptionSpec::Type::Flag)
            command.add_flag_callback(
                spec.flag, [store] { store("on"); }, helpText(spec));
        else
            command.add_option_function<std::string>(spec.flag, store, helpText(spec))
                ->type_name(spec.type == OptionSpec::Type::Json ? "JSON" : "VALUE");
    }
}

} // namespace

void addRunCommand(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("run", "Compiles and runs a model and writes DIR/profile.pop");
    const auto arguments = std::make_shared<Arguments>();
    command->add_option("MODEL", arguments->model, "an .onnx file, a zoo name or a job .json")
        ->required();
    command->add_option("-o,--output", arguments->directory, "directory of the profile [.]")
        ->type_name("DIR");
    addTableOptions(*command, arguments->options);
    addJsonFlag(*command, arguments->flags);
    command->callback([arguments, &action] {
        action = [arguments](const Streams& streams) { return run(*arguments, streams); };
    });
}

} // namespace tilescope::cli
