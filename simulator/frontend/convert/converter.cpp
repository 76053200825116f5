#include "simulator/frontend/convert/converter.h"

#include <stdexcept>

#include <fmt/format.h>

#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

bool NodeConverter::has(std::size_t i) const {
    return i < node_.inputs.size() && !node_.inputs[i].empty();
}

const Value& NodeConverter::value(std::size_t i) const {
    if (!has(i))
        refuse(fmt::format("operand {} is missing", i));
    return builder_.model().values.at(node_.inputs[i]);
}

TensorId NodeConverter::input(std::size_t i) {
    if (!has(i))
        refuse(fmt::format("operand {} is missing", i));
    return builder_.tensorOf(node_.inputs[i]);
}

std::int64_t NodeConverter::at(const std::vector<std::int64_t>& values, std::size_t i) {
    if (i >= values.size())
        refuse("its operands have too few dimensions or values");
    return values[i];
}

std::vector<TensorId> NodeConverter::allInputs() {
    std::vector<TensorId> result;
    for (std::size_t i = 0; i < operands(); ++i) {
        if (has(i))
            result.push_back(input(i));
    }
    if (result.empty())
        refuse("it has no operands");
    return result;
}

const Value& NodeConverter::output(std::size_t i) const {
    return builder_.model().values.at(outputName(i));
}

bool NodeConverter::isOutputUsed(std::size_t i) const {
    if (i >= node_.outputs.size() || node_.outputs[i].empty())
        return false;
    const auto at = builder_.model().values.find(node_.outputs[i]);
    return at != builder_.model().values.end() && at->second.uses > 0;
}

const Constant& NodeConverter::constant(std::size_t i) const {
    const Value& operand = value(i);
    if (!operand.data)
        refuse(fmt::format("operand {} ('{}') must be a constant that is known while compiling", i,
                           node_.inputs[i]));
    return *operand.data;
}

std::vector<std::int64_t> NodeConverter::list(const std::string& attribute,
                                              std::size_t position) const {
    return has(position) ? constant(position).ints : node_.integers(attribute);
}

std::int64_t NodeConverter::axis(const std::string& attribute, std::int64_t fallback) const {
    return static_cast<std::int64_t>(normalizedAxis(node_.integer(attribute, fallback), rank(0)));
}

TensorId NodeConverter::emit(const std::string& part, Attributes attributes,
                             std::vector<TensorId> inputs) {
    return emitAt(path(part), std::move(attributes), std::move(inputs));
}

TensorId NodeConverter::emitAt(const std::string& name, Attributes attributes,
                               std::vector<TensorId> inputs) {
    return builder_.addOp(node_, name, std::move(attributes), std::move(inputs), std::nullopt,
                          std::nullopt);
}

TensorId NodeConverter::emit(const std::string& part, Attributes attributes,
                             std::vector<TensorId> inputs, Shape shape) {
    return builder_.addOp(node_, path(part), std::move(attributes), std::move(inputs),
                          std::move(shape), std::nullopt);
}

TensorId NodeConverter::elementwise(const std::string& part, ElementwiseFunction function,
                                    std::vector<TensorId> inputs, double alpha, double beta) {
    return emit(part, ElementwiseAttributes{function, alpha, beta}, std::move(inputs));
}

TensorId NodeConverter::cast(const std::string& part, TensorId from, DataType type) {
    if (builder_.tensor(from).type == type)
        return from;
    return builder_.addOp(node_, path(part), ElementwiseAttributes{ElementwiseFunction::Cast, 0, 0},
                          {from}, std::nullopt, type);
}

TensorId NodeConverter::reshape(const std::string& part, TensorId from, const Shape& shape) {
    return shapeOf(from) == shape ? from : emit(part, ReshapeAttributes{}, {from}, shape);
}

TensorId NodeConverter::parameter(std::size_t i, const Shape& shape) {
    const Value& operand = value(i);
    const bool fixed = operand.role == TensorRole::Weight || operand.role == TensorRole::Constant;
    if (!fixed || operand.uses != 1)
        return reshape(fmt::format("reshape{}", i), input(i), shape);
    if (elementsOf(operand.shape) != elementsOf(shape))
        refuse(fmt::format("operand '{}' of shape {} does not fit {}", node_.inputs[i],
                           toString(operand.shape), toString(shape)));
    const TensorId id =
        builder_.addTensor(node_.inputs[i], shape, builder_.deviceType(operand.type), operand.role);
    builder_.giveValue(id, operand);
    return id;
}

TensorId NodeConverter::scalar(const std::string& part, TensorId like, double value) {
    return builder_.addScalar(path(part), builder_.tensor(like).type, value);
}

TensorId NodeConverter::constantTensor(const std::string& part, DataType type, Shape shape,
                                       const ElementNumbers& numbers) {
    return builder_.addConstant(path(part), type, std::move(shape), numbers);
}

void NodeConverter::result(TensorId tensor, std::size_t i) {
    const Value& expected = output(i);
    if (shapeOf(tensor) != expected.shape)
        refuse(fmt::format("it contradicts itself: its operands make {}, its attributes {}",
                           toString(shapeOf(tensor)), toString(expected.shape)));
    builder_.bind(outputName(i), tensor);
}

const std::string& NodeConverter::outputName(std::size_t i) const {
    if (i >= node_.outputs.size())
        refuse(fmt::format("result {} is missing", i));
    return node_.outputs[i];
}

void NodeConverter::refuse(const std::string& text) {
    throw std::invalid_argument(text);
}

void NodeConverter::refuseToCompute(const std::string& text) const {
    if (builder_.keepsValues())
        refuse(fmt::format("{}; it is only simulated without values (leave --compute out)", text));
}

std::string NodeConverter::path(const std::string& part) const {
    return part.empty() ? node_.name : node_.name + "/" + part;
}

Shape channelShape(std::int64_t channels, std::size_t rank) {
    Shape result(rank < 2 ? 1 : rank - 1, 1);
    result[0] = channels;
    return result;
}

const ConversionTable& conversions() {
    static const ConversionTable table = [] {
        ConversionTable all;
        addConvolutionConversions(all);
        addMatMulConversions(all);
        addElementwiseConversions(all);
        addActivationConversions(all);
        addReduceConversions(all);
        addViewConversions(all);
        addIndexConversions(all);
        addNormalizationConversions(all);
        addLossConversions(all);
        addResizeConversions(all);
        addScatterConversions(all);
        addSortConversions(all);
        addEinsumConversions(all);
        addRandomConversions(all);
        addQuantizationConversions(all);
        addRecurrentConversions(all);
        addSamplingConversions(all);
        addGraphcoreConversions(all);
        return all;
    }();
    return table;
}

} // namespace tilescope::sim
