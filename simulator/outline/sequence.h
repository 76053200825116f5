// A graph's operations as a sequence of letters, to search for equal parts.
#pragma once

#include <vector>

#include "core/options/planning_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Operations that a function may hold, in the order of the graph. Operations that stay outside
/// (accumulations and other updates in place except the optimizer's, stashes and FIFOs, copies
/// between IPUs, replicas and memories) are left out; `cuts` are positions that a function cannot
/// extend across: another pass or stage, a restore, recomputed operations, and collectives within
/// an optimizer's steps.
struct OpSequence {
    std::vector<OpId> ops;
    /// Equal for operations that do the same: attributes, shapes, types and roles of operands and
    /// results (weight, constant or other), phase, stage and whether they run again; never names
    /// (popart Op::getSubgraphEquivId). Of an optimizer's step also its type.
    std::vector<std::int32_t> letters;
    std::vector<std::int32_t> cuts; ///< run that each position belongs to, ascending
    /// Operations that one operation of the model was decomposed into share a number
    /// (normalisations and their gradients), and so do convolutions that run at the same time: a
    /// function holds all of them or none. -1: a single operation.
    std::vector<std::int32_t> wholes;
    /// How much it is worth to have each operation's code once: 1000 for convolutions, matrix
    /// products, normalisations and the sums of squares of an optimizer's norms (popart
    /// op/lamb.hpp), 0.1 for others (popart Op::getSubgraphValue). The parts that a
    /// normalisation or its gradient is composed of share its value.
    std::vector<double> values;

    [[nodiscard]] std::size_t size() const { return ops.size(); }
    [[nodiscard]] double valueOf(std::int32_t start, std::int32_t length) const;
    /// True if a function may end before a position, or begin there, without cutting such a group.
    [[nodiscard]] bool canCut(std::int32_t position) const;
};

/// Operations named in the options (with a memory proportion of their own) stay outside as well.
OpSequence opSequence(const Graph& graph, const PlanningOptions& options);

/// True if the operation overwrites an operand.
bool overwritesOperand(const Op& op);

/// A graph's uses of tensors, by operation.
class TensorUses {
public:
    explicit TensorUses(const Graph& graph);
    [[nodiscard]] OpId producer(TensorId id) const { return producers_[id.index()]; }
    /// Operations that read the tensor, ascending.
    [[nodiscard]] const std::vector<OpId>& readers(TensorId id) const {
        return readers_[id.index()];
    }
    [[nodiscard]] bool isResult(TensorId id) const { return results_[id.index()]; }

private:
    std::vector<OpId> producers_;
    std::vector<std::vector<OpId>> readers_;
    std::vector<bool> results_;
};

} // namespace tilescope::sim
