// Gradients of operations that only move elements: the reverse movement.
#include "simulator/training/gradient_builder.h"

#include <cstdlib>
#include <optional>

namespace tilescope::sim {
void addGradient(GradientBuilder& b, const TransposeAttributes& transpose, TensorId gradient) {
    std::vector<std::int64_t> inverse(transpose.permutation.size());
    for (std::size_t i = 0; i < inverse.size(); ++i)
        inverse[static_cast<std::size_t>(transpose.permutation[i])] = static_cast<std::int64_t>(i);
    b.contribute(b.forward().inputs[0], b.transposed("TransposeGrad", gradient, inverse));
}

void addGradient(GradientBuilder& b, const ConcatAttributes& concat, TensorId gradient) {
    const Op op = b.forward();
    const auto axis = static_cast<std::size_t>(concat.axis);
    std::int64_t start = 0;
    for (const TensorId operand : op.inputs) {
        const Shape shape = b.shape(operand);
        SliceAttributes slice{std::vector<std::int64_t>(shape.size(), 0),
                              std::vector<std::int64_t>(shape.size(), 1)};
        slice.starts[axis] = start;
        start += shape[axis];
        if (b.wanted(operand))
            b.contribute(operand, b.emit("ConcatGrad", slice, {gradient}, shape));
    }
}

namespace {

/// A gradient's rows in the opposite order along one dimension.
TensorId reversed(GradientBuilder& b, TensorId gradient, std::size_t d) {
    const Shape shape = b.shape(gradient);
    SliceAttributes slice{std::vector<std::int64_t>(shape.size(), 0),
                          std::vector<std::int64_t>(shape.size(), 1)};
    slice.starts[d] = shape[d] - 1;
    slice.steps[d] = -1;
    return b.emit("SliceGrad/reverse", slice, {gradient}, shape);
}

/// Zeros after each row along one dimension, so that rows are `step` apart.
TensorId spread(GradientBuilder& b, TensorId gradient, std::size_t d, std::int64_t step) {
    Shape shape = b.shape(gradient);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, 1);
    const TensorId apart = b.reshaped("SliceGrad/apart", gradient, shape);
    PadAttributes zeros{std::vector<std::int64_t>(shape.size(), 0),
                        std::vector<std::int64_t>(shape.size(), 0)};
    zeros.padsEnd[d + 1] = step - 1;
    shape[d + 1] = step;
    const TensorId padded = b.emit("SliceGrad/zeros", zeros, {apart}, shape);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    shape[d] *= step;
    return b.reshaped("SliceGrad/joined", padded, shape);
}

} // namespace

namespace {

/// The one dimension that a slice without steps cuts; none if it cuts others, too.
std::optional<std::size_t> cutDimension(const SliceAttributes& slice, const Shape& in,
                                        const Shape& out) {
    std::optional<std::size_t> cut;
    for (std::size_t d = 0; d < in.size(); ++d) {
        if (slice.steps[d] != 1)
            return std::nullopt;
        if (in[d] == out[d])
            continue;
        if (cut)
            return std::nullopt;
        cut = d;
    }
    return cut;
}

} // namespace

void addGradient(GradientBuilder& b, const SliceAttributes& slice, TensorId gradient) {
    const Op op = b.forward();
    const Shape in = b.shape(op.inputs[0]);
    if (b.joinsParts())
        if (const auto cut = cutDimension(slice, in, b.shape(gradient)))
            return b.contributePart(op.inputs[0], *cut, slice.starts[*cut], gradient);
    PadAttributes pad;
    for (std::size_t d = 0; d < in.size(); ++d) {
        const std::int64_t rows = b.shape(gradient)[d];
        std::int64_t start = slice.starts[d];
        if (slice.steps[d] < 0) {
            start += (rows - 1) * slice.steps[d];
            gradient = reversed(b, gradient, d);
        }
        const std::int64_t step = std::abs(slice.steps[d]);
        if (step > 1 && rows > 1)
            gradient = spread(b, gradient, d, step);
        pad.padsBegin.push_back(start);
        pad.padsEnd.push_back(in[d] - start - b.shape(gradient)[d]);
    }
    b.contribute(op.inputs[0], b.emit("SliceGrad", pad, {gradient}, in));
}

void addGradient(GradientBuilder& b, const PadAttributes& pad, TensorId gradient) {
    PadAttributes crop;
    for (std::size_t d = 0; d < pad.padsBegin.size(); ++d) {
        crop.padsBegin.push_back(-pad.padsBegin[d]);
        crop.padsEnd.push_back(-pad.padsEnd[d]);
    }
    const TensorId in = b.forward().inputs[0];
    b.contribute(in, b.emit("PadGrad", crop, {gradient}, b.shape(in)));
}

void addGradient(GradientBuilder& b, const ExpandAttributes&, TensorId gradient) {
    const TensorId in = b.forward().inputs[0];
    b.contribute(in, b.reducedTo("ExpandGrad", gradient, b.shape(in)));
}

} // namespace tilescope::sim
