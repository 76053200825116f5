#include "core/analysis/execution/phases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

/// Also false for ids of a damaged file.
template <class Id, class Value> bool isOneOf(const IdVector<Id, Value>& values, Id id) {
    return id.valid() && id.index() < values.size();
}

class PhaseTimes {
public:
    explicit PhaseTimes(const PhaseParts& parts)
        : parts_(parts) {
        for (std::size_t i = 0; i < parts.phases.size(); ++i)
            phaseAt_[parts.phases[i]] = i;
    }

    std::vector<PhaseRow> run() {
        for (const TraceBody& body : parts_.trace.bodies)
            addBody(body);
        std::vector<PhaseRow> rows;
        for (auto& [key, row] : rows_)
            rows.push_back(std::move(row));
        return rows;
    }

private:
    /// The phase that a program belongs to; none: -1. Of a damaged file, programs that there are
    /// not.
    [[nodiscard]] std::int64_t phaseOf(ProgramId program) const {
        for (; isOneOf(parts_.programs, program); program = parts_.programs[program].parent)
            if (const auto found = phaseAt_.find(program); found != phaseAt_.end())
                return static_cast<std::int64_t>(found->second);
        return -1;
    }

    PhaseRow& extend(std::int64_t phase, IpuId ipu, std::int64_t start, std::int64_t cycles) {
        const auto [at, isNew] = rows_.try_emplace({phase, ipu});
        PhaseRow& row = at->second;
        if (isNew) {
            row.name = parts_.programs[parts_.phases[static_cast<std::size_t>(phase)]].name;
            row.ipu = ipu;
            row.start = start;
        }
        const std::int64_t end = std::max(row.start + row.cycles, start + cycles);
        row.start = std::min(row.start, start);
        row.cycles = end - row.start;
        return row;
    }

    void addBody(const TraceBody& body) {
        for (const TraceStep& step : body.steps) {
            const std::int64_t phase = phaseOf(step.program);
            for (const StepOnIpu& on : step.ipus)
                if (phase >= 0)
                    addStep(step, on, extend(phase, on.ipu, on.start, on.cycles));
        }
        for (const TraceCall& call : body.calls) {
            const std::int64_t phase = phaseOf(call.program);
            for (const CallOnIpu& on : call.ipus)
                if (phase >= 0 && on.period > 0)
                    addCall(phase, on, saturatingProduct(call.count, on.period));
        }
    }

    void addCall(std::int64_t phase, const CallOnIpu& on, std::int64_t cycles) {
        extend(phase, on.ipu, on.start, cycles).otherCycles += cycles;
    }

    void addStep(const TraceStep& step, const StepOnIpu& on, PhaseRow& row) const {
        const StreamId stream = parts_.programs[step.program].stream;
        const bool remote =
            isOneOf(parts_.streams, stream) && parts_.streams[stream].remoteBuffer.valid();
        (remote                                     ? row.remoteCycles
         : step.kind == ProgramKind::GlobalExchange ? row.linkCycles
                                                    : row.otherCycles) += on.cycles;
        if (remote) {
            row.bytesLoaded += on.bytesIn;
            row.bytesStored += on.bytesOut;
        }
    }

    const PhaseParts& parts_;
    std::map<ProgramId, std::size_t> phaseAt_;
    std::map<std::pair<std::int64_t, IpuId>, PhaseRow> rows_;
};

/// How often a run executes a program outside of functions.
std::int64_t timesOf(const IdVector<ProgramId, Program>& programs, ProgramId program) {
    std::int64_t times = 1;
    for (; isOneOf(programs, program); program = programs[program].parent)
        times = saturatingProduct(times, programs[program].count);
    return times;
}

} // namespace

std::vector<PhaseRow> phaseTable(const PhaseParts& parts) {
    return PhaseTimes(parts).run();
}

std::vector<RemoteBufferRow> remoteBufferTable(const PhaseParts& parts) {
    std::vector<RemoteBufferRow> rows;
    for (const RemoteBuffer& buffer : parts.buffers)
        rows.push_back({buffer});
    for (std::size_t i = 0; i < parts.programs.size(); ++i) {
        const Program& program = parts.programs[ProgramId(i)];
        if (program.kind != ProgramKind::StreamCopyMid || !isOneOf(parts.streams, program.stream))
            continue;
        const Stream& stream = parts.streams[program.stream];
        if (!stream.remoteBuffer.valid() || stream.remoteBuffer.index() >= rows.size())
            continue;
        RemoteBufferRow& row = rows[stream.remoteBuffer.index()];
        std::int64_t& times = stream.toDevice ? row.loads : row.stores;
        times = saturatingSum(times, timesOf(parts.programs, ProgramId(i)));
    }
    return rows;
}

} // namespace tilescope
