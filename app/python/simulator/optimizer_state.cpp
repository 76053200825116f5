// The optimizer's state in the program's form: for whole weights, in the model's shapes.
#include <algorithm>
#include <fmt/format.h>

#include "app/python/simulator/compiled_model.h"
#include "core/base/error.h"
#include "simulator/cost/collective.h"
#include "simulator/frontend/onnx_types/weight_values.h"

namespace tilescope::python {

using sim::Shape;
using sim::TensorData;
using sim::TensorId;

namespace {

constexpr std::string_view prefixEnd = "___";

TensorData scaled(TensorData data, double factor) {
    if (factor != 1 && data.isReal())
        for (float& number : data.reals())
            number = static_cast<float>(number * factor);
    return data;
}

/// Joins the shards of the replicas; the last one may be longer than the part in use.
TensorData joined(const std::vector<TensorData>& parts, std::size_t shards, const Shape& shape) {
    TensorData whole(parts.front().type(), shape);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shards; ++i) {
        const auto part = parts[i].reals();
        const std::size_t count = std::min(part.size(), whole.reals().size() - at);
        std::copy_n(part.data(), count, whole.reals().data() + at);
        at += count;
    }
    return whole;
}

std::vector<TensorData> split(const TensorData& whole, std::size_t shards, std::size_t replicas,
                              const sim::Tensor& shard) {
    std::vector<TensorData> parts;
    const auto from = whole.reals();
    for (std::size_t r = 0; r < replicas; ++r) {
        TensorData part = TensorData::filled(shard.type, shard.shape, 0);
        const auto size = static_cast<std::size_t>(part.elements());
        const std::size_t begin = std::min(r % shards * size, from.size());
        std::copy_n(from.data() + begin, std::min(size, from.size() - begin), part.reals().data());
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace

/// SGD's momentum includes the loss scaling.
std::map<std::string, CompiledModel::Moment> CompiledModel::moments() const {
    std::map<std::string, Moment> moments;
    std::map<std::string, const std::pair<const std::string, StoredWeight>*> byGraphName;
    for (const auto& entry : weights_)
        byGraphName.emplace(entry.second.name, &entry);
    const std::int64_t within =
        sim::replicaTopology(options_.machine.target, options_.replication.replicas).within;
    for (const auto& [name, id] : tensors_) {
        const sim::Tensor& tensor = prepared_.tensors[id];
        const std::size_t end = name.find(prefixEnd);
        if (tensor.state != sim::StateKind::Moment || end == std::string::npos)
            continue;
        const auto weight = byGraphName.find(name.substr(end + prefixEnd.size()));
        if (weight == byGraphName.end())
            continue;
        const StoredWeight& stored = weight->second->second;
        const bool isScalar = tensor.shape.empty();
        const bool isShard = !isScalar && tensor.elements() != sim::elementsOf(stored.shape);
        moments.emplace(
            name.substr(0, end) + std::string(prefixEnd) + weight->second->first,
            Moment{name, isScalar && !stored.shape.empty() ? nullptr : &stored,
                   options_.training.optimizer == Optimizer::Momentum ? machine().lossScale() : 1,
                   isShard ? within : 1});
    }
    return moments;
}

std::map<std::string, TensorData> CompiledModel::state() const {
    std::map<std::string, TensorData> state;
    for (const auto& [name, moment] : moments()) {
        const std::vector<TensorData> parts = machine().state(moment.name);
        if (moment.weight == nullptr) { // a step count
            state.emplace(name, parts.front());
            continue;
        }
        const sim::Tensor& weight = prepared_.tensors[tensors_.at(moment.weight->name)];
        TensorData whole =
            moment.shards == 1
                ? parts.front()
                : joined(parts, static_cast<std::size_t>(moment.shards), weight.shape);
        state.emplace(name, asInModel(scaled(std::move(whole), 1 / moment.scale), *moment.weight));
    }
    return state;
}

void CompiledModel::setState(const std::map<std::string, TensorData>& state) {
    const auto known = moments();
    const auto replicas = static_cast<std::size_t>(options_.replication.replicas);
    for (const auto& [name, value] : state) {
        const auto found = known.find(name);
        if (found == known.end())
            continue;
        const Moment& moment = found->second;
        const sim::Tensor& tensor = prepared_.tensors[tensors_.at(moment.name)];
        const std::int64_t wanted =
            moment.weight == nullptr ? 1 : sim::elementsOf(moment.weight->shape);
        if (value.elements() != wanted)
            throw UserError(fmt::format("the optimizer's state '{}' has {} elements, not {}", name,
                                        wanted, value.elements()));
        if (moment.weight == nullptr) {
            machine().setState(
                moment.name,
                std::vector<TensorData>(replicas,
                                        sim::converted(value, tensor.type).reshaped(tensor.shape)));
            continue;
        }
        sim::Tensor weight = prepared_.tensors[tensors_.at(moment.weight->name)];
        weight.type = tensor.type;
        const TensorData whole =
            asInGraph(scaled(value.reshaped(moment.weight->shape).copy(), moment.scale),
                      *moment.weight, weight);
        machine().setState(moment.name, moment.shards == 1
                                            ? std::vector<TensorData>(replicas, whole)
                                            : split(whole, static_cast<std::size_t>(moment.shards),
                                                    replicas, tensor));
    }
}

} // namespace tilescope::python
