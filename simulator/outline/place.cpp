// One place of a match: how its operations are connected, and the operations between them.
#include <algorithm>
#include <map>
#include <set>

#include "simulator/outline/matches.h"

namespace tilescope::sim {

std::vector<std::int32_t> connections(const Graph& graph, const OpSequence& sequence,
                                      const TensorUses& uses, std::int32_t start,
                                      std::int32_t length) {
    std::map<OpId, std::int32_t> inside;
    std::map<TensorId, std::int32_t> outside;
    std::vector<std::int32_t> pattern;
    for (std::int32_t i = 0; i < length; ++i) {
        const OpId id = sequence.ops[static_cast<std::size_t>(start + i)];
        inside[id] = i;
        for (const TensorId in : graph.ops[id].inputs) {
            const auto maker = inside.find(uses.producer(in));
            if (uses.producer(in).valid() && maker != inside.end()) {
                const auto& made = graph.ops[maker->first].outputs;
                pattern.push_back(maker->second);
                pattern.push_back(static_cast<std::int32_t>(
                    std::find(made.begin(), made.end(), in) - made.begin()));
            } else {
                const auto next = static_cast<std::int32_t>(outside.size());
                pattern.push_back(-1);
                pattern.push_back(outside.emplace(in, next).first->second);
            }
        }
    }
    return pattern;
}

namespace {

/// Sorts operations between those of a place by their dependencies.
class Sorter {
public:
    Sorter(const Graph& graph, Neighbours& neighbours)
        : graph_(graph)
        , neighbours_(neighbours) {}

    void addInside(const Op& op) {
        made_.insert(op.outputs.begin(), op.outputs.end());
        for (const TensorId in : op.inputs) {
            possible_ = possible_ && !after_.contains(in);
            readInside_.insert(in);
        }
    }

    void addOutside(OpId id) {
        const Op& op = graph_.ops[id];
        const bool needs = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId in) {
            return made_.contains(in) || after_.contains(in);
        });
        if (needs)
            after_.insert(op.outputs.begin(), op.outputs.end());
        (needs ? neighbours_.after : neighbours_.before).push_back(id);
        if (overwritesOperand(op))
            overwritten_.push_back(op.inputs[op.inputs.size() > 1 && isRestore(op) ? 1 : 0]);
    }

    /// True if nothing inside needs results of operations after it, or reads tensors overwritten by
    /// operations that move.
    [[nodiscard]] bool possible() const {
        return possible_ &&
               std::none_of(overwritten_.begin(), overwritten_.end(), [&](TensorId id) {
                   return readInside_.contains(id) || made_.contains(id);
               });
    }

private:
    static bool isRestore(const Op& op) {
        return std::holds_alternative<RestoreAttributes>(op.attributes);
    }

    const Graph& graph_;
    Neighbours& neighbours_;
    std::set<TensorId> made_, readInside_;
    std::set<TensorId> after_; ///< made by operations after the call
    std::vector<TensorId> overwritten_;
    bool possible_ = true;
};

} // namespace

bool canBeContiguous(const Graph& graph, const OpSequence& sequence, std::int32_t start,
                     std::int32_t length, Neighbours& neighbours) {
    auto next = static_cast<std::size_t>(start);
    const auto end = static_cast<std::size_t>(start + length);
    if (sequence.ops[end - 1].index() - sequence.ops[next].index() == end - 1 - next)
        return true; // nothing is between them
    Sorter sorter(graph, neighbours);
    for (auto i = sequence.ops[next].index(); next < end; ++i) {
        if (sequence.ops[next] == OpId(i)) {
            sorter.addInside(graph.ops[OpId(i)]);
            ++next;
        } else {
            sorter.addOutside(OpId(i));
        }
    }
    return sorter.possible();
}

bool overwritesApart(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
                     std::int32_t start, std::int32_t length) {
    const auto rootOf = [&](TensorId id) {
        for (OpId maker = uses.producer(id);
             maker.valid() &&
             (isView(graph.ops[maker].attributes) || overwritesOperand(graph.ops[maker]));
             maker = uses.producer(id))
            id = graph.ops[maker].inputs[0];
        return id;
    };
    std::set<TensorId> made;
    std::map<TensorId, std::set<TensorId>> entering; ///< by root
    std::set<TensorId> overwritten;                  ///< roots
    for (std::int32_t i = start; i < start + length; ++i) {
        const Op& op = graph.ops[sequence.ops[static_cast<std::size_t>(i)]];
        for (const TensorId in : op.inputs)
            if (!made.contains(in))
                entering[rootOf(in)].insert(in);
        if (overwritesOperand(op))
            overwritten.insert(rootOf(op.inputs[0]));
        made.insert(op.outputs.begin(), op.outputs.end());
    }
    return std::all_of(overwritten.begin(), overwritten.end(), [&](TensorId root) {
        const auto names = entering.find(root);
        return names == entering.end() || names->second.size() == 1;
    });
}

} // namespace tilescope::sim
