#include <algorithm>
#include <set>

#include "core/analysis/compare/costs.h"
#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

// Programs and calls nest a few dozen deep; what nests deeper is a damaged file.
constexpr int deepestNesting = 2000;

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

std::vector<std::int64_t> estimatedCycles(const ProfileParts& parts) {
    const IdVector<ProgramId, Program>& programs = *parts.programs;
    std::vector<ProgramId> main;
    if (!parts.controlPrograms->empty())
        main.push_back(parts.controlPrograms->back());
    const std::vector<std::int64_t> counts = countsFrom(programs, main);
    std::vector<std::int64_t> cycles(programs.size(), 0);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Program& p = programs[ProgramId(i)];
        const bool known = (!p.computeSet.valid() || exists(p.computeSet, *parts.computeSets)) &&
                           (!p.exchange.valid() || exists(p.exchange, *parts.exchanges));
        if (counts[i] > 0 && known)
            cycles[i] = saturatingProduct(counts[i],
                                          programCycles(p, *parts.computeSets, *parts.exchanges));
    }
    return cycles;
}

const Accounting& executedAccounting(const ProfileParts& parts) {
    if (parts.accounting->totals().run < 0)
        throw DamagedProfile("it has an execution without a run");
    return *parts.accounting;
}

std::vector<std::int64_t> executedCycles(const ProfileParts& parts) {
    std::map<std::pair<ProgramId, IpuId>, std::int64_t> byIpu;
    for (const CostPlace& place : executedAccounting(parts).places())
        for (const PlacedStep& step : place.steps)
            if (step.program.valid()) {
                std::int64_t& sum = byIpu[{step.program, step.once.ipu}];
                sum = saturatingSum(sum, step.cycles);
            }
    std::vector<std::int64_t> cycles(parts.programs->size(), 0);
    for (const auto& [key, sum] : byIpu)
        cycles[key.first.index()] = std::max(cycles[key.first.index()], sum);
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
        return "Sync";
    case CycleUse::Waiting:
        return "Waiting";
    case CycleUse::Overlap:
        break;
    }
    return "Less overlaps";
}

std::vector<std::int64_t> executionCounts(const IdVector<ProgramId, Program>& programs,
                                          const std::vector<ProgramId>& controlPrograms) {
    return countsFrom(programs, controlPrograms);
}

std::vector<std::int64_t> programCyclesOf(const ProfileParts& parts, CycleBasis basis) {
    return basis == CycleBasis::Estimated ? estimatedCycles(parts) : executedCycles(parts);
}

namespace {

std::set<ComputeSetId> stridedCopiesOf(const ProfileParts& parts) {
    std::set<ComputeSetId> sets;
    for (const Copy& copy : *parts.copies)
        if (copy.strided && copy.computeSet.valid())
            sets.insert(copy.computeSet);
    return sets;
}

CyclePieces executedPieces(const ProfileParts& parts) {
    const Accounting& accounting = executedAccounting(parts);
    const std::set<ComputeSetId> stridedCopies = stridedCopiesOf(parts);
    CyclePieces pieces;
    for (const CostPlace& place : accounting.places())
        for (const PlacedStep& step : place.steps) {
            const CycleUse use = step.program.valid()
                                     ? useOf((*parts.programs)[step.program], stridedCopies)
                                 : step.kind == CostKind::Sync ? CycleUse::Sync
                                                               : CycleUse::Waiting;
            std::int64_t& piece = pieces[{place.operation, use}];
            piece = saturatingSum(piece, step.cycles);
        }
    std::int64_t overlapped = 0;
    for (const std::int64_t cycles : accounting.totals().overlapped)
        overlapped = saturatingSum(overlapped, cycles);
    if (overlapped > 0)
        pieces[{OperationId(), CycleUse::Overlap}] = -overlapped;
    const auto ipus = static_cast<std::int64_t>(accounting.totals().measured.size());
    if (ipus > 1) {
        // What rounding takes away is waiting, so that pieces still add up.
        std::int64_t rest = accounting.totals().cycles;
        for (auto& [piece, cycles] : pieces)
            rest -= cycles /= ipus;
        pieces[{OperationId(), CycleUse::Waiting}] += rest;
    }
    std::erase_if(pieces, [](const auto& piece) { return piece.second == 0; });
    return pieces;
}

} // namespace

CyclePieces cyclePieces(const ProfileParts& parts, CycleBasis basis) {
    if (basis == CycleBasis::Executed)
        return executedPieces(parts);
    const std::vector<std::int64_t> cycles = estimatedCycles(parts);
    const std::set<ComputeSetId> stridedCopies = stridedCopiesOf(parts);
    CyclePieces pieces;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        if (cycles[i] == 0)
            continue;
        const Program& p = (*parts.programs)[ProgramId(i)];
        const OperationId operation =
            exists(p.operation, *parts.operations) ? p.operation : OperationId();
        std::int64_t& piece = pieces[{operation, useOf(p, stridedCopies)}];
        piece = saturatingSum(piece, cycles[i]);
    }
    return pieces;
}

} // namespace tilescope
