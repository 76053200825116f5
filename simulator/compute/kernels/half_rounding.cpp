#include "simulator/compute/kernels/half_rounding.h"

#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/row_loops.h"

namespace tilescope::sim {
namespace {

/// values[i] = function(values[i], i), compiled for several instruction sets.
template <class Function> struct NumberedLoop {
    TILESCOPE_INLINE static void body(const Function& function, float* values, std::int64_t first,
                                      std::int64_t count) {
        TILESCOPE_VECTOR_LOOP
        for (std::int64_t i = 0; i < count; ++i)
            values[i] = function(values[i], static_cast<std::uint32_t>(first + i));
    }
#if defined(__x86_64__)
    __attribute__((target("avx2,fma"))) static void wide(const Function& function, float* values,
                                                         std::int64_t first, std::int64_t count) {
        body(function, values, first, count);
    }
#endif
    static void run(const Function& function, float* values, std::int64_t first,
                    std::int64_t count) {
#if defined(__x86_64__)
        if (hasWideVectors())
            return wide(function, values, first, count);
#endif
        body(function, values, first, count);
    }
};

template <class Function> void roundAll(std::span<float> values, const Function& function) {
    inBlocks(static_cast<std::int64_t>(values.size()), computeBlock,
             [&](std::int64_t begin, std::int64_t end) {
                 NumberedLoop<Function>::run(function, values.data() + begin, begin, end - begin);
             });
}

} // namespace

void storeAsHalves(std::span<float> values, const HalfRounding& rounding, std::uint64_t key) {
    const float instead =
        rounding.nanOnOverflow ? std::numeric_limits<float>::quiet_NaN() : vec::largestHalf;
    if (!rounding.stochastic)
        return roundAll(values, [instead](float x, std::uint32_t) TILESCOPE_INLINED {
            return vec::withinHalves(vec::nearestHalf(x), instead);
        });
    const auto keyWord = static_cast<std::uint32_t>(key ^ (key >> 32U));
    roundAll(values, [instead, keyWord](float x, std::uint32_t i) TILESCOPE_INLINED {
        return vec::withinHalves(vec::randomHalf(x, vec::randomWord(keyWord, i)), instead);
    });
}

} // namespace tilescope::sim
