#include "simulator/memory/first_gap.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

/// The largest end of what begins before `limit`: of what meets [offset, limit), or `offset` if
/// that is nothing.
template <class Unit>
[[gnu::always_inline]] inline Unit highestEnd(const Unit* begins, const Unit* ends,
                                              std::size_t count, Unit offset, Unit limit) {
    Unit top = offset;
    // The compiler is told that no part of a vector is left.
    const std::size_t whole = count & ~(extentsAtOnce - 1);
    for (std::size_t i = 0; i < whole; ++i) {
        const Unit end = ends[i]; // read also where it does not count: a vector is read as a whole
        const auto counts = static_cast<Unit>(begins[i] < limit);
        top = std::max(top, static_cast<Unit>(end & -counts));
    }
    return top;
}

template <class Unit>
[[gnu::always_inline]] inline Unit gap(const Unit* begins, const Unit* ends, std::size_t count,
                                       Unit offset, Unit wanted, int& passes) {
    while (passes > 0) {
        const Unit top = highestEnd(begins, ends, count, offset, offset + wanted);
        if (top == offset)
            break;
        offset = top;
        --passes;
    }
    return offset;
}

} // namespace

// Without the wider instructions the loop takes twice as many.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TILESCOPE_WIDE [[gnu::target_clones("avx2", "default")]]
#else
#define TILESCOPE_WIDE
#endif

TILESCOPE_WIDE
std::int32_t firstGap(const std::int32_t* begins, const std::int32_t* ends, std::size_t count,
                      std::int32_t offset, std::int32_t wanted, int& passes) {
    return gap(begins, ends, count, offset, wanted, passes);
}

TILESCOPE_WIDE
std::int64_t firstGap(const std::int64_t* begins, const std::int64_t* ends, std::size_t count,
                      std::int64_t offset, std::int64_t wanted, int& passes) {
    return gap(begins, ends, count, offset, wanted, passes);
}

#undef TILESCOPE_WIDE

} // namespace tilescope::sim
