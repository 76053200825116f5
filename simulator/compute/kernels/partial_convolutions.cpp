#include "simulator/compute/kernels/partial_convolutions.h"

namespace tilescope::sim {
namespace {

struct ConvSizes {
    const ConvAttributes& conv;
    Shape input, weights, output;

    [[nodiscard]] std::size_t dims() const { return conv.kernel.size(); }
    [[nodiscard]] std::int64_t inChannels() const { return input[1] / conv.groups; }
    [[nodiscard]] std::int64_t outChannels() const { return output[1] / conv.groups; }
    [[nodiscard]] std::int64_t inPlane() const {
        return elementsOf({input.begin() + 2, input.end()});
    }
    [[nodiscard]] std::int64_t outPlane() const {
        return elementsOf({output.begin() + 2, output.end()});
    }
    [[nodiscard]] std::int64_t taps() const { return elementsOf(conv.kernel); }
    [[nodiscard]] Shape outField() const { return {output.begin() + 2, output.end()}; }
};

/// How many elements lie between neighbours of a dimension of a field.
std::int64_t strideOf(const Shape& shape, std::size_t d) {
    return elementsOf({shape.begin() + static_cast<std::ptrdiff_t>(d) + 3, shape.end()});
}

/// Places of the coordinates from `-pad` on in an input.
void placeInput(WindowDim& dim, const ConvSizes& sizes, std::size_t d) {
    const std::int64_t reach =
        (dim.columns - 1) * dim.columnStep + (dim.taps - 1) * dim.tapStep + 1;
    const std::int64_t size = sizes.input[d + 2];
    const std::int64_t pad = sizes.conv.padsBegin[d];
    for (std::int64_t i = 0; i < reach; ++i)
        dim.places.push_back(i - pad >= 0 && i - pad < size ? (i - pad) * strideOf(sizes.input, d)
                                                            : WindowDim::outside);
}

WindowDim forwardDim(const ConvSizes& sizes, std::size_t d) {
    WindowDim dim{sizes.output[d + 2], sizes.conv.kernel[d], sizes.conv.strides[d],
                  sizes.conv.dilations[d]};
    placeInput(dim, sizes, d);
    return dim;
}

/// Columns are the kernel's positions, taps the output's.
WindowDim weightsDim(const ConvSizes& sizes, std::size_t d) {
    WindowDim dim{sizes.conv.kernel[d], sizes.output[d + 2], sizes.conv.dilations[d],
                  sizes.conv.strides[d]};
    placeInput(dim, sizes, d);
    return dim;
}

/// Columns are the input's positions, which meet an output where its stride allows it.
WindowDim inputDim(const ConvSizes& sizes, std::size_t d) {
    const std::int64_t dilation = sizes.conv.dilations[d];
    const std::int64_t stride = sizes.conv.strides[d];
    const std::int64_t before = (sizes.conv.kernel[d] - 1) * dilation;
    WindowDim dim{sizes.input[d + 2], sizes.conv.kernel[d], 1, -dilation, before};
    for (std::int64_t i = 0; i < dim.columns + before; ++i) {
        const std::int64_t at = i - before + sizes.conv.padsBegin[d];
        const bool meets = at >= 0 && at % stride == 0 && at / stride < sizes.output[d + 2];
        dim.places.push_back(meets ? at / stride * strideOf(sizes.output, d) : WindowDim::outside);
    }
    return dim;
}

void multiplyGroups(KernelCall& call, const ConvSizes& sizes, PartialProduct product,
                    const SumOrder& order, std::int64_t aGroup, std::int64_t bGroup,
                    std::int64_t outGroup) {
    const HalfRounding rounding = partialRounding(call.context);
    std::uint64_t key = roundingKey(call.place);
    for (std::int64_t g = 0; g < sizes.conv.groups; ++g) {
        multiplyInParts(product, order, call.partials->stages, rounding, ++key << 8U);
        product.a += aGroup;
        product.b += bGroup;
        product.out += outGroup;
    }
}

} // namespace

HalfRounding partialRounding(const ComputeContext& context) {
    HalfRounding rounding = context.rounding;
    rounding.nanOnOverflow = rounding.nanOnOverflow || context.exceptions.overflow;
    return rounding;
}

void sumInParts(const ConvAttributes& conv, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& input = call.inputs.at(0);
    const TensorData& weights = call.inputs.at(1);
    const ConvSizes sizes{conv, input.shape(), weights.shape(), result.shape()};
    PartialProduct product;
    product.rows = sizes.outChannels();
    product.images = sizes.input[0];
    product.a = weights.reals().data();
    product.b = input.reals().data();
    product.out = result.reals().data();
    product.aRow = sizes.inChannels() * sizes.taps();
    product.aChannel = sizes.taps();
    product.bChannel = sizes.inPlane();
    product.bImage = sizes.input[1] * sizes.inPlane();
    product.outRow = sizes.outPlane();
    product.outImage = sizes.output[1] * sizes.outPlane();
    for (std::size_t d = 0; d < sizes.dims(); ++d)
        product.window.push_back(forwardDim(sizes, d));
    multiplyGroups(call, sizes, product,
                   call.context.sumOrders.of(*call.partials, sizes.inChannels(), conv.kernel),
                   product.rows * product.aRow, sizes.inChannels() * sizes.inPlane(),
                   product.rows * sizes.outPlane());
}

void sumInParts(const ConvGradInputAttributes& gradient, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& ofOutput = call.inputs.at(0);
    const TensorData& weights = call.inputs.at(1);
    const ConvSizes sizes{gradient.conv, result.shape(), weights.shape(), ofOutput.shape()};
    PartialProduct product;
    product.rows = sizes.inChannels();
    product.images = sizes.input[0];
    product.a = weights.reals().data();
    product.b = ofOutput.reals().data();
    product.out = result.reals().data();
    product.aRow = sizes.taps();
    product.aChannel = sizes.inChannels() * sizes.taps();
    product.bChannel = sizes.outPlane();
    product.bImage = sizes.output[1] * sizes.outPlane();
    product.outRow = sizes.inPlane();
    product.outImage = sizes.input[1] * sizes.inPlane();
    for (std::size_t d = 0; d < sizes.dims(); ++d)
        product.window.push_back(inputDim(sizes, d));
    multiplyGroups(
        call, sizes, product,
        call.context.sumOrders.of(*call.partials, sizes.outChannels(), gradient.conv.kernel, true),
        sizes.outChannels() * product.aChannel, sizes.outChannels() * sizes.outPlane(),
        product.rows * sizes.inPlane());
}

void sumInParts(const ConvGradWeightsAttributes& gradient, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& input = call.inputs.at(0);
    const TensorData& ofOutput = call.inputs.at(1);
    const ConvSizes sizes{gradient.conv, input.shape(), result.shape(), ofOutput.shape()};
    PartialProduct product;
    product.rows = sizes.outChannels();
    product.images = sizes.inChannels();
    product.a = ofOutput.reals().data();
    product.b = input.reals().data();
    product.out = result.reals().data();
    product.aRow = sizes.outPlane();
    product.aChannel = sizes.output[1] * sizes.outPlane();
    product.bChannel = sizes.input[1] * sizes.inPlane();
    product.bImage = sizes.inPlane();
    product.outRow = sizes.inChannels() * sizes.taps();
    product.outImage = sizes.taps();
    for (std::size_t d = 0; d < sizes.dims(); ++d)
        product.window.push_back(weightsDim(sizes, d));
    multiplyGroups(call, sizes, product,
                   call.context.sumOrders.of(*call.partials, sizes.input[0], sizes.outField()),
                   product.rows * sizes.outPlane(), sizes.inChannels() * sizes.inPlane(),
                   product.rows * product.outRow);
}

} // namespace tilescope::sim
