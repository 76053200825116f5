#include "simulator/engine/timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tilescope::sim {
namespace {

using Clock = std::vector<std::int64_t>; ///< cycles by IPU

class Timer {
public:
    Timer(const Profile& profile, const Target& target)
        : profile_(profile)
        , target_(target) {}

    Trace run() {
        std::int64_t start = 0;
        for (std::size_t i = 0; i < profile_.controlPrograms.size(); ++i) {
            const ProgramId root = profile_.controlPrograms[i];
            starting_ = true;
            const TraceBodyId body = bodyOf(root);
            const Clock& ends = durations_.at(root);
            const std::int64_t cycles = *std::max_element(ends.begin(), ends.end());
            trace_.runs.push_back(
                {fmt::format("Engine::run #{} ({})", i, profile_.programs[root].name), body, start,
                 cycles});
            start += cycles;
        }
        return std::move(trace_);
    }

private:
    /// Times a program (its children if it is a control program) as a body of its own, once.
    TraceBodyId bodyOf(ProgramId root) {
        if (const auto known = bodies_.find(root); known != bodies_.end())
            return known->second;
        TraceBody body;
        body.name = profile_.programs[root].name;
        body.program = root;
        Clock clock(static_cast<std::size_t>(target_.ipus), 0);
        const bool around = std::exchange(synchronised_, false);
        walk(root, body, clock);
        synchronises_[root] = synchronised_;
        // A repetition begins on no IPU before it has ended on all.
        if (synchronised_)
            waitForAll(Clock(clock), body, clock);
        synchronised_ = synchronised_ || around;
        durations_[root] = clock;
        const TraceBodyId id = trace_.bodies.add(std::move(body));
        bodies_[root] = id;
        return id;
    }

    void walk(ProgramId id, TraceBody& body, Clock& clock) {
        const Program& program = profile_.programs[id];
        switch (program.kind) {
        case ProgramKind::Sequence:
        case ProgramKind::Switch:
            for (const ProgramId child : program.children)
                walk(child, body, clock);
            return;
        case ProgramKind::Repeat:
            if (program.count == 1)
                walk(program.children.front(), body, clock);
            else
                call(id, program.children.front(), program.count, body, clock);
            return;
        case ProgramKind::Call:
            call(id, program.target, 1, body, clock);
            return;
        case ProgramKind::WriteUndef:
            return; // marks the start of a life; runs nothing
        default:
            leaf(id, program, body, clock);
        }
    }

    void call(ProgramId caller, ProgramId callee, std::int64_t count, TraceBody& body,
              Clock& clock) {
        if (starting_ && !beginsWithStream(callee))
            sync(target_.externalSyncCycles, Clock(clock.size(), 1), false, body, clock);
        TraceCall call;
        call.callee = bodyOf(callee);
        call.program = caller;
        call.count = count;
        const Clock& durations = durations_.at(callee);
        // What synchronises IPUs starts when the last of them gets there.
        if (synchronises_.at(callee)) {
            synchronised_ = true;
            waitForAll(durations, body, clock);
        }
        for (std::size_t ipu = 0; ipu < clock.size(); ++ipu) {
            call.ipus.push_back({IpuId(ipu), clock[ipu], durations[ipu]});
            clock[ipu] += count * durations[ipu];
        }
        body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
        body.calls.push_back(std::move(call));
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

    void add(TraceBody& body, TraceStep step, Clock& clock) {
        for (const StepOnIpu& on : step.ipus)
            clock[on.ipu.index()] = on.start + on.cycles;
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back(std::move(step));
    }

    /// Lets the IPUs that take part (cycles other than zero) go on together: who is there early
    /// waits, which a trace shows as a sync.
    void waitForAll(const Clock& takePart, TraceBody& body, Clock& clock) {
        std::int64_t latest = 0;
        for (std::size_t ipu = 0; ipu < clock.size(); ++ipu)
            if (takePart[ipu] > 0)
                latest = std::max(latest, clock[ipu]);
        TraceStep step;
        step.kind = ProgramKind::Sync;
        for (std::size_t ipu = 0; ipu < clock.size(); ++ipu)
            if (takePart[ipu] > 0 && clock[ipu] < latest)
                step.ipus.push_back({IpuId(ipu), clock[ipu], latest - clock[ipu],
                                     target_.tilesPerIpu, 0, 0, 0});
        if (!step.ipus.empty())
            add(body, std::move(step), clock);
    }

    /// A sync of those IPUs that `busy` names by cycles other than zero. Who is there early waits.
    void sync(std::int64_t cycles, const Clock& busy, bool together, TraceBody& body,
              Clock& clock) {
        starting_ = false;
        std::int64_t begin = 0;
        for (std::size_t ipu = 0; ipu < clock.size(); ++ipu)
            if (busy[ipu] > 0)
                begin = std::max(begin, clock[ipu]);
        TraceStep step;
        step.kind = ProgramKind::Sync;
        for (std::size_t ipu = 0; ipu < clock.size(); ++ipu)
            if (busy[ipu] > 0)
                step.ipus.push_back({IpuId(ipu), clock[ipu],
                                     cycles + (together ? begin - clock[ipu] : 0),
                                     target_.tilesPerIpu, 0, 0, 0});
        if (!step.ipus.empty())
            add(body, std::move(step), clock);
    }

    [[nodiscard]] StepOnIpu onIpu(std::size_t ipu, const TileSeries& cycles,
                                  const Clock& clock) const {
        const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
        const TileSeries own =
            target_.ipus == 1 ? cycles : cycles.slice(first, first + target_.tilesPerIpu);
        return {IpuId(ipu), clock[ipu], own.max().value, own.tilesUsed(), own.sum(), 0, 0};
    }

    [[nodiscard]] std::int64_t bytesOn(std::size_t ipu, const TileSeries& bytes) const {
        const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
        return bytes.sum(first, first + target_.tilesPerIpu);
    }

    /// The tiles wait for each other before they exchange and after it. Between two compute sets
    /// without an exchange nothing has to be waited for.
    [[nodiscard]] static bool needsSync(const Program& program, const TraceBody& body) {
        if (program.kind == ProgramKind::DoExchange)
            return true;
        return program.kind == ProgramKind::OnTileExecute &&
               (body.items.empty() || body.items.back().step < 0 ||
                body.steps.back().kind != ProgramKind::OnTileExecute);
    }

    /// What a leaf does on each IPU, starting at cycle 0; IPUs without part have no cycles.
    [[nodiscard]] std::vector<StepOnIpu> work(const Program& program) const {
        std::vector<StepOnIpu> parts;
        const Clock zero(static_cast<std::size_t>(target_.ipus), 0);
        for (std::size_t ipu = 0; ipu < zero.size(); ++ipu) {
            StepOnIpu on{IpuId(ipu), 0, 0, 0, 0, 0, 0};
            if (program.computeSet.valid()) {
                on = onIpu(ipu, profile_.computeSets[program.computeSet].cycles, zero);
            } else if (program.exchange.valid()) {
                const Exchange& exchange = profile_.exchanges[program.exchange];
                on = onIpu(ipu, exchange.cycles, zero);
                on.bytesIn = bytesOn(ipu, exchange.bytesReceived);
                on.bytesOut = bytesOn(ipu, exchange.bytesSent);
            } else if (program.stream.valid()) {
                stream(on, program, ipu);
            }
            parts.push_back(on);
        }
        return parts;
    }

    void leaf(ProgramId id, const Program& program, TraceBody& body, Clock& clock) {
        TraceStep step;
        step.kind = program.kind;
        step.program = id;
        std::vector<StepOnIpu> parts = work(program);
        Clock busy(clock.size(), 0);
        for (const StepOnIpu& part : parts)
            busy[part.ipu.index()] = std::max(part.cycles, part.activeTiles > 0 ? std::int64_t{1}
                                                                                : part.cycles);
        if (needsSync(program, body))
            sync(starting_ ? target_.externalSyncCycles : target_.internalSyncCycles,
                 clock.size() == 1 ? Clock(1, 1) : busy, false, body, clock);
        if (program.kind == ProgramKind::GlobalExchange) {
            synchronised_ = true;
            sync(target_.externalSyncCycles, busy, true, body, clock);
        }
        starting_ = false; // streams begin with a sync with the host of their own
        for (StepOnIpu& part : parts) {
            // A program of one IPU has its steps on that even where they take no time.
            if (busy[part.ipu.index()] == 0 && clock.size() > 1)
                continue;
            part.start = clock[part.ipu.index()];
            step.ipus.push_back(part);
        }
        if (!step.ipus.empty())
            add(body, std::move(step), clock);
    }

    void stream(StepOnIpu& on, const Program& program, std::size_t ipu) const {
        const Stream& stream = profile_.streams[program.stream];
        const std::int64_t bytes = bytesOn(ipu, stream.bytes);
        if (bytes == 0 && target_.ipus > 1)
            return;
        const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
        on.activeTiles = stream.bytes.slice(first, first + target_.tilesPerIpu).tilesUsed();
        switch (program.kind) {
        case ProgramKind::StreamCopyBegin:
            // No program of the host has to answer for streaming memory.
            on.cycles = target_.externalSyncCycles;
            if (!stream.remoteBuffer.valid())
                on.cycles +=
                    static_cast<std::int64_t>(target_.hostLatencySeconds * target_.clockHz);
            break;
        case ProgramKind::StreamCopyMid:
            on.cycles = static_cast<std::int64_t>(
                std::ceil(static_cast<double>(bytes) /
                          (stream.remoteBuffer.valid() ? target_.streamingMemoryBytesPerSecond
                                                       : target_.hostBytesPerSecond) *
                          target_.clockHz));
            (stream.toDevice ? on.bytesIn : on.bytesOut) = bytes;
            break;
        default:
            on.cycles = target_.externalSyncCycles;
        }
    }

    const Profile& profile_;
    const Target& target_;
    bool starting_ = false; ///< nothing has run yet since the host started a control program
    Trace trace_;
    std::map<ProgramId, TraceBodyId> bodies_;
    std::map<ProgramId, Clock> durations_;
    std::map<ProgramId, bool> synchronises_; ///< bodies with a global exchange in them
    bool synchronised_ = false;              ///< so has the body being walked, up to here
};

} // namespace

Trace timeProgram(const Profile& profile, const Target& target) {
    return Timer(profile, target).run();
}

} // namespace tilescope::sim
