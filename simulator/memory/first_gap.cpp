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

/// Copies as many as one vector of AVX2 holds, or more.
template <class Unit> [[gnu::always_inline]] inline void copyBlock(const Unit* from, Unit* to) {
    constexpr std::size_t vectorBytes = 32;
    static_assert(vectorBytes / sizeof(Unit) <= extentsAtOnce);
#if defined(__GNUC__)
    typedef Unit Block __attribute__((vector_size(vectorBytes), aligned(alignof(Unit)), may_alias));
    *reinterpret_cast<Block*>(to) = *reinterpret_cast<const Block*>(from);
#else
    std::copy_n(from, vectorBytes / sizeof(Unit), to);
#endif
}

template <class Unit>
[[gnu::always_inline]] inline std::size_t gather(std::span<const Interference::Span> classes,
                                                 const std::uint32_t* firsts, const Unit* begins,
                                                 const Unit* ends, Unit* toBegins, Unit* toEnds) {
    constexpr std::size_t block = 32 / sizeof(Unit);
    std::size_t count = 0;
    for (const Interference::Span& span : classes) {
        const std::size_t first = firsts[span.first];
        const std::size_t extents = firsts[span.end] - first;
        for (std::size_t i = 0; i < extents; i += block) {
            copyBlock(begins + first + i, toBegins + count + i);
            copyBlock(ends + first + i, toEnds + count + i);
        }
        count += extents;
    }
    return count;
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

TILESCOPE_WIDE
std::size_t gatherExtents(std::span<const Interference::Span> classes, const std::uint32_t* firsts,
                          const std::int32_t* begins, const std::int32_t* ends,
                          std::int32_t* toBegins, std::int32_t* toEnds) {
    return gather(classes, firsts, begins, ends, toBegins, toEnds);
}

TILESCOPE_WIDE
std::size_t gatherExtents(std::span<const Interference::Span> classes, const std::uint32_t* firsts,
                          const std::int64_t* begins, const std::int64_t* ends,
                          std::int64_t* toBegins, std::int64_t* toEnds) {
    return gather(classes, firsts, begins, ends, toBegins, toEnds);
}

#undef TILESCOPE_WIDE

} // namespace tilescope::sim
