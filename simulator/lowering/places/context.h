// What the lowering of each operation shares: tensors and where they live.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/cost/collective.h"
#include "simulator/graph/graph.h"
#include "simulator/layout/layout.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/planner/plan_table.h"

namespace tilescope::sim {

using StorageId = Id<struct StorageTag>;

/// A storage and the lowered variable that holds it.
struct PlacedStorage {
    Storage storage;
    VariableId variable;
    TensorId source;               ///< the input, weight or constant that arrives here, if any
    std::vector<TensorId> tensors; ///< that are views of it
    TensorRole role = TensorRole::Activation;
    bool alwaysLive = false;
    bool parts = false;  ///< another storage is a part of the same variable: never overwritten
    ViewDims sourceView; ///< of the source, whatever copies its tensor has now
};

/// A tensor's place: a view of a storage; none until somebody lays it out.
struct LoweredTensor {
    StorageId storage;
    ViewDims view;
};

/// A copy between a tensor's place and its row in streaming memory.
struct RemoteCopy {
    TensorId tensor;     ///< that the first RemoteLoad made: whose place it is, or
    VariableId variable; ///< that holds it now
    std::int32_t buffer = 0, row = 0;
    bool toDevice = true;
};
/// Copies that share a wait, and the sequence that they stand in.
struct RemoteGroup {
    ProgramId sequence;
    OperationId operation;
    std::int32_t stage = 0;
    bool toDevice = true;
    std::vector<RemoteCopy> copies;
};

class LoweredFunctions;

class LoweringContext {
public:
    /// `function`: the graph's index if it is a function of another.
    LoweringContext(const Graph& graph, const RunOptions& options, const PlanTable& plans,
                    ProgramBuilder& builder, FunctionIndex function = {});

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const RunOptions& options() const { return options_; }
    [[nodiscard]] const Target& target() const { return options_.target; }
    [[nodiscard]] const ConvPlan& planOf(OpId op) const { return plans_.planOf(op, function_); }
    [[nodiscard]] const EmbeddingPlan& embeddingPlanOf(OpId op) const {
        return plans_.embeddingPlanOf(op, function_);
    }
    [[nodiscard]] ProgramBuilder& builder() { return builder_; }
    [[nodiscard]] const Tensor& tensor(TensorId id) const {
        return id.index() < graph_.tensors.size() ? graph_.tensors[id]
                                                  : foreign_[id.index() - graph_.tensors.size()];
    }

    /// The functions that Call operations run.
    void setFunctions(LoweredFunctions* functions) { functions_ = functions; }
    [[nodiscard]] LoweredFunctions& functions() { return *functions_; }

    /// Programs that an operation of a recomputation group added, to run again.
    void recordGroup(std::int32_t group, const std::vector<ProgramId>& programs);
    /// Lets the groups of the operands' makers run again, once, before a backward operation.
    void recomputeFor(const Op& op);

    /// A variable that is read before the first step that writes it has run (a buffer between
    /// micro-batches): the program begins its life.
    void startEmpty(VariableId variable) { startEmpty_.push_back(variable); }
    [[nodiscard]] const std::vector<VariableId>& startedEmpty() const { return startEmpty_; }

    /// Rows in streaming memory: those of the graph and what lowering adds.
    [[nodiscard]] const std::vector<RemoteBuffer>& remoteBuffers() const { return remoteBuffers_; }
    /// Adds rows of a tensor's size to the buffer of such tensors; returns it and the first of
    /// them.
    std::pair<std::int32_t, std::int32_t> addRemoteRows(const Tensor& tensor, std::int64_t rows);
    /// True if no step of a collective on this IPU has moved the same bytes by tile before: it
    /// needs code of its own.
    [[nodiscard]] bool isNewCollective(CollectiveSteps::Part part, const TileSeries& bytes);
    /// Buffer and row of each stash that lies off the chip.
    [[nodiscard]] std::map<TensorId, std::pair<std::int32_t, std::int32_t>>& stashRows() {
        return stashRows_;
    }

    /// Copies with streaming memory so far; emitRemoteCopies() fills their sequences.
    [[nodiscard]] std::vector<RemoteGroup>& remoteGroups() { return remoteGroups_; }

    /// The op being lowered: decides what is used for the last time.
    void setCurrent(OpId op) { current_ = op; }
    [[nodiscard]] OpId current() const { return current_; }

    [[nodiscard]] bool hasPlace(TensorId id) const { return tensors_[id].storage.valid(); }
    /// Lays an input, weight or constant out as its first user wants it, if nobody has before.
    /// True if it did so, and not linearly as the options want. `wanted` gives the storage and the
    /// tensor's view of it.
    bool ensurePlace(TensorId id, const std::function<std::pair<Storage, ViewDims>()>& wanted);
    /// Lays it out linearly if nobody has before.
    void ensurePlace(TensorId id);

    [[nodiscard]] PlacedStorage& storageOf(TensorId id) { return storages_[tensors_[id].storage]; }
    [[nodiscard]] ViewDims& viewOf(TensorId id) { return tensors_[id].view; }
    [[nodiscard]] VariableId variableOf(TensorId id) { return storageOf(id).variable; }

    /// A new variable for an op's result. `view` maps its dimensions to the storage's atoms.
    VariableId makeResult(TensorId id, const std::string& name, Storage storage, ViewDims view,
                          VariableNeeds needs = {});
    /// Moves a tensor to another storage: it was copied there.
    void replacePlace(TensorId id, const std::string& name, Storage storage, ViewDims view);
    /// The result takes over (or looks into) the storage of another tensor.
    void makeView(TensorId id, TensorId of, ViewDims view);

    /// The result is a part of another tensor's storage, in the same variable: a slice that moves
    /// nothing. From then on neither is overwritten in place.
    void makePart(TensorId id, TensorId of, Storage part, ViewDims view);

    /// The tensor lies off the chip, laid out as another one is there: it has no variable.
    void makeOffChip(TensorId id, TensorId like);
    [[nodiscard]] bool isOffChip(TensorId id) { return !variableOf(id).valid(); }

    /// The tensor has the place where an input or a tensor off the chip arrives, whatever copies
    /// that has now.
    void makeArrival(TensorId id, TensorId of);

    /// A tensor of another context, to compare layouts with: it has the place that it has there.
    TensorId addForeign(const Tensor& tensor, PlacedStorage placed, ViewDims view);
    /// Where the data of an input of the graph arrive (PlacedStorage::sourceView); none if nobody
    /// laid it out.
    [[nodiscard]] const PlacedStorage* arrivalOf(TensorId input) const;

    /// True if an operation reads the tensor, or it is a result of the graph.
    [[nodiscard]] bool isRead(TensorId id) const { return lastUse_[id.index()] >= 0; }
    /// True if nobody reads the tensor's storage after the current op, so that it may be
    /// overwritten in place. Inputs and weights never are.
    [[nodiscard]] bool isLastUse(TensorId id) const;

    /// All views of a storage: what a split of its atoms has to keep up to date.
    std::vector<ViewDims*> viewsOf(StorageId id);
    [[nodiscard]] StorageId storageIdOf(TensorId id) const { return tensors_[id].storage; }

    /// Places that exist at the end.
    [[nodiscard]] const IdVector<StorageId, PlacedStorage>& storages() const { return storages_; }

private:
    [[nodiscard]] bool isRecomputed(TensorId id) const;
    /// A program of its own begins each linear tensor at the first tile, as PopLibs does.
    [[nodiscard]] std::pair<Storage, ViewDims> linearPlace(TensorId id);

    const Graph& graph_;
    const RunOptions& options_;
    const PlanTable& plans_;
    ProgramBuilder& builder_;
    FunctionIndex function_;
    LoweredFunctions* functions_ = nullptr;
    std::vector<Tensor> foreign_; ///< have the ids behind the graph's tensors
    IdVector<TensorId, LoweredTensor> tensors_;
    IdVector<StorageId, PlacedStorage> storages_;
    std::vector<VariableId> startEmpty_;
    std::vector<RemoteGroup> remoteGroups_;
    std::vector<RemoteBuffer> remoteBuffers_;
    std::map<TensorId, std::pair<std::int32_t, std::int32_t>> stashRows_;
    /// By IPU, part and bytes in all.
    std::map<std::tuple<IpuId, CollectiveSteps::Part, std::int64_t>, std::vector<TileSeries>>
        collectives_;
    /// By type and shape of a row.
    std::map<std::pair<std::string, std::string>, std::int32_t> activationBuffers_;
    std::vector<OpId> producers_;
    std::map<std::int32_t, std::vector<ProgramId>> groups_; ///< recorded and not yet run again
    std::vector<std::int32_t> lastUse_; ///< index of the last op that reads each tensor
    OpId current_;
};

} // namespace tilescope::sim
