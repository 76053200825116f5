#include "tests/support/sample_trace.h"

#include <algorithm>
#include <map>

namespace tilescope::test {
namespace {

class Timer {
public:
    explicit Timer(Profile& profile)
        : profile_(profile) {}

    std::int64_t run(const std::string& name, ProgramId control, std::int64_t start) {
        const TraceBodyId body = bodyOf(control);
        profile_.trace.runs.push_back({name, body, start, length_.at(body)});
        return start + length_.at(body);
    }

private:
    /// The body that executes a control program, a function or a repeat's child; made once.
    TraceBodyId bodyOf(ProgramId program) {
        if (const auto known = bodies_.find(program); known != bodies_.end())
            return known->second;
        TraceBody body;
        body.name = profile_.programs[program].name;
        body.program = program;
        std::int64_t now = 0;
        append(body, program, now);
        const TraceBodyId id = profile_.trace.bodies.add(std::move(body));
        bodies_[program] = id;
        length_[id] = now;
        return id;
    }

    void append(TraceBody& body, ProgramId id, std::int64_t& now) {
        const Program& p = profile_.programs[id];
        if (p.kind == ProgramKind::Sequence) {
            for (const ProgramId child : p.children)
                append(body, child, now);
        } else if (p.kind == ProgramKind::Repeat || p.kind == ProgramKind::Call) {
            const bool repeat = p.kind == ProgramKind::Repeat;
            appendCall(body, id, repeat ? p.children.at(0) : p.target, repeat ? p.count : 1, now);
        } else {
            if (p.kind != ProgramKind::OnTileExecute && p.kind != ProgramKind::StreamCopyMid)
                appendStep(body, ProgramKind::Sync, ProgramId(), now);
            appendStep(body, p.kind, id, now);
        }
    }

    void appendCall(TraceBody& body, ProgramId program, ProgramId callee, std::int64_t count,
                    std::int64_t& now) {
        TraceCall call{bodyOf(callee), program, count, {}};
        const std::int64_t period = length_.at(call.callee);
        for (std::int32_t ipu = 0; ipu < profile_.info.target.ipus; ++ipu)
            call.ipus.push_back({IpuId(ipu), now, period});
        body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
        body.calls.push_back(std::move(call));
        now += period * count;
    }

    void appendStep(TraceBody& body, ProgramKind kind, ProgramId program, std::int64_t& now) {
        TraceStep step{kind, program, {}};
        std::int64_t longest = 0;
        for (std::int32_t ipu = 0; ipu < profile_.info.target.ipus; ++ipu) {
            step.ipus.push_back(onIpu(kind, program, IpuId(ipu), now));
            longest = std::max(longest, step.ipus.back().cycles);
        }
        now += longest;
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back(std::move(step));
    }

    StepOnIpu onIpu(ProgramKind kind, ProgramId id, IpuId ipu, std::int64_t start) const {
        const std::int32_t tiles = profile_.info.target.tilesPerIpu;
        const std::int32_t first = ipu.value() * tiles;
        StepOnIpu step{ipu, start, 0, 0, 0, 0, 0};
        const auto work = [&](const TileSeries& cycles) {
            const TileSeries mine = cycles.slice(first, first + tiles);
            step.cycles = mine.max().value;
            step.activeTiles = mine.tilesUsed();
            step.activeCycles = mine.sum();
        };
        if (kind == ProgramKind::Sync) {
            step.cycles = sampleSyncCycles;
            return step;
        }
        const Program& p = profile_.programs[id];
        if (p.computeSet.valid())
            work(profile_.computeSets[p.computeSet].cycles);
        if (p.exchange.valid()) {
            const Exchange& e = profile_.exchanges[p.exchange];
            work(e.cycles);
            step.bytesIn = e.bytesReceived.sum(first, first + tiles);
            step.bytesOut = e.bytesSent.sum(first, first + tiles);
        }
        if (kind == ProgramKind::StreamCopyBegin)
            step.cycles = sampleHostWaitCycles;
        if (kind == ProgramKind::StreamCopyEnd)
            step.cycles = sampleHostEndCycles;
        if (kind == ProgramKind::StreamCopyMid) {
            const Stream& stream = profile_.streams[p.stream];
            const std::int64_t bytes = stream.bytes.sum(first, first + tiles);
            (stream.toDevice ? step.bytesIn : step.bytesOut) = bytes;
            step.cycles = bytes / 8;
            step.activeTiles = stream.bytes.slice(first, first + tiles).tilesUsed();
        }
        return step;
    }

    Profile& profile_;
    std::map<ProgramId, TraceBodyId> bodies_;
    std::map<TraceBodyId, std::int64_t> length_;
};

} // namespace

void traceExecution(Profile& profile) {
    Timer timer(profile);
    const std::int64_t loaded =
        timer.run("Engine::run #0 (weightsFromHost)", profile.controlPrograms.at(0), 0);
    const std::int64_t end =
        timer.run("Engine::run #1 (main)", profile.controlPrograms.at(1), loaded);
    profile.info.hasExecution = true;
    profile.info.cycles = end - loaded;
    profile.info.throughput =
        static_cast<double>(profile.info.batchSize * profile.info.deviceIterations) /
        profile.info.seconds();
}

} // namespace tilescope::test
