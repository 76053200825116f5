#include "simulator/graph/shape_rules.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/graph/elementwise_traits.h"

namespace tilescope::sim {

Shape shardShape(const Shape& whole, std::int32_t shards) {
    return {ceilDiv(elementsOf(whole), shards)};
}

namespace {

template <class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
    if (!condition)
        throw std::invalid_argument(fmt::format(text, std::forward<Args>(args)...));
}

void requireOperands(const std::vector<Shape>& inputs, std::size_t least, std::size_t most) {
    require(inputs.size() >= least && inputs.size() <= most,
            "it has {} operands where {} to {} belong", inputs.size(), least, most);
}

void requireAxis(std::int64_t axis, const Shape& shape) {
    require(axis >= 0 && axis < static_cast<std::int64_t>(shape.size()),
            "axis {} lies outside of shape {}", axis, toString(shape));
}

/// The window of convolution and pooling, which slides over the spatial dimensions.
template <class Window> void checkWindow(const Window& window, const Shape& input) {
    const std::size_t dims = window.kernel.size();
    require(input.size() == dims + 2, "input {} does not have {} spatial dimensions",
            toString(input), dims);
    require(dims >= 1 && dims <= 3, "{} spatial dimensions are outside of 1 to 3", dims);
    for (const auto* list :
         {&window.strides, &window.dilations, &window.padsBegin, &window.padsEnd}) {
        require(list->size() == dims, "its window has {} values where {} belong", list->size(),
                dims);
    }
    for (std::size_t i = 0; i < dims; ++i) {
        require(window.kernel[i] >= 1 && window.strides[i] >= 1 && window.dilations[i] >= 1,
                "kernel, strides and dilations must be positive");
    }
}

template <class Window>
Shape slideWindow(const Window& window, const Shape& input, std::int64_t channels) {
    Shape result{input[0], channels};
    for (std::size_t i = 0; i < window.kernel.size(); ++i) {
        const std::int64_t positions =
            windowPositions(input[i + 2], window.kernel[i], window.strides[i], window.dilations[i],
                            window.padsBegin[i] + window.padsEnd[i]);
        require(positions >= 1, "a kernel of {} does not fit into input {}",
                toString(window.kernel), toString(input));
        result.push_back(positions);
    }
    return result;
}

struct OutputShape {
    const std::vector<Shape>& inputs;

    std::optional<Shape> operator()(const ConvAttributes& conv) const {
        requireOperands(inputs, 2, 2);
        const Shape& input = inputs[0];
        const Shape& weights = inputs[1];
        checkWindow(conv, input);
        require(weights.size() == input.size(), "weights {} do not have the rank of input {}",
                toString(weights), toString(input));
        require(conv.groups >= 1 && conv.groups <= weights[0] && weights[0] % conv.groups == 0 &&
                    weights[1] * conv.groups == input[1],
                "weights {} in {} groups do not fit input {}", toString(weights), conv.groups,
                toString(input));
        require(std::equal(conv.kernel.begin(), conv.kernel.end(), weights.begin() + 2),
                "kernel {} is not that of weights {}", toString(conv.kernel), toString(weights));
        return slideWindow(conv, input, weights[0]);
    }

    std::optional<Shape> operator()(const MatMulAttributes& matmul) const {
        requireOperands(inputs, 2, 2);
        Shape a = inputs[0];
        Shape b = inputs[1];
        require(a.size() >= 2 && b.size() >= 2, "operands {} and {} are not matrices", toString(a),
                toString(b));
        if (matmul.transposeA)
            std::swap(a[a.size() - 1], a[a.size() - 2]);
        if (matmul.transposeB)
            std::swap(b[b.size() - 1], b[b.size() - 2]);
        require(a.back() == b[b.size() - 2], "matrices {} and {} cannot be multiplied", toString(a),
                toString(b));
        const std::int64_t rows = a[a.size() - 2];
        const std::int64_t columns = b.back();
        Shape result = broadcastShapes({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
        result.push_back(rows);
        result.push_back(columns);
        return result;
    }

    std::optional<Shape> operator()(const ElementwiseAttributes& elementwise) const {
        const ElementwiseTraits traits = traitsOf(elementwise.function);
        if (traits.mostOperands == anyNumberOfOperands)
            requireOperands(inputs, 2, std::max<std::size_t>(inputs.size(), 2));
        else
            requireOperands(inputs, traits.leastOperands, traits.mostOperands);
        if (elementwise.function == ElementwiseFunction::OneHot)
            return std::nullopt;
        Shape result = inputs[0];
        for (const Shape& shape : inputs)
            result = broadcastShapes(result, shape);
        return result;
    }

    std::optional<Shape> operator()(const ReduceAttributes& reduce) const {
        requireOperands(inputs, 1, 1);
        return (*this)(reduce, inputs[0]);
    }

    std::optional<Shape> operator()(const ReduceAttributes& reduce, const Shape& input) const {
        Shape result;
        for (std::size_t i = 0; i < input.size(); ++i) {
            const bool reduced = std::binary_search(reduce.axes.begin(), reduce.axes.end(),
                                                    static_cast<std::int64_t>(i));
            if (!reduced)
                result.push_back(input[i]);
            else if (reduce.keepDims)
                result.push_back(1);
        }
        for (const std::int64_t axis : reduce.axes)
            requireAxis(axis, input);
        return result;
    }

    std::optional<Shape> operator()(const PoolAttributes& pool) const {
        requireOperands(inputs, 1, 1);
        checkWindow(pool, inputs[0]);
        return slideWindow(pool, inputs[0], inputs[0][1]);
    }

    std::optional<Shape> operator()(const LrnAttributes& lrn) const {
        requireOperands(inputs, 1, 1);
        require(inputs[0].size() >= 2 && lrn.size >= 1, "input {} has no channels",
                toString(inputs[0]));
        return inputs[0];
    }

    std::optional<Shape> operator()(const SoftmaxAttributes& softmax) const {
        requireOperands(inputs, 1, 1);
        require(softmax.firstAxis >= 0 && softmax.firstAxis <= softmax.endAxis &&
                    softmax.endAxis <= static_cast<std::int64_t>(inputs[0].size()),
                "axes {} to {} lie outside of {}", softmax.firstAxis, softmax.endAxis,
                toString(inputs[0]));
        return inputs[0];
    }

    std::optional<Shape> operator()(const TransposeAttributes& transpose) const {
        requireOperands(inputs, 1, 1);
        auto sorted = transpose.permutation;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::int64_t> identity(inputs[0].size());
        std::iota(identity.begin(), identity.end(), 0);
        require(sorted == identity, "{} does not permute the dimensions of {}",
                toString(transpose.permutation), toString(inputs[0]));
        Shape result;
        for (const std::int64_t from : transpose.permutation)
            result.push_back(inputs[0][static_cast<std::size_t>(from)]);
        return result;
    }

    std::optional<Shape> operator()(const ConcatAttributes& concat) const {
        require(!inputs.empty(), "it has no operands");
        requireAxis(concat.axis, inputs[0]);
        const auto axis = static_cast<std::size_t>(concat.axis);
        Shape result = inputs[0];
        result[axis] = 0;
        for (Shape shape : inputs) {
            const std::int64_t size = axis < shape.size() ? shape[axis] : 0;
            require(shape.size() == result.size(), "{} does not have the rank of {}",
                    toString(shape), toString(inputs[0]));
            shape[axis] = result[axis];
            require(shape == result, "{} and {} differ beside axis {}", toString(shape),
                    toString(inputs[0]), concat.axis);
            result[axis] += size;
        }
        return result;
    }

    std::optional<Shape> operator()(const GatherAttributes& gather) const {
        requireOperands(inputs, 2, 2);
        requireAxis(gather.axis, inputs[0]);
        Shape result = inputs[0];
        const auto at = result.erase(result.begin() + gather.axis);
        result.insert(at, inputs[1].begin(), inputs[1].end());
        return result;
    }

    std::optional<Shape> operator()(const PadAttributes& pad) const {
        requireOperands(inputs, 1, 1);
        Shape result = inputs[0];
        require(pad.padsBegin.size() == result.size() && pad.padsEnd.size() == result.size(),
                "its pads do not have the rank of {}", toString(result));
        for (std::size_t i = 0; i < result.size(); ++i) {
            const bool counts = !__builtin_add_overflow(result[i], pad.padsBegin[i], &result[i]) &&
                                !__builtin_add_overflow(result[i], pad.padsEnd[i], &result[i]);
            require(counts && result[i] >= 1, "it crops dimension {} of {} away", i,
                    toString(inputs[0]));
        }
        return result;
    }

    // The shape of the differentiated operand does not follow from the operands alone.
    std::optional<Shape> operator()(const ConvGradInputAttributes&) const { return pair(); }
    std::optional<Shape> operator()(const ConvGradWeightsAttributes&) const { return pair(); }
    std::optional<Shape> operator()(const MultiUpdateAttributes&) const {
        requireOperands(inputs, 3, 3);
        return inputs[0];
    }

    std::optional<Shape> operator()(const PoolGradAttributes& gradient) const {
        if (gradient.pool.kind != PoolKind::Max) {
            requireOperands(inputs, 1, 1);
            return std::nullopt;
        }
        requireOperands(inputs, 3, 3);
        return inputs[1];
    }
    std::optional<Shape> operator()(const NormAttributes& norm) const {
        require(inputs.size() == 1 || inputs.size() == 3 || inputs.size() == 5,
                "{} operands are not data, scale, shift and running statistics", inputs.size());
        for (const Shape& shape : inputs)
            require(broadcastShapes(inputs[0], shape) == inputs[0],
                    "a parameter of shape {} does not fit data of shape {}", toString(shape),
                    toString(inputs[0]));
        for (const std::int64_t axis : norm.axes)
            requireAxis(axis, inputs[0]);
        return inputs[0];
    }

    std::optional<Shape> operator()(const JointReduceAttributes& joint) const {
        requireOperands(inputs, joint.functions.size(), joint.functions.size());
        return (*this)(ReduceAttributes{joint.functions.at(0), joint.axes, true}, inputs[0]);
    }

    std::optional<Shape> operator()(const IpuCopyAttributes&) const { return same(); }
    std::optional<Shape> operator()(const StashAttributes&) const { return same(); }
    std::optional<Shape> operator()(const RestoreAttributes&) const {
        requireOperands(inputs, 1, 2);
        return inputs[0];
    }
    std::optional<Shape> operator()(const FifoAttributes&) const { return same(); }
    std::optional<Shape> operator()(const RemoteLoadAttributes&) const {
        requireOperands(inputs, 0, 1);
        return inputs.empty() ? std::nullopt : std::optional(inputs[0]);
    }
    std::optional<Shape> operator()(const RemoteStoreAttributes&) const {
        requireOperands(inputs, 2, 2);
        return inputs[0];
    }
    std::optional<Shape> operator()(const CollectiveAttributes& collective) const {
        switch (collective.kind) {
        case CollectiveKind::AllReduce:
            require(!inputs.empty(), "no operand to sum");
            return inputs[0];
        case CollectiveKind::ReduceScatter:
            requireOperands(inputs, 1, 1);
            return shardShape(inputs[0], collective.shards);
        case CollectiveKind::AllGather:
            requireOperands(inputs, 2, 2);
            require(inputs[1] == shardShape(inputs[0], collective.shards), "{} is no shard of {}",
                    toString(inputs[1]), toString(inputs[0]));
            return inputs[0];
        }
        return std::nullopt;
    }
    std::optional<Shape> operator()(const ShardAttributes& shard) const {
        requireOperands(inputs, 1, 1);
        return shardShape(inputs[0], shard.shards);
    }
    // Its shape is given by the declaration.
    std::optional<Shape> operator()(const CustomAttributes& custom) const {
        requireOperands(inputs, custom.inputs.size(), custom.inputs.size());
        return std::nullopt;
    }
    // Its shapes are given by the function.
    std::optional<Shape> operator()(const CallAttributes&) const { return std::nullopt; }
    std::optional<Shape> operator()(const LoopAttributes&) const { return std::nullopt; }
    std::optional<Shape> operator()(const CtcLossAttributes&) const {
        requireOperands(inputs, 2, 2);
        require(inputs[0].size() == 3 && inputs[1].size() == 2 && inputs[1][0] == inputs[0][1],
                "data {} and labels {} are not [time, batch, classes] and [batch, labels]",
                toString(inputs[0]), toString(inputs[1]));
        return inputs[0];
    }
    std::optional<Shape> operator()(const CtcBeamSearchAttributes& search) const {
        requireOperands(inputs, 1, 1);
        require(inputs[0].size() == 3, "data {} is not [time, batch, classes]",
                toString(inputs[0]));
        return Shape{inputs[0][1], search.paths, inputs[0][0]};
    }
    [[nodiscard]] std::optional<Shape> same() const {
        requireOperands(inputs, 1, 1);
        return inputs[0];
    }
    std::optional<Shape> operator()(const FillAttributes&) const {
        requireOperands(inputs, 0, 0);
        return std::nullopt;
    }

    std::optional<Shape> operator()(const ReshapeAttributes&) const { return single(); }
    std::optional<Shape> operator()(const SliceAttributes&) const { return single(); }
    std::optional<Shape> operator()(const ExpandAttributes&) const { return single(); }

    [[nodiscard]] std::optional<Shape> pair() const {
        requireOperands(inputs, 2, 2);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Shape> single() const {
        requireOperands(inputs, 1, 1);
        return std::nullopt;
    }
};

void checkSlice(const SliceAttributes& slice, const Shape& input, const Shape& output) {
    require(slice.starts.size() == input.size() && slice.steps.size() == input.size() &&
                output.size() == input.size(),
            "slice of {} into {} does not keep the rank", toString(input), toString(output));
    for (std::size_t i = 0; i < input.size(); ++i) {
        std::int64_t last = 0;
        const bool counts = !__builtin_mul_overflow(output[i] - 1, slice.steps[i], &last) &&
                            !__builtin_add_overflow(last, slice.starts[i], &last);
        require(counts && std::min(slice.starts[i], last) >= 0 &&
                    std::max(slice.starts[i], last) < input[i],
                "slice reads outside of dimension {} of {}", i, toString(input));
    }
}

} // namespace

std::int64_t windowPositions(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                             std::int64_t dilation, std::int64_t padding) {
    const std::int64_t room = size + padding - ((kernel - 1) * dilation + 1);
    return room < 0 ? 0 : room / stride + 1;
}

Shape broadcastShapes(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t offset = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& size = result[offset + i];
        require(size == shorter[i] || size == 1 || shorter[i] == 1,
                "shapes {} and {} cannot be broadcast", toString(a), toString(b));
        if (size == 1)
            size = shorter[i];
    }
    return result;
}

std::optional<Shape> outputShape(const Attributes& attributes, const std::vector<Shape>& inputs) {
    return std::visit(OutputShape{inputs}, attributes);
}

void checkOpenShape(const Attributes& attributes, const std::vector<Shape>& inputs,
                    const Shape& output) {
    if (std::holds_alternative<FillAttributes>(attributes) ||
        std::holds_alternative<RemoteLoadAttributes>(attributes) ||
        std::holds_alternative<CallAttributes>(attributes) ||
        std::holds_alternative<LoopAttributes>(attributes))
        return;
    require(!inputs.empty(), "it has no operand");
    const auto* elementwise = std::get_if<ElementwiseAttributes>(&attributes);
    if (elementwise && elementwise->function == ElementwiseFunction::OneHot)
        require(inputs[0].size() == output.size() && inputs[0].back() == 1,
                "{} cannot be encoded as {}", toString(inputs[0]), toString(output));
    if (std::holds_alternative<ReshapeAttributes>(attributes)) {
        require(elementsOf(inputs[0]) == elementsOf(output), "{} cannot be reshaped to {}",
                toString(inputs[0]), toString(output));
    } else if (std::holds_alternative<ExpandAttributes>(attributes)) {
        require(broadcastShapes(inputs[0], output) == output, "{} cannot be expanded to {}",
                toString(inputs[0]), toString(output));
    } else if (const auto* slice = std::get_if<SliceAttributes>(&attributes)) {
        checkSlice(*slice, inputs[0], output);
    }
}

} // namespace tilescope::sim
