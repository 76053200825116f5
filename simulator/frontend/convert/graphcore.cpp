// The operators that PopART adds to ONNX (domain ai.graphcore; PopART's Python API lists them).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"
#include "simulator/frontend/resolve/own_shapes.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

void convertNop(NodeConverter& node) {
    node.result(node.input(0));
}

/// The present value of a variable, whatever overwrites it later.
void convertReadVariable(NodeConverter& node) {
    const TensorId copy = node.elementwise("", Copy, {node.input(0)});
    node.builder().hintRecompute(copy, node.node());
    node.result(copy);
}

void convertCopyVarUpdate(NodeConverter& node) {
    if (node.shape(0) != node.shape(1))
        NodeConverter::refuse(fmt::format("a variable of shape {} cannot be overwritten by {}",
                                          toString(node.shape(0)), toString(node.shape(1))));
    const TensorId variable = node.input(0);
    const TensorId value = node.cast("value", node.input(1), node.builder().tensor(variable).type);
    node.result(node.elementwise("", Assign, {variable, value}));
}

/// Stops the gradient (PopART popx DetachOpx: a copy); removed in inference.
void convertDetach(NodeConverter& node) {
    node.result(node.builder().isTraining() ? node.elementwise("", Detach, {node.input(0)})
                                            : node.input(0));
}

/// The value goes to the host each time, which is not simulated.
void convertPrintTensor(NodeConverter& node) {
    node.builder().count("PrintTensor", "skipped: printing is not simulated");
    node.result(node.input(0));
}

void convertScale(NodeConverter& node) {
    const TensorId x = node.input(0);
    const double scale = node.node().real("scale", 1);
    if (!isFloating(node.builder().tensor(x).type) && scale != std::round(scale))
        node.refuseToCompute("it scales whole numbers by a fraction");
    node.result(node.elementwise("", Multiply, {x, node.scalar("scale", x, scale)}));
}

void convertSubsample(NodeConverter& node) {
    const Shape& to = node.output().shape;
    TensorId x = node.input(0);
    SliceAttributes slice = wholeSlice(to.size());
    slice.steps = node.node().integers("strides");
    node.result(to == node.shape(0) ? x : node.emit("", slice, {x}, to));
}

void convertReverse(NodeConverter& node) {
    const Shape& shape = node.shape(0);
    SliceAttributes slice = wholeSlice(shape.size());
    for (const std::int64_t dim : node.node().integers("dimensions")) {
        const std::size_t d = normalizedAxis(dim, shape.size());
        slice.starts[d] = shape[d] - 1;
        slice.steps[d] = -1;
    }
    node.result(node.emit("", slice, {node.input(0)}, shape));
}

/// Numbers of the rows of a slice whose start is only known at run time.
TensorId slicedRows(NodeConverter& node, std::size_t which, std::int64_t size) {
    const Shape& shape = node.shape(1);
    TensorId start = node.cast("index", node.input(1), DataType::Int32);
    if (elementsOf(shape) > 1)
        start = rowsFrom(node, fmt::format("index{}", which),
                         node.reshape("indices", start, {elementsOf(shape)}), 0,
                         static_cast<std::int64_t>(which), 1);
    start = node.reshape(fmt::format("start{}", which), start, {1});
    if (size == 1)
        return start;
    return node.elementwise(
        fmt::format("rows{}", which), Add,
        {start, indexConstant(node, fmt::format("offsets{}", which), {size}, elementNumber)});
}

/// A slice at a place that is known at run time: PopLibs' dynamicSlice of several rows is taken for
/// a look-up of each (popops::multiSlice; *assumed*).
void convertDynamicSlice(NodeConverter& node) {
    const auto axes = node.node().integers("axes");
    const auto sizes = node.node().integers("sizes");
    TensorId x = node.input(0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::int64_t>(normalizedAxis(axes[i], node.rank(0)));
        x = node.emit(fmt::format("dim{}", axis), GatherAttributes{axis},
                      {x, slicedRows(node, i, sizes[i])});
    }
    node.result(x);
}

/// Replaces rows of a copy of the data, or sets them to zero, or adds to them.
void updateRows(NodeConverter& node, UpdateFunction function, bool zeros) {
    const auto axes = node.node().integers("axes");
    const auto sizes = node.node().integers("sizes");
    if (axes.size() != 1)
        NodeConverter::refuse("it updates a slice of several dimensions; only one is supported");
    const std::size_t axis = normalizedAxis(axes[0], node.rank(0));
    auto order = axesFrom(0, node.rank(0));
    std::swap(order[0], order[axis]);
    const auto rowsFirst = [&](const std::string& part, TensorId x) {
        return axis == 0 ? x : node.emit(part, TransposeAttributes{order}, {x});
    };
    const TensorId copy = rowsFirst("transpose", node.elementwise("data", Copy, {node.input(0)}));
    const Shape moved = node.shapeOf(copy);
    const Shape asTable{moved[0], elementsOf(moved) / moved[0]};
    const Shape flat{sizes[0], asTable[1]};
    const TensorId table = node.reshape("table", copy, asTable);
    const DataType type = node.builder().tensor(copy).type;
    const TensorId rows = zeros ? node.builder().addOp(node.node(), node.node().name + "/zero",
                                                       FillAttributes{}, {}, flat, type)
                                : node.reshape("updates", rowsFirst("rows", node.input(2)), flat);
    const TensorId updated = node.emit("", MultiUpdateAttributes{0, function},
                                       {table, slicedRows(node, 0, sizes[0]), rows});
    node.result(rowsFirst("back", node.reshape("reshape", updated, moved)));
}

void convertShapedDropout(NodeConverter& node) {
    if (node.builder().isTraining() && node.node().integers("shape") != node.shape(0))
        node.refuseToCompute("its mask is smaller than its operand");
    if (node.builder().isTraining())
        return node.result(
            node.elementwise("", Dropout, {node.input(0)}, node.node().real("ratio", 0.5)));
    node.result(node.input(0));
}

TensorId reducedTerms(NodeConverter& node, TensorId terms) {
    const std::string reduction = graphcoreReduction(node.node());
    if (reduction == "none" || node.shapeOf(terms).empty())
        return terms;
    const ReduceFunction function =
        reduction == "mean" ? ReduceFunction::Mean : ReduceFunction::Add;
    return node.emit("reduce",
                     ReduceAttributes{function, axesFrom(0, node.shapeOf(terms).size()), false},
                     {terms});
}

void convertIdentityLoss(NodeConverter& node) {
    node.result(reducedTerms(node, node.input(0)));
}

void convertL1(NodeConverter& node) {
    const TensorId sizes = node.elementwise("abs", Abs, {node.input(0)});
    const TensorId lambda = node.scalar("lambda", sizes, node.node().real("lambda", 1));
    const TensorId scaled = node.elementwise("", Multiply, {sizes, lambda});
    node.result(reducedTerms(node, scaled));
}

} // namespace

void addGraphcoreConversions(ConversionTable& table) {
    const std::string domain = "ai.graphcore.";
    table[domain + "Nop"] = convertNop;
    table[domain + "Detach"] = convertDetach;
    table[domain + "ReadVariable"] = convertReadVariable;
    table[domain + "CopyVarUpdate"] = convertCopyVarUpdate;
    table[domain + "PrintTensor"] = convertPrintTensor;
    table[domain + "Scale"] = convertScale;
    table[domain + "Subsample"] = convertSubsample;
    table[domain + "Reverse"] = convertReverse;
    table[domain + "DynamicSlice"] = convertDynamicSlice;
    table[domain + "DynamicUpdate"] = [](NodeConverter& node) {
        updateRows(node, UpdateFunction::Set, false);
    };
    table[domain + "DynamicAdd"] = [](NodeConverter& node) {
        updateRows(node, UpdateFunction::Add, false);
    };
    table[domain + "DynamicZero"] = [](NodeConverter& node) {
        updateRows(node, UpdateFunction::Set, true);
    };
    table[domain + "ShapedDropout"] = convertShapedDropout;
    table[domain + "IdentityLoss"] = convertIdentityLoss;
    table[domain + "L1"] = convertL1;
    table[domain + "GeluErf"] = [](NodeConverter& node) {
        node.result(node.elementwise("", Gelu, {node.input(0)}, 1));
    };
    table[domain + "Fmod"] = [](NodeConverter& node) {
        node.result(node.elementwise("", Remainder, {node.input(0), node.input(1)}, 1));
    };
    const std::vector<std::pair<const char*, ElementwiseFunction>> unary{
        {"Gelu", Gelu},   {"Swish", Swish}, {"Round", Round},          {"NearbyInt", Round},
        {"Expm1", Expm1}, {"Log1p", Log1p}, {"BitwiseNot", BitwiseNot}};
    for (const auto& [name, function] : unary)
        table[domain + name] = [function = function](NodeConverter& node) {
            node.result(node.elementwise("", function, {node.input(0)}));
        };
    const std::vector<std::pair<const char*, ElementwiseFunction>> binary{
        {"Atan2", Atan2},         {"Remainder", Remainder},   {"BitwiseAnd", BitwiseAnd},
        {"BitwiseOr", BitwiseOr}, {"BitwiseXor", BitwiseXor}, {"BitwiseXnor", BitwiseXnor}};
    for (const auto& [name, function] : binary)
        table[domain + name] = [function = function](NodeConverter& node) {
            node.result(node.elementwise("", function, {node.input(0), node.input(1)}));
        };
}

} // namespace tilescope::sim
