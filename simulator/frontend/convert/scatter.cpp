// Operators that read or write elements whose places are only known at run time: look-ups in and
// updates of a table, as popops::multiSlice and multiUpdate do them. Where an index names an
// element or a block of several dimensions, places are first made numbers of rows (PopART
// popx/op/scatterutilx: linearised indices). Negative indices count from the end in ONNX; PopART
// takes them for positive ones, so that only a graph that is computed looks for them.
#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Elements between neighbours of a dimension.
std::int64_t strideOf(const Shape& shape, std::size_t d) {
    return elementsOf({shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, shape.end()});
}

TensorId asIndices(NodeConverter& node, TensorId indices) {
    return node.cast("indices", indices, DataType::Int32);
}

/// Indices counted from the front. `sizes`: of the dimensions that an index addresses, whose
/// elements are along the last dimension of the indices where there are several.
TensorId fromFront(NodeConverter& node, TensorId indices, const Shape& sizes) {
    if (!node.builder().keepsValues())
        return indices;
    const auto rows = static_cast<std::int64_t>(sizes.size());
    const TensorId size = sizes.size() == 1
                              ? node.scalar("size", indices, static_cast<double>(sizes[0]))
                              : indexConstant(node, "sizes", {rows}, [&](std::int64_t i) {
                                    return static_cast<double>(sizes[static_cast<std::size_t>(i)]);
                                });
    const TensorId zero = node.scalar("zero", indices, 0);
    const TensorId fromEnd = node.elementwise("fromEnd", Less, {indices, zero});
    const TensorId moved = node.elementwise("moved", Add, {indices, size});
    return node.elementwise("fromFront", Select, {fromEnd, moved, indices});
}

/// Indices along one axis of `data`, one for each element of the indices, as element numbers.
TensorId elementNumbers(NodeConverter& node, const Shape& data, TensorId indices,
                        std::size_t axis) {
    const Shape shape = node.shapeOf(indices);
    TensorId numbers = fromFront(node, asIndices(node, indices), {data[axis]});
    if (const std::int64_t stride = strideOf(data, axis); stride > 1)
        numbers = node.elementwise(
            "linear/mul", Multiply,
            {numbers, node.scalar("stride", numbers, static_cast<double>(stride))});
    const bool alone = elementsOf(shape) == shape[axis];
    if (!alone) {
        // Where the other dimensions of the element are in `data`.
        const auto offset = [&](std::int64_t i) {
            std::int64_t sum = 0;
            for (std::size_t d = shape.size(); d-- > 0; i /= shape[d])
                sum += d == axis ? 0 : i % shape[d] * strideOf(data, d);
            return static_cast<double>(sum);
        };
        numbers = node.elementwise("linear/add", Add,
                                   {numbers, indexConstant(node, "linear/offsets", shape, offset)});
    }
    return node.reshape("linear", numbers, {elementsOf(shape)});
}

std::size_t elementAxis(const NodeConverter& node) {
    if (node.rank(0) == 0 || node.rank(1) != node.rank(0))
        NodeConverter::refuse(fmt::format("indices {} do not have the rank of {}",
                                          toString(node.shape(1)), toString(node.shape(0))));
    return static_cast<std::size_t>(node.axis("axis", 0));
}

void convertGatherElements(NodeConverter& node) {
    const std::size_t axis = elementAxis(node);
    const Shape data = node.shape(0);
    const TensorId table = node.reshape("table", node.input(0), {elementsOf(data), 1});
    const TensorId numbers = elementNumbers(node, data, node.input(1), axis);
    const TensorId found = node.emit("", GatherAttributes{0}, {table, numbers});
    node.result(node.reshape("reshape", found, node.output().shape));
}

UpdateFunction updateFunctionOf(const NodeConverter& node) {
    const std::string reduction = node.node().text("reduction", "none");
    if (reduction == "none")
        return UpdateFunction::Set;
    if (reduction == "add")
        return UpdateFunction::Add;
    if (reduction == "mul")
        return UpdateFunction::Multiply;
    if (reduction != "max")
        NodeConverter::refuse(fmt::format("reduction '{}' is not supported, only 'none', 'add', "
                                          "'mul' and 'max'",
                                          reduction));
    return UpdateFunction::Max;
}

/// Rows of a copy of the data are overwritten or added to: others may still read the data.
TensorId updated(NodeConverter& node, const Shape& asTable, TensorId numbers, TensorId rows) {
    const TensorId copy = node.elementwise("data", Copy, {node.input(0)});
    const TensorId table = node.reshape("table", copy, asTable);
    const std::int64_t count = elementsOf(node.shapeOf(numbers));
    Shape flat = asTable;
    flat[0] = count;
    return node.emit("", MultiUpdateAttributes{0, updateFunctionOf(node)},
                     {table, numbers, node.reshape("updates", rows, flat)});
}

void convertScatterElements(NodeConverter& node) {
    const std::size_t axis = elementAxis(node);
    const Shape data = node.shape(0);
    const TensorId numbers = elementNumbers(node, data, node.input(1), axis);
    const TensorId table = updated(node, {elementsOf(data), 1}, numbers, node.input(2));
    node.result(node.reshape("reshape", table, data));
}

/// Indices of `depth` leading dimensions each, after `batch` dimensions that data and indices
/// share, as numbers of rows.
TensorId rowNumbers(NodeConverter& node, const Shape& data, std::size_t batch) {
    const Shape indices = node.shape(1);
    if (indices.empty() || batch + static_cast<std::size_t>(indices.back()) > data.size() ||
        batch >= indices.size())
        NodeConverter::refuse(fmt::format("indices {} exceed the dimensions of {}",
                                          toString(indices), toString(data)));
    const auto depth = static_cast<std::size_t>(indices.back());
    const Shape places(indices.begin(), indices.end() - 1);
    const auto named = data.begin() + static_cast<std::ptrdiff_t>(batch);
    const Shape sizes(named, named + static_cast<std::ptrdiff_t>(depth));
    TensorId numbers = fromFront(node, asIndices(node, node.input(1)), sizes);
    if (depth > 1) {
        const auto stride = [&](std::int64_t i) {
            return static_cast<double>(strideOf(sizes, static_cast<std::size_t>(i)));
        };
        numbers =
            node.elementwise("linear/mul", Multiply,
                             {numbers, indexConstant(node, "linear/strides",
                                                     {static_cast<std::int64_t>(depth)}, stride)});
        numbers = node.emit("linear/sum",
                            ReduceAttributes{ReduceFunction::Add,
                                             {static_cast<std::int64_t>(indices.size()) - 1},
                                             false},
                            {numbers});
    }
    if (batch > 0) {
        numbers = node.reshape("linear/places", numbers, places);
        Shape offsets(places.size(), 1);
        std::copy_n(places.begin(), batch, offsets.begin());
        const auto block = static_cast<double>(elementsOf(sizes));
        numbers = node.elementwise(
            "linear/batch", Add,
            {numbers, indexConstant(node, "linear/offsets", offsets, [&](std::int64_t i) {
                 return static_cast<double>(i) * block;
             })});
    }
    return node.reshape("linear", numbers, {elementsOf(places)});
}

/// [dimensions that indices address, dimensions of a row], each joined into one.
Shape tableShape(const Shape& data, std::size_t named) {
    const auto middle = data.begin() + static_cast<std::ptrdiff_t>(named);
    return {elementsOf({data.begin(), middle}), elementsOf({middle, data.end()})};
}

void convertGatherNd(NodeConverter& node) {
    const Shape data = node.shape(0);
    const auto batch = static_cast<std::size_t>(node.node().integer("batch_dims", 0));
    const TensorId numbers = rowNumbers(node, data, batch);
    const auto named = batch + static_cast<std::size_t>(node.shape(1).back());
    const TensorId table = node.reshape("table", node.input(0), tableShape(data, named));
    const TensorId rows = node.emit("", GatherAttributes{0}, {table, numbers});
    node.result(node.reshape("reshape", rows, node.output().shape));
}

void convertScatterNd(NodeConverter& node) {
    const Shape data = node.shape(0);
    const TensorId numbers = rowNumbers(node, data, 0);
    const auto named = static_cast<std::size_t>(node.shape(1).back());
    const TensorId table = updated(node, tableShape(data, named), numbers, node.input(2));
    node.result(node.reshape("reshape", table, data));
}

/// Moves the last axis to `axis`.
TensorId lastTo(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis) {
    const std::size_t rank = node.shapeOf(x).size();
    if (axis + 1 == rank)
        return x;
    auto order = axesFrom(0, rank - 1);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(axis),
                 static_cast<std::int64_t>(rank) - 1);
    return node.emit(part, TransposeAttributes{std::move(order)}, {x});
}

/// Classes [...] as [..., classes] of zeros and ones.
TensorId encoded(NodeConverter& node, const std::string& part, TensorId classes, std::int64_t count,
                 DataType type) {
    Shape column = node.shapeOf(classes);
    column.push_back(1);
    const TensorId labels = node.reshape(part + "/labels", classes, column);
    column.back() = count;
    return node.builder().addOp(node.node(), node.node().name + "/" + part,
                                ElementwiseAttributes{OneHot}, {labels}, column, type);
}

void convertOneHot(NodeConverter& node) {
    const Shape to = node.output().shape;
    const std::size_t axis = normalizedAxis(node.node().integer("axis", -1), to.size());
    const DataType type = node.builder().deviceType(node.value(2).type);
    TensorId y = encoded(node, "oneHot", asIndices(node, node.input(0)), to[axis], type);
    y = lastTo(node, "transpose", y, axis);
    const auto& values = node.value(2).data;
    const bool plain =
        values && values->size() == 2 && values->real(0) == 0 && values->real(1) == 1;
    if (!plain) {
        if (node.shape(2) != Shape{2})
            NodeConverter::refuse("its values are not a pair");
        const TensorId off = rowsFrom(node, "off", node.input(2), 0, 0, 1);
        const TensorId on = rowsFrom(node, "on", node.input(2), 0, 1, 1);
        const TensorId step = node.elementwise("step", Subtract, {on, off});
        y = node.elementwise("scale", Multiply, {y, step});
        y = node.elementwise("shift", Add, {y, off});
    }
    node.result(y);
}

/// One-hot encoding of the index of the greatest element.
void convertHardmax(NodeConverter& node) {
    const Shape shape = node.shape(0);
    TensorId x = node.input(0);
    const bool oneAxis = node.node().opset >= 13;
    auto axis = static_cast<std::size_t>(node.axis("axis", oneAxis ? -1 : 1));
    if (!oneAxis) {
        x = node.reshape("rows", x, tableShape(shape, axis));
        axis = 1;
    }
    const std::int64_t size = node.shapeOf(x)[axis];
    const TensorId best = node.emit(
        "argMax",
        ReduceAttributes{ReduceFunction::ArgMax, {static_cast<std::int64_t>(axis)}, false}, {x});
    const TensorId y = encoded(node, "oneHot", best, size, node.builder().tensor(x).type);
    node.result(node.reshape("reshape", lastTo(node, "transpose", y, axis), shape));
}

/// Reverses the first steps of each sequence, as many as its length: a look-up of rows whose
/// numbers follow from the lengths.
void convertReverseSequence(NodeConverter& node) {
    const Shape shape = node.shape(0);
    const std::int64_t batchAxis = node.node().integer("batch_axis", 1);
    if (shape.size() < 2 || (batchAxis != 0 && batchAxis != 1) ||
        node.node().integer("time_axis", 0) != 1 - batchAxis)
        NodeConverter::refuse("batch and time are not its first two dimensions");
    auto order = axesFrom(0, shape.size());
    std::swap(order[0], order[static_cast<std::size_t>(batchAxis)]);
    TensorId x = node.input(0);
    if (batchAxis != 0)
        x = node.emit("byBatch", TransposeAttributes{order}, {x});
    const Shape byBatch = node.shapeOf(x);
    const TensorId lengths =
        node.reshape("lengths", asIndices(node, node.input(1)), {byBatch[0], 1});
    const TensorId steps = indexConstant(node, "steps", {1, byBatch[1]}, elementNumber);
    const TensorId last =
        node.elementwise("last", Subtract, {lengths, node.scalar("one", lengths, 1)});
    const TensorId reversed = node.elementwise("reversed", Subtract, {last, steps});
    const TensorId inside = node.elementwise("inside", Less, {steps, lengths});
    TensorId rows = node.elementwise("rows", Select, {inside, reversed, steps});
    const TensorId offsets = indexConstant(node, "offsets", {byBatch[0], 1}, [&](std::int64_t i) {
        return static_cast<double>(i * byBatch[1]);
    });
    rows = node.elementwise("linear", Add, {rows, offsets});
    rows = node.reshape("numbers", rows, {byBatch[0] * byBatch[1]});
    const TensorId table = node.reshape("table", x, tableShape(byBatch, 2));
    TensorId y = node.emit("", GatherAttributes{0}, {table, rows});
    y = node.reshape("reshape", y, byBatch);
    node.result(batchAxis != 0 ? node.emit("byTime", TransposeAttributes{order}, {y}) : y);
}

} // namespace

void addScatterConversions(ConversionTable& table) {
    table["GatherElements"] = convertGatherElements;
    table["GatherND"] = convertGatherNd;
    table["ScatterElements"] = convertScatterElements;
    table["Scatter"] = convertScatterElements;
    table["ScatterND"] = convertScatterNd;
    table["OneHot"] = convertOneHot;
    table["Hardmax"] = convertHardmax;
    table["ReverseSequence"] = convertReverseSequence;
}

} // namespace tilescope::sim
