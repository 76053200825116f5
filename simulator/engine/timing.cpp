#include "simulator/engine/timing.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "simulator/engine/repetitions.h"
#include "simulator/engine/step_work.h"

namespace tilescope::sim {
namespace {

/// A body while it is being timed: its steps so far, and the time of each IPU.
struct Frame {
    TraceBody body;
    Clock clock;
    Clock io; ///< of I/O tiles, where they have a clock of their own
};

class Timer : private RepeatedWork {
public:
    Timer(const Profile& profile, const Target& target, const Feeding& feeding)
        : profile_(profile)
        , target_(target)
        , feeding_(feeding)
        , work_(profile, target, feeding)
        , traits_(profile.programs.size()) {}

    Trace run() {
        std::int64_t start = 0;
        for (const ProgramId root : profile_.controlPrograms) {
            if (returnsWeights(root))
                continue;
            starting_ = true;
            inputs_.clear(); // the host has had time to fill its buffers
            const TraceBodyId body = traits(root).varies ? add(timed(root)) : bodyOf(root);
            const Clock& ends = durations_.at(body);
            const std::int64_t cycles = *std::max_element(ends.begin(), ends.end());
            trace_.runs.push_back({fmt::format("Engine::run #{} ({})", trace_.runs.size(),
                                               profile_.programs[root].name),
                                   body, start, cycles});
            start += cycles;
        }
        return std::move(trace_);
    }

private:
    /// Properties of a program and all that it runs.
    struct Traits {
        bool known = false;
        bool varies = false;       ///< waits for inputs for a time that is not fixed
        bool usesIo = false;       ///< has steps on the clock of I/O tiles
        bool synchronises = false; ///< has a global exchange, for which IPUs wait for each other
    };

    const Traits& traits(ProgramId id) {
        if (traits_[id.index()].known)
            return traits_[id.index()];
        const Program& program = profile_.programs[id];
        Traits found{true, work_.waitsForInput(program), false,
                     program.kind == ProgramKind::GlobalExchange};
        if (!isControl(program.kind))
            found.usesIo = work_.tileSet(program) != TileSet::Others;
        const auto include = [&](ProgramId other) {
            const Traits& its = traits(other);
            found.varies |= its.varies;
            found.usesIo |= its.usesIo;
            found.synchronises |= its.synchronises;
        };
        if (program.kind == ProgramKind::Call)
            include(program.target);
        for (const ProgramId child : program.children)
            include(child);
        return traits_[id.index()] = found;
    }

    // Operations of a user's own program may have any name, but they are deeper in the tree, and
    // their program is the only one.
    [[nodiscard]] bool returnsWeights(ProgramId root) const {
        return profile_.programs[root].name == weightsToHostProgram &&
               root != profile_.controlPrograms.back();
    }
    [[nodiscard]] bool isStartedByHost(const Program& program) const {
        return program.name == startedByHostProgram && program.parent.valid() &&
               !isBelowSwitch(program);
    }
    [[nodiscard]] bool isBelowSwitch(const Program& program) const {
        for (ProgramId at = program.parent; at.valid(); at = profile_.programs[at].parent)
            if (profile_.programs[at].kind == ProgramKind::Switch)
                return true;
        return false;
    }

    [[nodiscard]] std::size_t ipus() const { return static_cast<std::size_t>(target_.ipus); }

    /// Times a program (its children if it is a control program) as a body of its own, once.
    TraceBodyId bodyOf(ProgramId root) {
        if (const auto known = bodies_.find(root); known != bodies_.end())
            return known->second;
        const TraceBodyId id = add(timed(root));
        bodies_[root] = id;
        return id;
    }

    TimedBody timed(ProgramId root) override {
        Frame frame{
            {profile_.programs[root].name, root, {}, {}, {}}, Clock(ipus(), 0), Clock(ipus(), 0)};
        walk(root, frame);
        joinIo(frame);
        // A repetition begins on no IPU before it has ended on all.
        if (traits(root).synchronises)
            waitForAll(Clock(frame.clock), frame);
        return {std::move(frame.body), std::move(frame.clock)};
    }

    TraceBodyId add(TimedBody made) override {
        const TraceBodyId id = trace_.bodies.add(std::move(made.body));
        durations_[id] = std::move(made.durations);
        return id;
    }

    [[nodiscard]] const TraceBody& body(TraceBodyId id) const override { return trace_.bodies[id]; }
    [[nodiscard]] const Clock& durations(TraceBodyId id) const override {
        return durations_.at(id);
    }
    [[nodiscard]] std::size_t bodies() const override { return trace_.bodies.size(); }
    void forgetBodies(std::size_t from) override {
        trace_.bodies.truncate(from);
        durations_.erase(durations_.lower_bound(TraceBodyId(from)), durations_.end());
        std::erase_if(bodies_, [&](const auto& known) { return known.second.index() >= from; });
    }
    InputState& inputs() override { return inputs_; }

    void walk(ProgramId id, Frame& frame) {
        const Program& program = profile_.programs[id];
        switch (program.kind) {
        case ProgramKind::Sequence:
        case ProgramKind::Switch:
            starting_ = starting_ || isStartedByHost(program);
            for (const ProgramId child : program.children)
                walk(child, frame);
            return;
        case ProgramKind::Repeat:
            if (program.count == 1)
                walk(program.children.front(), frame);
            else
                call(id, program.children.front(), program.count, frame);
            return;
        case ProgramKind::Call:
            call(id, program.target, 1, frame);
            return;
        case ProgramKind::WriteUndef:
            return; // marks the start of a life; runs nothing
        default:
            leaf(id, program, frame);
        }
    }

    void call(ProgramId caller, ProgramId callee, std::int64_t count, Frame& frame) {
        if (starting_ && !beginsWithStream(callee))
            sync(target_.externalSyncCycles, Clock(ipus(), 1), false, frame);
        if (traits(callee).usesIo)
            joinIo(frame);
        if (!traits(callee).varies)
            place(caller, bodyOf(callee), count, frame);
        else
            repeatVarying(caller, callee, count, frame);
        if (traits(callee).usesIo)
            joinIo(frame);
    }

    void repeatVarying(ProgramId caller, ProgramId callee, std::int64_t count, Frame& frame) {
        // A program that synchronises IPUs starts when the last of them gets there.
        if (traits(callee).synchronises)
            waitForAll(Clock(ipus(), 1), frame);
        shift(inputs_, frame.clock);
        const std::vector<Repeated> parts = repetitions(caller, callee, count);
        // The state counts from the end of the last repetition.
        for (const Repeated& part : parts)
            place(caller, part.body, part.count, frame);
        Clock back = frame.clock;
        for (std::int64_t& cycles : back)
            cycles = -cycles;
        shift(inputs_, back);
    }

    void place(ProgramId caller, TraceBodyId callee, std::int64_t count, Frame& frame) {
        TraceCall call;
        call.callee = callee;
        call.program = caller;
        call.count = count;
        const Clock& each = durations_.at(callee);
        if (traits(trace_.bodies[callee].program).synchronises)
            waitForAll(each, frame);
        for (std::size_t ipu = 0; ipu < ipus(); ++ipu) {
            call.ipus.push_back({IpuId(ipu), frame.clock[ipu], each[ipu]});
            frame.clock[ipu] += count * each[ipu];
        }
        frame.body.items.push_back({-1, static_cast<std::int32_t>(frame.body.calls.size())});
        frame.body.calls.push_back(std::move(call));
    }

    /// Whether the first thing that takes time is a stream copy.
    [[nodiscard]] bool beginsWithStream(ProgramId id) const {
        const Program& program = profile_.programs[id];
        if (program.kind == ProgramKind::Call)
            return beginsWithStream(program.target);
        for (const ProgramId child : program.children)
            if (profile_.programs[child].kind != ProgramKind::WriteUndef)
                return beginsWithStream(child);
        return program.stream.valid();
    }

    static void add(TraceStep step, Clock& clock, TraceBody& body) {
        for (const StepOnIpu& on : step.ipus)
            clock[on.ipu.index()] = on.start + on.cycles;
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back(std::move(step));
    }

    /// I/O tiles and the others of each IPU wait for each other.
    static void joinIo(Frame& frame) {
        for (std::size_t ipu = 0; ipu < frame.clock.size(); ++ipu)
            frame.clock[ipu] = frame.io[ipu] = std::max(frame.clock[ipu], frame.io[ipu]);
    }

    /// Makes the IPUs that take part (cycles other than zero) continue together: early ones wait,
    /// which a trace shows as a sync.
    void waitForAll(const Clock& takePart, Frame& frame) {
        std::int64_t latest = 0;
        for (std::size_t ipu = 0; ipu < ipus(); ++ipu)
            if (takePart[ipu] > 0)
                latest = std::max(latest, frame.clock[ipu]);
        TraceStep step;
        step.kind = ProgramKind::Sync;
        for (std::size_t ipu = 0; ipu < ipus(); ++ipu)
            if (takePart[ipu] > 0 && frame.clock[ipu] < latest)
                step.ipus.push_back({IpuId(ipu), frame.clock[ipu], latest - frame.clock[ipu],
                                     target_.tilesPerIpu, 0, 0, 0});
        if (!step.ipus.empty())
            add(std::move(step), frame.clock, frame.body);
    }

    /// A sync of the IPUs with cycles other than zero in `busy`. Early ones wait.
    void sync(std::int64_t cycles, const Clock& busy, bool together, Frame& frame) {
        starting_ = false;
        std::int64_t begin = 0;
        for (std::size_t ipu = 0; ipu < ipus(); ++ipu)
            if (busy[ipu] > 0)
                begin = std::max(begin, frame.clock[ipu]);
        TraceStep step;
        step.kind = ProgramKind::Sync;
        for (std::size_t ipu = 0; ipu < ipus(); ++ipu)
            if (busy[ipu] > 0)
                step.ipus.push_back({IpuId(ipu), frame.clock[ipu],
                                     cycles + (together ? begin - frame.clock[ipu] : 0),
                                     target_.tilesPerIpu, 0, 0, 0});
        if (!step.ipus.empty())
            add(std::move(step), frame.clock, frame.body);
    }

    /// The tiles wait for each other before they exchange and after it. Between two compute sets
    /// without an exchange nothing has to be waited for.
    [[nodiscard]] bool needsSync(const Program& program, const TraceBody& body) {
        if (program.kind == ProgramKind::DoExchange)
            return true;
        return program.kind == ProgramKind::OnTileExecute &&
               (starting_ || body.items.empty() || body.items.back().step < 0 ||
                body.steps.back().kind != ProgramKind::OnTileExecute);
    }

    void leaf(ProgramId id, const Program& program, Frame& frame) {
        TraceStep step;
        step.kind = program.kind;
        step.program = id;
        const std::vector<StepOnIpu>& parts = work_.of(id);
        const TileSet tiles = work_.tileSet(program);
        if (tiles == TileSet::Both)
            joinIo(frame);
        Clock busy(ipus(), 0);
        for (const StepOnIpu& part : parts)
            busy[part.ipu.index()] =
                std::max(part.cycles, part.activeTiles > 0 ? std::int64_t{1} : part.cycles);
        if (needsSync(program, frame.body))
            sync(starting_ ? target_.externalSyncCycles : target_.internalSyncCycles,
                 ipus() == 1 ? Clock(1, 1) : busy, false, frame);
        if (program.kind == ProgramKind::GlobalExchange)
            sync(target_.externalSyncCycles, busy, true, frame);
        starting_ = false; // streams begin with a sync with the host of their own
        Clock& clock = tiles == TileSet::Io ? frame.io : frame.clock;
        for (StepOnIpu part : parts) {
            // A program of one IPU has its steps on that even where they take no time.
            if (busy[part.ipu.index()] == 0 && ipus() > 1)
                continue;
            part.start = clock[part.ipu.index()];
            if (work_.waitsForInput(program))
                part.cycles += buffersOf(program, part.ipu).waitAt(part.start);
            if (work_.movesInput(program))
                buffersOf(program, part.ipu).transferred(part.start + part.cycles);
            step.ipus.push_back(part);
        }
        if (!step.ipus.empty())
            add(std::move(step), clock, frame.body);
        if (tiles == TileSet::Both)
            joinIo(frame);
    }

    InputBuffers& buffersOf(const Program& leaf, IpuId ipu) {
        return inputs_.try_emplace({leaf.stream, ipu}, feeding_.pace).first->second;
    }

    const Profile& profile_;
    const Target& target_;
    const Feeding& feeding_;
    StepWork work_;
    std::vector<Traits> traits_; ///< by program
    bool starting_ = false;      ///< nothing has run yet since the host started a control program
    Trace trace_;
    std::map<ProgramId, TraceBodyId> bodies_; ///< of programs that do not vary
    std::map<TraceBodyId, Clock> durations_;
    InputState inputs_; ///< by the clock of the frame being walked
};

} // namespace

Feeding feedingOf(const CallOptions& options, const Target& target, std::int64_t microBatch) {
    return {hostPace(options, target, microBatch), options.machine.ioTiles,
            options.host.overlaps()};
}

Trace timeProgram(const Profile& profile, const Target& target, const Feeding& feeding) {
    return Timer(profile, target, feeding).run();
}

Trace timeProgram(const Profile& profile, const Target& target) {
    return timeProgram(profile, target, feedingOf({}, target, 1));
}

} // namespace tilescope::sim
