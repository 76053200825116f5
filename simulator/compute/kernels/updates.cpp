// Functions that overwrite their first operand, or take three operands and more.
#include "simulator/compute/kernels/elementwise_loops.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// Makes the overwritten operand the result.
TensorData& inPlaceResult(KernelCall& call) {
    return call.outputs.at(0) = call.inputs.at(0);
}

/// a = b, for elements of any type.
void assign(KernelCall& call) {
    TensorData& result = inPlaceResult(call);
    const TensorData value = result.isReal() ? asReals(call.inputs.at(1)) : call.inputs.at(1);
    if (result.isReal())
        std::copy_n(value.reals().begin(), result.elements(), result.reals().begin());
    else
        std::copy_n(value.ints().begin(), result.elements(), result.ints().begin());
}

/// a = keep a + add b, or b^2.
void moveTowards(KernelCall& call, double keep, double add, bool squares) {
    TensorData& result = inPlaceResult(call);
    const auto own = static_cast<float>(keep);
    const auto other = static_cast<float>(add);
    const TensorData b = asReals(call.inputs.at(1));
    if (squares)
        mapRealPairs([own, other](float x, float y)
                         TILESCOPE_INLINED { return own * x + other * y * y; },
                     result, b, result);
    else
        mapRealPairs([own, other](float x, float y)
                         TILESCOPE_INLINED { return own * x + other * y; },
                     result, b, result);
}

void scaledAdd(const ElementwiseAttributes& e, KernelCall& call) {
    const double rate = e.byLearningRate ? call.learningRate : 1;
    if (call.inputs.at(0).isReal()) {
        moveTowards(call, 1 - e.beta * rate, e.alpha * rate, false);
        return;
    }
    TensorData& result = inPlaceResult(call);
    const TensorData& b = call.inputs.at(1);
    const Broadcast over = broadcastOver(result.shape(), {b.shape()});
    forEachRow<1>(
        over, [&](std::int64_t at, const std::array<std::int64_t, 1>& offsets, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i)
                result.setNumber(at + i, (1 - e.beta * rate) * result.number(at + i) +
                                             e.alpha * rate *
                                                 b.number(offsets[0] + i * over.strides[0].back()));
        });
}

/// Selection moves the bits of elements, whatever their type.
const std::int32_t* wordsOf(const TensorData& data) {
    return data.isReal() ? reinterpret_cast<const std::int32_t*>(data.reals().data())
                         : data.ints().data();
}

void select(KernelCall& call) {
    TensorData& result = call.make();
    const TensorData whether = call.inputs.at(0);
    const TensorData yes = result.isReal() ? asReals(call.inputs.at(1)) : call.inputs.at(1);
    const TensorData no = result.isReal() ? asReals(call.inputs.at(2)) : call.inputs.at(2);
    const Broadcast over =
        broadcastOver(result.shape(), {whether.shape(), yes.shape(), no.shape()});
    auto* to = result.isReal() ? reinterpret_cast<std::int32_t*>(result.reals().data())
                               : result.ints().data();
    const std::int32_t* conditions = wordsOf(whether);
    const std::int32_t* first = wordsOf(yes);
    const std::int32_t* second = wordsOf(no);
    const std::int64_t stepC = over.strides[0].back();
    const std::int64_t stepA = over.strides[1].back();
    const std::int64_t stepB = over.strides[2].back();
    forEachRow<3>(over, [&](std::int64_t at, const std::array<std::int64_t, 3>& offsets,
                            std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            to[at + i] = conditions[offsets[0] + i * stepC] != 0 ? first[offsets[1] + i * stepA]
                                                                 : second[offsets[2] + i * stepB];
    });
}

void subtractProduct(KernelCall& call) {
    TensorData& result = call.make();
    const std::array operands{asReals(call.inputs.at(0)), asReals(call.inputs.at(1)),
                              asReals(call.inputs.at(2))};
    const Broadcast over = broadcastOver(
        result.shape(), {operands[0].shape(), operands[1].shape(), operands[2].shape()});
    float* to = result.reals().data();
    const float* a = operands[0].reals().data();
    const float* b = operands[1].reals().data();
    const float* c = operands[2].reals().data();
    forEachRow<3>(
        over, [&](std::int64_t at, const std::array<std::int64_t, 3>& offsets, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i)
                to[at + i] = a[offsets[0] + i * over.strides[0].back()] -
                             b[offsets[1] + i * over.strides[1].back()] *
                                 c[offsets[2] + i * over.strides[2].back()];
        });
}

void adamUpdater(const ElementwiseAttributes& e, KernelCall& call) {
    TensorData& result = call.make();
    const float* mean = call.inputs.at(0).reals().data();
    const float* square = call.inputs.at(1).reals().data();
    const float* weight = call.inputs.at(2).reals().data();
    const double count = call.inputs.at(3).number(0);
    const auto shareOf = [&](double beta) { return 1 / (1 - std::pow(beta, count)); };
    const auto ofMean = static_cast<float>(e.alpha > 0 ? shareOf(e.alpha) : 1);
    const auto ofSquare = static_cast<float>(e.beta > 0 ? shareOf(e.beta) : 1);
    const auto epsilon =
        static_cast<float>(e.epsilonFirst ? e.gamma * std::sqrt(ofSquare) : e.gamma);
    const auto decay = static_cast<float>(e.delta);
    float* to = result.reals().data();
    inBlocks(result.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        TILESCOPE_VECTOR_LOOP
        for (std::int64_t i = begin; i < end; ++i)
            to[i] =
                ofMean * mean[i] / (std::sqrt(ofSquare * square[i]) + epsilon) + decay * weight[i];
    });
}

} // namespace

bool computeUpdate(const ElementwiseAttributes& e, KernelCall& call) {
    switch (e.function) {
    case Zero: {
        TensorData& result = inPlaceResult(call);
        if (result.isReal())
            std::fill(result.reals().begin(), result.reals().end(), 0.0F);
        else
            std::fill(result.ints().begin(), result.ints().end(), 0);
        return true;
    }
    case Assign:
        assign(call);
        return true;
    case ScaledAdd:
        scaledAdd(e, call);
        return true;
    case MovingAverage:
    case MovingSquare: {
        const double rate = e.byLearningRate ? call.learningRate : 1;
        moveTowards(call, e.alpha, e.beta * rate, e.function == MovingSquare);
        return true;
    }
    case Select:
        select(call);
        return true;
    case SubtractProduct:
        subtractProduct(call);
        return true;
    case AdamUpdater:
        adamUpdater(e, call);
        return true;
    default:
        return false;
    }
}

} // namespace tilescope::sim
