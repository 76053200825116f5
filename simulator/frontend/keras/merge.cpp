// Layers of several operands: sums, products, extremes, concatenation.
#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

/// All in one order of dimensions: channels first if any has it.
Tensors alike(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() < 2)
        throw e.layer().error("it needs two operands or more");
    const bool first = std::any_of(inputs.begin(), inputs.end(),
                                   [](const KerasTensor& x) { return x.channelsFirst; });
    Tensors result;
    for (const KerasTensor& x : inputs) {
        if (x.shape.size() != inputs[0].shape.size())
            throw e.layer().error(
                fmt::format("its operands have the shapes {} and {}; give them equal ranks",
                            toString(inputs[0].shape), toString(x.shape)));
        result.push_back(first ? e.padded(e.withChannelsFirst(x)) : e.asKeras(x));
    }
    return result;
}

/// The shape of an elementwise result: ones stretch.
Shape broadcast(const KerasEmitter& e, const Tensors& operands) {
    Shape shape = operands[0].shape;
    for (const KerasTensor& x : operands)
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] != x.shape[i] && shape[i] != 1 && x.shape[i] != 1)
                throw e.layer().error(
                    fmt::format("its operands have the shapes {} and {}, which do not fit",
                                toString(operands[0].shape), toString(x.shape)));
            shape[i] = std::max(shape[i], x.shape[i]);
        }
    return shape;
}

/// An operator that takes two operands, or any number under another name.
Tensors combine(KerasEmitter& e, const Tensors& inputs, const std::string& two,
                const std::string& many) {
    const Tensors operands = alike(e, inputs);
    KerasTensor result = operands[0];
    result.shape = broadcast(e, operands);
    std::vector<std::string> names;
    for (const KerasTensor& x : operands)
        names.push_back(x.value);
    if (names.size() == 2 || !many.empty()) {
        result.value = e.apply(names.size() == 2 ? two : many, "", names);
        return {result};
    }
    for (std::size_t i = 1; i < names.size(); ++i)
        result.value = e.apply(two, i + 1 == names.size() ? "" : fmt::format("part{}", i),
                               {result.value, names[i]});
    return {result};
}

Tensors convertSubtract(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() != 2)
        throw e.layer().error("it takes two operands");
    return combine(e, inputs, "Sub", "");
}

Tensors convertConcatenate(KerasEmitter& e, const Tensors& inputs) {
    const Tensors operands = alike(e, inputs);
    const std::int64_t stated = e.layer().has("axis") ? e.layer().list("axis").front() : -1;
    KerasTensor result = operands[0];
    const std::int64_t axis = e.onnxAxis(result, stated);
    const auto dimension = static_cast<std::size_t>(
        stated < 0 ? stated + static_cast<std::int64_t>(result.shape.size()) : stated - 1);
    std::vector<std::string> names;
    std::int64_t size = 0;
    for (const KerasTensor& x : operands) {
        for (std::size_t i = 0; i < x.shape.size(); ++i)
            if (i != dimension && x.shape[i] != result.shape[i])
                throw e.layer().error(
                    fmt::format("its operands have the shapes {} and {}, which differ outside the "
                                "axis",
                                toString(result.shape), toString(x.shape)));
        names.push_back(x.value);
        size += x.shape[dimension];
    }
    result.shape[dimension] = size;
    result.value = e.apply("Concat", "", names, {{"axis", axis}});
    return {result};
}

} // namespace

void addKerasMerges(KerasConversions& table) {
    table["Add"] = with(combine, "Add", "Sum");
    table["Subtract"] = convertSubtract;
    table["Multiply"] = with(combine, "Mul", "");
    table["Average"] = with(combine, "Mean", "Mean");
    table["Maximum"] = with(combine, "Max", "Max");
    table["Minimum"] = with(combine, "Min", "Min");
    table["Concatenate"] = convertConcatenate;
}

} // namespace tilescope::sim
