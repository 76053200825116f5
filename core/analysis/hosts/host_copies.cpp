#include "core/analysis/hosts/host_copies.h"

#include <algorithm>
#include <optional>

#include "core/trace/trace_reader.h"

namespace tilescope {
namespace {

/// Removes unwanted steps from a trace, and calls of bodies that then have no steps.
class Sieve {
public:
    Sieve(const Trace& trace, const std::map<ProgramId, HostCopies::Part>& wanted)
        : trace_(trace)
        , wanted_(wanted)
        , states_(trace.bodies.size(), State::New) {
        kept_.runs = trace.runs;
        for (std::size_t i = 0; i < trace.bodies.size(); ++i)
            kept_.bodies.add({});
    }

    Trace sift() {
        for (const TraceRun& run : trace_.runs)
            hasWanted(run.body);
        return std::move(kept_);
    }

private:
    enum class State { New, Empty, Kept };

    /// As deep as bodies nest, which the index of the trace has bounded.
    bool hasWanted(TraceBodyId id) {
        if (states_[id.index()] == State::New) {
            states_[id.index()] = State::Empty;
            fill(id);
            if (!kept_.bodies[id].items.empty())
                states_[id.index()] = State::Kept;
        }
        return states_[id.index()] == State::Kept;
    }

    void fill(TraceBodyId id) {
        const TraceBody& from = trace_.bodies[id];
        TraceBody body{from.name, from.program, {}, {}, {}};
        for (const TraceItem& item : from.items) {
            if (item.step >= 0) {
                const TraceStep& step = from.steps[static_cast<std::size_t>(item.step)];
                if (!wanted_.contains(step.program))
                    continue;
                body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
                body.steps.push_back(step);
            } else {
                const TraceCall& call = from.calls[static_cast<std::size_t>(item.call)];
                if (!hasWanted(call.callee))
                    continue;
                body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
                body.calls.push_back(call);
            }
        }
        kept_.bodies[id] = std::move(body);
    }

    const Trace& trace_;
    const std::map<ProgramId, HostCopies::Part>& wanted_;
    std::vector<State> states_;
    Trace kept_;
};

} // namespace

HostCopies::HostCopies(const ProfileReader& reader, const IdVector<ProgramId, Program>& programs,
                       const IdVector<StreamId, Stream>& streams)
    : index_({}, reader.info().target.ipus, reader.info().target.tilesPerIpu)
    , ipus_(reader.info().target.ipus) {
    find(programs, streams);
    if (empty())
        return;
    const std::optional<Trace> copies = readStreamCopies(reader.file());
    if (copies)
        keep(*copies, reader.info().target);
    known_ = copies.has_value();
}

HostCopies::HostCopies(const Trace& trace, const Target& target,
                       const IdVector<ProgramId, Program>& programs,
                       const IdVector<StreamId, Stream>& streams)
    : index_({}, target.ipus, target.tilesPerIpu)
    , ipus_(target.ipus) {
    find(programs, streams);
    keep(trace, target);
}

void HostCopies::find(const IdVector<ProgramId, Program>& programs,
                      const IdVector<StreamId, Stream>& streams) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Program& program = programs[ProgramId(i)];
        if (!isStreamCopy(program.kind) || !program.stream.valid() ||
            program.stream.index() >= streams.size())
            continue;
        const Stream& stream = streams[program.stream];
        if (stream.remoteBuffer.valid())
            continue;
        parts_.emplace(ProgramId(i), Part{program.kind, program.stream});
        names_.emplace(program.stream, stream.name.empty() ? program.name : stream.name);
    }
}

void HostCopies::keep(const Trace& trace, const Target& target) {
    index_ = TraceIndex(Sieve(trace, parts_).sift(), target.ipus, target.tilesPerIpu);
}

// Between the copies of a merged span lies time that is not the host's: the drawn span must be as
// long as its copies together.
std::vector<TraceSpan> HostCopies::spans(IpuId ipu, CycleRange range,
                                         std::int64_t minimumCycles) const {
    std::vector<TraceSpan> result;
    for (const TraceSpan& span : index_.spans(ipu, range, minimumCycles)) {
        if (!span.merged()) {
            result.push_back(span);
            continue;
        }
        const TraceSums sums = index_.statistics(ipu, {span.begin, span.end}).sums;
        const std::int64_t waits = sums.cycles(ProgramKind::StreamCopyBegin);
        std::int64_t at = span.begin;
        const auto add = [&](ProgramKind kind, std::int64_t cycles) {
            TraceSpan part = span;
            part.begin = at;
            part.end = at = std::min(span.end, at + cycles);
            part.kind = kind;
            if (part.end > part.begin)
                result.push_back(part);
        };
        add(ProgramKind::StreamCopyBegin, waits);
        add(ProgramKind::StreamCopyMid, sums.host() - waits);
    }
    return result;
}

TraceSums HostCopies::sums(IpuId ipu, CycleRange range) const {
    return index_.statistics(ipu, range).sums;
}

CycleRange HostCopies::extent() const {
    const CycleRange all{0, index_.totalCycles()};
    std::optional<CycleRange> extent;
    for (std::int32_t ipu = 0; ipu < ipus_; ++ipu)
        for (const TraceSpan& span : index_.spans(IpuId(ipu), all, all.end)) {
            if (!extent)
                extent = CycleRange{span.begin, span.end};
            extent->begin = std::min(extent->begin, span.begin);
            extent->end = std::max(extent->end, span.end);
        }
    return extent.value_or(CycleRange());
}

StreamId HostCopies::streamOf(ProgramId program) const {
    const auto found = parts_.find(program);
    return found == parts_.end() ? StreamId() : found->second.stream;
}

const std::string& HostCopies::nameOf(StreamId stream) const {
    static const std::string none;
    const auto found = names_.find(stream);
    return found == names_.end() ? none : found->second;
}

} // namespace tilescope
