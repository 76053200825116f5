#include "simulator/lowering/places/recomputation.h"

#include <utility>

namespace tilescope::sim {

Recomputation::Recomputation(const Graph& graph)
    : graph_(graph)
    , producers_(graph.producers()) {}

bool Recomputation::remakes(TensorId id) const {
    const OpId maker = producers_[id.index()];
    return maker.valid() && graph_.ops[maker].recomputeGroup >= 0;
}

void Recomputation::record(std::int32_t group, const std::vector<ProgramId>& programs) {
    auto& list = groups_[group];
    list.insert(list.end(), programs.begin(), programs.end());
}

void Recomputation::runBefore(const Op& op, ProgramBuilder& builder) {
    for (const TensorId input : op.inputs) {
        if (!remakes(input))
            continue;
        const std::int32_t group = graph_.ops[producers_[input.index()]].recomputeGroup;
        const auto found = groups_.find(group);
        if (found == groups_.end())
            continue;
        const std::vector<ProgramId> programs = std::move(found->second);
        groups_.erase(found);
        // Other groups that this one reads from have to run first.
        for (const Op& member : graph_.ops)
            if (member.recomputeGroup == group)
                runBefore(member, builder);
        builder.addAgain(programs);
    }
}

} // namespace tilescope::sim
