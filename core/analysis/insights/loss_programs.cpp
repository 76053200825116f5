#include "core/analysis/insights/loss_programs.h"

#include <set>

#include "core/analysis/accounting/step_costs.h"

namespace tilescope {
namespace {

/// The losses that a step may be part of, as loss_split.h divides them.
class StepLosses {
public:
    StepLosses(const ProfileView& profile, const std::stop_token& stop)
        : streams_(profile.streams(stop)) {
        for (const auto copies = profile.copies(stop); const auto& copy : *copies)
            if (copy.computeSet.valid())
                copies_.insert(copy.computeSet);
    }

    [[nodiscard]] bool counts(LossKind kind, const Program& program) const {
        switch (kind) {
        case LossKind::Compute:
        case LossKind::Utilisation:
        case LossKind::TileImbalance:
            return is(program, CostKind::Compute) && !isCopy(program);
        case LossKind::Copies:
            return is(program, CostKind::Compute) && isCopy(program);
        case LossKind::Exchange:
            return is(program, CostKind::Exchange);
        case LossKind::GlobalExchange:
            return is(program, CostKind::GlobalExchange);
        case LossKind::Host:
            return is(program, CostKind::Host) && !isRemote(program);
        case LossKind::StreamingMemory:
            return is(program, CostKind::Host) && isRemote(program);
        case LossKind::Sync:
        case LossKind::Bubbles:
        case LossKind::StageImbalance:
        case LossKind::Idle:
        case LossKind::Memory:
            break;
        }
        return false;
    }

private:
    static bool is(const Program& program, CostKind kind) {
        return costKindOf(program.kind) == kind;
    }
    [[nodiscard]] bool isCopy(const Program& program) const {
        return copies_.contains(program.computeSet);
    }
    [[nodiscard]] bool isRemote(const Program& program) const {
        return program.stream.valid() && program.stream.index() < streams_->size() &&
               (*streams_)[program.stream].remoteBuffer.valid();
    }

    std::set<ComputeSetId> copies_;
    decltype(std::declval<const ProfileView&>().streams(std::stop_token())) streams_;
};

bool countsSyncs(LossKind kind) {
    return kind == LossKind::Sync || kind == LossKind::Bubbles ||
           kind == LossKind::StageImbalance || kind == LossKind::Idle;
}

} // namespace

LossPrograms programsOf(LossKind kind, const ProfileView& profile, const std::stop_token& stop) {
    const StepLosses losses(profile, stop);
    const auto programs = profile.programs(stop);
    LossPrograms result{ProgramSet(programs->size(), false), countsSyncs(kind), {}, {}};
    std::array<bool, programKinds.size()> some{};
    std::array<bool, programKinds.size()> others{};
    for (std::size_t i = 0; i < programs->size(); ++i) {
        const Program& program = (*programs)[ProgramId(i)];
        result.programs[i] = losses.counts(kind, program);
        (result.programs[i] ? some : others).at(static_cast<std::size_t>(program.kind)) = true;
    }
    some[static_cast<std::size_t>(ProgramKind::Sync)] = result.syncs;
    for (std::size_t i = 0; i < some.size(); ++i) {
        result.wholly[i] = some[i] && !others[i];
        result.partly[i] = some[i] && others[i];
    }
    return result;
}

} // namespace tilescope
