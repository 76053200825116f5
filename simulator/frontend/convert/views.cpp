// Operators that rename elements: reshapes, transposes and joins.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

namespace {

/// Passes an annotation about recomputation on to the operation that makes the operand.
void convertIdentity(NodeConverter& node) {
    node.builder().hintRecompute(node.input(0), node.node());
    node.result(node.input(0));
}

/// Flatten, Squeeze, Unsqueeze and Reshape differ only in how they specify the shape.
void convertReshape(NodeConverter& node) {
    node.result(node.reshape("", node.input(0), node.output().shape));
}

void convertTranspose(NodeConverter& node) {
    auto permutation = node.node().integers("perm");
    if (permutation.empty()) {
        permutation.resize(node.rank(0));
        std::iota(permutation.rbegin(), permutation.rend(), 0);
    }
    node.result(node.emit("", TransposeAttributes{permutation}, {node.input(0)}));
}

void convertConcat(NodeConverter& node) {
    const auto inputs = node.allInputs();
    // The axis may be omitted in the first operator sets.
    const std::int64_t axis = node.axis("axis", node.node().opset < 4 ? 1 : 0);
    node.result(inputs.size() == 1 ? inputs[0] : node.emit("", ConcatAttributes{axis}, inputs));
}

void convertExpand(NodeConverter& node) {
    const Shape& shape = node.output().shape;
    node.result(node.shape(0) == shape ? node.input(0)
                                       : node.emit("", ExpandAttributes{}, {node.input(0)}, shape));
}

void convertTile(NodeConverter& node) {
    constexpr std::int64_t maxCopies = 65536;
    TensorId tensor = node.input(0);
    const Shape& to = node.output().shape;
    for (std::size_t d = 0; d < to.size(); ++d) {
        const std::int64_t copies = to[d] / std::max<std::int64_t>(node.at(node.shape(0), d), 1);
        if (copies > maxCopies)
            NodeConverter::refuse(fmt::format("{} copies are too many", copies));
        if (copies > 1)
            tensor = node.emit("", ConcatAttributes{static_cast<std::int64_t>(d)},
                               std::vector(static_cast<std::size_t>(copies), tensor));
    }
    node.result(tensor);
}

/// Exchanges blocks of depth and of space: a transpose between two reshapes.
void rearrange(NodeConverter& node, const Shape& split, std::vector<std::int64_t> permutation) {
    const TensorId blocks = node.reshape("split", node.input(0), split);
    const TensorId moved = node.emit("", TransposeAttributes{std::move(permutation)}, {blocks});
    node.result(node.reshape("join", moved, node.output().shape));
}

void convertDepthToSpace(NodeConverter& node) {
    const std::int64_t block = node.node().integer("blocksize", 0);
    const Shape& x = node.shape(0);
    constexpr std::int64_t largestBlock = 1 << 15; // whose square does not overflow
    if (x.size() != 4 || block < 1 || block > largestBlock || x[1] % (block * block) != 0)
        NodeConverter::refuse(fmt::format("blocks of {} do not fit {}", block, toString(x)));
    const std::int64_t depth = x[1] / (block * block);
    if (node.node().text("mode", "DCR") == "CRD")
        rearrange(node, {x[0], depth, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
    else
        rearrange(node, {x[0], block, block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
}

void convertSpaceToDepth(NodeConverter& node) {
    const std::int64_t block = node.node().integer("blocksize", 0);
    const Shape& x = node.shape(0);
    if (x.size() != 4 || block < 1 || x[2] % block != 0 || x[3] % block != 0)
        NodeConverter::refuse(fmt::format("blocks of {} do not fit {}", block, toString(x)));
    rearrange(node, {x[0], x[1], x[2] / block, block, x[3] / block, block}, {0, 3, 5, 1, 2, 4});
}

} // namespace

void addViewConversions(ConversionTable& table) {
    table["Identity"] = convertIdentity;
    table["Reshape"] = convertReshape;
    table["Flatten"] = convertReshape;
    table["Squeeze"] = convertReshape;
    table["Unsqueeze"] = convertReshape;
    table["Transpose"] = convertTranspose;
    table["Concat"] = convertConcat;
    table["Expand"] = convertExpand;
    table["Tile"] = convertTile;
    table["DepthToSpace"] = convertDepthToSpace;
    table["SpaceToDepth"] = convertSpaceToDepth;
}

} // namespace tilescope::sim
