// How long each phase of a simulation takes, and the first look into its profile.
#include <chrono>
#include <filesystem>
#include <utility>

#include <benchmark/benchmark.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/engine/timing.h"
#include "simulator/frontend/import.h"
#include "simulator/lowering/lower.h"
#include "simulator/memory/code.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/placement.h"
#include "simulator/outline/outline.h"
#include "simulator/planner/plan_table.h"
#include "simulator/planner/planner.h"
#include "simulator/simulate.h"
#include "simulator/transforms/decompose.h"
#include "simulator/zoo/zoo.h"

namespace {

using namespace tilescope;
using namespace tilescope::sim;

Graph imported(const std::string& model, std::int64_t batch) {
    ImportOptions options;
    options.batchSize = batch;
    return importOnnx(zooModel(model), model, options);
}

/// A lowered program with everything that placement needs.
LoweredProgram analysed(const Graph& graph, const RunOptions& options) {
    LoweredProgram lowered =
        lowerGraph(graph, options, PlanTable(graph, options.machine, options.planning));
    ProgramBuilder builder(options.machine.target, lowered);
    addCodeVariables(builder, options.machine, options.engine);
    analyseLiveness(lowered.profile);
    return lowered;
}

class TemporaryFile {
public:
    TemporaryFile()
        : path(std::filesystem::temp_directory_path() /
               ("tilescope-bench-" + std::to_string(getpid()) + ".pop")) {}
    ~TemporaryFile() { std::filesystem::remove(path); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::filesystem::path path;
};

void import(benchmark::State& state, const std::string& model) {
    for (auto _ : state)
        benchmark::DoNotOptimize(imported(model, 1));
}

void plan(benchmark::State& state, const std::string& model) {
    const Graph graph = decomposed(imported(model, 1));
    const RunOptions options;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            PlanTable(graph, options.machine, options.planning).distinctPlans());
}

void lower(benchmark::State& state, const std::string& model) {
    const Graph graph = decomposed(imported(model, 1));
    const RunOptions options;
    const PlanTable plans(graph, options.machine, options.planning);
    for (auto _ : state)
        benchmark::DoNotOptimize(lowerGraph(graph, options, plans));
}

void liveness(benchmark::State& state, const std::string& model) {
    const Graph graph = decomposed(imported(model, 1));
    const RunOptions options;
    const PlanTable plans(graph, options.machine, options.planning);
    for (auto _ : state) {
        state.PauseTiming();
        LoweredProgram lowered = lowerGraph(graph, options, plans);
        state.ResumeTiming();
        ProgramBuilder builder(options.machine.target, lowered);
        addCodeVariables(builder, options.machine, options.engine);
        analyseLiveness(lowered.profile);
    }
}

void place(benchmark::State& state, const std::string& model) {
    const RunOptions options;
    const LoweredProgram lowered = analysed(decomposed(imported(model, 1)), options);
    for (auto _ : state) {
        state.PauseTiming();
        LoweredProgram fresh = lowered;
        state.ResumeTiming();
        placeVariables(fresh, options.machine.target);
    }
}

void time(benchmark::State& state, const std::string& model) {
    const RunOptions options;
    const LoweredProgram lowered = analysed(decomposed(imported(model, 1)), options);
    for (auto _ : state)
        benchmark::DoNotOptimize(timeProgram(lowered.profile, options.machine.target));
}

void write(benchmark::State& state, const std::string& model) {
    const Profile profile = simulateModel(model, {});
    const TemporaryFile file;
    for (auto _ : state)
        writeProfile(profile, file.path);
    state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(file.path));
}

/// What the window asks for before its first plot.
void open(benchmark::State& state, const std::string& model) {
    const TemporaryFile file;
    writeProfile(simulateModel(model, {}), file.path);
    for (auto _ : state) {
        const ProfileReader reader(file.path);
        benchmark::DoNotOptimize(reader.tileMemory());
        benchmark::DoNotOptimize(reader.categoryMemory());
        benchmark::DoNotOptimize(reader.livenessCurve());
    }
}

void planAndLower(benchmark::State& state, const std::string& model) {
    const Graph graph = decomposed(imported(model, state.range(0)));
    const RunOptions options;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            lowerGraph(graph, options, PlanTable(graph, options.machine, options.planning)));
}

/// The layer of a model that takes the planner longest.
void slowestPlan(benchmark::State& state, const std::string& model) {
    const Graph graph = decomposed(imported(model, state.range(0)));
    const RunOptions options;
    std::vector<ConvProblem> problems;
    for (const Op& op : graph.ops)
        if (isPlanned(op.attributes))
            problems.push_back(problemOf(graph, op, options.planning));
    for (auto _ : state) {
        double slowest = 0;
        for (const ConvProblem& problem : problems) {
            const auto start = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(planConv(options.machine.target, problem,
                                              options.planning.availableMemoryProportion));
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            slowest = std::max(slowest, took.count());
        }
        state.SetIterationTime(slowest);
    }
}

void whole(benchmark::State& state, const std::string& model) {
    for (auto _ : state)
        benchmark::DoNotOptimize(simulateModel(model, {}));
}

/// From a job to its profile in a file, as `tilescope run` does it.
void job(benchmark::State& state, const std::string& name) {
    const Job job =
        readJob(std::filesystem::path(TILESCOPE_SOURCE_DIR "/resources/jobs") / (name + ".json"));
    RunOptions options;
    setRunOptions(options, job.options);
    const TemporaryFile file;
    for (auto _ : state)
        writeProfile(simulateModel(job.model, options), file.path);
    state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(file.path));
}

/// Growth with a model's layers: the time of each, which must not rise.
void layers(benchmark::State& state, const std::string& mode) {
    RunOptions options;
    setRunOptions(options, {{"mode", mode}, {"precision", "half"}, {"batchSize", "1"}});
    options.model.sizes["layers"] = std::to_string(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(simulateModel("bert-large", options));
    state.counters["s per layer"] = benchmark::Counter(
        static_cast<double>(state.range(0)),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// A chain of equal operations: outlined, it has as many repeats as operations.
void chain(benchmark::State& state) {
    Graph graph;
    graph.name = "chain";
    TensorId value = graph.tensors.add({"x", {16}, DataType::Float, TensorRole::Input});
    graph.inputs = {value};
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        const std::string name = "relu" + std::to_string(i);
        const TensorId out =
            graph.tensors.add({name + ":0", {16}, DataType::Float, TensorRole::Activation});
        graph.ops.add({name,
                       "Relu",
                       name,
                       ElementwiseAttributes{ElementwiseFunction::Relu, 0, 0},
                       {std::exchange(value, out)},
                       {out}});
    }
    graph.outputs = {value};
    for (auto _ : state)
        benchmark::DoNotOptimize(outlined(graph, {}, {}));
    state.counters["s per operation"] = benchmark::Counter(
        static_cast<double>(state.range(0)),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void registerAll() {
    using Phase = void (*)(benchmark::State&, const std::string&);
    const std::pair<const char*, Phase> phases[] = {
        {"import", import},     {"plan", plan},   {"lower", lower},
        {"liveness", liveness}, {"place", place}, {"time", time},
        {"write", write},       {"open", open},   {"whole", whole}};
    for (const std::string model : {"mnist-cnn", "resnet50"}) {
        for (const auto& [name, phase] : phases)
            benchmark::RegisterBenchmark((std::string(name) + "/" + model).c_str(), phase, model)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
        benchmark::RegisterBenchmark(("planAndLower/" + model).c_str(), planAndLower, model)
            ->Arg(1)
            ->Arg(16)
            ->Arg(256)
            ->ArgName("batch")
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
        benchmark::RegisterBenchmark(("slowestPlan/" + model).c_str(), slowestPlan, model)
            ->Arg(1)
            ->Arg(16)
            ->Arg(256)
            ->ArgName("batch")
            ->Unit(benchmark::kMillisecond)
            ->UseManualTime();
    }
    for (const std::string name : {"tutorial_pipelined", "resnet50_training", "bert_large_pod16"})
        benchmark::RegisterBenchmark(("job/" + name).c_str(), job, name)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    benchmark::RegisterBenchmark("outline/chain", chain)
        ->Arg(10'000)
        ->Arg(100'000)
        ->ArgName("operations")
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    for (const std::string mode : {"inference", "training"})
        benchmark::RegisterBenchmark(("layers/bert-large/" + mode).c_str(), layers, mode)
            ->Arg(6)
            ->Arg(12)
            ->Arg(24)
            ->ArgName("layers")
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
}

} // namespace

int main(int argc, char** argv) {
    registerAll();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
