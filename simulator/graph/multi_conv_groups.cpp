#include "simulator/graph/multi_conv_groups.h"

#include <algorithm>
#include <map>

namespace tilescope::sim {

MultiConvKey multiConvKeyOf(const Op& op) {
    return {op.multiConv.get(), op.attributes.index(), op.pass, op.stage};
}

std::vector<std::vector<OpId>> multiConvsOf(const Graph& graph) {
    std::map<MultiConvKey, std::vector<OpId>> groups;
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        if (const Op& op = graph.ops[OpId(i)]; op.multiConv && isPlanned(op.attributes))
            groups[multiConvKeyOf(op)].push_back(OpId(i));
    std::vector<std::vector<OpId>> found;
    for (auto& [key, members] : groups)
        if (members.size() > 1)
            found.push_back(std::move(members));
    // Not in the order of addresses.
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace tilescope::sim
