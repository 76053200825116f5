// Gradients of operations that only move elements: the way back.
#include "simulator/training/gradient_builder.h"

#include <fmt/format.h>

#include "core/base/error.h"

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

void addGradient(GradientBuilder& b, const SliceAttributes& slice, TensorId gradient) {
    const Op op = b.forward();
    const Shape in = b.shape(op.inputs[0]);
    const Shape out = b.shape(gradient);
    PadAttributes pad;
    for (std::size_t d = 0; d < in.size(); ++d) {
        if (slice.steps[d] != 1)
            throw UserError(fmt::format("operation '{}' slices with a step of {}: it has no "
                                        "gradient in this version; slice with step 1",
                                        op.name, slice.steps[d]));
        pad.padsBegin.push_back(slice.starts[d]);
        pad.padsEnd.push_back(in[d] - slice.starts[d] - out[d]);
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
