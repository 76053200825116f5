// Executed steps: from chunks of the capture, folded as they are read.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/import/fold.h"
#include "core/import/readers.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

/// Latest cycle in a capture: far from what an index of a trace refuses.
constexpr std::int64_t latestStep = std::int64_t{1} << 58;
/// Steps that stay unfolded in memory: more would take all of it.
constexpr std::int64_t mostFlatSteps = 30'000'000;

/// What executions of a step on an IPU have in common.
struct StepKind {
    ProgramId program;
    ProgramKind kind = ProgramKind::Unknown;
    StepOnIpu on; ///< without its start
};

class StepKinds {
public:
    explicit StepKinds(Importing& import)
        : import_(import)
        , row_(import.file, "step_kinds",
               {"id", "program", "type", "ipu", "cycles", "span", "data_in", "data_out", "balance",
                "active_balance", "active_tiles"}) {}

    std::vector<StepKind> read() {
        std::vector<StepKind> kinds;
        while (row_.next()) {
            if (row_.number(0) != static_cast<std::int64_t>(kinds.size()))
                row_.damaged(0, "rows before it are missing");
            kinds.push_back(one());
        }
        return kinds;
    }

private:
    StepKind one() {
        StepKind kind;
        const std::string type = row_.text(2);
        kind.kind = kindFrom(type);
        // A step that is no program of the tree, such as a sync between IPUs, may have any number.
        if (const auto id = row_.maybe(1, std::numeric_limits<std::int64_t>::min(), largestId);
            id && *id >= 0)
            kind.program = import_.program(*id);
        if (kind.program.valid()) {
            kind.kind = import_.profile.programs[kind.program].kind;
            if (isControl(kind.kind))
                kind.program = ProgramId();
        }
        const Target& target = import_.profile.info.target;
        kind.on.ipu = IpuId(static_cast<std::int32_t>(row_.number(3, 0, target.ipus - 1)));
        kind.on.cycles = row_.maybe(5).value_or(row_.number(4));
        kind.on.bytesIn = row_.maybe(6).value_or(0);
        kind.on.bytesOut = row_.maybe(7).value_or(0);
        addActivity(kind);
        return kind;
    }

    /// The tiles that work and their cycles: measured by tile, or by their number and balance.
    void addActivity(StepKind& kind) const {
        const Target& target = import_.profile.info.target;
        StepOnIpu& on = kind.on;
        const std::int64_t tiles = target.tilesPerIpu;
        TileSeries measured;
        if (kind.program.valid()) {
            const std::int32_t first = on.ipu.value() * target.tilesPerIpu;
            measured =
                import_.measured[kind.program.index()].slice(first, first + target.tilesPerIpu);
        }
        on.activeTiles = row_.maybe(10, 0, tiles).value_or(measured.tilesUsed());
        const auto cycles = static_cast<double>(on.cycles);
        constexpr auto most = static_cast<double>(largestAmount);
        const auto working = [&](double share, std::int64_t of) {
            return std::llround(std::clamp(share * cycles * static_cast<double>(of), 0.0, most));
        };
        if (const auto balance = row_.real(8))
            on.activeCycles = working(*balance, tiles);
        else if (const auto active = row_.real(9); active && on.activeTiles > 0)
            on.activeCycles = working(*active, on.activeTiles);
        else
            on.activeCycles = measured.sum();
    }

    Importing& import_;
    CaptureRows row_;
};

/// The steps of a run, one after the other.
class StepStream {
public:
    /// Starts count from the cycle `zero`.
    StepStream(Importing& import, std::int64_t run, const std::vector<StepKind>& kinds,
               std::int64_t zero, const std::function<void(std::int64_t)>& read)
        : import_(import)
        , kinds_(kinds)
        , run_(run)
        , zero_(zero)
        , read_(read)
        , ends_(static_cast<std::size_t>(import.profile.info.target.ipus), 0)
        , chunks_(import.file.database().prepare(
              "SELECT position, data FROM step_chunks WHERE run = ? ORDER BY position")) {
        chunks_.bind(0, run);
    }

    const TraceStep* next() {
        step_.ipus.clear();
        step_.program = ProgramId();
        do {
            if (at_ == data_.size() && !nextChunk())
                break;
            const std::size_t before = at_;
            const std::uint64_t tag = number();
            if ((tag & 1) != 0 && !step_.ipus.empty()) {
                at_ = before; // of the next step
                break;
            }
            add(tag >> 1);
        } while (true);
        return step_.ipus.empty() ? nullptr : &step_;
    }

private:
    bool nextChunk() {
        // A statement that has ended would begin again.
        ended_ = ended_ || !chunks_.step();
        if (ended_)
            return false;
        const auto blob = chunks_.blob(1);
        data_.assign(blob.begin(), blob.end());
        at_ = 0;
        read_(static_cast<std::int64_t>(data_.size()));
        return !data_.empty() || nextChunk();
    }

    std::uint64_t number() {
        try {
            VarintReader reader(std::span<const std::byte>(data_).subspan(at_));
            const std::uint64_t value = reader.next();
            at_ = data_.size() - reader.remaining();
            return value;
        } catch (const DamagedProfile&) {
            damaged("a chunk ends too early");
        }
    }

    void add(std::uint64_t kindAt) {
        if (kindAt >= kinds_.size())
            damaged(fmt::format("there is no kind {}", kindAt));
        const StepKind& kind = kinds_[kindAt];
        StepOnIpu on = kind.on;
        std::int64_t& end = ends_[on.ipu.index()];
        const std::int64_t distance = unzigzag(number());
        if (distance < -end || distance > latestStep - end)
            damaged("a step begins at an impossible cycle");
        on.start = end + distance - zero_;
        end += distance + on.cycles;
        if (step_.ipus.empty()) {
            step_.kind = kind.kind;
            step_.program = kind.program;
        }
        // A damaged file may name an IPU twice.
        if (step_.ipus.empty() || step_.ipus.back().ipu < on.ipu)
            step_.ipus.push_back(on);
    }

    [[noreturn]] void damaged(std::string_view what) const {
        import_.file.damaged("step_chunks", fmt::format("of run {}", run_), what);
    }

    Importing& import_;
    const std::vector<StepKind>& kinds_;
    std::int64_t run_;
    std::int64_t zero_;
    const std::function<void(std::int64_t)>& read_;
    std::vector<std::int64_t> ends_; ///< of the step before, by IPU
    Statement chunks_;
    bool ended_ = false;
    std::vector<std::byte> data_;
    std::size_t at_ = 0;
    TraceStep step_;
};

/// A run of the engine before its steps are folded.
struct EngineRun {
    std::int64_t id = 0;
    std::string name;
    std::optional<double> begin, end; ///< on the host's clock, microseconds
    bool oneTree = false;             ///< all steps are of the tree of one program
};

std::vector<EngineRun> readRuns(const Importing& import) {
    std::vector<EngineRun> runs;
    CaptureRows row(import.file, "runs", {"id", "name", "start_us", "end_us"});
    while (row.next()) {
        EngineRun run{row.number(0), row.text(1), row.real(2), row.real(3), false};
        if (run.name.empty())
            run.name = fmt::format("Engine::run #{}", run.id);
        runs.push_back(std::move(run));
    }
    return runs;
}

/// Tells for each run whether it is one tree; returns the first cycle of all, as counters of a
/// machine count since it was started.
std::int64_t lookAhead(Importing& import, const std::vector<StepKind>& kinds, const TraceFold& fold,
                       std::vector<EngineRun>& runs) {
    const std::function<void(std::int64_t)> nothing = [](std::int64_t) {};
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (EngineRun& run : runs) {
        StepStream steps(import, run.id, kinds, 0, nothing);
        const NextStep next = [&] {
            const TraceStep* step = steps.next();
            if (step != nullptr)
                for (const StepOnIpu& on : step->ipus)
                    first = std::min(first, on.start);
            return step;
        };
        run.oneTree = fold.isOneTree(next);
        while (next() != nullptr) { // it stops at the first step of another tree
        }
    }
    return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

/// How long the host saw runs take, which the first one places in the trace.
void addHostTimes(Importing& import, const std::vector<EngineRun>& runs) {
    constexpr double secondsPerMicrosecond = 1e-6;
    std::optional<double> zero;
    for (const EngineRun& run : runs) {
        // Both are the same where a run was too short to measure.
        if (!run.begin || !run.end || *run.end <= *run.begin)
            continue;
        zero = zero.value_or(*run.begin);
        const double start = (*run.begin - *zero) * secondsPerMicrosecond;
        const double seconds = (*run.end - *run.begin) * secondsPerMicrosecond;
        if (std::abs(start) > mostHostSeconds || seconds > mostHostSeconds)
            continue;
        import.profile.hostRecord.events.push_back(
            {"Engine, by the host's clock", "Poplar", run.name, start, seconds});
    }
    std::ranges::stable_sort(import.profile.hostRecord.events, {}, &HostEvent::start);
}

} // namespace

void importTrace(Importing& import, const ImportProgress& progress) {
    Profile& profile = import.profile;
    const std::vector<StepKind> kinds = StepKinds(import).read();
    const std::int64_t all = std::max<std::int64_t>(
        1, import.file.database().integer("SELECT coalesce(sum(length(data)), 0) FROM "
                                          "step_chunks"));
    std::int64_t done = 0;
    const std::function<void(std::int64_t)> read = [&](std::int64_t bytes) {
        done += bytes;
        if (progress)
            progress(static_cast<double>(done) / static_cast<double>(all), "steps");
    };
    TraceFold fold(profile.programs, profile.controlPrograms, profile.trace);
    std::vector<EngineRun> runs = readRuns(import);
    const std::int64_t zero = lookAhead(import, kinds, fold, runs);
    for (const EngineRun& run : runs) {
        StepStream steps(import, run.id, kinds, zero, read);
        fold.addRun(
            run.name,
            [&]() -> const TraceStep* {
                const TraceStep* step = steps.next();
                import.executedSteps += step != nullptr ? 1 : 0;
                if (fold.flatSteps() > mostFlatSteps)
                    import.file.damaged("step_chunks", fmt::format("of run {}", run.id),
                                        "too many steps have no place in the program tree");
                return step;
            },
            run.oneTree);
    }
    import.flatSteps = fold.flatSteps();
    import.inferredTargets = fold.inferredTargets();
    import.observedRepeats = fold.observedRepeats();
    profile.info.hasExecution = !profile.trace.runs.empty();
    profile.info.cycles = profile.info.hasExecution ? profile.trace.runs.back().cycles : 0;
    if (profile.info.hasExecution && profile.info.origin.kind == OriginKind::Measured)
        addHostTimes(import, runs);
    if (import.flatSteps > 0)
        import.message(Severity::Info,
                       fmt::format("{} of {} executed steps have no place in the program tree and "
                                   "are listed one by one",
                                   import.flatSteps, import.executedSteps));
}

} // namespace tilescope
