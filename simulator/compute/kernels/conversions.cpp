// Functions that move values and change their type.
#include "simulator/compute/kernels/elementwise_loops.h"

#include <cmath>
#include <cstring>

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

void copyWords(const TensorData& from, TensorData& to) {
    const auto bytes = static_cast<std::size_t>(to.elements()) * sizeof(std::int32_t);
    if (to.isReal())
        std::memcpy(to.reals().data(), from.reals().data(), bytes);
    else
        std::memcpy(to.ints().data(), from.ints().data(), bytes);
}

void convertTo(TensorData& result, const TensorData& operand) {
    const bool sameWords = (result.isReal() && operand.isReal()) ||
                           (!result.isReal() && operand.type() == result.type());
    if (sameWords)
        return copyWords(operand, result);
    inBlocks(result.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        if (result.isReal())
            for (std::int64_t i = begin; i < end; ++i)
                result.reals()[static_cast<std::size_t>(i)] = static_cast<float>(operand.number(i));
        else
            for (std::int64_t i = begin; i < end; ++i)
                result.ints()[static_cast<std::size_t>(i)] =
                    wrapped(result.type(), operand.number(i));
    });
}

/// Indices below zero count from the end; rows of indices that are not a class are all zeros
/// (PopLibs popops::encodeOneHot).
void encodeOneHot(const TensorData& indices, TensorData& result) {
    const std::int64_t classes = result.shape().back();
    if (result.isReal())
        std::fill(result.reals().begin(), result.reals().end(), 0.0F);
    else
        std::fill(result.ints().begin(), result.ints().end(), 0);
    for (std::int64_t row = 0; row < indices.elements(); ++row) {
        const auto index = static_cast<std::int64_t>(indices.number(row));
        const std::int64_t chosen = index < 0 ? index + classes : index;
        if (chosen >= 0 && chosen < classes)
            result.setNumber(row * classes + chosen, 1);
    }
}

template <class Question>
void ask(const TensorData& operand, TensorData& result, const Question& question) {
    const float* from = operand.reals().data();
    std::int32_t* to = result.ints().data();
    inBlocks(result.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            to[i] = question(from[i]) ? 1 : 0;
    });
}

} // namespace

TensorData asReals(const TensorData& data) {
    if (data.isReal())
        return data;
    TensorData reals(DataType::Float, data.shape());
    convertTo(reals, data);
    return reals;
}

bool computeConversion(const ElementwiseAttributes& e, KernelCall& call) {
    const bool belowToo = e.alpha == 0;
    const bool aboveToo = e.beta == 0;
    switch (e.function) {
    case Cast:
    case Copy:
    case Detach:
        convertTo(call.make(), call.inputs.at(0));
        return true;
    case OneHot:
        encodeOneHot(call.inputs.at(0), call.make());
        return true;
    case IsNan:
        ask(asReals(call.inputs.at(0)), call.make(), [](float x) { return std::isnan(x); });
        return true;
    case IsInf:
        ask(asReals(call.inputs.at(0)), call.make(),
            [&](float x) { return std::isinf(x) && (x < 0 ? belowToo : aboveToo); });
        return true;
    default:
        return false;
    }
}

} // namespace tilescope::sim
