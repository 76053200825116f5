#include "simulator/frontend/resolve/rebatch.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace tilescope::sim {

namespace {

void checkAxis(std::int64_t axis, std::size_t rank, const std::string& what) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (axis < -limit || axis > limit)
        throw std::invalid_argument(
            fmt::format("{} {} lies outside of a tensor of rank {}", what, axis, rank));
}

/// The list in an attribute or in a constant operand; empty where neither is there.
std::vector<std::int64_t> listOf(const Node& node, const std::string& attribute,
                                 const OperandValues& operands, std::size_t position) {
    if (position < operands.size() && operands[position] != nullptr && operands[position]->data)
        return operands[position]->data->ints;
    return node.integers(attribute);
}

void guardAxes(const Node& node, const OperandValues& operands, std::size_t rank) {
    const std::size_t position = node.type == "Slice" ? 3 : 1;
    const bool asOperand = node.type == "Slice" || node.type == "Squeeze" ||
                           node.type == "Unsqueeze" || node.type.starts_with("Reduce");
    const auto axes = asOperand ? listOf(node, "axes", operands, position) : node.integers("axes");
    // Unsqueeze counts in the rank of its result.
    const std::size_t counted = node.type == "Unsqueeze" ? rank + axes.size() : rank;
    for (const std::int64_t axis : axes)
        checkAxis(axis, counted, "axis");
    if (node.has("axis"))
        checkAxis(node.integer("axis", 0), rank, "axis");
}

void guardPermutation(const Node& node, std::size_t rank) {
    const auto permutation = node.integers("perm");
    const bool outside = std::any_of(permutation.begin(), permutation.end(), [&](std::int64_t d) {
        return d < 0 || d >= static_cast<std::int64_t>(rank);
    });
    if (!permutation.empty() && (permutation.size() != rank || outside))
        throw std::invalid_argument(fmt::format("attribute 'perm' is {} for a tensor of rank {}",
                                                toString(permutation), rank));
}

/// Divisors and factors of sizes: beyond this they are damage, and products would overflow.
constexpr std::int64_t largestStep = std::int64_t{1} << 31;

void checkStep(std::int64_t value, std::int64_t least, std::string_view attribute) {
    if (value < least || value > largestStep)
        throw std::invalid_argument(fmt::format("attribute '{}' cannot be {}", attribute, value));
}

/// Every list of a window has a value per spatial dimension, pads two.
void guardWindow(const Node& node, std::size_t rank) {
    if (rank < 3)
        throw std::invalid_argument("its input has no spatial dimension");
    const std::size_t dims = rank - 2;
    for (const char* attribute :
         {"kernel_shape", "strides", "dilations", "pads", "output_padding", "output_shape"}) {
        const auto values = node.integers(attribute);
        const std::size_t count = values.size();
        const bool pads = std::string_view(attribute) == "pads";
        const bool zeros = std::string_view(attribute) == "output_padding";
        const std::size_t expected = pads ? 2 * dims : dims;
        for (const std::int64_t value : values)
            checkStep(value, pads ? -largestStep : zeros ? 0 : 1, attribute);
        if (count != 0 && count != expected)
            throw std::invalid_argument(fmt::format("attribute '{}' has {} values where {} belong",
                                                    attribute, count, expected));
    }
}

void requireRank(const OperandValues& operands, std::size_t i, std::size_t least) {
    if (i < operands.size() && operands[i] != nullptr && operands[i]->shape.size() < least)
        throw std::invalid_argument(fmt::format("its operand {} of shape {} needs rank {}", i,
                                                toString(operands[i]->shape), least));
}

/// Filters have as many dimensions as their input.
void guardFilters(const Node& node, const OperandValues& operands) {
    const bool conv =
        node.type == "Conv" || node.type == "ConvTranspose" || node.type == "ConvInteger";
    const std::size_t filters = conv ? 1 : 3;
    if (!conv && node.type != "QLinearConv")
        return;
    requireRank(operands, filters, 3);
    if (filters < operands.size() && operands[filters] != nullptr &&
        operands[filters]->shape.size() != operands[0]->shape.size())
        throw std::invalid_argument(
            fmt::format("its filters of shape {} do not have the rank of its input of shape {}",
                        toString(operands[filters]->shape), toString(operands[0]->shape)));
}

/// Operands with a value per dimension: their length becomes a rank, and inference allocates it.
void guardLengths(const Node& node, const OperandValues& operands) {
    static constexpr std::array perDimension{"Reshape", "Expand",          "Tile",    "Slice",
                                             "Pad",     "ConstantOfShape", "Squeeze", "Unsqueeze",
                                             "Resize",  "Upsample"};
    constexpr std::int64_t maxRank = 64;
    if (std::find(perDimension.begin(), perDimension.end(), node.type) == perDimension.end())
        return;
    for (std::size_t i = node.type == "ConstantOfShape" ? 0 : 1; i < operands.size(); ++i) {
        if (operands[i] != nullptr && elementsOf(operands[i]->shape) > maxRank * 2)
            throw std::invalid_argument(
                fmt::format("its operand {} of shape {} implies more than {} "
                            "dimensions",
                            i, toString(operands[i]->shape), maxRank));
    }
}

void guardRanks(const Node& node, const OperandValues& operands) {
    if (node.type == "Gemm") {
        requireRank(operands, 0, 2);
        requireRank(operands, 1, 2);
    }
    guardFilters(node, operands);
    if (node.type == "GatherND" &&
        (node.integer("batch_dims", 0) < 0 ||
         node.integer("batch_dims", 0) >= static_cast<std::int64_t>(operands[0]->shape.size())))
        throw std::invalid_argument("attribute 'batch_dims' lies outside of its input's rank");
    if (node.type == "DepthToSpace" || node.type == "SpaceToDepth")
        requireRank(operands, 0, 4);
    if (node.type.starts_with("Global") || node.type.ends_with("Normalization"))
        requireRank(operands, 0, 1);
    for (const char* type : {"Reshape", "Expand", "Tile", "Slice", "Pad"}) {
        for (std::size_t i = 1; node.type == type && i < 3 && i < operands.size(); ++i)
            requireRank(operands, i, node.type == "Pad" && i == 2 ? 0 : 1);
    }
}

} // namespace

void guardInference(const Node& node, const OperandValues& operands) {
    guardLengths(node, operands);
    if (operands.empty() || operands[0] == nullptr)
        return;
    const std::size_t rank = operands[0]->shape.size();
    guardRanks(node, operands);
    guardAxes(node, operands, rank);
    guardPermutation(node, rank);
    static constexpr std::array windows{"Conv",        "MaxPool",     "AveragePool",
                                        "ConvInteger", "QLinearConv", "ConvTranspose"};
    if (std::find(windows.begin(), windows.end(), node.type) != windows.end())
        guardWindow(node, rank);
    constexpr std::int64_t largestBlock = 1 << 15; // whose square is a step
    if (node.has("blocksize") && node.integer("blocksize", 0) > largestBlock)
        throw std::invalid_argument(
            fmt::format("attribute 'blocksize' cannot be {}", node.integer("blocksize", 0)));
}

} // namespace tilescope::sim
