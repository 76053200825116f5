// Loops of elementwise functions over rows, compiled for several instruction sets.
#pragma once

#include <cstdint>

#include "simulator/compute/kernels/vector_math.h"

// A result may be one of the operands, element by element.
#if defined(__clang__)
#define TILESCOPE_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILESCOPE_VECTOR_LOOP _Pragma("GCC ivdep")
#endif

// For lambdas called in loops.
#define TILESCOPE_INLINED __attribute__((always_inline))

namespace tilescope::sim {

/// An operand along a row: its first element, and whether it advances or is broadcast.
template <class T> struct RowOperand {
    const T* first;
    bool goesOn;
};

#if defined(__x86_64__)
inline bool hasWideVectors() {
    static const bool known =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return known;
}
#endif

/// out[i] = function(a[i]).
template <class Function, class In, class Out> struct UnaryLoop {
    TILESCOPE_INLINE static void body(const Function& function, const In* a, Out* out,
                                      std::int64_t count) {
        TILESCOPE_VECTOR_LOOP
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = function(a[i]);
    }
#if defined(__x86_64__)
    __attribute__((target("avx2,fma"))) static void wide(const Function& function, const In* a,
                                                         Out* out, std::int64_t count) {
        body(function, a, out, count);
    }
#endif
    static void run(const Function& function, const In* a, Out* out, std::int64_t count) {
#if defined(__x86_64__)
        if (hasWideVectors())
            return wide(function, a, out, count);
#endif
        body(function, a, out, count);
    }
};

/// out[i] = function(a[i], b[i]).
template <class Function, class In, class Out> struct BinaryLoop {
    TILESCOPE_INLINE static void body(const Function& function, RowOperand<In> a, RowOperand<In> b,
                                      Out* out, std::int64_t count) {
        if (a.goesOn && b.goesOn) {
            TILESCOPE_VECTOR_LOOP
            for (std::int64_t i = 0; i < count; ++i)
                out[i] = function(a.first[i], b.first[i]);
        } else if (a.goesOn) {
            const In right = *b.first;
            TILESCOPE_VECTOR_LOOP
            for (std::int64_t i = 0; i < count; ++i)
                out[i] = function(a.first[i], right);
        } else {
            const In left = *a.first;
            const std::int64_t step = b.goesOn ? 1 : 0;
            if (step == 0) {
                const Out same = function(left, *b.first);
                for (std::int64_t i = 0; i < count; ++i)
                    out[i] = same;
                return;
            }
            TILESCOPE_VECTOR_LOOP
            for (std::int64_t i = 0; i < count; ++i)
                out[i] = function(left, b.first[i]);
        }
    }
#if defined(__x86_64__)
    __attribute__((target("avx2,fma"))) static void wide(const Function& function, RowOperand<In> a,
                                                         RowOperand<In> b, Out* out,
                                                         std::int64_t count) {
        body(function, a, b, out, count);
    }
#endif
    static void run(const Function& function, RowOperand<In> a, RowOperand<In> b, Out* out,
                    std::int64_t count) {
#if defined(__x86_64__)
        if (hasWideVectors())
            return wide(function, a, b, out, count);
#endif
        body(function, a, b, out, count);
    }
};

} // namespace tilescope::sim
