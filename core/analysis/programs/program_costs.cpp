#include "core/analysis/programs/program_costs.h"

#include <algorithm>

#include "core/analysis/programs/programs.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

class CostSum {
public:
    CostSum(const ProfileView& profile, const std::stop_token& stop, CostBasis basis)
        : programs_(*profile.programs(stop))
        , computeSets_(*profile.computeSets(stop))
        , exchanges_(*profile.exchanges(stop))
        , executions_(basis == CostBasis::Trace ? *profile.executions(stop)
                                                : std::vector<ProgramExecutions>())
        , bodies_(profile.info().hasExecution && basis == CostBasis::Trace
                      ? profile.trace(stop)->bodyExecutions(programs_.size())
                      : std::vector<ProgramExecutions>(programs_.size()))
        , states_(programs_.size(), State::New)
        , costs_(programs_.size()) {}

    std::vector<ProgramCost> make() {
        for (std::size_t i = 0; i < programs_.size(); ++i)
            visit(ProgramId(i));
        boundBelowRoots();
        return std::move(costs_);
    }

private:
    enum class State : std::uint8_t { New, Open, Done };

    // What a program depends on comes first. An explicit stack: a damaged file may nest deeper than
    // the call stack allows.
    void visit(ProgramId root) {
        std::vector<ProgramId> open{root};
        while (!open.empty()) {
            const ProgramId id = open.back();
            State& state = states_[id.index()];
            if (state == State::New) {
                state = State::Open;
                for (const ProgramId child : programs_[id].children)
                    push(open, child);
                push(open, programs_[id].target);
                continue;
            }
            open.pop_back();
            if (state == State::Open) {
                state = State::Done;
                costs_[id.index()] = costOf(id);
            }
        }
    }

    void push(std::vector<ProgramId>& open, ProgramId id) const {
        if (known(id) && states_[id.index()] == State::New)
            open.push_back(id);
    }

    [[nodiscard]] bool known(ProgramId id) const {
        return id.valid() && id.index() < programs_.size();
    }

    [[nodiscard]] ProgramCost costOf(ProgramId id) const {
        const Program& program = programs_[id];
        ProgramCost cost;
        ProgramExecutions executed;
        if (id.index() < executions_.size())
            executed = executions_[id.index()];
        cost.executions = executed.count;
        if (program.kind == ProgramKind::Call) {
            if (known(program.target))
                cost.cycles = costs_[program.target.index()].cycles;
            cost.total = saturatingProduct(cost.executions, cost.cycles);
            return cost;
        }
        if (!isControl(program.kind)) {
            cost.total = executed.cycles;
            cost.cycles = executed.count > 0 ? executed.cycles / executed.count
                                             : programCycles(program, computeSets_, exchanges_);
            return cost;
        }
        for (const ProgramId child : program.children) {
            if (!known(child))
                continue;
            cost.cycles = saturatingSum(cost.cycles, costs_[child.index()].cycles);
            cost.total = saturatingSum(cost.total, costs_[child.index()].total);
        }
        if (program.kind == ProgramKind::Repeat)
            cost.cycles = saturatingProduct(cost.cycles, program.count);
        addBody(id, cost);
        return cost;
    }

    /// A Sequence, or a Repeat with one iteration, runs as a part of its parent, and the sum over
    /// its children also counts what runs side by side on several IPUs. It takes no longer than its
    /// parent.
    void boundBelowRoots() {
        std::vector<ProgramId> open;
        for (std::size_t i = 0; i < programs_.size(); ++i)
            if (!known(programs_[ProgramId(i)].parent))
                open.emplace_back(i);
        std::vector<bool> seen(programs_.size(), false);
        while (!open.empty()) {
            const ProgramId id = open.back();
            open.pop_back();
            if (seen[id.index()])
                continue;
            seen[id.index()] = true;
            ProgramCost& around = costs_[id.index()];
            const std::int64_t times =
                programs_[id].kind == ProgramKind::Repeat ? programs_[id].count : 1;
            for (const ProgramId child : programs_[id].children)
                if (known(child) && isControl(programs_[child].kind) &&
                    programs_[child].kind != ProgramKind::Call) {
                    bound(costs_[child.index()], around, times);
                    open.push_back(child);
                }
        }
    }

    static void bound(ProgramCost& cost, ProgramCost& around, std::int64_t times) {
        if (around.total <= 0 || cost.total <= around.total)
            return;
        const std::int64_t sideBySide = cost.total - around.total;
        cost.between -= sideBySide;
        around.between += sideBySide; // the part has less of it now
        cost.total = around.total;
        cost.cycles = std::min(cost.cycles, around.cycles / std::max<std::int64_t>(1, times));
    }

    /// The cost of a control program, a function or the body of a repeat is known; what is below it
    /// is a part of that.
    void addBody(ProgramId id, ProgramCost& cost) const {
        const ProgramExecutions& measured = bodies_[id.index()];
        if (measured.count == 0)
            return;
        cost.between = measured.cycles - cost.total;
        cost.cycles = measured.cycles / measured.count;
        cost.total = measured.cycles;
    }

    const IdVector<ProgramId, Program>& programs_;
    const IdVector<ComputeSetId, ComputeSet>& computeSets_;
    const IdVector<ExchangeId, Exchange>& exchanges_;
    const std::vector<ProgramExecutions> executions_;
    std::vector<ProgramExecutions> bodies_;
    std::vector<State> states_;
    std::vector<ProgramCost> costs_;
};

} // namespace

std::vector<ProgramCost> programCosts(const ProfileView& profile, const std::stop_token& stop,
                                      CostBasis basis) {
    return CostSum(profile, stop, basis).make();
}

} // namespace tilescope
