// Costs as a tree, for a flame graph: IPUs, the program's lines from the outermost on, operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/flame/flame_stacks.h"
#include "core/base/ids.h"
#include "core/profile/model_graph.h"
#include "core/profile/source_code.h"

namespace tilescope {

using FlameNodeId = Id<struct FlameNodeTag>;

/// A box of a flame graph. Its children lie below it, side by side from its beginning.
struct FlameNode {
    std::string name;        ///< "forward (model.py:72)", "layer1/0/conv2", "IPU 1"
    FlameNodeId parent;      ///< none for the root
    std::int32_t depth = 0;  ///< 0 for the root
    std::int64_t begin = 0;  ///< the weights to its left
    std::int64_t weight = 0; ///< with everything below it
    std::int64_t self = 0;   ///< that no child has
    SourceFrameId frame;     ///< of a line
    /// The operation, of a box above operations that with the largest weight; none without one.
    OperationId operation;
    ModelNodeId node;               ///< of the same
    std::optional<ModelPhase> pass; ///< with the largest weight; none for waits and control code
};

/// Parents come before children, and a node before the siblings on its right.
struct FlameTree {
    IdVector<FlameNodeId, FlameNode> nodes;
    FlameWeight weight = FlameWeight::Cycles;
    bool lines = false; ///< boxes are lines of the program; else parts of operations' paths

    [[nodiscard]] std::int64_t total() const {
        return nodes.empty() ? 0 : nodes[FlameNodeId(0)].weight;
    }
    /// Empty for a tree without nodes.
    [[nodiscard]] std::vector<FlameNodeId> childrenOf(FlameNodeId node) const;
};

/// Children are sorted by weight. The total is that of Operations: of all IPUs, with what belongs
/// to no operation.
FlameTree flameTree(const ProfileView& profile, FlameWeight weight,
                    const std::stop_token& stop = {});

/// The weight of marked boxes, of those within each other that of the outermost. `marked`: by node.
std::int64_t weightOf(const FlameTree& tree, const std::vector<bool>& marked);

} // namespace tilescope
