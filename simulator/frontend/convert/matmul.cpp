// Matrix products.
#include <cmath>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

namespace {

void convertMatMul(NodeConverter& node) {
    Shape a = node.shape(0);
    Shape b = node.shape(1);
    if (a.empty() || b.empty())
        NodeConverter::refuse("a scalar is not a matrix");
    if (a.size() == 1)
        a.insert(a.begin(), 1);
    if (b.size() == 1)
        b.push_back(1);
    const TensorId left = node.reshape("rowVector", node.input(0), a);
    const TensorId right = node.reshape("columnVector", node.input(1), b);
    const TensorId product = node.emit("", MatMulAttributes{}, {left, right});
    node.result(node.reshape("vector", product, node.output().shape));
}

/// A factor of 1 costs nothing.
TensorId scaled(NodeConverter& node, const std::string& part, TensorId tensor, double factor) {
    if (factor == 1)
        return tensor;
    if (!isFloating(node.builder().tensor(tensor).type) && factor != std::round(factor))
        node.refuseToCompute("a factor of its whole numbers is a fraction");
    return node.elementwise(part, ElementwiseFunction::Multiply,
                            {tensor, node.scalar(part + "Factor", tensor, factor)});
}

void convertGemm(NodeConverter& node) {
    const Node& onnx = node.node();
    if (node.rank(0) != 2 || node.rank(1) != 2)
        NodeConverter::refuse(fmt::format("operands {} and {} are not matrices",
                                          toString(node.shape(0)), toString(node.shape(1))));
    const MatMulAttributes matmul{onnx.integer("transA", 0) != 0, onnx.integer("transB", 0) != 0};
    TensorId product = node.emit("", matmul, {node.input(0), node.input(1)});
    product = scaled(node, "alpha", product, onnx.real("alpha", 1));
    if (node.has(2)) {
        const TensorId bias = scaled(node, "beta", node.input(2), onnx.real("beta", 1));
        product = node.elementwise("bias", ElementwiseFunction::Add, {product, bias});
    }
    node.result(product);
}

} // namespace

void addMatMulConversions(ConversionTable& table) {
    table["MatMul"] = convertMatMul;
    table["Gemm"] = convertGemm;
}

} // namespace tilescope::sim
