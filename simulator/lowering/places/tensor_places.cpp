#include "simulator/lowering/places/tensor_places.h"

#include <algorithm>

#include "core/base/error.h"
#include "simulator/schedule/reruns.h"

namespace tilescope::sim {
namespace {

MemoryCategory categoryOf(TensorRole role) {
    return role == TensorRole::Constant ? MemoryCategory::Constant : MemoryCategory::Variable;
}

} // namespace

TensorPlaces::TensorPlaces(const Graph& graph, const LoweringOptions& options,
                           ProgramBuilder& builder, TrafficTable& traffic)
    : graph_(graph)
    , options_(options)
    , builder_(builder)
    , traffic_(traffic)
    , lastUse_(graph.tensors.size(), -1) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        tensors_.add({});
    const Reruns reruns(graph);
    const auto end = static_cast<std::int32_t>(graph.ops.size());
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        for (const TensorId input : graph.ops[OpId(i)].inputs)
            lastUse_[input.index()] = static_cast<std::int32_t>(i);
    // What runs again reads its operands again: they must not be overwritten in place before.
    for (const Op& op : graph.ops)
        for (const TensorId input : op.inputs)
            if (op.recomputeGroup >= 0 && reruns.groupOf(input) < 0)
                lastUse_[input.index()] = end;
    // The host reads outputs after everything else.
    for (const TensorId output : graph.outputs)
        lastUse_[output.index()] = end;
}

bool TensorPlaces::ensurePlace(TensorId id,
                               const std::function<std::pair<Storage, ViewDims>()>& wanted) {
    if (hasPlace(id))
        return false;
    const Tensor& t = tensor(id);
    if (t.role == TensorRole::Activation)
        throw InternalError("tensor '" + t.name + "' is read before it is made");
    PlacedStorage placed;
    const bool follows = t.layoutOf.valid() && hasPlace(t.layoutOf);
    auto [storage, view] = follows ? std::pair(storageOf(t.layoutOf).storage, viewOf(t.layoutOf))
                           : options_.planning.linearInputs ? linearPlace(id)
                                                            : wanted();
    if (follows)
        storage.elementBytes = bytesOf(t.type);
    placed.storage = std::move(storage);
    placed.source = id;
    placed.tensors = {id};
    placed.role = t.role;
    placed.alwaysLive = t.role == TensorRole::Weight || t.role == TensorRole::Constant;
    const TileSeries bytes =
        traffic_.elementsOf(placed.storage.layout.blocking).scaled(placed.storage.elementBytes);
    placed.variable = placed.alwaysLive
                          ? builder_.alwaysLive(t.name, categoryOf(t.role), bytes,
                                                std::string(toString(t.type)), toString(t.shape))
                          : builder_.variable(t.name, MemoryCategory::Variable, bytes,
                                              std::string(toString(t.type)), toString(t.shape));
    placed.sourceView = view;
    tensors_[id].view = std::move(view);
    tensors_[id].storage = storages_.add(std::move(placed));
    return !options_.planning.linearInputs;
}

TensorId TensorPlaces::addForeign(const Tensor& tensor, PlacedStorage placed, ViewDims view) {
    foreign_.push_back(tensor);
    const TensorId id = tensors_.add({StorageId(storages_.size()), std::move(view)});
    placed.source = {};
    placed.role = TensorRole::Activation;
    placed.tensors = {id};
    storages_.add(std::move(placed));
    return id;
}

void TensorPlaces::adopt(TensorId id, PlacedStorage placed, ViewDims view, bool shared) {
    placed.role = tensor(id).role;
    placed.source = placed.role == TensorRole::Activation ? TensorId() : id;
    placed.tensors = {id};
    placed.parts = placed.parts || shared;
    placed.sourceView = view;
    tensors_[id] = {storages_.add(std::move(placed)), std::move(view)};
}

const PlacedStorage* TensorPlaces::arrivalOf(TensorId input) const {
    const auto found = std::find_if(storages_.begin(), storages_.end(),
                                    [&](const PlacedStorage& p) { return p.source == input; });
    return found == storages_.end() ? nullptr : &*found;
}

void TensorPlaces::ensurePlace(TensorId id) {
    ensurePlace(id, [&] { return linearPlace(id); });
}

std::pair<Storage, ViewDims> TensorPlaces::linearPlace(TensorId id) {
    const Tensor& t = tensor(id);
    const std::int32_t tiles = target().tilesPerIpu;
    Storage storage = linearStorage(t.shape, bytesOf(t.type), tiles);
    if (!options_.planning.linearInputs && !graph_.ownProgram)
        storage.layout.blocking.firstTile =
            builder_.nextLinearTile(storage.layout.blocking.tiles(), tiles);
    return {std::move(storage), identityView(t.shape.size())};
}

VariableId TensorPlaces::makeResult(TensorId id, const std::string& name, Storage storage,
                                    ViewDims view, VariableNeeds needs) {
    const Tensor& t = tensor(id);
    PlacedStorage placed;
    placed.tensors = {id};
    placed.variable =
        builder_.variable(name, MemoryCategory::Variable,
                          traffic_.elementsOf(storage.layout.blocking).scaled(storage.elementBytes),
                          std::string(toString(t.type)), toString(t.shape), needs);
    placed.storage = std::move(storage);
    const VariableId variable = placed.variable;
    tensors_[id].view = std::move(view);
    tensors_[id].storage = storages_.add(std::move(placed));
    return variable;
}

void TensorPlaces::makeView(TensorId id, TensorId of, ViewDims view) {
    tensors_[id].storage = tensors_[of].storage;
    tensors_[id].view = std::move(view);
    storageOf(id).tensors.push_back(id);
}

void TensorPlaces::makeOffChip(TensorId id, TensorId like) {
    PlacedStorage placed;
    placed.storage = storageOf(like).storage;
    placed.tensors = {id};
    tensors_[id].view = viewOf(like);
    tensors_[id].storage = storages_.add(std::move(placed));
}

void TensorPlaces::makeArrival(TensorId id, TensorId of) {
    ensurePlace(of);
    for (std::size_t i = 0; i < storages_.size(); ++i)
        if (PlacedStorage& placed = storages_[StorageId(i)]; placed.source == of) {
            tensors_[id] = {StorageId(i), placed.sourceView};
            placed.tensors.push_back(id);
            return;
        }
    throw InternalError("tensor '" + tensor(of).name + "' arrives nowhere");
}

void TensorPlaces::makePart(TensorId id, TensorId of, Storage part, ViewDims view) {
    storageOf(of).parts = true;
    PlacedStorage placed;
    placed.storage = std::move(part);
    placed.variable = variableOf(of);
    placed.tensors = {id};
    placed.alwaysLive = storageOf(of).alwaysLive;
    placed.parts = true;
    tensors_[id].view = std::move(view);
    tensors_[id].storage = storages_.add(std::move(placed));
}

bool TensorPlaces::isLastUse(TensorId id) const {
    const PlacedStorage& placed = storages_[tensors_[id].storage];
    return placed.role == TensorRole::Activation && !placed.parts && !isReadAfter(id, current_);
}

bool TensorPlaces::isReadAfter(TensorId id, OpId op) const {
    const PlacedStorage& placed = storages_[tensors_[id].storage];
    return std::any_of(placed.tensors.begin(), placed.tensors.end(),
                       [&](TensorId t) { return lastUse_[t.index()] > op.value(); });
}

std::vector<ViewDims*> TensorPlaces::viewsOf(StorageId id) {
    std::vector<ViewDims*> views;
    for (const TensorId tensor : storages_[id].tensors)
        views.push_back(&tensors_[tensor].view);
    if (storages_[id].source.valid())
        views.push_back(&storages_[id].sourceView);
    return views;
}

void TensorPlaces::replacePlace(TensorId id, const std::string& name, Storage storage,
                                ViewDims view) {
    std::erase(storageOf(id).tensors, id);
    makeResult(id, name, std::move(storage), std::move(view));
}

} // namespace tilescope::sim
