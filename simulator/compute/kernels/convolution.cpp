// Convolutions and their gradients, by oneDNN.
#include <algorithm>

#include "simulator/compute/kernels/elementwise_loops.h"
#include "simulator/compute/kernels/moved_elements.h"
#include "simulator/compute/kernels/onednn.h"
#include "simulator/compute/kernels/partial_convolutions.h"

namespace tilescope::sim {
namespace {

using Library = ComputeContext::Library;
using Dims = dnnl::memory::dims;

enum class ConvPart : std::int64_t { Forward, GradInput, GradWeights };

/// A convolution's three tensors, whichever of them is computed, and its window.
struct ConvShapes {
    const ConvAttributes& conv;
    Shape input, weights, output;

    [[nodiscard]] Library::Signature signature(ConvPart part) const {
        Library::Signature all{static_cast<std::int64_t>(part), conv.groups};
        for (const auto* list : {&input, &weights, &output, &conv.strides, &conv.dilations,
                                 &conv.padsBegin, &conv.padsEnd}) {
            all.push_back(static_cast<std::int64_t>(list->size()));
            all.insert(all.end(), list->begin(), list->end());
        }
        return all;
    }
    /// Of the weights, with groups as a dimension of their own.
    [[nodiscard]] Dims weightDims() const {
        Dims dims = weights;
        if (conv.groups > 1) {
            dims[0] /= conv.groups;
            dims.insert(dims.begin(), conv.groups);
        }
        return dims;
    }
    /// Whether it is a product of matrices as they are in memory: one tap, no gaps, and enough
    /// positions for a product to be as fast as blocks of channels, which have to be reordered.
    [[nodiscard]] bool isProduct() const {
        constexpr std::int64_t leastPositions =
            std::int64_t{14} * 14; // measured with oneDNN 2.6 and AVX-512
        const auto allAre = [](const std::vector<std::int64_t>& list, std::int64_t value) {
            return std::all_of(list.begin(), list.end(), [&](auto x) { return x == value; });
        };
        return conv.groups == 1 && allAre(conv.kernel, 1) && allAre(conv.strides, 1) &&
               allAre(conv.padsBegin, 0) && allAre(conv.padsEnd, 0) &&
               elementsOf({output.begin() + 2, output.end()}) >= leastPositions;
    }
    /// oneDNN counts the elements between two taps.
    [[nodiscard]] Dims dilations() const {
        Dims gaps = conv.dilations;
        for (auto& gap : gaps)
            --gap;
        return gaps;
    }
};

dnnl::memory::desc anyOrder(const Dims& dims) {
    return {dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

dnnl::convolution_forward::primitive_desc
forwardOf(const Library& library, const ConvShapes& shapes, dnnl::prop_kind kind) {
    const auto order = [&](const Dims& dims) {
        return shapes.isProduct() && kind == dnnl::prop_kind::forward_inference ? plainOrder(dims)
                                                                                : anyOrder(dims);
    };
    return {{kind, dnnl::algorithm::convolution_direct, order(shapes.input),
             anyOrder(shapes.weightDims()), order(shapes.output), shapes.conv.strides,
             shapes.dilations(), shapes.conv.padsBegin, shapes.conv.padsEnd},
            library.engine};
}

BinaryPrimitive forwardPrimitive(const Library& library, const ConvShapes& shapes) {
    const auto made = forwardOf(library, shapes, dnnl::prop_kind::forward_inference);
    return {dnnl::convolution_forward(made),
            {DNNL_ARG_SRC, plainOrder(shapes.input), made.src_desc()},
            {DNNL_ARG_WEIGHTS, plainOrder(shapes.weightDims()), made.weights_desc()},
            {DNNL_ARG_DST, plainOrder(shapes.output), made.dst_desc()}};
}

BinaryPrimitive inputPrimitive(const Library& library, const ConvShapes& shapes) {
    const dnnl::convolution_backward_data::primitive_desc made{
        {dnnl::algorithm::convolution_direct, anyOrder(shapes.input), anyOrder(shapes.weightDims()),
         anyOrder(shapes.output), shapes.conv.strides, shapes.dilations(), shapes.conv.padsBegin,
         shapes.conv.padsEnd},
        library.engine,
        forwardOf(library, shapes, dnnl::prop_kind::forward_training)};
    return {dnnl::convolution_backward_data(made),
            {DNNL_ARG_DIFF_DST, plainOrder(shapes.output), made.diff_dst_desc()},
            {DNNL_ARG_WEIGHTS, plainOrder(shapes.weightDims()), made.weights_desc()},
            {DNNL_ARG_DIFF_SRC, plainOrder(shapes.input), made.diff_src_desc()}};
}

BinaryPrimitive weightsPrimitive(const Library& library, const ConvShapes& shapes) {
    const dnnl::convolution_backward_weights::primitive_desc made{
        {dnnl::algorithm::convolution_direct, anyOrder(shapes.input), anyOrder(shapes.weightDims()),
         anyOrder(shapes.output), shapes.conv.strides, shapes.dilations(), shapes.conv.padsBegin,
         shapes.conv.padsEnd},
        library.engine,
        forwardOf(library, shapes, dnnl::prop_kind::forward_training)};
    return {dnnl::convolution_backward_weights(made),
            {DNNL_ARG_SRC, plainOrder(shapes.input), made.src_desc()},
            {DNNL_ARG_DIFF_DST, plainOrder(shapes.output), made.diff_dst_desc()},
            {DNNL_ARG_DIFF_WEIGHTS, plainOrder(shapes.weightDims()), made.diff_weights_desc()}};
}

void runConvolution(KernelCall& call, ConvPart part, const ConvShapes& shapes, const TensorData& a,
                    const TensorData& b, TensorData& result) {
    Library& library = call.context.library();
    const auto [entry, isNew] = library.primitives.try_emplace(shapes.signature(part));
    if (isNew) {
        entry->second = part == ConvPart::Forward     ? forwardPrimitive(library, shapes)
                        : part == ConvPart::GradInput ? inputPrimitive(library, shapes)
                                                      : weightsPrimitive(library, shapes);
        library.prepare(entry->second);
    }
    library.run(entry->second, a, b, result.reals().data());
}

/// A convolution without negative pads, applied to the input after cropping.
struct Uncropped {
    ConvAttributes conv;
    Shape input;                     ///< after cropping
    std::vector<std::int64_t> begin; ///< of the cropped input, as negative pads of the whole
    bool crops = false;
};

Uncropped uncropped(const ConvAttributes& conv, const Shape& input) {
    Uncropped result{conv, input, std::vector<std::int64_t>(input.size(), 0)};
    for (std::size_t d = 0; d < conv.kernel.size(); ++d) {
        const std::int64_t front = std::min<std::int64_t>(conv.padsBegin[d], 0);
        const std::int64_t back = std::min<std::int64_t>(conv.padsEnd[d], 0);
        result.begin[d + 2] = front;
        result.input[d + 2] += front + back;
        result.conv.padsBegin[d] -= front;
        result.conv.padsEnd[d] -= back;
        result.crops = result.crops || front < 0 || back < 0;
    }
    return result;
}

TensorData withoutCropped(const Uncropped& part, const TensorData& input) {
    return part.crops ? padded(input, part.begin, part.input, 0) : input;
}

/// Makes a result that may have an integer type from reals that hold integers.
void giveRounded(KernelCall& call, const TensorData& reals) {
    TensorData& result = call.make();
    for (std::int64_t i = 0; i < result.elements(); ++i)
        result.setNumber(i, reals.number(i));
}

} // namespace

void compute(const ConvAttributes& conv, KernelCall& call) {
    if (call.partials != nullptr)
        return sumInParts(conv, call);
    const TensorData weights = asReals(call.inputs.at(1));
    const TensorData whole = asReals(call.inputs.at(0));
    const Uncropped part = uncropped(conv, whole.shape());
    const TensorData input = withoutCropped(part, whole);
    const Tensor& tensor = call.graph.tensors[call.op.outputs.at(0)];
    TensorData result(isFloating(tensor.type) ? tensor.type : DataType::Float, tensor.shape);
    runConvolution(call, ConvPart::Forward, {part.conv, part.input, weights.shape(), tensor.shape},
                   input, weights, result);
    if (isFloating(tensor.type))
        call.outputs.at(0) = result;
    else
        giveRounded(call, result);
}

void compute(const ConvGradInputAttributes& gradient, KernelCall& call) {
    if (call.partials != nullptr)
        return sumInParts(gradient, call);
    const TensorData& ofOutput = call.inputs.at(0);
    const TensorData& weights = call.inputs.at(1);
    TensorData& whole = call.make();
    const Uncropped part = uncropped(gradient.conv, whole.shape());
    TensorData result = part.crops ? TensorData(whole.type(), part.input) : whole;
    runConvolution(call, ConvPart::GradInput,
                   {part.conv, part.input, weights.shape(), ofOutput.shape()}, ofOutput, weights,
                   result);
    if (!part.crops)
        return;
    std::vector<std::int64_t> back = part.begin;
    for (std::int64_t& pad : back)
        pad = -pad;
    whole = padded(result, back, whole.shape(), 0);
}

void compute(const ConvGradWeightsAttributes& gradient, KernelCall& call) {
    if (call.partials != nullptr)
        return sumInParts(gradient, call);
    const TensorData& whole = call.inputs.at(0);
    const TensorData& ofOutput = call.inputs.at(1);
    TensorData& result = call.make();
    const Uncropped part = uncropped(gradient.conv, whole.shape());
    const TensorData input = withoutCropped(part, whole);
    runConvolution(call, ConvPart::GradWeights,
                   {part.conv, part.input, result.shape(), ofOutput.shape()}, input, ofOutput,
                   result);
}

} // namespace tilescope::sim
