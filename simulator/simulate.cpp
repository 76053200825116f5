#include "simulator/simulate.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/options/option_error.h"
#include "core/options/option_form.h"
#include "core/options/option_notes.h"
#include "core/options/option_table.h"
#include "core/profile/host.h"
#include "simulator/engine/host_call.h"
#include "simulator/engine/timing.h"
#include "simulator/executable_cache.h"
#include "simulator/graph/model_record.h"
#include "simulator/graph/size_bounds.h"
#include "simulator/import_model.h"
#include "simulator/kept_work.h"
#include "simulator/lowering/lower.h"
#include "simulator/memory/code.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/placement.h"
#include "simulator/memory/shared_exchanges.h"
#include "simulator/planner/plan_table.h"

namespace tilescope::sim {
namespace {

/// Times phases and reports progress.
class Phases {
public:
    explicit Phases(const Progress& progress)
        : progress_(progress) {}

    template <class Work> decltype(auto) run(const std::string& name, double begins, Work&& work) {
        if (progress_)
            progress_(name, begins);
        struct Stop {
            Phases& phases;
            const std::string& name;
            double start;
            ~Stop() {
                phases.spans_.push_back(
                    {std::string(compilationLane), name, start, phases.now() - start});
            }
        } stop{*this, name, now()};
        return work();
    }

    /// All that have run, from the first one's start.
    [[nodiscard]] const std::vector<HostSpan>& spans() const { return spans_; }
    [[nodiscard]] std::map<std::string, double> timings() const {
        std::map<std::string, double> timings;
        for (const HostSpan& span : spans_)
            timings[span.name] += span.seconds;
        return timings;
    }

private:
    [[nodiscard]] double now() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    const Progress& progress_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::vector<HostSpan> spans_;
};

void addPlannerMessages(Profile& profile, const Graph& graph, const PlanTable& plans,
                        bool relaxed) {
    // Poplar's words; its planner doubles the target, too.
    const std::string_view how = relaxed ? " The target is doubled until a plan fits." : "";
    std::map<std::string_view, OperationId> operations;
    for (std::size_t i = 0; i < profile.operations.size(); ++i)
        operations.emplace(profile.operations[OperationId(i)].name, OperationId(i));
    const auto add = [&](const Graph& part, FunctionIndex function) {
        for (std::size_t i = 0; i < part.ops.size(); ++i) {
            const Op& op = part.ops[OpId(i)];
            if (!isPlanned(op.attributes))
                continue;
            const ConvPlan& plan = plans.planOf(OpId(i), function);
            if (plan.cutShort)
                profile.messages.push_back(
                    {Severity::Warning,
                     fmt::format(
                         "{}: there are more partitions than the planner examines; its plan "
                         "is the best of those examined",
                         op.name),
                     operations.at(op.name)});
            if (plan.withinMemoryTarget)
                continue;
            profile.messages.push_back(
                {Severity::Warning,
                 fmt::format("{}: convolution planner unable to meet memory target. Optimising for "
                             "minimum memory.{}",
                             op.name, how),
                 operations.at(op.name)});
        }
    };
    for (std::size_t f = 0; f < graph.functions.size(); ++f)
        add(graph.functions[f], FunctionIndex(f));
    add(graph, FunctionIndex());
}

void countVertices(Profile& profile) {
    for (const ComputeSet& set : profile.computeSets)
        for (const VertexInstances& use : set.vertices) {
            const std::int64_t vertices = use.count.sum();
            profile.info.vertices += vertices;
            profile.info.edges += vertices * use.edgesPerVertex;
        }
}

std::int64_t batchOf(const Graph& graph) {
    if (graph.inputs.empty() || graph.tensors[graph.inputs[0]].shape.empty())
        return 1;
    return graph.tensors[graph.inputs[0]].shape[0];
}

std::string timeNow() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void describeRun(Profile& profile, const Graph& graph, const RunOptions& options) {
    ProfileInfo& info = profile.info;
    info.creator = "TileScope " TILESCOPE_VERSION;
    info.createdAt = timeNow();
    info.model = graph.name;
    info.mode = options.batch.mode;
    info.target = options.machine.target;
    info.batchSize = batchOf(graph);
    info.deviceIterations = options.batch.deviceIterations;
    info.replicas = options.replication.replicas;
    info.options = optionsInForce(options);
    info.engineOptions = options.engine.given;
    std::vector<OptionNote> notes = engineOptionNotes(options.engine);
    const std::vector<OptionNote> unused = optionNotes(options);
    notes.insert(notes.end(), unused.begin(), unused.end());
    for (const OptionNote& note : notes)
        profile.messages.push_back(
            {note.warning ? Severity::Warning : Severity::Info, note.text, {}});
    for (const GraphMessage& message : graph.messages)
        profile.messages.push_back({message.severity, message.text, {}});
}

/// A list of operations is one program on one IPU, run once: options of a framework's model would
/// be without effect.
void checkOwnProgram(const Graph& graph, const RunOptions& options) {
    if (!graph.ownProgram)
        return;
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw OptionError(option, fmt::format("'{}' is a list of operations, which runs as it "
                                                  "is, once, on one IPU; leave the option out",
                                                  graph.name));
    };
    refuse(options.isTraining(), "mode");
    refuse(options.execution.scheme != Execution::Single, "execution");
    refuse(options.batch.deviceIterations > 1, "deviceIterations");
    refuse(options.replication.replicas > 1, "replicas");
    refuse(options.host.outputMode != OutputMode::All, "outputMode");
}

/// The prepared graph, after checking the sizes of its tensors.
Graph sizedGraph(const Graph& graph, const RunOptions& options, const PassControl& passes = {}) {
    checkSizes(graph, options.machine.target);
    Graph prepared = preparedGraph(graph, options, passes);
    checkSizes(prepared, options.machine.target);
    return prepared;
}

/// Recomputation that finds nothing to compute again, such as norm-only without normalisations.
void noteIdleRecomputation(Profile& profile, const Graph& prepared, const RunOptions& options) {
    const bool marked = std::any_of(prepared.ops.begin(), prepared.ops.end(),
                                    [](const Op& op) { return op.recomputeGroup >= 0; });
    if (options.memory.recompute != Recompute::None && !marked)
        profile.messages.push_back({Severity::Warning,
                                    "option recompute has no effect: the model has nothing that "
                                    "this type would compute again",
                                    {}});
}

/// The machine that a run is timed for. The IPU Model's host answers at once; its sync with the
/// host is not published and *assumed* to be like that between tiles (two stream copies take some
/// 500 cycles in a published trace). Operations on their own, which exchange nothing with the host,
/// are short of a whole one (PopLibs' benchmarks): a program starts with it.
Target timedTarget(const RunOptions& options) {
    Target target = options.machine.target;
    if (options.machine.ipuModel) {
        target.hostLatencySeconds = 0;
        if (!options.host.ignoreData)
            target.externalSyncCycles = target.internalSyncCycles;
    }
    return target;
}

/// Whether the executable contains a category's bytes: code, and values that exist before the first
/// program runs. Variables, stacks and results of instrumentation only reserve memory.
bool isLoaded(MemoryCategory category) {
    switch (category) {
    case MemoryCategory::Variable:
    case MemoryCategory::Message:
    case MemoryCategory::Stack:
    case MemoryCategory::ControlId:
    case MemoryCategory::InstrumentationResults:
        return false;
    default:
        return true;
    }
}

/// Loading follows the compilation at once. IPUs of a replica load side by side, each over its own
/// link to the host, and replicas beside each other.
HostSpan loading(const Profile& profile, const Target& target, double start) {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(target.ipus), 0);
    for (const CategoryMemory& memory : profile.categoryMemory)
        if (isLoaded(memory.category))
            for (std::size_t ipu = 0; ipu < bytes.size(); ++ipu) {
                const auto first = static_cast<std::int32_t>(ipu) * target.tilesPerIpu;
                bytes[ipu] += memory.bytes.sum(first, first + target.tilesPerIpu);
            }
    const std::int64_t most = *std::max_element(bytes.begin(), bytes.end());
    return {std::string(loadingLane), "load executable", start,
            target.hostLatencySeconds + static_cast<double>(most) / target.hostBytesPerSecond};
}

/// Records the host's work until the first run, which its call begins.
void recordHost(Profile& profile, const Phases& phases, const RunOptions& options,
                const std::vector<HostCallPart>& call) {
    profile.info.timings = phases.timings();
    profile.hostSpans = phases.spans();
    if (!profile.info.hasExecution || profile.hostSpans.empty())
        return;
    const HostSpan& last = profile.hostSpans.back();
    profile.hostSpans.push_back(loading(profile, timedTarget(options), last.start + last.seconds));
    for (const HostCallPart& part : call) {
        const HostSpan& before = profile.hostSpans.back();
        profile.hostSpans.push_back(
            {std::string(callLane), part.name, before.start + before.seconds, part.seconds});
    }
}

/// Times the program unless it does not fit, or `timed` already has its times, which are stored
/// there. `call`: the host's work for each run.
void finishExecution(Profile& profile, const RunOptions& options,
                     const std::vector<HostCallPart>& call, std::optional<Trace>* timed) {
    ProfileInfo& info = profile.info;
    info.fits = std::all_of(profile.tileMemory.begin(), profile.tileMemory.end(),
                            [](const TileMemory& tile) { return tile.overflowed == 0; });
    if (!info.fits) {
        profile.messages.push_back({Severity::Error, outOfMemoryText(profile), {}});
        return;
    }
    const Target target = timedTarget(options);
    checkHostBuffers(profile, target, options.host.prefetchDepth);
    if (timed != nullptr && *timed)
        profile.trace = **timed;
    else
        profile.trace = timeProgram(profile, target, feedingOf(options, target, info.batchSize));
    if (timed != nullptr && !*timed)
        *timed = profile.trace;
    info.hasExecution = true;
    info.cycles = profile.trace.runs.back().cycles;
    for (const HostCallPart& part : call)
        info.hostCallSeconds += part.seconds;
    if (info.cycles > 0)
        info.throughput =
            static_cast<double>(info.batchSize * info.deviceIterations * info.replicas *
                                options.batch.microBatchesOfUpdate()) /
            info.callSeconds();
}

/// A prepared graph with its plans as a program that is placed.
Profile placedProgram(Phases& phases, const Graph& graph, const RunOptions& options,
                      const PlanTable& plans) {
    LoweredProgram lowered =
        phases.run("lower", 0.4, [&] { return lowerGraph(graph, options, plans); });
    phases.run("liveness", 0.6, [&] {
        analyseLiveness(lowered.profile, lowered.kills, lowered.readLater);
        shareExchangeCode(lowered.profile);
        ProgramBuilder builder(options.machine.target, lowered);
        addCodeVariables(builder, options.machine, options.engine);
    });
    phases.run("place", 0.7, [&] { placeVariables(lowered, options.machine.target); });
    return std::move(lowered.profile);
}

/// Records the parts of a placed program that depend on options that only change plans: the same
/// program may result from other options.
void describePlanOptions(Profile& profile, const Graph& graph, const RunOptions& options,
                         const PlanTable& plans) {
    std::map<std::string_view, std::string> texts;
    const auto add = [&](const Graph& part, FunctionIndex function) {
        for (std::size_t i = 0; i < part.ops.size(); ++i)
            if (const Op& op = part.ops[OpId(i)]; isPlanned(op.attributes))
                texts.emplace(op.name, plannedOptionsJson(part, op, options.planning,
                                                          plans.planOf(OpId(i), function)));
    };
    for (std::size_t f = 0; f < graph.functions.size(); ++f)
        add(graph.functions[f], FunctionIndex(f));
    add(graph, FunctionIndex());
    for (Operation& operation : profile.operations)
        if (const auto text = texts.find(operation.name); text != texts.end())
            operation.options = text->second;
}

/// The rest of simulate() once the program is placed.
Profile finished(Phases& phases, Profile profile, const Graph& graph, const RunOptions& options,
                 const PlanTable& plans, std::optional<Trace>* timed,
                 const ExecutableCache* cache) {
    std::vector<HostCallPart> call;
    if (!graph.ownProgram)
        call = hostCall(profile, options, timedTarget(options));
    phases.run("time", 0.95, [&] {
        describeRun(profile, graph, options);
        linkModelGraph(profile, graph);
        noteIdleRecomputation(profile, graph, options);
        addPlannerMessages(profile, graph, plans, options.planning.relaxMemoryTarget);
        countVertices(profile);
        if (cache != nullptr && !graph.ownProgram) {
            profile.info.timings = phases.timings();
            cache->keep(profile);
        }
        finishExecution(profile, options, call, timed);
    });
    recordHost(profile, phases, options, call);
    return profile;
}

/// simulate() with a program that was compiled earlier.
Profile executed(Phases& phases, CompiledProgram compiled, const RunOptions& given) {
    const RunOptions options = withDeviceIterations(given);
    Profile profile = std::move(compiled.profile);
    profile.info.createdAt = timeNow();
    profile.messages.push_back(
        {Severity::Info,
         fmt::format("loaded from the executable cache; compiling it took {}",
                     formatSeconds(compiled.seconds)),
         {}});
    const std::vector<HostCallPart> call = hostCall(profile, options, timedTarget(options));
    phases.run("time", 0.95, [&] { finishExecution(profile, options, call, nullptr); });
    recordHost(profile, phases, options, call);
    return profile;
}

/// simulate() after the phases so far.
Profile simulateGraph(Phases& phases, const Graph& graph, const RunOptions& given,
                      const ExecutableCache* cache = nullptr, const PassControl& passes = {}) {
    validate(given);
    const RunOptions options = withDeviceIterations(given);
    checkOwnProgram(graph, options);
    const Graph simple =
        phases.run("prepare", 0.05, [&] { return sizedGraph(graph, options, passes); });
    const PlanTable plans = phases.run(
        "plan", 0.1, [&] { return PlanTable(simple, options.machine, options.planning); });
    Profile placed = placedProgram(phases, simple, options, plans);
    return finished(phases, std::move(placed), simple, options, plans, nullptr, cache);
}

/// The same with work kept from earlier simulations.
Profile simulateWith(KeptWork& kept, Phases& phases, const ModelSource& source,
                     const RunOptions& given, const ExecutableCache* cache) {
    const Graph& graph = phases.run("import", 0, [&]() -> const Graph& {
        return kept.imported.valueFor(source, [&] { return importModel(source); });
    });
    validate(given);
    const RunOptions options = withDeviceIterations(given);
    checkOwnProgram(graph, options);
    const KeptWork::Preparation preparation{source, withoutPlanOptions(options)};
    const Graph& simple = phases.run("prepare", 0.05, [&]() -> const Graph& {
        return kept.prepared.valueFor(preparation, [&] { return sizedGraph(graph, options); });
    });
    const KeptWork::Compilation compilation{preparation, phases.run("plan", 0.1, [&] {
                                                return PlanTable(simple, options.machine,
                                                                 options.planning, &kept.plans);
                                            })};
    // A profile has all phases, however short.
    if (kept.compiled.has(compilation))
        for (const char* phase : {"lower", "liveness", "place"})
            phases.run(phase, 0.4, [] {});
    KeptWork::Program& program = kept.compiled.valueFor(compilation, [&] {
        return KeptWork::Program{placedProgram(phases, simple, options, compilation.plans), {}};
    });
    Profile profile = program.profile;
    describePlanOptions(profile, simple, options, compilation.plans);
    return finished(phases, std::move(profile), simple, options, compilation.plans, &program.trace,
                    cache);
}

} // namespace

Profile simulate(const Graph& graph, const RunOptions& options, const Progress& progress,
                 const PassControl& passes) {
    Phases phases(progress);
    return simulateGraph(phases, graph, options, nullptr, passes);
}

Profile simulate(const Graph& graph, const std::string& content, const RunOptions& options,
                 const Progress& progress) {
    if (options.engine.executableCache.empty())
        return simulate(graph, options, progress);
    Phases phases(progress);
    validate(options);
    const ExecutableCache cache(content, options);
    if (std::optional<CompiledProgram> compiled =
            phases.run("cache", 0, [&] { return cache.find(); }))
        return executed(phases, std::move(*compiled), options);
    return simulateGraph(phases, graph, options, &cache);
}

Profile simulateModel(const std::string& model, const RunOptions& options, const Progress& progress,
                      KeptWork* kept) {
    Phases phases(progress);
    const ModelSource source = sourceOf(model, options.batch, options.model);
    std::optional<ExecutableCache> cache;
    if (!options.engine.executableCache.empty()) {
        validate(options);
        cache.emplace(kept == nullptr
                          ? ExecutableCache::contentOf(source)
                          : kept->content.valueFor(
                                source, [&] { return ExecutableCache::contentOf(source); }),
                      options);
        if (std::optional<CompiledProgram> compiled =
                phases.run("cache", 0, [&] { return cache->find(); }))
            return executed(phases, std::move(*compiled), options);
    }
    const ExecutableCache* keeps = cache ? &*cache : nullptr;
    if (kept != nullptr)
        return simulateWith(*kept, phases, source, options, keeps);
    validate(options);
    const Graph graph = phases.run("import", 0, [&] { return importModel(source); });
    return simulateGraph(phases, graph, options, keeps);
}

} // namespace tilescope::sim
