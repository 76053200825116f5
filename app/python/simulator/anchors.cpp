// Tensors within a model whose values are kept by calls, by their names in the model.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

#include "app/python/simulator/compiled_model.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "simulator/prepare/prepare.h"

namespace tilescope::python {

using sim::Graph;
using sim::Tensor;
using sim::TensorData;

namespace {

/// The prefix of PopART's name for the gradient of a tensor.
constexpr std::string_view gradientPrefix = "Gradient___";

/// Without functions, which hide the tensors inside them.
Graph withoutFunctions(const Graph& imported, RunOptions options) {
    options.outline.enabled = false;
    return sim::preparedGraph(imported, options);
}

/// Names of the inputs of the model and the results of its operations.
std::vector<std::string> valuesOf(const Graph& graph) {
    std::vector<std::string> names;
    for (const sim::TensorId id : graph.inputs)
        names.push_back(graph.tensors[id].name);
    for (const sim::Op& op : graph.ops)
        for (const sim::TensorId id : op.outputs)
            names.push_back(graph.tensors[id].name);
    return names;
}

} // namespace

/// Adds the parts of a gradient; recomputation in the backward pass replaces the same value.
void CompiledModel::Anchor::take(std::int64_t row, const TensorData& value) {
    TensorData& kept = rows[row];
    if (parts.size() == 1 || kept.isEmpty()) {
        kept = value.copy();
        return;
    }
    for (std::int64_t i = 0; i < kept.elements(); ++i)
        kept.setNumber(i, kept.number(i) + value.number(i));
}

std::vector<std::string> CompiledModel::tensorNames() const {
    const Graph graph = withoutFunctions(imported_, options_);
    std::vector<std::string> names;
    for (const auto& [name, weight] : weights_)
        names.push_back(name);
    for (const auto& [name, weight] : weights_)
        if (graph.gradientParts.contains(weight.name))
            names.push_back(std::string(gradientPrefix) + name);
    const auto values = valuesOf(graph);
    names.insert(names.end(), values.begin(), values.end());
    return names;
}

std::optional<CompiledModel::Anchor> CompiledModel::anchorOf(const Graph& graph,
                                                             const std::string& name) const {
    Anchor anchor;
    if (const auto weight = weights_.find(name); weight != weights_.end()) {
        anchor.info = {name, weight->second.shape, sim::DataType::Float};
        return anchor;
    }
    if (name.starts_with(gradientPrefix)) {
        const auto weight = weights_.find(name.substr(gradientPrefix.size()));
        if (weight == weights_.end())
            return std::nullopt;
        const auto parts = graph.gradientParts.find(weight->second.name);
        if (parts == graph.gradientParts.end())
            return std::nullopt;
        anchor.info = {name, weight->second.shape, sim::DataType::Float};
        anchor.parts = parts->second;
        anchor.weight = &weight->second;
        return anchor;
    }
    const auto names = valuesOf(graph);
    if (std::find(names.begin(), names.end(), name) == names.end())
        return std::nullopt;
    for (const Tensor& tensor : graph.tensors)
        if (tensor.name == name)
            anchor.info = {name, tensor.shape, tensor.type};
    anchor.parts = {name};
    return anchor;
}

void CompiledModel::findAnchors(const std::vector<std::string>& names) {
    if (names.empty())
        return;
    const Graph graph = withoutFunctions(imported_, options_);
    for (const std::string& name : names) {
        auto anchor = anchorOf(graph, name);
        if (!anchor)
            throw UserError(fmt::format("anchorTensor: the model has no tensor '{}'.{} "
                                        "getTensorNames() of the compiled model lists them",
                                        shortened(name), didYouMean(name, tensorNames())));
        anchors_.emplace(name, std::move(*anchor));
    }
}

void CompiledModel::watchAnchors(sim::HostPort& port,
                                 const std::map<std::string, std::vector<std::int64_t>>& wanted) {
    struct Watched {
        Anchor* anchor;
        std::set<std::int64_t> wanted;
    };
    std::unordered_multimap<std::string, Watched> watched;
    for (auto& [name, anchor] : anchors_) {
        anchor.rows.clear();
        const auto rows = wanted.find(name);
        if (rows != wanted.end())
            for (const std::string& part : anchor.parts)
                watched.emplace(part, Watched{&anchor, {rows->second.begin(), rows->second.end()}});
    }
    if (watched.empty())
        return;
    const auto see = [this, watched = std::move(watched)](const std::string& name,
                                                          const sim::BatchPlace& place,
                                                          const TensorData& value) {
        const std::int64_t row = sim::indexOf(place, options_.batch, options_.replication.replicas);
        const auto [first, last] = watched.equal_range(name);
        for (auto at = first; at != last; ++at)
            if (at->second.wanted.contains(row))
                at->second.anchor->take(row, value);
    };
    port.input = [see, input = std::move(port.input)](const Tensor& tensor,
                                                      const sim::BatchPlace& place) {
        TensorData value = input(tensor, place);
        see(tensor.name, place, value);
        return value;
    };
    port.watch = [see](const Graph& graph, sim::TensorId tensor, const sim::BatchPlace& place,
                       const TensorData& value) { see(graph.tensors[tensor].name, place, value); };
}

CompiledModel::AnchoredValue CompiledModel::anchored(const std::string& name) const {
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
        throw UserError(
            fmt::format("'{}' is not an anchor; name it with Options.anchorTensor()", name));
    const Anchor& anchor = found->second;
    if (anchor.rows.empty())
        throw UserError(fmt::format("'{}' has no value: the last call has not computed it", name));
    AnchoredValue value{anchor.info, {}};
    for (const auto& [number, row] : anchor.rows)
        value.rows.push_back(anchor.weight == nullptr ? row : asInModel(row, *anchor.weight));
    return value;
}

} // namespace tilescope::python
