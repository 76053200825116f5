#include "simulator/schedule/reruns.h"

#include <algorithm>

namespace tilescope::sim {

Reruns::Reruns(const Graph& graph)
    : groupOf_(graph.tensors.size(), -1) {
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        if (op.recomputeGroup < 0)
            continue;
        const auto group = static_cast<std::size_t>(op.recomputeGroup);
        members_.resize(std::max(members_.size(), group + 1));
        members_[group].push_back(OpId(i));
        for (const TensorId out : op.outputs)
            groupOf_[out.index()] = op.recomputeGroup;
    }
    readers_.resize(members_.size());
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        if (graph.ops[OpId(i)].pass == Pass::Backward)
            addBefore(OpId(i), graph.ops[OpId(i)].inputs, graph);
}

std::vector<std::int32_t> Reruns::before(OpId op) const {
    const auto found = before_.find(op);
    return found == before_.end() ? std::vector<std::int32_t>() : found->second;
}

void Reruns::addBefore(OpId first, const std::vector<TensorId>& reads, const Graph& graph) {
    for (const TensorId id : reads) {
        const std::int32_t group = groupOf(id);
        if (group < 0 || readers_[static_cast<std::size_t>(group)].valid())
            continue;
        readers_[static_cast<std::size_t>(group)] = first;
        for (const OpId member : membersOf(group))
            addBefore(first, graph.ops[member].inputs, graph);
        before_[first].push_back(group);
    }
}

} // namespace tilescope::sim
