#include <algorithm>
#include <limits>
#include <set>

#include "core/analysis/compare/costs.h"
#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"

namespace tilescope {
namespace {

// Programs and calls nest a few dozen deep; what nests deeper is a damaged file.
constexpr int deepestNesting = 2000;

std::int64_t saturatingProduct(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
}

std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
}

/// Executions of nodes that are reached from others so many times each: bodies of a trace,
/// programs of a tree. Asked for from below, each node is computed once.
class Executions {
public:
    struct Edge {
        std::size_t from = 0;
        std::int64_t times = 1;
    };
    explicit Executions(std::size_t nodes)
        : edges_(nodes)
        , counts_(nodes, unknown) {}
    void addRoot(std::size_t node) { edges_.at(node).push_back({node, 0}); }
    void addEdge(std::size_t from, std::size_t to, std::int64_t times) {
        edges_.at(to).push_back({from, times});
    }
    std::vector<std::int64_t> all() {
        for (std::size_t node = 0; node < counts_.size(); ++node)
            (void)count(node, 0);
        return counts_;
    }

private:
    static constexpr std::int64_t unknown = -1;
    static constexpr std::int64_t open = -2;

    std::int64_t count(std::size_t node, int depth) {
        if (counts_[node] >= 0)
            return counts_[node];
        if (counts_[node] == open || depth > deepestNesting)
            throw DamagedProfile("its programs call themselves");
        counts_[node] = open;
        std::int64_t sum = 0;
        for (const Edge& edge : edges_[node])
            sum = saturatingSum(
                sum,
                edge.times == 0 ? 1 : saturatingProduct(count(edge.from, depth + 1), edge.times));
        return counts_[node] = sum;
    }

    std::vector<std::vector<Edge>> edges_; ///< into each node; a root has one of no times
    std::vector<std::int64_t> counts_;
};

template <class IdType, class Items> bool exists(IdType id, const Items& items) {
    return id.valid() && id.index() < items.size();
}

std::vector<std::int64_t> countsFrom(const IdVector<ProgramId, Program>& programs,
                                     const std::vector<ProgramId>& roots) {
    Executions executions(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Program& p = programs[ProgramId(i)];
        const std::int64_t times = p.kind == ProgramKind::Repeat ? p.count : 1;
        if (times > 0)
            for (const ProgramId child : p.children)
                if (exists(child, programs))
                    executions.addEdge(i, child.index(), times);
        if (p.kind == ProgramKind::Call && exists(p.target, programs))
            executions.addEdge(i, p.target.index(), 1);
    }
    for (const ProgramId root : roots)
        if (exists(root, programs))
            executions.addRoot(root.index());
    return executions.all();
}

ProgramCycles estimatedCycles(const ProfileParts& parts) {
    const IdVector<ProgramId, Program>& programs = *parts.programs;
    std::vector<ProgramId> main;
    if (!parts.controlPrograms->empty())
        main.push_back(parts.controlPrograms->back());
    const std::vector<std::int64_t> counts = countsFrom(programs, main);
    ProgramCycles cycles{std::vector<std::int64_t>(programs.size(), 0), 0};
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Program& p = programs[ProgramId(i)];
        const bool known = (!p.computeSet.valid() || exists(p.computeSet, *parts.computeSets)) &&
                           (!p.exchange.valid() || exists(p.exchange, *parts.exchanges));
        if (counts[i] > 0 && known)
            cycles.byProgram[i] = saturatingProduct(
                counts[i], programCycles(p, *parts.computeSets, *parts.exchanges));
    }
    return cycles;
}

std::vector<std::int64_t> bodyCounts(const Trace& trace) {
    Executions executions(trace.bodies.size());
    for (std::size_t body = 0; body < trace.bodies.size(); ++body)
        for (const TraceCall& call : trace.bodies[TraceBodyId(body)].calls)
            if (exists(call.callee, trace.bodies) && call.count > 0)
                executions.addEdge(body, call.callee.index(), call.count);
    if (exists(trace.runs.back().body, trace.bodies))
        executions.addRoot(trace.runs.back().body.index());
    return executions.all();
}

ProgramCycles executedCycles(const ProfileParts& parts) {
    const Trace& trace = *parts.trace;
    ProgramCycles cycles{std::vector<std::int64_t>(parts.programs->size(), 0), 0};
    const std::vector<std::int64_t> counts = bodyCounts(trace);
    for (std::size_t i = 0; i < trace.bodies.size(); ++i) {
        if (counts[i] == 0)
            continue;
        for (const TraceStep& step : trace.bodies[TraceBodyId(i)].steps) {
            std::int64_t slowest = 0;
            for (const StepOnIpu& on : step.ipus)
                slowest = std::max(slowest, on.cycles);
            std::int64_t& sum = exists(step.program, *parts.programs)
                                    ? cycles.byProgram[step.program.index()]
                                    : cycles.sync;
            sum = saturatingSum(sum, saturatingProduct(slowest, counts[i]));
        }
    }
    return cycles;
}

CycleUse useOf(const Program& program, const std::set<ComputeSetId>& stridedCopies) {
    switch (program.kind) {
    case ProgramKind::DoExchange:
        return CycleUse::Exchange;
    case ProgramKind::GlobalExchange:
        return CycleUse::BetweenIpus;
    case ProgramKind::StreamCopyBegin:
    case ProgramKind::StreamCopyMid:
    case ProgramKind::StreamCopyEnd:
        return CycleUse::Host;
    case ProgramKind::Sync:
        return CycleUse::Sync;
    default:
        return stridedCopies.contains(program.computeSet) ? CycleUse::StridedCopy
                                                          : CycleUse::Compute;
    }
}

} // namespace

std::string_view displayName(CycleUse use) {
    switch (use) {
    case CycleUse::Compute:
        return "Compute";
    case CycleUse::StridedCopy:
        return "Strided copies";
    case CycleUse::Exchange:
        return "Exchange";
    case CycleUse::BetweenIpus:
        return "Exchange between IPUs";
    case CycleUse::Host:
        return "Host";
    case CycleUse::Sync:
        break;
    }
    return "Sync";
}

std::vector<std::int64_t> executionCounts(const IdVector<ProgramId, Program>& programs,
                                          const std::vector<ProgramId>& controlPrograms) {
    return countsFrom(programs, controlPrograms);
}

ProgramCycles programCyclesOf(const ProfileParts& parts, CycleBasis basis) {
    if (basis == CycleBasis::Estimated)
        return estimatedCycles(parts);
    if (parts.trace->runs.empty())
        throw DamagedProfile("it has an execution without a run");
    return executedCycles(parts);
}

CyclePieces cyclePieces(const ProfileParts& parts, CycleBasis basis) {
    const ProgramCycles cycles = programCyclesOf(parts, basis);
    std::set<ComputeSetId> stridedCopies;
    for (const Copy& copy : *parts.copies)
        if (copy.strided && copy.computeSet.valid())
            stridedCopies.insert(copy.computeSet);
    CyclePieces pieces;
    for (std::size_t i = 0; i < cycles.byProgram.size(); ++i) {
        if (cycles.byProgram[i] == 0)
            continue;
        const Program& p = (*parts.programs)[ProgramId(i)];
        const OperationId operation =
            exists(p.operation, *parts.operations) ? p.operation : OperationId();
        std::int64_t& piece = pieces[{operation, useOf(p, stridedCopies)}];
        piece = saturatingSum(piece, cycles.byProgram[i]);
    }
    if (cycles.sync != 0)
        pieces[{OperationId(), CycleUse::Sync}] += cycles.sync;
    return pieces;
}

} // namespace tilescope
