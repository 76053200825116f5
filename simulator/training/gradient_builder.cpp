#include "simulator/training/gradient_builder.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/training/autodiff.h"

namespace tilescope::sim {

TensorId GradientBuilder::emit(const std::string& part, Attributes attributes,
                               std::vector<TensorId> inputs, Shape shape) {
    std::string name = forward_.name + "/" + part;
    if (const int again = used_[name]++; again > 0)
        name += "/" + std::to_string(again);
    Tensor made;
    made.name = name;
    made.shape = std::move(shape);
    made.type =
        inputs.empty() ? graph_.tensors[forward_.outputs[0]].type : graph_.tensors[inputs[0]].type;
    const TensorId out = graph_.tensors.add(std::move(made));
    graph_.ops.add({name,
                    part.substr(0, part.find('/')),
                    forward_.onnxNode,
                    std::move(attributes),
                    std::move(inputs),
                    {out},
                    Pass::Backward,
                    forward_.stage});
    // Gradients have their operation's options (PopART: MultiConvOptions of the forward
    // attributes).
    graph_.ops.back().partialsType = forward_.partialsType;
    if (isPlanned(graph_.ops.back().attributes))
        graph_.ops.back().multiConv = forward_.multiConv;
    graph_.ops.back().mayOutline = forward_.mayOutline;
    graph_.ops.back().source = {forward_.source.frame, SourceLink::Gradient};
    const auto* drawing = std::get_if<ElementwiseAttributes>(&graph_.ops.back().attributes);
    if (drawing && traitsOf(drawing->function).isRandom)
        graph_.ops.back().randomStreams = forward_.randomStreams;
    return out;
}

TensorId GradientBuilder::addResult(TensorId of, const std::string& part) {
    Tensor made = graph_.tensors[of];
    made.name += "/" + part;
    const TensorId out = graph_.tensors.add(std::move(made));
    for (std::size_t i = graph_.ops.size(); i-- > 0;) {
        Op& op = graph_.ops[OpId(i)];
        if (op.outputs[0] != of)
            continue;
        op.outputs.push_back(out);
        return out;
    }
    throw InternalError("no operation makes '" + graph_.tensors[of].name + "'");
}

TensorId GradientBuilder::elementwise(const std::string& part, ElementwiseFunction function,
                                      std::vector<TensorId> inputs, Shape shape) {
    return emit(part, ElementwiseAttributes{function}, std::move(inputs), std::move(shape));
}

TensorId GradientBuilder::scalar(const std::string& part, TensorId like, double value) {
    Tensor constant;
    constant.name = forward_.name + "/" + part;
    constant.type = graph_.tensors[like].type;
    constant.role = TensorRole::Constant;
    constant.value = std::make_shared<TensorData>(TensorData::scalar(constant.type, value));
    return graph_.tensors.add(std::move(constant));
}

TensorId GradientBuilder::reshaped(const std::string& part, TensorId a, Shape to) {
    if (shape(a) == to)
        return a;
    return emit(part, ReshapeAttributes{}, {a}, std::move(to));
}

TensorId GradientBuilder::transposed(const std::string& part, TensorId a,
                                     std::vector<std::int64_t> permutation) {
    const Shape from = shape(a);
    Shape to;
    for (const std::int64_t dim : permutation)
        to.push_back(from[static_cast<std::size_t>(dim)]);
    return emit(part, TransposeAttributes{std::move(permutation)}, {a}, std::move(to));
}

TensorId GradientBuilder::reducedTo(const std::string& part, TensorId gradient, const Shape& to) {
    const Shape from = shape(gradient);
    if (from == to)
        return gradient;
    const std::size_t lead = from.size() - to.size();
    ReduceAttributes reduce{ReduceFunction::Add, {}, true};
    Shape kept = from;
    for (std::size_t d = 0; d < from.size(); ++d)
        if (from[d] != 1 && (d < lead || to[d - lead] == 1)) {
            reduce.axes.push_back(static_cast<std::int64_t>(d));
            kept[d] = 1;
        }
    TensorId sum = gradient;
    if (!reduce.axes.empty())
        sum = emit(part + "/reduce", reduce, {gradient}, kept);
    return reshaped(part + "/squeeze", sum, to);
}

void GradientBuilder::contribute(TensorId of, TensorId gradient) {
    if (!wanted(of))
        return;
    contributions_[of].push_back(gradient);
    const Op& last = graph_.ops.back();
    if (std::holds_alternative<MultiUpdateAttributes>(last.attributes) &&
        last.outputs[0] == gradient)
        addsRows_.insert(gradient);
}

void GradientBuilder::contributePart(TensorId of, std::size_t axis, std::int64_t start,
                                     TensorId gradient) {
    if (wanted(of))
        parts_[of].push_back({axis, start, gradient});
}

void GradientBuilder::joinParts(TensorId of) {
    const auto found = parts_.find(of);
    if (found == parts_.end())
        return;
    std::vector<Part> parts = std::move(found->second);
    parts_.erase(found);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.start < b.start; });
    const Shape whole = shape(of);
    const std::size_t axis = parts.front().axis;
    std::int64_t end = 0;
    std::vector<TensorId> pieces;
    for (const Part& part : parts) {
        if (part.axis != axis || part.start != end)
            break;
        end += shape(part.gradient)[axis];
        pieces.push_back(part.gradient);
    }
    if (pieces.size() == parts.size() && end == whole[axis]) {
        contribute(of, emit("SliceGrad/join", ConcatAttributes{static_cast<std::int64_t>(axis)},
                            pieces, whole));
        return;
    }
    for (const Part& part : parts) {
        PadAttributes pad{std::vector<std::int64_t>(whole.size(), 0),
                          std::vector<std::int64_t>(whole.size(), 0)};
        pad.padsBegin[part.axis] = part.start;
        pad.padsEnd[part.axis] = whole[part.axis] - part.start - shape(part.gradient)[part.axis];
        contribute(of, emit("SliceGrad", pad, {part.gradient}, whole));
    }
}

TensorId GradientBuilder::gradientOf(TensorId id) {
    joinParts(id);
    const auto found = contributions_.find(id);
    if (found == contributions_.end())
        return {};
    std::vector<TensorId>& parts = found->second;
    const bool isWhole = std::any_of(parts.begin(), parts.end(),
                                     [&](TensorId part) { return shape(part) == shape(id); });
    if (!isWhole)
        parts.front() = emit("GradExpand", ExpandAttributes{}, {parts.front()}, shape(id));
    if (parts.size() > 1) {
        const TensorId sum =
            elementwise(gradientSumType, ElementwiseFunction::Add, parts, shape(id));
        parts = {sum};
    }
    return parts.front();
}

std::vector<TensorId> GradientBuilder::takeSum(TensorId id) {
    const TensorId sum = gradientOf(id);
    contributions_.erase(id);
    return sum.valid() ? std::vector{sum} : std::vector<TensorId>{};
}

std::vector<TensorId> GradientBuilder::takeParts(TensorId id) {
    const auto found = contributions_.find(id);
    if (found == contributions_.end())
        return {};
    std::vector<TensorId>& all = found->second;
    const auto dense = std::stable_partition(
        all.begin(), all.end(), [&](TensorId part) { return addsRows_.contains(part); });
    std::vector<TensorId> parts(all.begin(), dense);
    all.erase(all.begin(), dense);
    if (all.empty())
        contributions_.erase(found);
    const std::vector<TensorId> sum = takeSum(id);
    parts.insert(parts.begin(), sum.begin(), sum.end());
    return parts;
}

} // namespace tilescope::sim
