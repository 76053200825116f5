// Elementwise functions by the type of their operands.
#pragma once

#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/kernel.h"
#include "simulator/compute/kernels/row_loops.h"

namespace tilescope::sim {

/// A result of reals, and how its blocks are rounded once they are computed.
struct RealResult {
    RealResult(TensorData& result, const HalfStore* how = nullptr)
        : data(result)
        , store(how) {}
    void done(std::int64_t begin, std::int64_t end) const {
        if (store != nullptr)
            (*store)(data.reals().data() + begin, begin, end - begin);
    }

    TensorData& data;
    const HalfStore* store; ///< null: they are not rounded
};

/// A function of one real to one real, over a whole operand.
template <class Function>
void mapReals(const Function& function, const TensorData& operand, const RealResult& result) {
    const float* from = operand.reals().data();
    float* to = result.data.reals().data();
    inBlocks(result.data.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        UnaryLoop<Function, float, float>::run(function, from + begin, to + begin, end - begin);
        result.done(begin, end);
    });
}

/// A function of two values, broadcast. In, Out: the types of operands and result, float or 32-bit
/// integers. done(begin, end): what becomes of a block.
template <class In, class Out, class Function, class Done>
void mapPairs(const Function& function, const Shape& shape, const In* a, const Shape& shapeA,
              const In* b, const Shape& shapeB, Out* to, const Done& done) {
    const Broadcast over = broadcastOver(shape, {shapeA, shapeB});
    const bool goesOnA = over.strides[0].back() != 0;
    const bool goesOnB = over.strides[1].back() != 0;
    forEachRow<2>(
        over,
        [&](std::int64_t at, const std::array<std::int64_t, 2>& offsets, std::int64_t count) {
            BinaryLoop<Function, In, Out>::run(function, {a + offsets[0], goesOnA},
                                               {b + offsets[1], goesOnB}, to + at, count);
        },
        done);
}

template <class In, class Out, class Function>
void mapPairs(const Function& function, const Shape& shape, const In* a, const Shape& shapeA,
              const In* b, const Shape& shapeB, Out* to) {
    mapPairs<In, Out>(function, shape, a, shapeA, b, shapeB, to, [](std::int64_t, std::int64_t) {});
}

template <class Function>
void mapRealPairs(const Function& function, const TensorData& a, const TensorData& b,
                  const RealResult& result) {
    mapPairs<float, float>(function, result.data.shape(), a.reals().data(), a.shape(),
                           b.reals().data(), b.shape(), result.data.reals().data(),
                           [&](std::int64_t begin, std::int64_t end) { result.done(begin, end); });
}

/// The same values as reals; shared where they already are.
TensorData asReals(const TensorData& data);

// Each computes the functions of its file; false if the function is not one of them.
bool computeUnary(const ElementwiseAttributes& elementwise, const TensorData& operand,
                  const RealResult& result);
bool computeBinary(const ElementwiseAttributes& elementwise, const TensorData& a,
                   const TensorData& b, const RealResult& result);
/// Of reals, to truth values.
bool computeComparison(ElementwiseFunction function, const TensorData& a, const TensorData& b,
                       TensorData& result);
/// Of whole numbers, to whole numbers or truth values.
bool computeWholeUnary(const ElementwiseAttributes& elementwise, const TensorData& operand,
                       TensorData& result);
bool computeWholeBinary(const ElementwiseAttributes& elementwise, const TensorData& a,
                        const TensorData& b, TensorData& result);
/// Those that overwrite their first operand, or take three and more.
bool computeUpdate(const ElementwiseAttributes& elementwise, KernelCall& call);
/// Those that draw random numbers.
bool computeRandom(const ElementwiseAttributes& elementwise, KernelCall& call);
/// Those that move values and change their type.
bool computeConversion(const ElementwiseAttributes& elementwise, KernelCall& call);

} // namespace tilescope::sim
