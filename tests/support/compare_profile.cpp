#include "tests/support/compare_profile.h"

#include <algorithm>
#include <tuple>

#include "core/store/placement_codec.h"

namespace tilescope::test {
namespace {

// Every field of each type, in order: a forgotten one would go unnoticed in a round trip.
auto fields(const Message& m) {
    return std::tie(m.severity, m.text, m.operation);
}
auto fields(const Operation& o) {
    return std::tie(o.name, o.type, o.flops, o.outputShape, o.plan, o.options);
}
auto fields(const LivenessClass& c) {
    return std::tie(c.intervals);
}
auto fields(const Variable& v) {
    return std::tie(v.name, v.category, v.operation, v.alwaysLive, v.liveness, v.type, v.shape,
                    v.bytes);
}
auto fields(const VertexType& t) {
    return std::tie(t.name, t.codeBytes);
}
auto fields(const VertexInstances& v) {
    return std::tie(v.type, v.count, v.stateBytes, v.edgesPerVertex);
}
auto fields(const ComputeSet& c) {
    return std::tie(c.name, c.operation, c.cycles);
}
auto fields(const Exchange& e) {
    return std::tie(e.name, e.operation, e.bytesReceived, e.bytesSent, e.codeBytes, e.cycles,
                    e.runBytes);
}
auto fields(const Copy& c) {
    return std::tie(c.computeSet, c.program, c.exchange, c.variable, c.result, c.cause, c.shape,
                    c.sourceOrder, c.wantedOrder, c.runElements, c.runBytes, c.strided,
                    c.transposed);
}
auto fields(const Stream& s) {
    return std::tie(s.name, s.toDevice, s.bytes, s.remoteBuffer);
}
auto fields(const RemoteBuffer& b) {
    return std::tie(b.name, b.type, b.shape, b.rows, b.rowBytes);
}
auto fields(const Program& p) {
    return std::tie(p.kind, p.name, p.parent, p.children, p.count, p.target, p.computeSet,
                    p.exchange, p.stream, p.operation, p.controlCode, p.variablesRead,
                    p.variablesWritten, p.originalKind);
}
auto fields(const CategoryMemory& c) {
    return std::tie(c.category, c.region, c.overlapped, c.bytes);
}
auto fields(const TileMemory& m) {
    return std::tie(m.includingGaps, m.excludingGaps, m.nonInterleaved, m.interleaved, m.overflowed,
                    m.alwaysLive, m.maxNotAlwaysLive);
}
auto fields(const HostSpan& h) {
    return std::tie(h.lane, h.name, h.start, h.seconds);
}
auto fields(const Placement& p) {
    return std::tie(p.variables);
}
auto fields(const StepOnIpu& s) {
    return std::tie(s.ipu, s.start, s.cycles, s.activeTiles, s.activeCycles, s.bytesIn, s.bytesOut);
}
auto fields(const TraceStep& s) {
    return std::tie(s.kind, s.program);
}
auto fields(const CallOnIpu& c) {
    return std::tie(c.ipu, c.start, c.period);
}
auto fields(const TraceCall& c) {
    return std::tie(c.callee, c.program, c.count);
}
auto fields(const TraceItem& i) {
    return std::tie(i.step, i.call);
}
auto fields(const TraceBody& b) {
    return std::tie(b.name, b.program);
}
auto fields(const TraceRun& r) {
    return std::tie(r.name, r.body, r.start, r.cycles);
}
auto fields(const ProfileInfo& i) {
    return std::tie(i.creator, i.createdAt, i.model, i.mode, i.target, i.batchSize,
                    i.deviceIterations, i.replicas, i.options, i.engineOptions, i.edges, i.vertices,
                    i.fits, i.hasExecution, i.cycles, i.throughput, i.hostCallSeconds, i.timings,
                    i.origin, i.coverage);
}

template <class A> bool same(const A& a, const A& b) {
    return fields(a) == fields(b);
}

template <class List, class Nested>
std::string difference(const std::string& name, const List& a, const List& b, Nested&& nested) {
    if (std::distance(a.begin(), a.end()) != std::distance(b.begin(), b.end()))
        return name + ".size()";
    auto other = b.begin();
    std::size_t at = 0;
    for (const auto& item : a) {
        const std::string where = name + "[" + std::to_string(at++) + "]";
        if (!same(item, *other))
            return where;
        if (const std::string inner = nested(where, item, *other); !inner.empty())
            return inner;
        ++other;
    }
    return "";
}

template <class List>
std::string difference(const std::string& name, const List& a, const List& b) {
    return difference(name, a, b,
                      [](const std::string&, const auto&, const auto&) { return std::string(); });
}

std::string bodyDifference(const std::string& where, const TraceBody& a, const TraceBody& b) {
    std::string found = difference(where + ".items", a.items, b.items);
    if (found.empty())
        found = difference(where + ".steps", a.steps, b.steps,
                           [](const std::string& step, const TraceStep& x, const TraceStep& y) {
                               return difference(step + ".ipus", x.ipus, y.ipus);
                           });
    if (found.empty())
        found = difference(where + ".calls", a.calls, b.calls,
                           [](const std::string& call, const TraceCall& x, const TraceCall& y) {
                               return difference(call + ".ipus", x.ipus, y.ipus);
                           });
    return found;
}

} // namespace

std::string firstDifference(const Profile& a, const Profile& b) {
    if (!same(a.info, b.info))
        return "info";
    if (a.controlPrograms != b.controlPrograms || a.functions != b.functions)
        return "controlPrograms or functions";
    if (!(a.steps == b.steps))
        return "steps";
    if (!(a.pipeline == b.pipeline))
        return "pipeline";
    if (!(a.modelGraph == b.modelGraph))
        return "modelGraph";
    if (!(a.hostRecord == b.hostRecord))
        return "hostRecord";
    if (!(a.values == b.values))
        return "values";
    if (a.phases != b.phases)
        return "phases";
    if (!(a.placementOfTile == b.placementOfTile))
        return "placementOfTile";
    const auto vertices = [](const std::string& where, const ComputeSet& x, const ComputeSet& y) {
        return difference(where + ".vertices", x.vertices, y.vertices);
    };
    const std::string found[] = {
        difference("messages", a.messages, b.messages),
        difference("operations", a.operations, b.operations),
        difference("livenessClasses", a.livenessClasses, b.livenessClasses),
        difference("variables", a.variables, b.variables),
        difference("vertexTypes", a.vertexTypes, b.vertexTypes),
        difference("computeSets", a.computeSets, b.computeSets, vertices),
        difference("exchanges", a.exchanges, b.exchanges),
        difference("copies", a.copies, b.copies),
        difference("streams", a.streams, b.streams),
        difference("remoteBuffers", a.remoteBuffers, b.remoteBuffers),
        difference("programs", a.programs, b.programs),
        difference("categoryMemory", a.categoryMemory, b.categoryMemory),
        difference("tileMemory", a.tileMemory, b.tileMemory),
        difference("placements", unpackedPlacements(a.placements),
                   unpackedPlacements(b.placements)),
        difference("trace.bodies", a.trace.bodies, b.trace.bodies, bodyDifference),
        difference("trace.runs", a.trace.runs, b.trace.runs),
        difference("hostSpans", a.hostSpans, b.hostSpans)};
    const auto first = std::find_if(std::begin(found), std::end(found),
                                    [](const std::string& text) { return !text.empty(); });
    return first == std::end(found) ? "" : *first;
}

Profile withoutTimes(Profile profile) {
    profile.info.createdAt.clear();
    for (auto& [phase, seconds] : profile.info.timings)
        seconds = 0;
    for (HostSpan& span : profile.hostSpans)
        span.start = span.seconds = 0;
    return profile;
}

} // namespace tilescope::test
