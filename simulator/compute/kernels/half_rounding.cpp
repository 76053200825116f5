#include "simulator/compute/kernels/half_rounding.h"

#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/row_loops.h"
#include "simulator/graph/tensor_data.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

template <class Function>
void roundAll(float* values, std::int64_t first, std::int64_t count, const Function& function) {
    NumberedLoop<Function>::run(function, values, first, count);
}

#if defined(__x86_64__)
/// To the nearest half by the processor's conversions, which make infinity of what overflows.
__attribute__((target("avx2,f16c"))) void roundByConversions(float* values, std::int64_t count,
                                                             float instead) {
    const __m256 signs = _mm256_set1_ps(-0.0F);
    const __m256 infinity = _mm256_set1_ps(std::numeric_limits<float>::infinity());
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 x = _mm256_loadu_ps(values + i);
        __m256 rounded = _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
        const __m256 overflows =
            _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(signs, rounded), infinity, _CMP_EQ_OQ),
                          _mm256_cmp_ps(_mm256_andnot_ps(signs, x), infinity, _CMP_LT_OQ));
        if (_mm256_movemask_ps(overflows) != 0) {
            const __m256 limited = _mm256_or_ps(_mm256_and_ps(signs, x), _mm256_set1_ps(instead));
            rounded = _mm256_blendv_ps(rounded, limited, overflows);
        }
        _mm256_storeu_ps(values + i, rounded);
    }
    for (; i < count; ++i)
        values[i] = vec::withinHalves(vec::nearestHalf(values[i]), instead);
}
#endif

void roundToNearest(float* values, std::int64_t count, float instead) {
#if defined(__x86_64__)
    if (hasWideVectors() && hasHalfConversions())
        return roundByConversions(values, count, instead);
#endif
    roundAll(values, 0, count, [instead](float x, std::uint32_t) TILESCOPE_INLINED {
        return vec::withinHalves(vec::nearestHalf(x), instead);
    });
}

} // namespace

HalfStore::HalfStore(const HalfRounding& rounding, std::uint64_t key)
    : stochastic_(rounding.stochastic)
    , instead_(rounding.nanOnOverflow ? std::numeric_limits<float>::quiet_NaN() : vec::largestHalf)
    , keyWord_(static_cast<std::uint32_t>(key ^ (key >> 32U))) {}

void HalfStore::operator()(float* values, std::int64_t first, std::int64_t count) const {
    if (!stochastic_)
        return roundToNearest(values, count, instead_);
    roundAll(values, first, count,
             [instead = instead_, keyWord = keyWord_](float x, std::uint32_t i) TILESCOPE_INLINED {
                 return vec::withinHalves(vec::randomHalf(x, vec::randomWord(keyWord, i)), instead);
             });
}

void storeAsHalves(std::span<float> values, const HalfStore& store) {
    inBlocks(static_cast<std::int64_t>(values.size()), computeBlock,
             [&](std::int64_t begin, std::int64_t end) {
                 store(values.data() + begin, begin, end - begin);
             });
}

} // namespace tilescope::sim
