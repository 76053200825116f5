#include "simulator/memory/highest_end.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

template <class Unit>
[[gnu::always_inline]] inline Unit highest(const Unit* begins, const Unit* ends, std::size_t count,
                                           Unit offset, Unit limit) {
    Unit top = offset;
    for (std::size_t i = 0; i < count; ++i) {
        const bool meets = (static_cast<unsigned>(ends[i] > offset) &
                            static_cast<unsigned>(begins[i] < limit)) != 0;
        top = std::max(top, meets ? ends[i] : offset);
    }
    return top;
}

} // namespace

// Without the wider instructions the loop takes twice as many.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TILESCOPE_WIDE [[gnu::target_clones("avx2", "default")]]
#else
#define TILESCOPE_WIDE
#endif

TILESCOPE_WIDE
std::int32_t highestEnd(std::span<const std::int32_t> begins, std::span<const std::int32_t> ends,
                        std::int32_t offset, std::int32_t limit) {
    return highest(begins.data(), ends.data(), ends.size(), offset, limit);
}

TILESCOPE_WIDE
std::int64_t highestEnd(std::span<const std::int64_t> begins, std::span<const std::int64_t> ends,
                        std::int64_t offset, std::int64_t limit) {
    return highest(begins.data(), ends.data(), ends.size(), offset, limit);
}

#undef TILESCOPE_WIDE

} // namespace tilescope::sim
