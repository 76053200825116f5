#include "simulator/lowering/places/context.h"

#include <algorithm>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

MemoryCategory categoryOf(TensorRole role) {
    return role == TensorRole::Constant ? MemoryCategory::Constant : MemoryCategory::Variable;
}

} // namespace

LoweringContext::LoweringContext(const Graph& graph, const RunOptions& options,
                                 const PlanTable& plans, ProgramBuilder& builder,
                                 FunctionIndex function)
    : graph_(graph)
    , options_(options)
    , plans_(plans)
    , builder_(builder)
    , function_(function)
    , remoteBuffers_(graph.remoteBuffers)
    , producers_(graph.producers())
    , lastUse_(graph.tensors.size(), -1) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        tensors_.add({});
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        for (const TensorId input : graph.ops[OpId(i)].inputs)
            lastUse_[input.index()] = static_cast<std::int32_t>(i);
    // What runs again reads its operands again: they must not be overwritten in place before.
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        for (const TensorId input : graph.ops[OpId(i)].inputs)
            if (graph.ops[OpId(i)].recomputeGroup >= 0 && !isRecomputed(input))
                lastUse_[input.index()] = static_cast<std::int32_t>(graph.ops.size());
    // The host reads outputs after everything else.
    for (const TensorId output : graph.outputs)
        lastUse_[output.index()] = static_cast<std::int32_t>(graph.ops.size());
}

bool LoweringContext::isRecomputed(TensorId id) const {
    const OpId maker = producers_[id.index()];
    return maker.valid() && graph_.ops[maker].recomputeGroup >= 0;
}

void LoweringContext::recordGroup(std::int32_t group, const std::vector<ProgramId>& programs) {
    auto& list = groups_[group];
    list.insert(list.end(), programs.begin(), programs.end());
}

void LoweringContext::recomputeFor(const Op& op) {
    for (const TensorId input : op.inputs) {
        if (!isRecomputed(input))
            continue;
        const std::int32_t group = graph_.ops[producers_[input.index()]].recomputeGroup;
        const auto found = groups_.find(group);
        if (found == groups_.end())
            continue;
        const std::vector<ProgramId> programs = std::move(found->second);
        groups_.erase(found);
        // What the group reads of other groups has to be there first.
        for (std::size_t i = 0; i < graph_.ops.size(); ++i)
            if (graph_.ops[OpId(i)].recomputeGroup == group)
                recomputeFor(graph_.ops[OpId(i)]);
        builder_.addAgain(programs);
    }
}

bool LoweringContext::ensurePlace(TensorId id,
                                  const std::function<std::pair<Storage, ViewDims>()>& wanted) {
    if (hasPlace(id))
        return false;
    const Tensor& t = tensor(id);
    if (t.role == TensorRole::Activation)
        throw InternalError("tensor '" + t.name + "' is read before it is made");
    PlacedStorage placed;
    const bool follows = t.layoutOf.valid() && hasPlace(t.layoutOf);
    auto [storage, view] = follows ? std::pair(storageOf(t.layoutOf).storage, viewOf(t.layoutOf))
                           : options_.linearInputs ? linearPlace(id)
                                                   : wanted();
    if (follows)
        storage.elementBytes = bytesOf(t.type);
    placed.storage = std::move(storage);
    placed.source = id;
    placed.tensors = {id};
    placed.role = t.role;
    placed.alwaysLive = t.role == TensorRole::Weight || t.role == TensorRole::Constant;
    const TileSeries bytes =
        placed.storage.layout.blocking.elements().scaled(placed.storage.elementBytes);
    placed.variable = placed.alwaysLive
                          ? builder_.alwaysLive(t.name, categoryOf(t.role), bytes,
                                                std::string(toString(t.type)), toString(t.shape))
                          : builder_.variable(t.name, MemoryCategory::Variable, bytes,
                                              std::string(toString(t.type)), toString(t.shape));
    placed.sourceView = view;
    tensors_[id].view = std::move(view);
    tensors_[id].storage = storages_.add(std::move(placed));
    return !options_.linearInputs;
}

TensorId LoweringContext::addForeign(const Tensor& tensor, PlacedStorage placed, ViewDims view) {
    foreign_.push_back(tensor);
    const TensorId id = tensors_.add({StorageId(storages_.size()), std::move(view)});
    placed.source = {};
    placed.role = TensorRole::Activation;
    placed.tensors = {id};
    storages_.add(std::move(placed));
    return id;
}

const PlacedStorage* LoweringContext::arrivalOf(TensorId input) const {
    const auto found = std::find_if(storages_.begin(), storages_.end(),
                                    [&](const PlacedStorage& p) { return p.source == input; });
    return found == storages_.end() ? nullptr : &*found;
}

void LoweringContext::ensurePlace(TensorId id) {
    ensurePlace(id, [&] { return linearPlace(id); });
}

std::pair<Storage, ViewDims> LoweringContext::linearPlace(TensorId id) {
    const Tensor& t = tensor(id);
    const std::int32_t tiles = target().tilesPerIpu;
    Storage storage = linearStorage(t.shape, bytesOf(t.type), tiles);
    if (!options_.linearInputs && !graph_.ownProgram)
        storage.layout.blocking.firstTile =
            builder_.nextLinearTile(storage.layout.blocking.tiles(), tiles);
    return {std::move(storage), identityView(t.shape.size())};
}

VariableId LoweringContext::makeResult(TensorId id, const std::string& name, Storage storage,
                                       ViewDims view, VariableNeeds needs) {
    const Tensor& t = tensor(id);
    PlacedStorage placed;
    placed.tensors = {id};
    placed.variable =
        builder_.variable(name, MemoryCategory::Variable,
                          storage.layout.blocking.elements().scaled(storage.elementBytes),
                          std::string(toString(t.type)), toString(t.shape), needs);
    placed.storage = std::move(storage);
    const VariableId variable = placed.variable;
    tensors_[id].view = std::move(view);
    tensors_[id].storage = storages_.add(std::move(placed));
    return variable;
}

void LoweringContext::makeView(TensorId id, TensorId of, ViewDims view) {
    tensors_[id].storage = tensors_[of].storage;
    tensors_[id].view = std::move(view);
    storageOf(id).tensors.push_back(id);
}

void LoweringContext::makeOffChip(TensorId id, TensorId like) {
    PlacedStorage placed;
    placed.storage = storageOf(like).storage;
    placed.tensors = {id};
    tensors_[id].view = viewOf(like);
    tensors_[id].storage = storages_.add(std::move(placed));
}

std::pair<std::int32_t, std::int32_t> LoweringContext::addRemoteRows(const Tensor& tensor,
                                                                     std::int64_t rows) {
    const std::pair<std::string, std::string> kind(toString(tensor.type), toString(tensor.shape));
    const auto next = static_cast<std::int32_t>(remoteBuffers_.size());
    const auto [at, isNew] = activationBuffers_.try_emplace(kind, next);
    if (isNew)
        remoteBuffers_.push_back(
            {"RB_" + std::to_string(next), kind.first, kind.second, 0, tensor.bytes()});
    RemoteBuffer& buffer = remoteBuffers_[static_cast<std::size_t>(at->second)];
    const auto first = static_cast<std::int32_t>(buffer.rows);
    buffer.rows += rows;
    return {at->second, first};
}

bool LoweringContext::isNewCollective(CollectiveSteps::Part part, const TileSeries& bytes) {
    auto& known = collectives_[{builder_.ipu(), part, bytes.sum()}];
    if (std::find(known.begin(), known.end(), bytes) != known.end())
        return false;
    known.push_back(bytes);
    return true;
}

void LoweringContext::makeArrival(TensorId id, TensorId of) {
    ensurePlace(of);
    for (std::size_t i = 0; i < storages_.size(); ++i)
        if (PlacedStorage& placed = storages_[StorageId(i)]; placed.source == of) {
            tensors_[id] = {StorageId(i), placed.sourceView};
            placed.tensors.push_back(id);
            return;
        }
    throw InternalError("tensor '" + tensor(of).name + "' arrives nowhere");
}

void LoweringContext::makePart(TensorId id, TensorId of, Storage part, ViewDims view) {
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

bool LoweringContext::isLastUse(TensorId id) const {
    const PlacedStorage& placed = storages_[tensors_[id].storage];
    if (placed.role != TensorRole::Activation || placed.parts)
        return false;
    return std::all_of(placed.tensors.begin(), placed.tensors.end(),
                       [&](TensorId t) { return lastUse_[t.index()] <= current_.value(); });
}

std::vector<ViewDims*> LoweringContext::viewsOf(StorageId id) {
    std::vector<ViewDims*> views;
    for (const TensorId tensor : storages_[id].tensors)
        views.push_back(&tensors_[tensor].view);
    if (storages_[id].source.valid())
        views.push_back(&storages_[id].sourceView);
    return views;
}

void LoweringContext::replacePlace(TensorId id, const std::string& name, Storage storage,
                                   ViewDims view) {
    std::erase(storageOf(id).tensors, id);
    makeResult(id, name, std::move(storage), std::move(view));
}

} // namespace tilescope::sim
