// `try`: simulates what a profile's insights suggest.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/progress_line.h"
#include "app/cli/sweep/point_runner.h"
#include "app/cli/sweep/point_worker.h"
#include "core/analysis/insights/losses.h"
#include "core/base/error.h"
#include "core/options/option_form.h"
#include "core/sweep/trials.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

struct TryArguments {
    std::string profile;
    std::string directory;
    bool progress = false;
    FormatFlags flags;
};

/// One call of `try`.
class Trials {
public:
    Trials(const TryArguments& arguments, const Streams& streams)
        : arguments_(arguments)
        , streams_(streams)
        , profile_(openProfile(arguments.profile, streams))
        , advice_(suggestionsOf(findLosses(profile_)))
        , trials_(advice_.size()) {}

    int run() {
        if (!profile_.info().has(ProfilePart::Options))
            throw UserError(fmt::format("'{}' cannot be run again: {}", profile_.file().string(),
                                        profile_.info().coverage.why(ProfilePart::Options)));
        ProgressLine line(streams_, arguments_.progress ? ProgressLine::Form::Lines
                                                        : ProgressLine::Form::Terminal);
        const auto show = [&] {
            line.show(advice_.empty()
                          ? 1
                          : static_cast<double>(done_) / static_cast<double>(advice_.size()),
                      fmt::format("{} of {} suggestions", done_, advice_.size()));
        };
        show();
        PointRunner runner{"/proc/self/exe",
                           {"tilescope", sweepWorkerCommand},
                           std::max(1U, std::thread::hardware_concurrency()),
                           {},
                           {}};
        runner.wordsOf = [this](std::size_t point) { return wordsOf(point); };
        runner.next = [this](std::size_t) { return next(); };
        runner.finished = [&](std::size_t point, const ChildResult& child, double seconds) {
            take(point, child, seconds);
            show();
        };
        if (const RunnerEnd end = runPoints(runner); end.interruptedBy)
            return firstSignalCode + *end.interruptedBy;
        const Format format = arguments_.flags.format();
        const Table table = trialsTable(trials_);
        format == Format::Csv ? write(streams_.out, table, format)
                              : write(streams_.out, Document{{}, {table}}, format);
        return std::any_of(trials_.begin(), trials_.end(),
                           [](const Trial& t) { return t.verdict == TrialVerdict::Failed; })
                   ? exitNo
                   : exitYes;
    }

private:
    [[nodiscard]] std::optional<std::size_t> next() {
        return next_ < advice_.size() ? std::optional(next_++) : std::nullopt;
    }

    /// "2_batchSize=8": unique by its number, readable by its value.
    [[nodiscard]] fs::path directoryOf(std::size_t point) const {
        std::string name =
            fmt::format("{}_{}={}", point + 1, advice_[point].option, advice_[point].value);
        std::replace_if(
            name.begin(), name.end(),
            [](char c) { return c == '/' || static_cast<unsigned char>(c) <= ' '; }, '-');
        constexpr std::size_t longest = 200;
        return fs::path(arguments_.directory) / name.substr(0, longest);
    }

    [[nodiscard]] std::vector<std::string> wordsOf(std::size_t point) const {
        const ProfileInfo& info = profile_.info();
        const auto file = info.options.find("modelFile");
        // Losses are in time and memory, which do not depend on computed values.
        std::map<std::string, std::string> options = withoutValues(changedOptions(info.options));
        options[advice_[point].option] = advice_[point].value;
        for (const auto& [key, value] : advice_[point].with)
            options[key] = value;
        std::vector<std::string> words =
            runArguments(file == info.options.end() ? info.model : file->second, options,
                         arguments_.directory.empty() ? "" : directoryOf(point).string());
        words.insert(words.begin() + 1, "--json");
        if (arguments_.directory.empty())
            words.insert(words.begin() + 1, "--no-profile");
        return words;
    }

    void take(std::size_t point, const ChildResult& child, double seconds) {
        PointResult result = resultOfRun(child.exitCode, child.out, child.err);
        result.hostSeconds = seconds;
        std::error_code error;
        if (const fs::path made = directoryOf(point) / "profile.pop";
            !arguments_.directory.empty() && fs::exists(made, error))
            result.profile = fs::absolute(made, error).string();
        trials_[point] = trialOf(profile_.info(), advice_[point], std::move(result));
        ++done_;
    }

    const TryArguments& arguments_;
    const Streams& streams_;
    ProfileView profile_;
    std::vector<Advice> advice_;
    std::vector<Trial> trials_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
};

int tryAll(const TryArguments& arguments, const Streams& streams) {
    return Trials(arguments, streams).run();
}

} // namespace

void addTryCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "try", "Simulates what the insights of a profile suggest, and compares the gains with the "
               "predicted ones");
    const auto arguments = std::make_shared<TryArguments>();
    addProfileArgument(*command, arguments->profile);
    command
        ->add_option("-o,--output", arguments->directory,
                     "keep the profiles in DIR/<suggestion>/profile.pop")
        ->type_name("DIR");
    command->add_flag("--progress", arguments->progress,
                      "print machine-readable progress to stderr");
    addFormatFlags(*command, arguments->flags);
    setProfileAction(*command, action, arguments, tryAll);
}

} // namespace tilescope::cli
