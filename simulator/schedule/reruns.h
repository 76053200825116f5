// Forward operations that run again in the backward pass (recomputation).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// When the groups of a graph's operations (Op::recomputeGroup) run again: each once, as a whole,
/// right before the first backward operation that reads one of its results. Groups that it reads
/// from run before it.
class Reruns {
public:
    Reruns() = default; ///< of a graph of which nothing runs again
    explicit Reruns(const Graph& graph);

    /// Group that makes a tensor again; -1: none, as of tensors that the graph got later.
    [[nodiscard]] std::int32_t groupOf(TensorId id) const {
        return id.index() < groupOf_.size() ? groupOf_[id.index()] : -1;
    }
    /// A group's operations, in the graph's order.
    [[nodiscard]] const std::vector<OpId>& membersOf(std::int32_t group) const {
        return members_.at(static_cast<std::size_t>(group));
    }
    /// The backward operation before which an operation runs again; none if it does not.
    [[nodiscard]] OpId readerOf(const Op& op) const {
        return op.recomputeGroup < 0 ? OpId()
                                     : readers_.at(static_cast<std::size_t>(op.recomputeGroup));
    }
    /// Groups that run again before an operation, in this order.
    [[nodiscard]] std::vector<std::int32_t> before(OpId op) const;

private:
    void addBefore(OpId first, const std::vector<TensorId>& reads, const Graph& graph);

    std::vector<std::int32_t> groupOf_;      ///< by tensor
    std::vector<std::vector<OpId>> members_; ///< by group
    std::vector<OpId> readers_;              ///< by group
    std::map<OpId, std::vector<std::int32_t>> before_;
};

} // namespace tilescope::sim
