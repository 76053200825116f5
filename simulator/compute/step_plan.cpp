#include "simulator/compute/step_plan.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilescope::sim {
namespace {

/// Puts operations in sections, and recomputed groups before their first reader in the backward
/// pass.
class SectionBuilder {
public:
    /// `isFunction`: all of its operations are one section.
    SectionBuilder(const Graph& graph, const std::optional<PipelineSchedule>& schedule,
                   bool isFunction)
        : graph_(graph)
        , schedule_(schedule)
        , isFunction_(isFunction)
        , producers_(graph.producers()) {
        for (std::size_t i = 0; i < graph.ops.size(); ++i)
            if (const std::int32_t group = graph.ops[OpId(i)].recomputeGroup; group >= 0) {
                const auto index = static_cast<std::size_t>(group);
                members_.resize(std::max(members_.size(), index + 1));
                members_[index].push_back(OpId(i));
            }
        again_.resize(members_.size());
    }

    GraphPlan run() {
        const std::int32_t programs = schedule_ ? schedule_->programs : 1;
        plan_.programs.resize(static_cast<std::size_t>(programs));
        plan_.copies.resize(copiesByProgram() ? plan_.programs.size() : 1);
        if (schedule_ && schedule_->usesFifo())
            plan_.fifos.resize(static_cast<std::size_t>(schedule_->stages));
        for (std::size_t i = 0; i < graph_.ops.size(); ++i)
            place(OpId(i));
        findStages();
        findLastUses();
        return std::move(plan_);
    }

private:
    [[nodiscard]] bool copiesByProgram() const {
        return schedule_ && schedule_->kind == Schedule::Sequential;
    }

    [[nodiscard]] std::size_t programOf(const Op& op) const {
        if (!schedule_)
            return 0;
        return static_cast<std::size_t>(op.pass == Pass::Backward
                                            ? schedule_->backwardProgram(op.stage)
                                            : schedule_->forwardProgram(op.stage));
    }

    void place(OpId id) {
        const Op& op = graph_.ops[id];
        if (schedule_ && std::holds_alternative<IpuCopyAttributes>(op.attributes))
            plan_.copies[copiesByProgram() ? programOf(op) : 0].push_back(id);
        else if (op.pass == Pass::Update && !isFunction_)
            plan_.update.push_back({id, {}});
        else if (schedule_ && std::holds_alternative<FifoAttributes>(op.attributes))
            plan_.fifos[static_cast<std::size_t>(op.stage)].push_back({id, {}});
        else
            append(id, plan_.programs[programOf(op)]);
    }

    void append(OpId id, Section& section) {
        if (graph_.ops[id].pass == Pass::Backward)
            for (const TensorId in : graph_.ops[id].inputs)
                rerunFor(in, section);
        section.push_back({id, {}});
    }

    /// As Recomputation does while lowering: groups that a group reads from are rerun before it.
    void rerunFor(TensorId tensor, Section& section) {
        const OpId maker = producers_[tensor.index()];
        const std::int32_t group = maker.valid() ? graph_.ops[maker].recomputeGroup : -1;
        if (group < 0 || again_[static_cast<std::size_t>(group)])
            return;
        again_[static_cast<std::size_t>(group)] = true;
        for (const OpId member : members_[static_cast<std::size_t>(group)]) {
            for (const TensorId in : graph_.ops[member].inputs)
                if (const OpId other = producers_[in.index()];
                    other.valid() && graph_.ops[other].recomputeGroup != group)
                    rerunFor(in, section);
            section.push_back({member, {}});
        }
    }

    void findStages() {
        for (const TensorId id : graph_.inputs) {
            std::int32_t stage = 0;
            for (const Op& op : graph_.ops)
                if (std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end()) {
                    stage = op.stage;
                    break;
                }
            plan_.inputStages.push_back(stage);
        }
        for (const TensorId id : graph_.outputs) {
            const OpId maker = producers_[id.index()];
            plan_.outputStages.push_back(maker.valid() ? graph_.ops[maker].stage : 0);
        }
    }

    template <class Visit> void eachSection(const Visit& visit) {
        for (Section& section : plan_.programs)
            visit(section);
        for (Section& section : plan_.fifos)
            visit(section);
        visit(plan_.update);
    }

    /// Tensors used by several sections are kept; others are freed after their last use before they
    /// are made again.
    void findLastUses() {
        std::vector<int> section(graph_.tensors.size(), -1);
        std::vector<bool> stays(graph_.tensors.size());
        for (const auto* ids : {&graph_.inputs, &graph_.outputs})
            for (const TensorId id : *ids)
                stays[id.index()] = true;
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
            if (graph_.tensors[TensorId(i)].role != TensorRole::Activation)
                stays[i] = true;
        const auto note = [&](OpId id, int where) {
            const Op& op = graph_.ops[id];
            for (const auto* ids : {&op.inputs, &op.outputs})
                for (const TensorId tensor : *ids) {
                    int& known = section[tensor.index()];
                    if (known >= 0 && known != where)
                        stays[tensor.index()] = true;
                    known = where;
                }
        };
        int where = 0;
        eachSection([&](Section& list) {
            for (const PlannedOp& planned : list)
                note(planned.op, where);
            ++where;
        });
        for (const auto& list : plan_.copies)
            for (const OpId id : list)
                note(id, where);
        eachSection([&](Section& list) { findLastUses(list, stays); });
    }

    void findLastUses(Section& section, const std::vector<bool>& stays) {
        std::set<TensorId> live;
        for (std::size_t i = section.size(); i-- > 0;) {
            const Op& op = graph_.ops[section[i].op];
            for (const TensorId out : op.outputs) {
                if (!stays[out.index()] && !live.contains(out))
                    section[i].last.push_back(out);
                live.erase(out);
            }
            for (const TensorId in : op.inputs)
                if (!stays[in.index()] && live.insert(in).second)
                    section[i].last.push_back(in);
        }
    }

    const Graph& graph_;
    const std::optional<PipelineSchedule>& schedule_;
    const bool isFunction_;
    std::vector<OpId> producers_;
    std::vector<std::vector<OpId>> members_; ///< of groups that run again
    std::vector<bool> again_;
    GraphPlan plan_;
};

} // namespace

StepPlan planStep(const Graph& prepared, const BatchOptions& batch,
                  const ExecutionOptions& execution, const HostOptions& host) {
    StepPlan plan;
    if (execution.isPipelined())
        plan.schedule = scheduleOf(batch, execution, host, prepared.stages());
    plan.top = SectionBuilder(prepared, plan.schedule, false).run();
    const std::optional<PipelineSchedule> none;
    for (const Graph& function : prepared.functions)
        plan.functions.push_back(SectionBuilder(function, none, true).run());
    return plan;
}

} // namespace tilescope::sim
