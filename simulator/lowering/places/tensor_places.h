// Where each tensor of a graph is on the tiles.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/layout/layout.h"
#include "simulator/layout/traffic_table.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/options/stage_options.h"

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

/// A tensor's place: a view of a storage; none until the tensor is laid out.
struct LoweredTensor {
    StorageId storage;
    ViewDims view;
};

class TensorPlaces {
public:
    /// `traffic`: shared by all contexts of a program.
    TensorPlaces(const Graph& graph, const LoweringOptions& options, ProgramBuilder& builder,
                 TrafficTable& traffic);

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const LoweringOptions& options() const { return options_; }
    /// The machine without its I/O tiles, over which operations are spread.
    [[nodiscard]] const Target& target() const { return options_.computing; }
    [[nodiscard]] ProgramBuilder& builder() { return builder_; }
    [[nodiscard]] TrafficTable& traffic() { return traffic_; }
    [[nodiscard]] const Tensor& tensor(TensorId id) const {
        return id.index() < graph_.tensors.size() ? graph_.tensors[id]
                                                  : foreign_[id.index() - graph_.tensors.size()];
    }

    /// Sets the op being lowered, which decides what is used for the last time.
    void setCurrent(OpId op) { current_ = op; }
    [[nodiscard]] OpId current() const { return current_; }

    [[nodiscard]] bool hasPlace(TensorId id) const { return tensors_[id].storage.valid(); }
    /// Lays an input, weight or constant out as its first user requires, unless it has a place.
    /// Returns true if it used `wanted`, which gives the storage and the tensor's view of it; false
    /// if already placed or if linearInputs forced a linear layout.
    bool ensurePlace(TensorId id, const std::function<std::pair<Storage, ViewDims>()>& wanted);
    /// Lays it out linearly unless it has a place.
    void ensurePlace(TensorId id);

    [[nodiscard]] PlacedStorage& storageOf(TensorId id) { return storages_[tensors_[id].storage]; }
    [[nodiscard]] ViewDims& viewOf(TensorId id) { return tensors_[id].view; }
    [[nodiscard]] VariableId variableOf(TensorId id) { return storageOf(id).variable; }
    /// Elements of the storage that each tile has.
    [[nodiscard]] TileSeries heldElements(TensorId id) {
        return traffic_.elementsOf(storageOf(id).storage.layout.blocking);
    }

    /// A new variable for an op's result. `view` maps its dimensions to the storage's atoms.
    VariableId makeResult(TensorId id, const std::string& name, Storage storage, ViewDims view,
                          VariableNeeds needs = {});
    /// Moves a tensor to another storage, to which it was copied.
    void replacePlace(TensorId id, const std::string& name, Storage storage, ViewDims view);
    /// The result takes over (or looks into) the storage of another tensor.
    void makeView(TensorId id, TensorId of, ViewDims view);

    /// Makes the result a part of another tensor's storage, in the same variable: a slice that
    /// moves nothing. From then on neither is overwritten in place.
    void makePart(TensorId id, TensorId of, Storage part, ViewDims view);

    /// The tensor lies off the chip, laid out as another one is there: it has no variable.
    void makeOffChip(TensorId id, TensorId like);
    [[nodiscard]] bool isOffChip(TensorId id) { return !variableOf(id).valid(); }

    /// The tensor has the place where an input or a tensor off the chip arrives, whatever copies
    /// that has now.
    void makeArrival(TensorId id, TensorId of);

    /// A tensor of another context, to compare layouts with: it has the place that it has there.
    TensorId addForeign(const Tensor& tensor, PlacedStorage placed, ViewDims view);
    /// Gives a tensor the place of a tensor of another context: the same variable. One that both
    /// read unchanged (`shared`) is never overwritten in place.
    void adopt(TensorId id, PlacedStorage placed, ViewDims view, bool shared);
    /// Where the data of an input of the graph arrive (PlacedStorage::sourceView); none if it has
    /// no place.
    [[nodiscard]] const PlacedStorage* arrivalOf(TensorId input) const;

    /// True if an operation reads the tensor, or it is a result of the graph.
    [[nodiscard]] bool isRead(TensorId id) const { return lastUse_[id.index()] >= 0; }
    /// True if nothing reads the tensor's storage after the current op, so that it may be
    /// overwritten in place. Inputs and weights never are.
    [[nodiscard]] bool isLastUse(TensorId id) const;
    /// True if something reads the tensor's storage after that op; of inputs and weights, too.
    [[nodiscard]] bool isReadAfter(TensorId id, OpId op) const;

    /// All views of a storage, which a split of its atoms has to keep up to date.
    std::vector<ViewDims*> viewsOf(StorageId id);
    [[nodiscard]] StorageId storageIdOf(TensorId id) const { return tensors_[id].storage; }

    /// Places that exist at the end.
    [[nodiscard]] const IdVector<StorageId, PlacedStorage>& storages() const { return storages_; }

private:
    /// A program of its own begins each linear tensor at the first tile, as PopLibs does.
    [[nodiscard]] std::pair<Storage, ViewDims> linearPlace(TensorId id);

    const Graph& graph_;
    const LoweringOptions& options_;
    ProgramBuilder& builder_;
    TrafficTable& traffic_;
    std::vector<Tensor> foreign_; ///< have the ids after the graph's tensors
    IdVector<TensorId, LoweredTensor> tensors_;
    IdVector<StorageId, PlacedStorage> storages_;
    std::vector<std::int32_t> lastUse_; ///< index of the last op that reads each tensor
    OpId current_;
};

} // namespace tilescope::sim
