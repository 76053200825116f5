// Operations that run again in the backward pass, as they were lowered the first time.
#pragma once

#include <map>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

class Recomputation {
public:
    explicit Recomputation(const Graph& graph);

    /// True if the operation that makes the tensor runs again.
    [[nodiscard]] bool remakes(TensorId id) const;
    /// Programs that an operation of a group added, to run again.
    void record(std::int32_t group, const std::vector<ProgramId>& programs);
    /// Adds the groups that remake the operands of a backward operation, each group once.
    void runBefore(const Op& op, ProgramBuilder& builder);

private:
    const Graph& graph_;
    std::vector<OpId> producers_;
    std::map<std::int32_t, std::vector<ProgramId>> groups_; ///< recorded and not yet run again
};

} // namespace tilescope::sim
