#include "simulator/outline/multi_convs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "simulator/graph/multi_conv_groups.h"
#include "simulator/outline/sequence.h"

namespace tilescope::sim {
namespace {

using Members = std::vector<OpId>;

bool contains(const std::vector<TensorId>& ids, const std::set<TensorId>& of) {
    return std::any_of(ids.begin(), ids.end(), [&](TensorId id) { return of.contains(id); });
}

/// Operations between the first and the last of some members, which have to move before or after
/// them.
class Gathering {
public:
    Gathering(const Graph& graph, const Members& members)
        : graph_(graph)
        , members_(members) {}

    /// False if the members cannot follow each other.
    bool run() {
        const Op& first = graph_.ops[members_.front()];
        for (const OpId member : members_) {
            const Op& op = graph_.ops[member];
            if (op.recomputeGroup != first.recomputeGroup ||
                op.executionPhase != first.executionPhase)
                return false;
            read_.insert(op.inputs.begin(), op.inputs.end());
        }
        for (std::size_t i = members_.front().index(); i <= members_.back().index(); ++i)
            if (!place(OpId(i)))
                return false;
        return true;
    }

    [[nodiscard]] const Members& before() const { return before_; }
    [[nodiscard]] const Members& behind() const { return behind_; }

private:
    bool place(OpId id) {
        const Op& op = graph_.ops[id];
        const bool needs = contains(op.inputs, late_);
        const bool isMember = std::find(members_.begin(), members_.end(), id) != members_.end();
        if (isMember && needs)
            return false;
        // Tensors that a member reads are overwritten after it.
        const bool overwrites =
            overwritesOperand(op) && contains({op.inputs.begin(), op.inputs.end()}, read_);
        if (isMember || needs || overwrites)
            late_.insert(op.outputs.begin(), op.outputs.end());
        if (!isMember)
            (needs || overwrites ? behind_ : before_).push_back(id);
        return true;
    }

    const Graph& graph_;
    const Members& members_;
    std::set<TensorId> read_;
    std::set<TensorId> late_; ///< made by the members or after them
    Members before_, behind_;
};

void reorder(Graph& graph, const Members& members, const Gathering& gathering) {
    Members order = gathering.before();
    order.insert(order.end(), members.begin(), members.end());
    order.insert(order.end(), gathering.behind().begin(), gathering.behind().end());
    std::vector<Op> moved;
    for (const OpId id : order)
        moved.push_back(std::move(graph.ops[id]));
    for (std::size_t i = 0; i < moved.size(); ++i)
        graph.ops[OpId(members.front().index() + i)] = std::move(moved[i]);
}

} // namespace

void gatherMultiConvs(Graph& graph) {
    for (Graph& function : graph.functions)
        for (Op& op : function.ops)
            op.multiConv.reset();
    std::vector<MultiConvKey> keys;
    for (const Members& members : multiConvsOf(graph))
        keys.push_back(multiConvKeyOf(graph.ops[members.front()]));
    for (const MultiConvKey& key : keys) {
        // Gathering others may have moved these.
        const std::vector<Members> groups = multiConvsOf(graph);
        const Members& members =
            *std::find_if(groups.begin(), groups.end(), [&](const Members& group) {
                return multiConvKeyOf(graph.ops[group.front()]) == key;
            });
        Gathering gathering(graph, members);
        if (gathering.run()) {
            reorder(graph, members, gathering);
            continue;
        }
        graph.messages.push_back(
            {Severity::Info,
             fmt::format("'{}' and the convolutions to run together with it are planned one by "
                         "one: one needs another, or is recomputed without it",
                         graph.ops[members.front()].name)});
        for (const OpId member : members)
            graph.ops[member].multiConv.reset();
    }
}

} // namespace tilescope::sim
