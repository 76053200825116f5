// `sweep`: a grid of runs into one results database.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/run_request.h"
#include "app/cli/progress_line.h"
#include "app/cli/sweep/batch_script.h"
#include "app/cli/sweep/point_runner.h"
#include "app/cli/sweep/point_worker.h"
#include "app/cli/sweep/ranks.h"
#include "app/cli/sweep/sweep_output.h"
#include "core/base/atomic_file.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/export/sweep_map.h"
#include "core/options/option_table.h"
#include "core/sweep/point_queue.h"
#include "core/sweep/sweep_store.h"
#include "simulator/executable_cache.h"
#include "simulator/kept_work.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t mostJobs = 1024;
constexpr const char* cacheKey = "executableCache";

struct SweepArguments {
    std::string model;
    std::string directory;
    std::vector<std::string> vary;
    std::optional<std::int64_t> jobs;
    std::string heatMap;
    bool force = false;
    bool retryErrors = false;
    bool keepProfiles = false;
    std::optional<std::int64_t> slurm;          ///< ranks of a batch job to print
    std::map<std::string, std::string> options; ///< given on the command line, by key
    FormatFlags flags;
};

SweepGrid gridFrom(const SweepArguments& arguments) {
    std::vector<SweepAxis> axes;
    for (const std::string& text : arguments.vary) {
        axes.push_back(parseAxis(text));
        const std::string& key = axes.back().key;
        if (arguments.options.contains(key))
            throw UserError(fmt::format("option --vary {}: the command line also sets it; remove "
                                        "one of the two",
                                        key));
    }
    SweepGrid grid(std::move(axes));
    if (!arguments.heatMap.empty() && grid.axes().size() != 2)
        throw UserError(fmt::format("option --heat-map: a heat map has two axes, this sweep has "
                                    "{}; give --vary twice",
                                    grid.axes().size()));
    return grid;
}

/// Points simulated at a time in this process. Launchers start one rank per core.
std::size_t jobsFrom(const SweepArguments& arguments, std::size_t ranks) {
    if (!arguments.jobs)
        return ranks > 1 ? 1 : std::max(1U, std::thread::hardware_concurrency());
    if (*arguments.jobs < 1 || *arguments.jobs > mostJobs)
        throw UserError(fmt::format("option --jobs: '{}' is not a whole number from 1 to {}",
                                    *arguments.jobs, mostJobs));
    return static_cast<std::size_t>(*arguments.jobs);
}

/// The arguments of this call, for a batch job to repeat.
std::vector<std::string> wordsOf(const SweepArguments& arguments) {
    std::vector<std::string> words{"tilescope", "sweep", "--output=" + arguments.directory};
    for (const std::string& axis : arguments.vary)
        words.push_back("--vary=" + axis);
    if (arguments.jobs)
        words.push_back(fmt::format("--jobs={}", *arguments.jobs));
    if (!arguments.heatMap.empty())
        words.push_back("--heat-map=" + arguments.heatMap);
    const auto flags =
        std::to_array<std::pair<bool, const char*>>({{arguments.keepProfiles, "--keep-profiles"},
                                                     {arguments.retryErrors, "--retry-errors"},
                                                     {arguments.force, "--force"}});
    for (const auto& [given, flag] : flags)
        if (given)
            words.emplace_back(flag);
    for (const OptionSpec& spec : runOptionTable())
        if (const auto given = arguments.options.find(spec.key); given != arguments.options.end())
            words.push_back(spec.type == OptionSpec::Type::Flag ? spec.flag
                                                                : spec.flag + "=" + given->second);
    words.insert(words.end(), {"--", arguments.model});
    return words;
}

/// One call of `sweep`.
class Sweep {
public:
    Sweep(const SweepArguments& arguments, const Streams& streams)
        : arguments_(arguments)
        , streams_(streams)
        , grid_(gridFrom(arguments))
        , job_(resolveRequest(arguments.model, arguments.options)) {
        static_cast<void>(jobsFrom(arguments_, 1));
        checkJob();
    }

    int run() {
        if (arguments_.slurm)
            return printBatchJob();
        Ranks ranks;
        if (!ranks.isFirst())
            return assist(ranks);
        if (!arguments_.heatMap.empty())
            checkWritable(arguments_.heatMap);
        if (usesCache())
            sim::ExecutableCache::makeDirectory(job_.options.at(cacheKey));
        SweepStore store(arguments_.directory, identity(), grid_,
                         arguments_.force ? SweepStore::IfOther::Replace
                                          : SweepStore::IfOther::Refuse);
        const std::vector<std::size_t> points = pointsToDo(store.read());
        const RunnerEnd end = simulate(points, store, ranks);
        if (end.interruptedBy) {
            const int status = interrupted(end, points.size());
            if (ranks.size() > 1)
                ranks.abandon(status);
            return status;
        }
        return print(store);
    }

private:
    /// Errors in the job file's options name the file; axes belong to the command line.
    void checkJob() const {
        std::map<std::string, std::string> given = arguments_.options;
        for (const SweepAxis& axis : grid_.axes())
            given.try_emplace(axis.key);
        try {
            checkPoints(grid_, job_.options);
        } catch (const OptionError& error) {
            if (!isOfJob(error, arguments_.model, given))
                throw;
            throw UserError(fmt::format("{}: {}", arguments_.model, error.what()));
        }
    }

    [[nodiscard]] SweepIdentity identity() const {
        return {job_.model, sim::isZooName(job_.model) ? "" : fileDigest(job_.model),
                std::string("TileScope ") + TILESCOPE_VERSION, fixedOptions(grid_, job_.options)};
    }

    [[nodiscard]] bool usesCache() const {
        const auto cache = job_.options.find(cacheKey);
        return cache != job_.options.end() && !cache->second.empty();
    }

    [[nodiscard]] bool isDone(const std::optional<PointResult>& point) const {
        if (!point)
            return false;
        if (point->status == PointStatus::Error)
            return !arguments_.retryErrors;
        // A profile that is wanted but was not kept has to be written again.
        std::error_code error;
        return !arguments_.keepProfiles ||
               (!point->profile.empty() &&
                fs::exists(fs::path(arguments_.directory) / point->profile, error));
    }

    std::vector<std::size_t> pointsToDo(const SweepResults& results) {
        std::vector<std::size_t> points;
        for (std::size_t i = 0; i < results.points.size(); ++i)
            if (!isDone(results.points[i]))
                points.push_back(i);
        skipped_ = results.points.size() - points.size();
        if (skipped_ != 0)
            streams_.err << fmt::format("tilescope: {} of {} points are done already\n", skipped_,
                                        results.points.size());
        return points;
    }

    /// "007_batchSize=2_precision=half": unique by its number, readable by its values.
    [[nodiscard]] std::string directoryOf(std::size_t point) const {
        constexpr std::size_t longestName = 200;
        const std::size_t digits = std::to_string(grid_.size() - 1).size();
        std::string name = fmt::format("{:0{}}", point, digits);
        const std::vector<std::string> values = grid_.valuesAt(point);
        for (std::size_t i = 0; i < values.size(); ++i)
            name += fmt::format("_{}={}", grid_.axes()[i].key, values[i]);
        for (char& c : name)
            if (std::string_view("/\\ \"'*?<>|:").find(c) != std::string_view::npos ||
                static_cast<unsigned char>(c) < 0x20)
                c = '-';
        return name.substr(0, longestName);
    }

    [[nodiscard]] std::vector<std::string> runWords(std::size_t point) const {
        std::vector<std::string> words{"run", "--json"};
        if (arguments_.keepProfiles)
            words.push_back("--output=" +
                            (fs::path(arguments_.directory) / directoryOf(point)).string());
        else
            words.emplace_back("--no-profile");
        const OptionValues options = optionsAt(grid_, point, job_.options);
        for (const OptionSpec& spec : runOptionTable()) {
            const auto given = options.find(spec.key);
            if (given == options.end())
                continue;
            if (spec.type != OptionSpec::Type::Flag)
                words.push_back(spec.flag + "=" + given->second);
            else if (given->second == "on")
                words.push_back(spec.flag);
        }
        words.insert(words.end(), {"--", job_.model});
        return words;
    }

    /// Removes what a run left behind that was interrupted while writing.
    void removeRemains(std::size_t point) const {
        const fs::path directory = fs::path(arguments_.directory) / directoryOf(point);
        std::error_code error;
        std::vector<fs::path> remains;
        for (const auto& entry : fs::directory_iterator(directory, error))
            if (entry.path().filename().string().starts_with(".profile.pop."))
                remains.push_back(entry.path());
        for (const fs::path& file : remains)
            fs::remove(file, error);
        fs::remove(directory, error); // stays if anything else is in it
    }

    [[nodiscard]] std::string keptProfile(std::size_t point) const {
        const fs::path profile = fs::path(directoryOf(point)) / "profile.pop";
        std::error_code error;
        return fs::exists(fs::path(arguments_.directory) / profile, error) ? profile.string() : "";
    }

    PointResult resultOf(std::size_t point, const ChildResult& child, double seconds) const {
        PointResult result = resultOfRun(child.exitCode, child.out, child.err);
        result.hostSeconds = seconds;
        if (arguments_.keepProfiles) {
            if (result.status == PointStatus::Error)
                removeRemains(point);
            else
                result.profile = keptProfile(point);
        }
        return result;
    }

    int printBatchJob() const {
        if (*arguments_.slurm < 1 || *arguments_.slurm > mostJobs)
            throw UserError(
                fmt::format("option --slurm: '{}' is not a number of ranks from 1 to {}",
                            *arguments_.slurm, mostJobs));
        if (arguments_.force)
            throw UserError("option --slurm: a job that can be resumed cannot replace results "
                            "(--force); run the first one "
                            "by hand or choose another directory");
        streams_.out << slurmScript(*arguments_.slurm, arguments_.directory, wordsOf(arguments_));
        return exitYes;
    }

    [[nodiscard]] PointRunner runner(std::size_t ranks) const {
        // Our own file, even if another program has replaced it meanwhile.
        PointRunner runner{"/proc/self/exe",
                           {"tilescope", sweepWorkerCommand},
                           jobsFrom(arguments_, ranks),
                           {},
                           {}};
        runner.wordsOf = [this](std::size_t point) { return runWords(point); };
        return runner;
    }

    /// Other ranks than the first simulate the points they are given.
    int assist(Ranks& ranks) const {
        PointRunner own = runner(ranks.size());
        own.next = [&ranks](std::size_t worker) { return ranks.ask(worker); };
        own.finished = [&ranks](std::size_t point, const ChildResult& child, double seconds) {
            ranks.tell({point, child, seconds});
        };
        if (const RunnerEnd end = runPoints(own); end.interruptedBy)
            ranks.abandon(firstSignalCode + *end.interruptedBy);
        return exitYes;
    }

    RunnerEnd simulate(const std::vector<std::size_t>& points, SweepStore& store, Ranks& ranks) {
        ProgressLine line(streams_);
        const auto start = std::chrono::steady_clock::now();
        std::size_t outOfMemory = 0;
        std::size_t failed = 0;
        const auto show = [&] {
            if (points.empty())
                return;
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
            std::string text = fmt::format("{} of {} points, {} out of memory, {} failed",
                                           simulated_, points.size(), outOfMemory, failed);
            if (simulated_ != 0 && simulated_ != points.size())
                text += ", about " +
                        formatSeconds(passed.count() / static_cast<double>(simulated_) *
                                      static_cast<double>(points.size() - simulated_)) +
                        " to go";
            line.show(static_cast<double>(simulated_) / static_cast<double>(points.size()), text);
        };
        show();
        PointRunner own = runner(ranks.size());
        PointQueue queue(groupsOf(grid_, points, sim::changesPlansOnly));
        own.next = [&queue](std::size_t worker) { return queue.next({0, worker}); };
        own.finished = [&](std::size_t point, const ChildResult& child, double seconds) {
            const PointResult result = resultOf(point, child, seconds);
            store.record(point, result);
            ++simulated_;
            notCompiled_ += tookCompiledProgram(child.out) ? 1 : 0;
            outOfMemory += result.status == PointStatus::OutOfMemory ? 1 : 0;
            failed += result.status == PointStatus::Error ? 1 : 0;
            show();
        };
        if (ranks.size() > 1) {
            own.attendMs = rankPollMs;
            own.attend = [&] {
                return ranks.attend(
                    [&queue](std::size_t rank, std::size_t worker) {
                        return queue.next({rank, worker});
                    },
                    [&](const RankResult& theirs) {
                        own.finished(theirs.point, theirs.child, theirs.seconds);
                    });
            };
        }
        return runPoints(own);
    }

    int interrupted(const RunnerEnd& end, std::size_t wanted) const {
        if (arguments_.keepProfiles)
            for (const std::size_t point : end.cancelled)
                removeRemains(point);
        streams_.err << fmt::format("tilescope: interrupted after {} of {} points; the same "
                                    "command resumes from there\n",
                                    simulated_, wanted);
        return firstSignalCode + *end.interruptedBy;
    }

    int print(const SweepStore& store) const {
        const SweepResults results = store.read();
        if (!arguments_.heatMap.empty())
            writeFileAtomically(arguments_.heatMap, heatMapSvg(sweepMap(results, {}).map));
        const Format format = arguments_.flags.format();
        write(streams_.out,
              sweepDocument(results,
                            {store.file().string(), arguments_.heatMap, simulated_, skipped_,
                             notCompiled_, usesCache()},
                            format),
              format);
        const std::size_t errors = countPoints(results).errors;
        if (errors == 0)
            return exitYes;
        streams_.err << fmt::format("tilescope: error: {} of {} points failed; --retry-errors "
                                    "simulates them again\n",
                                    errors, results.points.size());
        return exitNo;
    }

    const SweepArguments& arguments_;
    const Streams& streams_;
    SweepGrid grid_;
    RunRequest job_;
    std::size_t simulated_ = 0;
    std::size_t skipped_ = 0;
    std::size_t notCompiled_ = 0;
};

} // namespace

void addSweepCommand(CLI::App& app, Action& action, TableOptions options) {
    CLI::App* command =
        app.add_subcommand("sweep", "Runs a grid of options into a results database DIR/sweep.db");
    const auto a = std::make_shared<SweepArguments>();
    command->add_option("JOB", a->model, "an .onnx file, a Keras .json, a zoo name or a job .json")
        ->required();
    command
        ->add_option("--vary", a->vary,
                     "option key and its values: KEY=A:B:STEP or KEY=V1,V2; once for each axis")
        ->type_name("KEY=VALUES")
        ->allow_extra_args(false)
        ->required();
    command->add_option("-o,--output", a->directory, "directory of the results")
        ->type_name("DIR")
        ->required();
    command
        ->add_option("--jobs", a->jobs, "points at a time [one per core; with ranks one per rank]")
        ->type_name("N");
    command->add_option("--heat-map", a->heatMap, "draw the throughput over two axes")
        ->type_name("FILE.svg");
    command->add_flag("--keep-profiles", a->keepProfiles, "keep DIR/<point>/profile.pop");
    command->add_flag("--retry-errors", a->retryErrors, "simulate failed points again");
    command
        ->add_option("--slurm", a->slurm,
                     "print a batch script that shares the points among this many ranks, and do "
                     "nothing else")
        ->type_name("RANKS");
    command->add_flag("--force", a->force, "replace the results of another sweep in DIR");
    if (options == TableOptions::All)
        addTableOptions(*command, a->options);
    addFormatFlags(*command, a->flags);
    command->callback([a, &action] {
        action = [a](const Streams& streams) { return Sweep(*a, streams).run(); };
    });
}

} // namespace tilescope::cli
