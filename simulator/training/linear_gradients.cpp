// Gradients of convolutions and matrix products: two more products each.
#include "simulator/training/gradient_builder.h"

namespace tilescope::sim {
void addGradient(GradientBuilder& builder, const ConvAttributes& conv, TensorId gradient) {
    const TensorId in = builder.forward().inputs[0];
    const TensorId weights = builder.forward().inputs[1];
    if (builder.wanted(in))
        builder.contribute(in, builder.emit("ConvDataGrad", ConvGradInputAttributes{conv},
                                            {gradient, weights}, builder.shape(in)));
    if (builder.wanted(weights))
        builder.contribute(weights, builder.emit("ConvWeightsGrad", ConvGradWeightsAttributes{conv},
                                                 {in, gradient}, builder.shape(weights)));
}

/// A transposed convolution is the backward pass of a convolution: its own gradients are the
/// forward pass and the weights' gradient with operands exchanged.
void addGradient(GradientBuilder& builder, const ConvGradInputAttributes& transposed,
                 TensorId gradient) {
    const TensorId in = builder.forward().inputs[0];
    const TensorId weights = builder.forward().inputs[1];
    if (builder.wanted(in))
        builder.contribute(in, builder.emit("ConvTransposeDataGrad", transposed.conv,
                                            {gradient, weights}, builder.shape(in)));
    if (builder.wanted(weights))
        builder.contribute(weights, builder.emit("ConvTransposeWeightsGrad",
                                                 ConvGradWeightsAttributes{transposed.conv},
                                                 {gradient, in}, builder.shape(weights)));
}

namespace {

MatMulAttributes product(bool transposeA, bool transposeB, TrainingPass pass) {
    return {transposeA, transposeB, pass};
}

Shape matMulShape(Shape a, Shape b, const MatMulAttributes& product) {
    const std::size_t ra = a.size();
    const std::size_t rb = b.size();
    Shape result = ra >= rb ? a : b;
    // Batch dimensions broadcast against each other.
    for (std::size_t i = 0; i + 2 < result.size(); ++i) {
        const std::size_t fromEnd = result.size() - i;
        const std::int64_t da = fromEnd <= ra ? a[ra - fromEnd] : 1;
        const std::int64_t db = fromEnd <= rb ? b[rb - fromEnd] : 1;
        result[i] = std::max(da, db);
    }
    result[result.size() - 2] = a[ra - (product.transposeA ? 1 : 2)];
    result[result.size() - 1] = b[rb - (product.transposeB ? 2 : 1)];
    return result;
}

TensorId emitProduct(GradientBuilder& builder, const std::string& part, TensorId a, TensorId b,
                     const MatMulAttributes& attributes) {
    return builder.emit(part, attributes, {a, b},
                        matMulShape(builder.shape(a), builder.shape(b), attributes));
}

/// All but the last dimension as one.
TensorId asMatrix(GradientBuilder& builder, const std::string& part, TensorId id) {
    const Shape shape = builder.shape(id);
    const std::int64_t rows = elementsOf({shape.begin(), shape.end() - 1});
    return builder.reshaped(part, id, {rows, shape.back()});
}

} // namespace

void addGradient(GradientBuilder& builder, const MatMulAttributes& forward, TensorId gradient) {
    const TensorId a = builder.forward().inputs[0];
    const TensorId b = builder.forward().inputs[1];
    constexpr TrainingPass backward = TrainingPass::TrainingBackward;
    constexpr TrainingPass update = TrainingPass::TrainingUpdate;
    if (builder.wanted(a)) {
        const TensorId da = forward.transposeA
                                ? emitProduct(builder, "MatMulLhsGrad", b, gradient,
                                              product(forward.transposeB, true, backward))
                                : emitProduct(builder, "MatMulLhsGrad", gradient, b,
                                              product(false, !forward.transposeB, backward));
        builder.contribute(a, builder.reducedTo("MatMulLhsGrad", da, builder.shape(a)));
    }
    if (!builder.wanted(b))
        return;
    // A weight that a whole batch shares: the batch's rows are summed by the product itself.
    const bool shared = builder.shape(b).size() == 2 && builder.shape(a).size() > 2;
    if (shared && !forward.transposeA) {
        const TensorId rows = asMatrix(builder, "MatMulRhsGrad/rows", a);
        const TensorId deltas = asMatrix(builder, "MatMulRhsGrad/deltas", gradient);
        builder.contribute(b, forward.transposeB
                                  ? emitProduct(builder, "MatMulRhsGrad", deltas, rows,
                                                product(true, false, update))
                                  : emitProduct(builder, "MatMulRhsGrad", rows, deltas,
                                                product(true, false, update)));
        return;
    }
    const TensorId db = forward.transposeB
                            ? emitProduct(builder, "MatMulRhsGrad", gradient, a,
                                          product(true, forward.transposeA, update))
                            : emitProduct(builder, "MatMulRhsGrad", a, gradient,
                                          product(!forward.transposeA, false, update));
    builder.contribute(b, builder.reducedTo("MatMulRhsGrad", db, builder.shape(b)));
}

} // namespace tilescope::sim
