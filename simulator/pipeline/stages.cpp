#include "simulator/pipeline/stages.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>

#include "core/base/suggest.h"
#include "core/options/option_error.h"

namespace tilescope::sim {
namespace {

[[noreturn]] void refuseSplit(const Graph& graph, const std::string& name) {
    std::vector<std::string> known;
    for (const Op& op : graph.ops)
        for (std::size_t end = op.name.find('/');; end = op.name.find('/', end + 1)) {
            const std::string scope = op.name.substr(0, end);
            if (known.empty() || known.back() != scope)
                known.push_back(scope);
            if (end == std::string::npos)
                break;
        }
    // Outermost scopes, which is where models are usually cut.
    constexpr std::size_t shown = 8;
    std::vector<std::string> outer;
    for (const std::string& scope : known)
        if (!scope.empty() && scope.find('/') == std::string::npos && outer.size() <= shown &&
            (outer.empty() || outer.back() != scope))
            outer.push_back(outer.size() == shown ? "..." : scope);
    throw OptionError("split", fmt::format("the model has no operation or scope "
                                           "'{}'{}; it has {}",
                                           name, didYouMean(name, known), fmt::join(outer, ", ")));
}

/// True if the costs can be cut in `stages` runs of at most `most` each.
bool fits(const std::vector<double>& costs, std::int32_t stages, double most) {
    std::int32_t used = 1;
    double sum = 0;
    for (const double cost : costs) {
        if (sum + cost > most && sum > 0) {
            ++used;
            sum = 0;
        }
        sum += cost;
    }
    return used <= stages;
}

/// By operation, itself; for one made of weights and constants alone the first other one that needs
/// its result, if any does.
std::vector<std::size_t> firstReaders(const Graph& graph) {
    const std::vector<OpId> producers = graph.producers();
    std::vector<bool> isOfWeights(graph.ops.size(), false);
    std::vector<std::size_t> readers(graph.ops.size());
    const std::size_t none = graph.ops.size();
    for (std::size_t i = 0; i < readers.size(); ++i) {
        const std::vector<TensorId>& inputs = graph.ops[OpId(i)].inputs;
        isOfWeights[i] = std::all_of(inputs.begin(), inputs.end(), [&](TensorId in) {
            const OpId maker = producers[in.index()];
            return maker.valid() ? isOfWeights[maker.index()]
                                 : graph.tensors[in].role != TensorRole::Input;
        });
        readers[i] = isOfWeights[i] ? none : i;
    }
    for (std::size_t i = readers.size(); i-- > 0;) {
        if (readers[i] == none)
            readers[i] = i;
        for (const TensorId in : graph.ops[OpId(i)].inputs)
            if (const OpId maker = producers[in.index()];
                maker.valid() && isOfWeights[maker.index()])
                readers[maker.index()] = std::min(readers[maker.index()], readers[i]);
    }
    return readers;
}

} // namespace

bool isInScope(const std::string& op, const std::string& scope) {
    // PyTorch's exporter begins the paths of its scopes with a slash.
    if (scope.starts_with('/') != op.starts_with('/'))
        return scope.starts_with('/') ? isInScope(op, scope.substr(1))
                                      : isInScope(op.substr(1), scope);
    return op == scope ||
           (op.size() > scope.size() && op.starts_with(scope) && op[scope.size()] == '/');
}

void splitAt(Graph& graph, const std::vector<std::string>& splits) {
    std::int32_t stage = 0;
    std::size_t next = 0;
    for (Op& op : graph.ops) {
        while (next < splits.size() && isInScope(op.name, splits[next])) {
            ++next;
            ++stage;
        }
        op.stage = stage;
    }
    if (next == splits.size())
        return;
    const bool exists = std::any_of(graph.ops.begin(), graph.ops.end(),
                                    [&](const Op& op) { return isInScope(op.name, splits[next]); });
    if (!exists)
        refuseSplit(graph, splits[next]);
    throw OptionError("split", fmt::format("'{}' does not come after '{}'; name the "
                                           "splits in the order of the model",
                                           splits[next], splits[next - 1]));
}

std::vector<std::int32_t> evenParts(const std::vector<double>& costs, std::int32_t parts) {
    double low = 0;
    double high = 0;
    for (const double cost : costs) {
        low = std::max(low, cost);
        high += cost;
    }
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (fits(costs, parts, middle) ? high : low) = middle;
    }
    std::vector<std::int32_t> result;
    std::int32_t part = 0;
    std::size_t first = 0; // item of the part
    double sum = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        // Every part gets an item, even where the costs would let the last go empty.
        const bool mustCut =
            static_cast<std::int64_t>(costs.size() - i) <= parts - 1 - part && i > first;
        if (((sum + costs[i] > high && sum > 0) || mustCut) && part + 1 < parts) {
            ++part;
            first = i;
            sum = 0;
        }
        sum += costs[i];
        result.push_back(part);
    }
    return result;
}

void splitEvenly(Graph& graph, std::int32_t stages, const std::vector<double>& costs) {
    const std::vector<std::int32_t> parts = evenParts(costs, stages);
    for (std::size_t i = 0; i < parts.size(); ++i)
        graph.ops[OpId(i)].stage = parts[i];
}

void moveBeforeReaders(Graph& graph) {
    const std::vector<std::size_t> readers = firstReaders(graph);
    std::vector<std::size_t> order(readers.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return readers[a] < readers[b]; });
    IdVector<OpId, Op> ops;
    for (const std::size_t i : order)
        ops.add(std::move(graph.ops[OpId(i)]));
    graph.ops = std::move(ops);
}

void followReaders(Graph& graph) {
    const std::vector<std::size_t> readers = firstReaders(graph);
    for (std::size_t i = 0; i < readers.size(); ++i)
        graph.ops[OpId(i)].stage = graph.ops[OpId(readers[i])].stage;
}

void mergeNeighbours(Graph& graph) {
    std::vector<std::int32_t> merged; // number of each stage
    std::vector<IpuId> ipus;
    for (const IpuId ipu : graph.stageIpus) {
        if (ipus.empty() || ipus.back() != ipu)
            ipus.push_back(ipu);
        merged.push_back(static_cast<std::int32_t>(ipus.size()) - 1);
    }
    for (Op& op : graph.ops)
        op.stage = merged.at(static_cast<std::size_t>(op.stage));
    graph.stageIpus = std::move(ipus);
}

namespace {

std::string_view outermostScope(const Op& op) {
    const std::string_view name = op.name;
    return name.substr(0, name.find('/'));
}

/// Bytes of the activations that operations from `first` on read from those before.
std::int64_t bytesAcross(const Graph& graph, std::size_t first) {
    const std::vector<OpId> producers = graph.producers();
    std::vector<bool> counted(graph.tensors.size(), false);
    std::int64_t bytes = 0;
    for (std::size_t i = first; i < graph.ops.size(); ++i)
        for (const TensorId in : graph.ops[OpId(i)].inputs) {
            const OpId maker = producers[in.index()];
            if (!maker.valid() || maker.index() >= first || counted[in.index()])
                continue;
            counted[in.index()] = true;
            bytes += graph.tensors[in].bytes();
        }
    return bytes;
}

} // namespace

std::optional<SharedTail> sharedTail(const Graph& graph) {
    std::map<TensorId, std::size_t> farReader; // of weights of the first stage
    std::map<TensorId, std::size_t> firstReader;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        for (const TensorId in : op.inputs) {
            if (graph.tensors[in].role != TensorRole::Weight)
                continue;
            if (op.stage == 0)
                firstReader.emplace(in, i);
            else if (firstReader.contains(in))
                farReader.emplace(in, i);
        }
    }
    const auto largest =
        std::max_element(farReader.begin(), farReader.end(), [&](const auto& a, const auto& b) {
            return graph.tensors[a.first].bytes() < graph.tensors[b.first].bytes();
        });
    if (largest == farReader.end())
        return std::nullopt;
    std::size_t first = largest->second;
    while (first > 0 && outermostScope(graph.ops[OpId(first - 1)]) ==
                            outermostScope(graph.ops[OpId(largest->second)]))
        --first;
    if (first == 0 || bytesAcross(graph, first) >= graph.tensors[largest->first].bytes())
        return std::nullopt;
    return SharedTail{first, largest->first, firstReader.at(largest->first)};
}

} // namespace tilescope::sim
