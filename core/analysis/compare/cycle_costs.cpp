#include <algorithm>
#include <set>

#include "core/analysis/accounting/accounting.h"
#include "core/analysis/compare/costs.h"
#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

// Programs and calls nest a few dozen deep; only a damaged file nests deeper.
constexpr int deepestNesting = 2000;

template <class IdType, class Items> bool exists(IdType id, const Items& items) {
    return id.valid() && id.index() < items.size();
}

/// Counts from the callees up to their callers; each program is counted once.
class Executions {
public:
    Executions(const IdVector<ProgramId, Program>& programs, const std::vector<ProgramId>& roots)
        : callers_(programs.size())
        , counts_(programs.size(), unknown) {
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const Program& p = programs[ProgramId(i)];
            const std::int64_t times = p.kind == ProgramKind::Repeat ? p.count : 1;
            if (times > 0)
                for (const ProgramId child : p.children)
                    if (exists(child, programs))
                        callers_[child.index()].push_back({i, times});
            if (p.kind == ProgramKind::Call && exists(p.target, programs))
                callers_[p.target.index()].push_back({i, 1});
        }
        for (const ProgramId root : roots)
            if (exists(root, programs))
                callers_[root.index()].push_back({root.index(), 0});
    }
    std::vector<std::int64_t> all() {
        for (std::size_t program = 0; program < counts_.size(); ++program)
            (void)count(program, 0);
        return std::move(counts_);
    }

private:
    struct Caller {
        std::size_t program = 0;
        std::int64_t times = 1; ///< 0: the host, once
    };
    static constexpr std::int64_t unknown = -1;
    static constexpr std::int64_t open = -2;

    std::int64_t count(std::size_t program, int depth) {
        if (counts_[program] >= 0)
            return counts_[program];
        if (counts_[program] == open || depth > deepestNesting)
            throw DamagedProfile("its programs call themselves");
        counts_[program] = open;
        std::int64_t sum = 0;
        for (const Caller& caller : callers_[program])
            sum = saturatingSum(
                sum, caller.times == 0
                         ? 1
                         : saturatingProduct(count(caller.program, depth + 1), caller.times));
        return counts_[program] = sum;
    }

    std::vector<std::vector<Caller>> callers_;
    std::vector<std::int64_t> counts_;
};

std::vector<std::int64_t> estimatedCycles(const ProfileView& profile, Stop stop) {
    const auto& programs = *profile.programs(stop);
    const auto& computeSets = *profile.computeSets(stop);
    const auto& exchanges = *profile.exchanges(stop);
    const auto& controlPrograms = *profile.controlPrograms(stop);
    std::vector<ProgramId> main;
    if (!controlPrograms.empty())
        main.push_back(controlPrograms.back());
    std::vector<std::int64_t> cycles = executionCounts(programs, main);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Program& p = programs[ProgramId(i)];
        const bool known = (!p.computeSet.valid() || exists(p.computeSet, computeSets)) &&
                           (!p.exchange.valid() || exists(p.exchange, exchanges));
        cycles[i] =
            known ? saturatingProduct(cycles[i], programCycles(p, computeSets, exchanges)) : 0;
    }
    return cycles;
}

const Accounting& executedAccounting(const ProfileView& profile, Stop stop) {
    const Accounting& accounting = *accountingOf(profile, stop);
    if (accounting.totals().run < 0)
        throw DamagedProfile("it has an execution without a run");
    return accounting;
}

std::vector<std::int64_t> executedCycles(const ProfileView& profile, Stop stop) {
    std::map<std::pair<ProgramId, IpuId>, std::int64_t> byIpu;
    for (const CostPlace& place : executedAccounting(profile, stop).places())
        for (const PlacedStep& step : place.steps)
            if (step.program.valid()) {
                std::int64_t& sum = byIpu[{step.program, step.once.ipu}];
                sum = saturatingSum(sum, step.cycles);
            }
    std::vector<std::int64_t> cycles(profile.programs(stop)->size(), 0);
    for (const auto& [key, sum] : byIpu)
        cycles[key.first.index()] = std::max(cycles[key.first.index()], sum);
    return cycles;
}

/// What the steps of programs spend their cycles on.
class Uses {
public:
    explicit Uses(const ProfileView& profile, Stop stop) {
        for (const Copy& copy : *profile.copies(stop))
            if (copy.strided && copy.computeSet.valid())
                stridedCopies_.insert(copy.computeSet);
    }

    [[nodiscard]] CycleUse of(const Program& program) const {
        switch (costKindOf(program.kind)) {
        case CostKind::Exchange:
            return CycleUse::Exchange;
        case CostKind::GlobalExchange:
            return CycleUse::BetweenIpus;
        case CostKind::Host:
            return CycleUse::Host;
        case CostKind::Sync:
            return CycleUse::Sync;
        default:
            return stridedCopies_.contains(program.computeSet) ? CycleUse::StridedCopy
                                                               : CycleUse::Compute;
        }
    }

private:
    std::set<ComputeSetId> stridedCopies_;
};

CyclePieces executedPieces(const ProfileView& profile, Stop stop) {
    const Accounting& accounting = executedAccounting(profile, stop);
    const auto& programs = *profile.programs(stop);
    const Uses uses(profile, stop);
    CyclePieces pieces;
    for (const CostPlace& place : accounting.places())
        for (const PlacedStep& step : place.steps) {
            const CycleUse use = step.program.valid()          ? uses.of(programs[step.program])
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
        // Cycles lost by rounding count as waiting, so that the pieces still add up.
        std::int64_t rest = accounting.totals().cycles;
        for (auto& [piece, cycles] : pieces)
            rest -= cycles /= ipus;
        pieces[{OperationId(), CycleUse::Waiting}] += rest;
    }
    std::erase_if(pieces, [](const auto& piece) { return piece.second == 0; });
    return pieces;
}

} // namespace

std::vector<std::int64_t> executionCounts(const IdVector<ProgramId, Program>& programs,
                                          const std::vector<ProgramId>& controlPrograms) {
    return Executions(programs, controlPrograms).all();
}

std::vector<std::int64_t> programCyclesOf(const ProfileView& profile, CycleBasis basis, Stop stop) {
    return basis == CycleBasis::Estimated ? estimatedCycles(profile, stop)
                                          : executedCycles(profile, stop);
}

CyclePieces cyclePieces(const ProfileView& profile, CycleBasis basis, Stop stop) {
    if (basis == CycleBasis::Executed)
        return executedPieces(profile, stop);
    const std::vector<std::int64_t> cycles = estimatedCycles(profile, stop);
    const Uses uses(profile, stop);
    CyclePieces pieces;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        if (cycles[i] == 0)
            continue;
        const Program& p = (*profile.programs(stop))[ProgramId(i)];
        const bool known = exists(p.operation, *profile.operations(stop));
        std::int64_t& piece = pieces[{known ? p.operation : OperationId(), uses.of(p)}];
        piece = saturatingSum(piece, cycles[i]);
    }
    return pieces;
}

} // namespace tilescope
