#include "simulator/compute/step_plan.h"

#include <set>
#include <utility>

namespace tilescope::sim {
namespace {

/// Operations between which no others run.
using Run = std::vector<PlannedOp*>;

/// Tensors used by several runs are kept; others are freed after their last use before they are
/// made again.
class LastUses {
public:
    explicit LastUses(const Graph& graph)
        : graph_(graph)
        , run_(graph.tensors.size(), -1) {
        for (const Tensor& tensor : graph.tensors)
            stays_.push_back(tensor.role != TensorRole::Activation);
        for (const auto* ids : {&graph.inputs, &graph.outputs})
            for (const TensorId id : *ids)
                stays_[id.index()] = true;
    }

    void find(const std::vector<Run>& runs) {
        for (std::size_t i = 0; i < runs.size(); ++i)
            for (const PlannedOp* planned : runs[i])
                note(graph_.ops[planned->op], static_cast<int>(i));
        for (const Run& run : runs)
            findIn(run);
    }

    /// Other sections use what an exchange copies.
    void keep(const Section& copies) {
        for (const PlannedOp& copy : copies)
            for (const auto* ids : {&graph_.ops[copy.op].inputs, &graph_.ops[copy.op].outputs})
                for (const TensorId id : *ids)
                    stays_[id.index()] = true;
    }

private:
    void note(const Op& op, int run) {
        for (const auto* ids : {&op.inputs, &op.outputs})
            for (const TensorId id : *ids) {
                int& known = run_[id.index()];
                if (known >= 0 && known != run)
                    stays_[id.index()] = true;
                known = run;
            }
    }

    void findIn(const Run& run) {
        std::set<TensorId> live;
        for (std::size_t i = run.size(); i-- > 0;) {
            const Op& op = graph_.ops[run[i]->op];
            for (const TensorId out : op.outputs) {
                if (!stays_[out.index()] && !live.contains(out))
                    run[i]->last.push_back(out);
                live.erase(out);
            }
            for (const TensorId in : op.inputs)
                if (!stays_[in.index()] && live.insert(in).second)
                    run[i]->last.push_back(in);
        }
    }

    const Graph& graph_;
    std::vector<int> run_; ///< that uses a tensor
    std::vector<bool> stays_;
};

Section planFunction(const Graph& graph) {
    Section all;
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        all.push_back({OpId(i), {}});
    Run run;
    for (PlannedOp& planned : all)
        run.push_back(&planned);
    LastUses(graph).find({run});
    return all;
}

} // namespace

StepPlan planStep(const Graph& prepared, ExecutionSchedule schedule) {
    StepPlan plan{std::move(schedule), {}, {}};
    for (std::size_t i = 0; i < plan.schedule.sections.size(); ++i)
        plan.sections.add({});
    for (std::size_t i = 0; i < prepared.ops.size(); ++i) {
        const ScheduledOp& scheduled = plan.schedule.ops[OpId(i)];
        Section& section = plan.sections[scheduled.section];
        for (const std::int32_t group : scheduled.again)
            for (const OpId member : plan.schedule.reruns.membersOf(group))
                section.push_back({member, {}});
        section.push_back({OpId(i), {}});
    }
    // Without a pipeline the programs of a micro-batch follow each other.
    LastUses uses(prepared);
    std::vector<Run> runs(plan.sections.size());
    for (std::size_t i = 0; i < plan.sections.size(); ++i) {
        const auto kind = plan.schedule.sections[SectionId(i)].kind;
        if (kind == ScheduleSection::Kind::Copies)
            uses.keep(plan.sections[SectionId(i)]);
        const bool joins = !plan.schedule.pipeline && kind == ScheduleSection::Kind::Program;
        for (PlannedOp& planned : plan.sections[SectionId(i)])
            runs[joins ? 0 : i].push_back(&planned);
    }
    uses.find(runs);
    for (const Graph& function : prepared.functions)
        plan.functions.push_back(planFunction(function));
    return plan;
}

} // namespace tilescope::sim
