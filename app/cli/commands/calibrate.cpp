// `calibrate`: what a measured profile says about the constants of the simulated machine.
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <ostream>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/run_job.h"
#include "app/cli/document.h"
#include "app/cli/progress_line.h"
#include "core/analysis/compare/calibration_tables.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/target/target_file.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

struct CalibrateArguments {
    std::string measured;
    std::string simulated; ///< a profile; empty: the job is simulated
    std::string job;       ///< empty: the one that the measured profile knows
    std::string output;
    std::string name;
    FormatFlags flags;
};

ProfileViewPtr viewOf(const std::string& path, const Streams& streams) {
    auto view = std::make_shared<const ProfileView>(openProfile(path, streams).reader());
    if (!view->info().hasExecution)
        throw UserError(fmt::format("'{}' has no execution, whose steps could be compared", path));
    return view;
}

/// The simulated profile that was named, or what the job of the measured one becomes.
ProfileViewPtr simulatedOf(const CalibrateArguments& arguments, const ProfileInfo& measured,
                           const Streams& streams) {
    if (!arguments.simulated.empty())
        return viewOf(arguments.simulated, streams);
    const RunJob job = arguments.job.empty() ? jobOf(measured) : jobFor(measured, arguments.job);
    ProgressLine line(streams);
    return std::make_shared<const ProfileView>(
        std::make_shared<const Profile>(simulate(job, [&](std::string_view phase, double done) {
            line.show(done, fmt::format("simulating: {}", phase));
        })));
}

/// Throws if the file could not be read as a target again, before minutes of work.
void checkOutput(const CalibrateArguments& arguments) {
    if (arguments.output.empty())
        return;
    if (!isTargetFile(arguments.output))
        throw UserError(fmt::format("option -o: '{}' must end in .json, by which --target knows "
                                    "it for a file",
                                    arguments.output));
    checkWritable(arguments.output);
}

void writeTarget(const CalibrateArguments& arguments, const Calibration& calibration,
                 const Target& simulated) {
    FitNotes notes;
    for (const FittedConstant& constant : calibration.constants)
        if (constant.differs)
            notes[constant.name] = {{"values", static_cast<double>(constant.fitted.count)},
                                    {"p10", constant.fitted.p10},
                                    {"p90", constant.fitted.p90}};
    if (notes.empty())
        throw UserError(
            fmt::format("'{}' is not written: {}", arguments.output,
                        calibration.whyNoConstants.empty()
                            ? "no constant that can be fitted differs from the simulated machine's"
                            : calibration.whyNoConstants));
    if (isTargetFile(simulated.name))
        throw UserError(fmt::format(
            "'{}' was simulated with '{}': compare with a profile of one "
            "of 'tilescope targets'",
            arguments.simulated.empty() ? arguments.job : arguments.simulated, simulated.name));
    const std::string name =
        arguments.name.empty() ? fs::path(arguments.output).stem().string() : arguments.name;
    writeFileAtomically(arguments.output,
                        targetFileText(targetPreset(simulated.name),
                                       calibratedTarget(calibration, simulated), name, notes));
}

int calibrateProfiles(const CalibrateArguments& arguments, const Streams& streams) {
    checkOutput(arguments);
    const ProfileViewPtr measured = viewOf(arguments.measured, streams);
    const ProfilePair pair(simulatedOf(arguments, measured->info(), streams), measured);
    const std::string both =
        arguments.measured +
        (arguments.simulated.empty() ? std::string() : "' or '" + arguments.simulated);
    const Calibration calibration = namingFile(both, [&] { return calibrate(pair); });
    Document document = calibrationDocument(pair, calibration);
    const Format format = arguments.flags.format();
    if (format == Format::Text)
        document.tables.pop_back(); // thousands of steps
    write(streams.out, document, format);
    if (!arguments.output.empty())
        writeTarget(arguments, calibration, pair.source->machine());
    return calibration.matched < leastMatched ? exitNo : exitYes;
}

} // namespace

void addCalibrateCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "calibrate", "Compares the steps of a measured profile with those of a simulated one, and "
                     "fits assumed constants of the machine to them; status 1: too few match");
    const auto a = std::make_shared<CalibrateArguments>();
    command->add_option("MEASURED", a->measured, "an imported profile, or its folder")->required();
    CLI::Option* simulated = command->add_option(
        "SIMULATED", a->simulated,
        "a profile of the same model with the same options [the job is simulated]");
    command
        ->add_option("--job", a->job,
                     "the job or model that was measured, to be simulated [the one that MEASURED "
                     "was imported with]")
        ->excludes(simulated);
    command->add_option("-o,--output", a->output, "file for the target, to be given to --target")
        ->type_name("FILE.json");
    command->add_option("--name", a->name, "name of the target [the file's]");
    addFormatFlags(*command, a->flags);
    setAction(*command, action, a, calibrateProfiles);
}

} // namespace tilescope::cli
