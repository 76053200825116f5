#include "simulator/pipeline/shared_tail.h"

#include <algorithm>
#include <map>

namespace tilescope::sim {
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
