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
#include "app/cli/commands/compute.h"
#include "app/cli/commands/pass_options.h"
#include "app/cli/commands/run_request.h"
#include "app/cli/document.h"
#include "app/cli/progress_line.h"
#include "app/cli/summary_output.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/option_error.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "simulator/import_model.h"
#include "simulator/message_log.h"
#include "simulator/report_contents.h"
#include "simulator/simulate.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

struct RunArguments {
    std::string model;
    std::string directory;
    bool noProfile = false;
    bool progress = false;
    std::map<std::string, std::string> options; ///< given on the command line, by key
    PassOptions passes;
    FormatFlags flags;
};

/// The log level set by the environment: 0 is nothing, 1 errors, 2 warnings, 3 information.
std::size_t levelFrom(const char* variable) {
    static const std::vector<std::string> levels{"OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE"};
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0')
        return 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (levels[i] == value)
            return i;
    throw UserError(fmt::format("environment variable {}: '{}' is not one of {}.{}", variable,
                                value, fmt::join(levels, ", "), didYouMean(value, levels)));
}

/// On the scale of levelFrom().
std::size_t loudnessOf(Severity severity) {
    switch (severity) {
    case Severity::Error:
        return 1;
    case Severity::Warning:
        return 2;
    case Severity::Info:
        break;
    }
    return 3;
}

/// Prints messages as the original's log lines, filtered by the environment's POPLIBS_LOG_LEVEL
/// (messages about an operation) and POPLAR_LOG_LEVEL (all others). Both are OFF by default.
/// Throws UserError for a level other than OFF, ERR, WARN, INFO, DEBUG and TRACE.
void writeLog(std::ostream& err, const Profile& profile) {
    const std::size_t poplibs = levelFrom("POPLIBS_LOG_LEVEL");
    const std::size_t poplar = levelFrom("POPLAR_LOG_LEVEL");
    for (const Message& message : profile.messages) {
        const bool ofOperation = message.operation.valid();
        if (loudnessOf(message.severity) <= (ofOperation ? poplibs : poplar))
            err << printable(sim::logLine(profile, message)) << '\n';
    }
}

RunOptions checkedOptions(const RunRequest& request) {
    RunOptions options;
    setRunOptions(options, request.options);
    validate(options);
    return options;
}

bool isIn(const std::string& text, const fs::path& file) {
    return text.find(file.filename().string()) != std::string::npos;
}

/// Returns the result of `work`. An error in a file's contents names the file: the job for its
/// options, the model for everything else.
template <class Work>
auto namingInputs(const RunArguments& arguments, const std::string& model, const Streams& streams,
                  Work work) -> decltype(work()) {
    std::error_code failed;
    try {
        return work();
    } catch (const OptionError& error) {
        if (!isOfJob(error, arguments.model, arguments.options))
            throw;
        if (arguments.progress) // as for other options
            streams.err << "option: " << error.key() << '\n';
        throw UserError(fmt::format("{}: {}", arguments.model, error.what()));
    } catch (const UserError& error) {
        if (isIn(error.what(), model) || isIn(error.what(), arguments.model) ||
            !fs::is_regular_file(model, failed))
            throw;
        throw UserError(fmt::format("{}: {}", model, error.what()));
    }
}

fs::path profilePath(const RunArguments& arguments, const RunOptions& options) {
    fs::path directory = arguments.directory;
    if (directory.empty()) {
        const auto report = options.engine.given.find("autoReport.directory");
        directory = report == options.engine.given.end() ? "." : report->second;
    }
    return directory / "profile.pop";
}

/// Without a profile, values are not analysed.
RunOptions withoutRecording(const RunOptions& options) {
    RunOptions plain = withDeviceIterations(options);
    plain.compute.values = RecordedValues::Off;
    return plain;
}

/// The window needs the model's path, which its name does not include, to run it again.
void noteModelFile(Profile& profile, const std::string& model) {
    std::error_code error;
    if (fs::is_regular_file(model, error))
        profile.info.options["modelFile"] = fs::absolute(model, error).string();
}

double writeTimed(const Profile& profile, const EngineOptions& options, const fs::path& file) {
    const auto start = std::chrono::steady_clock::now();
    sim::writeWantedPart(profile, options, file);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void printResult(const Streams& streams, const Profile& profile, const fs::path& file,
                 const ComputedText& computed, bool asJson) {
    const auto view = ProfileView::of(profile);
    SummarySource source = summaryOf(*view);
    source.profile = file;
    if (!asJson) {
        writeSummary(streams.out, source);
        streams.out << printable(computed.text, Lines::Keep);
        return;
    }
    boost::json::value summary = summaryJson(source);
    for (const auto& entry : computed.json)
        summary.as_object()[entry.key()] = entry.value();
    writeJson(streams.out, summary);
}

/// With passes watched or left out, what earlier runs have left would hide them.
Profile simulated(const RunArguments& arguments, const std::string& model,
                  const RunOptions& options, const Streams& streams, const sim::Progress& progress,
                  sim::KeptWork* kept) {
    if (!arguments.passes.areGiven())
        return sim::simulateModel(model, options, progress, kept);
    const sim::ModelSource source = sim::sourceOf(model, options.batch, options.model);
    return sim::simulate(sim::importModel(source), options, progress,
                         passControl(arguments.passes, streams.err));
}

int run(const RunArguments& arguments, const Streams& streams, sim::KeptWork* kept) {
    const RunRequest request = namingInputs(arguments, arguments.model, streams, [&] {
        return resolveRequest(arguments.model, arguments.options);
    });
    const auto named = [&](auto work) {
        return namingInputs(arguments, request.model, streams, work);
    };
    const RunOptions options = named([&] { return checkedOptions(request); });
    fs::path file = profilePath(arguments, options);
    // If the profile cannot be written, fail before minutes of work.
    const bool writes = !arguments.noProfile && sim::wantsProfile(options.engine);
    if (writes)
        const AtomicFile probe(file); // a database cannot be written to a device either
    Profile profile;
    {
        ProgressLine line(streams, arguments.progress ? ProgressLine::Form::Lines
                                                      : ProgressLine::Form::Terminal);
        const auto show = [&](std::string_view phase, double done) {
            line.show(done, std::string(phase));
        };
        profile = named(
            [&] { return simulated(arguments, request.model, options, streams, show, kept); });
    }
    // Before anything is written, since unsuitable data end the run.
    ComputedText computed = computeValues(
        request.model, writes ? withDeviceIterations(options) : withoutRecording(options), streams,
        arguments.progress);
    sim::addValues(profile, std::move(computed.values));
    noteModelFile(profile, request.model);
    writeLog(streams.err, profile);
    if (writes && (profile.info.fits || sim::allowsOutOfMemory(options.engine)))
        profile.info.timings["write"] = writeTimed(profile, options.engine, file);
    else
        file.clear();
    printResult(streams, profile, file, computed, arguments.flags.json);
    if (profile.info.fits)
        return computed.asExpected ? exitYes : exitNo;
    streams.err << "tilescope: error: "
                << printable(sim::failureText(profile, options.engine, file.string()), Lines::Keep)
                << '\n';
    return exitNo;
}

} // namespace

void addRunCommand(CLI::App& app, Action& action, sim::KeptWork* kept, TableOptions options) {
    CLI::App* command =
        app.add_subcommand("run", "Compiles and runs a model and writes DIR/profile.pop");
    const auto arguments = std::make_shared<RunArguments>();
    command
        ->add_option("MODEL", arguments->model,
                     "an .onnx file, a Keras .json, a zoo name or a job .json")
        ->required();
    CLI::Option* output =
        command->add_option("-o,--output", arguments->directory, "directory of the profile [.]")
            ->type_name("DIR");
    command->add_flag("--no-profile", arguments->noProfile, "print the summary only")
        ->excludes(output);
    command->add_flag("--progress", arguments->progress,
                      "print machine-readable progress, and which option is wrong, to stderr");
    if (options == TableOptions::All)
        addTableOptions(*command, arguments->options);
    addPassOptions(*command, arguments->passes);
    addJsonFlag(*command, arguments->flags);
    command->callback([arguments, &action, kept] {
        action = [arguments, kept](const Streams& streams) {
            try {
                return run(*arguments, streams, kept);
            } catch (const OptionError& error) {
                // The calling program shows the error next to its option.
                if (arguments->progress)
                    streams.err << "option: " << error.key() << '\n';
                throw;
            }
        };
    });
}

} // namespace tilescope::cli
