// State shared by the lowering of all operations.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "simulator/cost/collective.h"
#include "simulator/lowering/places/remote_memory.h"
#include "simulator/lowering/places/tensor_places.h"
#include "simulator/planner/plan_table.h"

namespace tilescope::sim {

class LoweredFunctions;

/// Steps of collectives that were lowered: equal ones share their code.
class CollectiveCode {
public:
    /// True if no step of a collective on this IPU has moved the same bytes by tile before: it
    /// needs code of its own.
    [[nodiscard]] bool isNew(IpuId ipu, CollectiveSteps::Part part, const TileSeries& bytes);

private:
    /// By IPU, part and bytes in all.
    std::map<std::tuple<IpuId, CollectiveSteps::Part, std::int64_t>, std::vector<TileSeries>>
        known_;
};

/// The places of a graph's tensors, its plans, and the state that its operations share.
class LoweringContext : public TensorPlaces {
public:
    /// `functions`: run by Call operations. `function`: the graph's index if it is one of them.
    /// `traffic`: shared by all contexts of a program.
    LoweringContext(const Graph& graph, const LoweringOptions& options, const PlanTable& plans,
                    ProgramBuilder& builder, TrafficTable& traffic, LoweredFunctions& functions,
                    FunctionIndex function = {});

    [[nodiscard]] const ConvPlan& planOf(OpId op) const { return plans_.planOf(op, function_); }
    /// PlanTable::allocationPlan
    [[nodiscard]] const ConvPlan& allocationPlan(std::size_t at) const {
        return plans_.allocationPlan(at);
    }
    /// PlanTable::togetherWith
    [[nodiscard]] std::vector<OpId> togetherWith(OpId op) const {
        return plans_.togetherWith(op, function_);
    }
    [[nodiscard]] const EmbeddingPlan& embeddingPlanOf(OpId op) const {
        return plans_.embeddingPlanOf(op, function_);
    }
    [[nodiscard]] LoweredFunctions& functions() { return functions_; }
    /// Programs that a group of operations that run again (Op::recomputeGroup) has added.
    [[nodiscard]] std::vector<ProgramId>& programsOf(std::int32_t group) {
        return groupPrograms_[group];
    }
    [[nodiscard]] RemoteMemory& remoteMemory() { return remoteMemory_; }
    [[nodiscard]] CollectiveCode& collectiveCode() { return collectiveCode_; }

    /// A variable that is read before the first step that writes it has run (a buffer between
    /// micro-batches): the program begins its life.
    void startEmpty(VariableId variable) { startEmpty_.push_back(variable); }
    [[nodiscard]] const std::vector<VariableId>& startedEmpty() const { return startEmpty_; }

    /// Declares the graph the body of a loop: work that is the same in every step is done in the
    /// sequence around the loop. `constant`: for each tensor, whether it is the same in every step.
    void setLoop(ProgramId before, std::vector<bool> constant);
    [[nodiscard]] bool isLoopBody() const { return beforeLoop_.valid(); }
    [[nodiscard]] bool isSameInEveryStep(TensorId id) const {
        return id.index() < constant_.size() && constant_[id.index()];
    }
    /// Adds steps before the loop.
    void beforeLoop(const std::function<void()>& add);

private:
    const PlanTable& plans_;
    FunctionIndex function_;
    LoweredFunctions& functions_;
    std::map<std::int32_t, std::vector<ProgramId>> groupPrograms_;
    RemoteMemory remoteMemory_;
    CollectiveCode collectiveCode_;
    std::vector<VariableId> startEmpty_;
    ProgramId beforeLoop_;
    std::vector<bool> constant_; ///< by tensor, of a loop's body
};

} // namespace tilescope::sim
