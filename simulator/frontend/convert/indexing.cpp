// Operators that choose elements: slices, splits, gathers, and pads.
#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

void convertSlice(NodeConverter& node) {
    const auto starts = node.list("starts", 1);
    const auto ends = node.list("ends", 2);
    const auto axes = node.list("axes", 3);
    const auto steps = node.list("steps", 4);
    if (ends.size() != starts.size() || (!axes.empty() && axes.size() != starts.size()) ||
        (!steps.empty() && steps.size() != starts.size()))
        NodeConverter::refuse("starts, ends, axes and steps differ in length");
    SliceAttributes slice = wholeSlice(node.rank(0));
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis =
            normalizedAxis(axes.empty() ? static_cast<std::int64_t>(i) : axes[i], node.rank(0));
        const SliceRange range =
            sliceRange(node.shape(0)[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
        slice.starts[axis] = range.start;
        slice.steps[axis] = range.step;
    }
    const bool whole =
        node.output().shape == node.shape(0) && slice.steps == wholeSlice(node.rank(0)).steps;
    node.result(whole ? node.input(0) : node.emit("", slice, {node.input(0)}, node.output().shape));
}

void convertSplit(NodeConverter& node) {
    const auto axis = static_cast<std::size_t>(node.axis("axis", 0));
    std::int64_t start = 0;
    for (std::size_t i = 0; i < node.node().outputs.size(); ++i) {
        const Shape& part = node.output(i).shape;
        SliceAttributes slice = wholeSlice(node.rank(0));
        slice.starts[axis] = start;
        start += node.at(part, axis);
        node.result(part == node.shape(0)
                        ? node.input(0)
                        : node.emit(fmt::format("part{}", i), slice, {node.input(0)}, part),
                    i);
    }
}

/// One known row is a view; anything else is a look-up at run time.
void convertGather(NodeConverter& node) {
    const std::int64_t axis = node.axis("axis", 0);
    const Value& rows = node.value(1);
    if (rows.data && rows.data->size() == 1) {
        const auto at = static_cast<std::size_t>(axis);
        Shape one = node.shape(0);
        const std::int64_t row = node.at(rows.data->ints, 0);
        SliceAttributes slice = wholeSlice(node.rank(0));
        slice.starts[at] = row < 0 ? row + one[at] : row;
        one[at] = 1;
        const TensorId part = node.emit("", slice, {node.input(0)}, one);
        return node.result(node.reshape("reshape", part, node.output().shape));
    }
    node.result(node.emit("", GatherAttributes{axis}, {node.input(0), node.input(1)}));
}

/// The padding value: an attribute in older operator sets, an operand in newer ones.
double paddedValue(const NodeConverter& node) {
    constexpr std::size_t operand = 2;
    if (!node.has(operand))
        return node.node().real("value", 0);
    if (!node.value(operand).data || node.constant(operand).size() != 1) {
        node.refuseToCompute("the number that it pads with is only known at run time");
        return 0;
    }
    return node.constant(operand).real(0);
}

void convertPad(NodeConverter& node) {
    const std::string mode = node.node().text("mode", "constant");
    auto pads = node.list("pads", 1);
    if (pads.empty())
        pads = node.node().integers("paddings");
    const std::size_t rank = node.rank(0);
    if (pads.size() != 2 * rank)
        NodeConverter::refuse(fmt::format("{} pads do not fit rank {}", pads.size(), rank));
    if (mode != "constant")
        return convertPadByRows(node, mode, pads);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
    const PadAttributes pad{{pads.begin(), middle}, {middle, pads.end()}, paddedValue(node)};
    const bool nothing =
        std::all_of(pads.begin(), pads.end(), [](std::int64_t size) { return size == 0; });
    node.result(nothing ? node.input(0) : node.emit("", pad, {node.input(0)}));
}

/// The rows that a condition chooses, which is known while compiling.
void convertCompress(NodeConverter& node) {
    const Constant& condition = node.constant(1);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < condition.size(); ++i)
        if (condition.real(i) != 0)
            rows.push_back(static_cast<std::int64_t>(i));
    TensorId x = node.input(0);
    std::size_t axis = 0;
    if (node.node().has("axis"))
        axis = static_cast<std::size_t>(node.axis("axis", 0));
    else
        x = node.reshape("flat", x, {elementsOf(node.shape(0))});
    if (rows.empty() || rows.back() >= node.shapeOf(x)[axis])
        NodeConverter::refuse("its condition selects no rows, or rows that do not exist");
    node.result(selectRows(node, "rows", x, axis, rows));
}

} // namespace

void addIndexConversions(ConversionTable& table) {
    table["Slice"] = convertSlice;
    table["Split"] = convertSplit;
    table["Gather"] = convertGather;
    table["Pad"] = convertPad;
    table["Compress"] = convertCompress;
}

} // namespace tilescope::sim
