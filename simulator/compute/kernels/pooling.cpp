// Pooling and its gradients, plane by plane.
#include <algorithm>
#include <array>
#include <limits>

#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {
namespace {

/// Three spatial dimensions; missing ones come first.
using Triple = std::array<std::int64_t, 3>;

Triple inThree(const std::vector<std::int64_t>& list, std::int64_t missing) {
    Triple all{missing, missing, missing};
    std::copy(list.begin(), list.end(), all.end() - static_cast<std::ptrdiff_t>(list.size()));
    return all;
}

/// A plane and the window that slides over it.
struct PoolPlane {
    Triple in, out, kernel, strides, dilations, begin, end;

    PoolPlane(const PoolAttributes& pool, const Shape& input, const Shape& output)
        : in(inThree({input.begin() + 2, input.end()}, 1))
        , out(inThree({output.begin() + 2, output.end()}, 1))
        , kernel(inThree(pool.kernel, 1))
        , strides(inThree(pool.strides, 1))
        , dilations(inThree(pool.dilations, 1))
        , begin(inThree(pool.padsBegin, 0))
        , end(inThree(pool.padsEnd, 0)) {}

    [[nodiscard]] std::int64_t inElements() const { return in[0] * in[1] * in[2]; }
    [[nodiscard]] std::int64_t outElements() const { return out[0] * out[1] * out[2]; }
};

/// Taps of a window along one dimension: those within the input.
struct Taps {
    std::int64_t origin = 0;          ///< of the first tap, may lie before the input
    std::int64_t first = 0, last = 0; ///< taps within the input, `last` excluded
    std::int64_t padded = 0;          ///< taps within the input and its padding
};

Taps tapsAt(const PoolPlane& plane, std::size_t d, std::int64_t position) {
    Taps taps;
    taps.origin = position * plane.strides[d] - plane.begin[d];
    const std::int64_t step = plane.dilations[d];
    taps.first = taps.origin < 0 ? std::min(plane.kernel[d], ceilDiv(-taps.origin, step)) : 0;
    const auto upTo = [&](std::int64_t limit) {
        return std::clamp<std::int64_t>(
            ceilDiv(std::max<std::int64_t>(limit - taps.origin, 0), step), 0, plane.kernel[d]);
    };
    taps.last = std::max(taps.first, upTo(plane.in[d]));
    taps.padded = upTo(plane.in[d] + plane.end[d]);
    return taps;
}

/// Calls visit(out, divisor, walk) for each result of a plane; walk(use) calls use(index) for each
/// element under the window, in order.
template <class Visit> void forEachWindow(const PoolPlane& plane, const Visit& visit) {
    std::int64_t at = 0;
    for (std::int64_t z = 0; z < plane.out[0]; ++z) {
        const Taps tapsZ = tapsAt(plane, 0, z);
        for (std::int64_t y = 0; y < plane.out[1]; ++y) {
            const Taps tapsY = tapsAt(plane, 1, y);
            for (std::int64_t x = 0; x < plane.out[2]; ++x, ++at) {
                const Taps tapsX = tapsAt(plane, 2, x);
                const auto walk = [&](const auto& use) {
                    for (std::int64_t k = tapsZ.first; k < tapsZ.last; ++k)
                        for (std::int64_t j = tapsY.first; j < tapsY.last; ++j) {
                            const std::int64_t row =
                                ((tapsZ.origin + k * plane.dilations[0]) * plane.in[1] +
                                 tapsY.origin + j * plane.dilations[1]) *
                                plane.in[2];
                            for (std::int64_t i = tapsX.first; i < tapsX.last; ++i)
                                use(row + tapsX.origin + i * plane.dilations[2]);
                        }
                };
                const std::int64_t inside = (tapsZ.last - tapsZ.first) *
                                            (tapsY.last - tapsY.first) * (tapsX.last - tapsX.first);
                const std::int64_t withPads = tapsZ.padded * tapsY.padded * tapsX.padded;
                visit(at, inside, withPads, walk);
            }
        }
    }
}

/// The factor of a sum under the window.
float poolScale(const PoolAttributes& pool, std::int64_t inside, std::int64_t withPads) {
    if (pool.kind == PoolKind::Sum)
        return 1;
    const std::int64_t count = pool.countIncludePad ? withPads : inside;
    return count > 0 ? 1.0F / static_cast<float>(count) : 0.0F;
}

void poolPlane(const PoolAttributes& pool, const PoolPlane& plane, const float* in, float* out) {
    forEachWindow(
        plane, [&](std::int64_t at, std::int64_t inside, std::int64_t withPads, const auto& walk) {
            if (pool.kind == PoolKind::Max) {
                float most = -std::numeric_limits<float>::infinity();
                walk([&](std::int64_t i) { most = in[i] > most || in[i] != in[i] ? in[i] : most; });
                out[at] = most;
                return;
            }
            double sum = 0;
            walk([&](std::int64_t i) { sum += static_cast<double>(in[i]); });
            const std::int64_t count = pool.countIncludePad ? withPads : inside;
            out[at] = pool.kind == PoolKind::Sum ? static_cast<float>(sum)
                      : count > 0 ? static_cast<float>(sum / static_cast<double>(count))
                                  : 0.0F;
        });
}

/// The first of the largest elements gets the gradient (as in PyTorch).
void maxGradient(const PoolPlane& plane, const float* gradient, const float* in, const float* out,
                 float* result) {
    forEachWindow(plane, [&](std::int64_t at, std::int64_t, std::int64_t, const auto& walk) {
        bool given = false;
        walk([&](std::int64_t i) {
            if (!given && in[i] == out[at]) {
                result[i] += gradient[at];
                given = true;
            }
        });
    });
}

void sumGradient(const PoolAttributes& pool, const PoolPlane& plane, const float* gradient,
                 float* result) {
    forEachWindow(
        plane, [&](std::int64_t at, std::int64_t inside, std::int64_t withPads, const auto& walk) {
            const float share = gradient[at] * poolScale(pool, inside, withPads);
            walk([&](std::int64_t i) { result[i] += share; });
        });
}

template <class Work>
void forEachPlane(const PoolPlane& plane, std::int64_t planes, const Work& work) {
    const std::int64_t each = std::max(plane.inElements(), plane.outElements() * plane.kernel[0] *
                                                               plane.kernel[1] * plane.kernel[2]);
    inBlocks(planes, std::max<std::int64_t>(1, computeBlock / each),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t p = begin; p < end; ++p)
                     work(p);
             });
}

/// The maximum of whole numbers is computed with reals, too.
TensorData realsOf(const TensorData& data) {
    if (data.isReal())
        return data;
    TensorData reals(DataType::Float, data.shape());
    for (std::int64_t i = 0; i < data.elements(); ++i)
        reals.setNumber(i, data.number(i));
    return reals;
}

} // namespace

void compute(const PoolAttributes& pool, KernelCall& call) {
    TensorData& made = call.make();
    const TensorData input = realsOf(call.inputs.at(0));
    TensorData result = made.isReal() ? made : TensorData(DataType::Float, made.shape());
    const PoolPlane plane(pool, input.shape(), result.shape());
    const float* in = input.reals().data();
    float* out = result.reals().data();
    forEachPlane(plane, input.shape()[0] * input.shape()[1], [&](std::int64_t p) {
        poolPlane(pool, plane, in + p * plane.inElements(), out + p * plane.outElements());
    });
    if (!made.isReal())
        for (std::int64_t i = 0; i < made.elements(); ++i)
            made.setNumber(i, result.number(i));
}

void compute(const PoolGradAttributes& gradient, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& ofOutput = call.inputs.at(0);
    const PoolPlane plane(gradient.pool, result.shape(), ofOutput.shape());
    const bool isMax = gradient.pool.kind == PoolKind::Max;
    const float* deltas = ofOutput.reals().data();
    const float* in = isMax ? call.inputs.at(1).reals().data() : nullptr;
    const float* out = isMax ? call.inputs.at(2).reals().data() : nullptr;
    float* to = result.reals().data();
    forEachPlane(plane, result.shape()[0] * result.shape()[1], [&](std::int64_t p) {
        float* own = to + p * plane.inElements();
        const std::int64_t from = p * plane.outElements();
        std::fill_n(own, plane.inElements(), 0.0F);
        if (isMax)
            maxGradient(plane, deltas + from, in + p * plane.inElements(), out + from, own);
        else
            sumGradient(gradient.pool, plane, deltas + from, own);
    });
}

} // namespace tilescope::sim
