#include "tests/support/scale_profile.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "tests/support/scale_memory.h"

namespace tilescope::test {
namespace {

constexpr std::array layerNames{"attention/query", "attention/key", "attention/output",
                                "feedforward/expand", "feedforward/contract"};
constexpr std::int32_t stepsOfLayer = 3; // sync, exchange, compute
constexpr std::int32_t mostLayers = 256;
constexpr std::int32_t loadGroups = 8; // that are loaded differently
constexpr std::int64_t syncCycles = 120;
constexpr std::int64_t hostCycles = 9000;
constexpr std::int64_t updateCycles = 2200;

/// The same noise on every machine: SplitMix64, https://prng.di.unimi.it/splitmix64.c
std::uint64_t noise(std::uint64_t seed) {
    seed += 0x9E3779B97F4A7C15;
    seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9;
    seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EB;
    return seed ^ (seed >> 31);
}

/// `value`, up to a fifth more or less.
std::int64_t varied(std::int64_t value, std::uint64_t seed) {
    constexpr std::uint64_t fine = 1024;
    return value * 4 / 5 + value * 2 / 5 * static_cast<std::int64_t>(noise(seed) % fine) /
                               static_cast<std::int64_t>(fine);
}

class ScaleBuilder {
public:
    explicit ScaleBuilder(const ScaleOptions& options)
        : options_(options)
        , layers_(static_cast<std::int32_t>(std::clamp<std::int64_t>(
              options.steps / options.ipus / stepsOfLayer / 4, 1, mostLayers))) {}

    Profile build() {
        describe();
        addVertexTypes();
        addUpdateFunction();
        addWeightsProgram();
        addMainProgram();
        numberSteps();
        addScaleMemory(p_, {options_.variables, layers_, firstStep_});
        addTrace();
        addHostEvents();
        return std::move(p_);
    }

private:
    struct Layer {
        ProgramId exchange;
        ProgramId compute;
        std::int64_t exchangeCycles = 0;
        std::int64_t computeCycles = 0;
        std::int64_t bytes = 0;
    };

    [[nodiscard]] IpuId ipu(std::int32_t i) const { return IpuId(i); }

    void describe() {
        ProfileInfo& info = p_.info;
        info.creator = "TileScope";
        info.createdAt = "2024-05-01T12:00:00Z";
        info.model = "scale";
        info.mode = "training";
        info.target = targetPreset("mk2");
        info.target.ipus = options_.ipus;
        info.target.tilesPerIpu = options_.tilesPerIpu;
        info.options = {{"target", "mk2"}, {"ipus", std::to_string(options_.ipus)}};
    }

    void addVertexTypes() {
        for (const char* name : {"poplin::ConvPartial1x1Out<half,float,true,false,16,4,false>",
                                 "popops::ReducePartialsEqualSize<popops::ReduceAdd,half,float>",
                                 "popnn::NonLinearity1DInPlace<half,GELU>",
                                 "popops::ScaledAddSupervisor<half,half,half,true>"})
            vertexTypes_.push_back(p_.vertexTypes.add(
                {name, TileSeries(TileId(0), p_.info.target.totalTiles(), 512)}));
    }

    /// Groups of tiles of one IPU with values around `value`, the largest of which is exact.
    [[nodiscard]] TileSeries uneven(std::int32_t ipu, std::int64_t value,
                                    std::uint64_t seed) const {
        TileSeries series;
        const std::int32_t first = ipu * options_.tilesPerIpu;
        for (std::int32_t g = 0; g < loadGroups; ++g) {
            const std::int32_t from = options_.tilesPerIpu * g / loadGroups;
            const std::int32_t to = options_.tilesPerIpu * (g + 1) / loadGroups;
            const auto less = static_cast<std::int64_t>(noise(seed + std::uint64_t(g)) % 50);
            series.append(first + from, first + to,
                          std::max<std::int64_t>(1, g == 0 ? value : value * (100 - less) / 100));
        }
        return series;
    }

    ProgramId program(ProgramKind kind, std::string name, ProgramId parent,
                      OperationId operation = {}) {
        Program program;
        program.kind = kind;
        program.name = std::move(name);
        program.parent = parent;
        program.operation = operation;
        const ProgramId id = p_.programs.add(std::move(program));
        if (parent.valid())
            p_.programs[parent].children.push_back(id);
        return id;
    }

    ProgramId compute(const std::string& name, ProgramId parent, OperationId operation,
                      std::int32_t ipu, std::int64_t cycles) {
        ComputeSet set{name, operation, uneven(ipu, cycles, p_.computeSets.size()), {}};
        VertexInstances instances;
        instances.type = vertexTypes_[p_.computeSets.size() % vertexTypes_.size()];
        const TileSeries one(TileId(ipu * options_.tilesPerIpu), options_.tilesPerIpu, 1);
        instances.count = one.scaled(6);
        instances.stateBytes = one.scaled(96);
        instances.edgesPerVertex = 3;
        set.vertices.push_back(std::move(instances));
        const ProgramId id = program(ProgramKind::OnTileExecute, name, parent, operation);
        p_.programs[id].computeSet = p_.computeSets.add(std::move(set));
        return id;
    }

    ProgramId exchange(const std::string& name, ProgramId parent, OperationId operation,
                       std::int32_t ipu, std::int64_t bytesPerTile, ProgramKind kind) {
        Exchange e;
        e.name = name;
        e.operation = operation;
        e.bytesReceived = uneven(ipu, bytesPerTile, p_.exchanges.size());
        e.bytesSent = e.bytesReceived;
        e.cycles = uneven(ipu, bytesPerTile / 4, p_.exchanges.size());
        e.runBytes = 64;
        const ProgramId id = program(kind, name, parent, operation);
        p_.programs[id].exchange = p_.exchanges.add(std::move(e));
        return id;
    }

    void addUpdateFunction() {
        const OperationId update = p_.operations.add({"weightUpdate", "Momentum", 1e6, "", "", ""});
        const ProgramId root = program(ProgramKind::Sequence, "weightUpdate", {}, update);
        p_.functions.push_back(root);
        for (std::int32_t i = 0; i < options_.ipus; ++i)
            updates_.push_back(compute(fmt::format("stage{}/weightUpdate/Momentum", i), root,
                                       update, i, updateCycles));
    }

    std::array<ProgramId, 3> streamCopy(const std::string& name, ProgramId parent,
                                        std::int32_t ipu) {
        const StreamId stream = p_.streams.add(
            {name, true,
             TileSeries(TileId(ipu * options_.tilesPerIpu), options_.tilesPerIpu, 256)});
        std::array<ProgramId, 3> programs;
        constexpr std::array kinds{ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid,
                                   ProgramKind::StreamCopyEnd};
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            programs[i] = program(kinds[i], "copyFromHost/" + name, parent);
            p_.programs[programs[i]].stream = stream;
        }
        return programs;
    }

    void addWeightsProgram() {
        const ProgramId root = program(ProgramKind::Sequence, "weightsFromHost", {});
        p_.controlPrograms.push_back(root);
        for (std::int32_t i = 0; i < options_.ipus; ++i)
            weights_.push_back(streamCopy(fmt::format("h2d_weights_{}", i), root, i));
    }

    void addMainProgram() {
        const ProgramId root = program(ProgramKind::Sequence, "main", {});
        p_.controlPrograms.push_back(root);
        repeat_ = program(ProgramKind::Repeat, "steps", root);
        const ProgramId loop = program(ProgramKind::Sequence, "step", repeat_);
        for (std::int32_t i = 0; i < options_.ipus; ++i)
            addStage(loop, i);
        call_ = program(ProgramKind::Call, "weightUpdate", loop);
        p_.programs[call_].target = p_.functions.front();
    }

    void addStage(ProgramId loop, std::int32_t i) {
        const ProgramId stage = program(ProgramKind::Sequence, fmt::format("stage{}", i), loop);
        inputs_.push_back(streamCopy(fmt::format("h2d_input_{}", i), stage, i));
        const OperationId pass =
            p_.operations.add({fmt::format("stage{}/pass", i), "IpuCopy", 0, "[8,512]", "", ""});
        passes_.push_back(exchange(fmt::format("stage{}/pass/GlobalPre", i), stage, pass, i, 1024,
                                   ProgramKind::GlobalExchange));
        for (std::int32_t l = 0; l < layers_; ++l) {
            const char* part = layerNames[static_cast<std::size_t>(l) % layerNames.size()];
            const std::string name =
                fmt::format("stage{}/layer{}/{}", i, l / int(layerNames.size()), part);
            const OperationId op = p_.operations.add({name, "MatMul", 5e8, "[8,512,1024]", "", ""});
            const auto seed =
                static_cast<std::uint64_t>(i) * mostLayers + static_cast<std::uint64_t>(l) + 1;
            Layer layer;
            layer.bytes = 400 + static_cast<std::int64_t>(noise(seed) % 4000);
            layer.exchangeCycles = layer.bytes / 4;
            layer.computeCycles = 1500 + static_cast<std::int64_t>(noise(seed + 7) % 9000);
            layer.exchange =
                exchange(name + "/ExchangePre", stage, op, i, layer.bytes, ProgramKind::DoExchange);
            layer.compute = compute(name + "/Convolve", stage, op, i, layer.computeCycles);
            stages_.push_back(layer);
        }
    }

    void numberSteps() {
        std::vector<std::int32_t> stepOf(p_.programs.size(), 0);
        const auto walk = [&](auto&& self, ProgramId id) -> void {
            const Program& program = p_.programs[id];
            if (!isControl(program.kind))
                stepOf[id.index()] = p_.steps.add(id).value();
            for (const ProgramId child : program.children)
                self(self, child);
            if (program.target.valid())
                self(self, program.target);
        };
        for (const ProgramId root : p_.controlPrograms)
            walk(walk, root);
        for (const Layer& layer : stages_)
            firstStep_.push_back(stepOf[layer.exchange.index()]);
    }

    void addTrace() {
        TraceBody update;
        update.name = "weightUpdate";
        update.program = p_.functions.front();
        for (std::int32_t i = 0; i < options_.ipus; ++i)
            put(update, ProgramKind::OnTileExecute, updates_[std::size_t(i)],
                {onIpu(i, 0, updateCycles, updateCycles * options_.tilesPerIpu / 2)});
        update_ = p_.trace.bodies.add(std::move(update));
        const std::int64_t loaded = addRun("Engine::run #0 (weightsFromHost)", weightsBody(), 0);
        const std::int64_t end = addRun("Engine::run #1 (main)", mainBody(), loaded);
        p_.programs[repeat_].count = iterations_;
        p_.info.deviceIterations = iterations_;
        p_.info.hasExecution = true;
        p_.info.cycles = end - loaded;
        p_.info.throughput = static_cast<double>(iterations_) / p_.info.seconds();
    }

    std::int64_t addRun(const std::string& name, TraceBody body, std::int64_t start) {
        const std::int64_t cycles = *std::max_element(now_.begin(), now_.end());
        p_.trace.runs.push_back({name, p_.trace.bodies.add(std::move(body)), start, cycles});
        return start + cycles;
    }

    void put(TraceBody& body, ProgramKind kind, ProgramId program, std::vector<StepOnIpu> ipus) {
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back({kind, program, std::move(ipus)});
        ++written_;
    }

    [[nodiscard]] StepOnIpu onIpu(std::int32_t i, std::int64_t start, std::int64_t cycles,
                                  std::int64_t active, std::int64_t bytes = 0) const {
        return {ipu(i), start, cycles, options_.tilesPerIpu, active, bytes, bytes};
    }

    /// A step on one IPU, after what that IPU did before.
    void after(TraceBody& body, ProgramKind kind, ProgramId program, std::int32_t i,
               std::int64_t cycles, std::int64_t bytes = 0) {
        std::int64_t& now = now_[static_cast<std::size_t>(i)];
        cycles = varied(cycles, static_cast<std::uint64_t>(written_));
        const std::int64_t active =
            kind == ProgramKind::Sync ? 0 : cycles * options_.tilesPerIpu * 3 / 4;
        put(body, kind, program, {onIpu(i, now, cycles, active, bytes)});
        now += cycles;
    }

    /// A step in which all IPUs meet.
    void together(TraceBody& body) {
        const std::int64_t meet = *std::max_element(now_.begin(), now_.end()) + syncCycles;
        std::vector<StepOnIpu> ipus;
        for (std::int32_t i = 0; i < options_.ipus; ++i) {
            std::int64_t& now = now_[static_cast<std::size_t>(i)];
            ipus.push_back(onIpu(i, now, meet - now, 0));
            now = meet;
        }
        put(body, ProgramKind::Sync, {}, std::move(ipus));
    }

    void copies(TraceBody& body, const std::array<ProgramId, 3>& programs, std::int32_t i) {
        after(body, ProgramKind::StreamCopyBegin, programs[0], i, hostCycles);
        after(body, ProgramKind::StreamCopyMid, programs[1], i, hostCycles / 2, 1 << 18);
        after(body, ProgramKind::StreamCopyEnd, programs[2], i, syncCycles);
    }

    TraceBody weightsBody() {
        now_.assign(static_cast<std::size_t>(options_.ipus), 0);
        TraceBody body;
        body.name = "weightsFromHost";
        body.program = p_.controlPrograms.at(0);
        for (std::int32_t i = 0; i < options_.ipus; ++i)
            copies(body, weights_[static_cast<std::size_t>(i)], i);
        return body;
    }

    TraceBody mainBody() {
        now_.assign(static_cast<std::size_t>(options_.ipus), 0);
        TraceBody body;
        body.name = "main";
        body.program = p_.controlPrograms.at(1);
        const auto most = static_cast<std::size_t>(options_.steps);
        body.items.reserve(most);
        body.steps.reserve(most);
        // The last sync and iteration may be cut short: the number of steps is exact.
        while (written_ < options_.steps) {
            addIteration(body);
            ++iterations_;
        }
        return body;
    }

    void addIteration(TraceBody& body) {
        const auto more = [&] { return written_ < options_.steps; };
        for (std::int32_t i = 0; i < options_.ipus && written_ + 4 <= options_.steps; ++i) {
            copies(body, inputs_[static_cast<std::size_t>(i)], i);
            after(body, ProgramKind::GlobalExchange, passes_[static_cast<std::size_t>(i)], i, 900,
                  1 << 20);
        }
        for (std::int32_t l = 0; l < layers_; ++l)
            for (std::int32_t i = 0; i < options_.ipus; ++i) {
                const Layer& layer =
                    stages_[static_cast<std::size_t>(i) * static_cast<std::size_t>(layers_) +
                            static_cast<std::size_t>(l)];
                if (more())
                    after(body, ProgramKind::Sync, {}, i, syncCycles);
                if (more())
                    after(body, ProgramKind::DoExchange, layer.exchange, i, layer.exchangeCycles,
                          layer.bytes * options_.tilesPerIpu);
                if (more())
                    after(body, ProgramKind::OnTileExecute, layer.compute, i, layer.computeCycles);
            }
        if (more())
            together(body);
        callUpdate(body);
    }

    void callUpdate(TraceBody& body) {
        TraceCall call{update_, call_, 1, {}};
        for (std::int32_t i = 0; i < options_.ipus; ++i) {
            std::int64_t& now = now_[static_cast<std::size_t>(i)];
            call.ipus.push_back({ipu(i), now, updateCycles});
            now += updateCycles;
        }
        body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
        body.calls.push_back(std::move(call));
    }

    /// Steps of a training loop on the main thread, loading on all others; three deep.
    void addHostEvents() {
        constexpr std::int64_t threads = 8;
        constexpr std::array names{"step", "batch", "decode"}; // one within the other
        const std::int64_t steps = options_.hostEvents / threads / std::int64_t{names.size()};
        if (steps > 0) // the host's own time begins before the first run
            p_.hostRecord.events.push_back({"MainThread", "training", "imports", -0.5, 0.4});
        for (std::int64_t step = 0; step < steps; ++step)
            for (std::int64_t thread = 0; thread < threads; ++thread) {
                const double each = p_.info.seconds() / static_cast<double>(steps);
                const auto seed = static_cast<std::uint64_t>(step * threads + thread);
                double start = each * static_cast<double>(step);
                double seconds = each * (0.5 + 0.4 * static_cast<double>(noise(seed) % 100) / 100);
                for (std::size_t deep = 0; deep < names.size(); ++deep) {
                    p_.hostRecord.events.push_back(
                        {thread == 0 ? "MainThread" : fmt::format("Loader {}", thread),
                         thread == 0 ? "training" : "input", names[deep], start, seconds});
                    start += seconds / 8;
                    seconds *= 0.75;
                }
            }
        std::ranges::stable_sort(p_.hostRecord.events, {}, &HostEvent::start);
    }

    ScaleOptions options_;
    std::int32_t layers_;
    Profile p_;
    std::vector<VertexTypeId> vertexTypes_;
    std::vector<ProgramId> updates_;
    std::vector<ProgramId> passes_;
    std::vector<std::array<ProgramId, 3>> weights_;
    std::vector<std::array<ProgramId, 3>> inputs_;
    std::vector<Layer> stages_; ///< [ipu][layer]
    std::vector<std::int32_t> firstStep_;
    ProgramId repeat_;
    ProgramId call_;
    TraceBodyId update_;
    std::vector<std::int64_t> now_; ///< by IPU
    std::int64_t written_ = 0;      ///< steps of all bodies
    std::int64_t iterations_ = 0;
};

} // namespace

Profile scaleProfile(const ScaleOptions& options) {
    return ScaleBuilder(options).build();
}

} // namespace tilescope::test
