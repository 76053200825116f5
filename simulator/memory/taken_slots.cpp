#include "simulator/memory/taken_slots.h"

#if defined(__x86_64__)
#define TILESCOPE_VECTORS
#include <array>
#include <bit>
#include <immintrin.h>
#endif

namespace tilescope::sim {
namespace {

/// Without a branch: the next one overwrites a slot that is not taken.
template <class Unit>
std::size_t copyOneByOne(const Unit* begins, const Unit* ends,
                         std::span<const Interference::Span> spans, const std::uint32_t* slots,
                         Unit* toBegins, Unit* toEnds) {
    std::size_t copied = 0;
    for (const Interference::Span& span : spans)
        for (std::uint32_t i = slots[span.first]; i < slots[span.end]; ++i) {
            toBegins[copied] = begins[i];
            toEnds[copied] = ends[i];
            copied += ends[i] != 0 ? 1 : 0;
        }
    return copied;
}

#ifdef TILESCOPE_VECTORS

/// For each set of lanes, their numbers in order, so that one permutation brings them together.
using LaneOrders = std::array<std::array<std::uint8_t, copiedAtOnce>, 1 << copiedAtOnce>;

constexpr LaneOrders laneOrders() {
    LaneOrders orders{};
    for (std::size_t set = 0; set < orders.size(); ++set) {
        std::size_t next = 0;
        for (std::uint8_t lane = 0; lane < copiedAtOnce; ++lane)
            if ((set >> lane & 1) != 0)
                orders[set][next++] = lane;
    }
    return orders;
}

constexpr LaneOrders orderOf = laneOrders();

[[gnu::target("avx2,popcnt")]] __m256i lanesAt(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

/// Spans are short, so most are one step: it takes a third of the instructions.
[[gnu::target("avx2,popcnt")]] std::size_t
copyInVectors(const std::int32_t* begins, const std::int32_t* ends,
              std::span<const Interference::Span> spans, const std::uint32_t* slots,
              std::int32_t* toBegins, std::int32_t* toEnds) {
    const __m256i none = _mm256_setzero_si256();
    std::size_t copied = 0;
    for (const Interference::Span& span : spans) {
        const std::uint32_t end = slots[span.end];
        for (std::uint32_t i = slots[span.first]; i < end; i += copiedAtOnce) {
            const __m256i ofEnds = lanesAt(ends + i);
            const __m256i isTaken = _mm256_cmpgt_epi32(ofEnds, none);
            auto taken =
                static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(isTaken)));
            if (end - i < copiedAtOnce)
                taken &= (1U << (end - i)) - 1;
            const __m256i order = _mm256_cvtepu8_epi32(
                _mm_loadl_epi64(reinterpret_cast<const __m128i*>(orderOf[taken].data())));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(toBegins + copied),
                                _mm256_permutevar8x32_epi32(lanesAt(begins + i), order));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(toEnds + copied),
                                _mm256_permutevar8x32_epi32(ofEnds, order));
            copied += static_cast<std::size_t>(std::popcount(taken));
        }
    }
    return copied;
}

#endif

} // namespace

std::size_t copyTaken(const std::int32_t* begins, const std::int32_t* ends,
                      std::span<const Interference::Span> spans, const std::uint32_t* slots,
                      std::int32_t* toBegins, std::int32_t* toEnds) {
#ifdef TILESCOPE_VECTORS
    static const bool hasVectors =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
    if (hasVectors)
        return copyInVectors(begins, ends, spans, slots, toBegins, toEnds);
#endif
    return copyOneByOne(begins, ends, spans, slots, toBegins, toEnds);
}

std::size_t copyTaken(const std::int64_t* begins, const std::int64_t* ends,
                      std::span<const Interference::Span> spans, const std::uint32_t* slots,
                      std::int64_t* toBegins, std::int64_t* toEnds) {
    return copyOneByOne(begins, ends, spans, slots, toBegins, toEnds);
}

} // namespace tilescope::sim
