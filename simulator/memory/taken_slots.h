// Second innermost loop of placement. Internal to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/memory/interference.h"

namespace tilescope::sim {

/// How many extents more than it counts copyTaken() may read or overwrite.
inline constexpr std::size_t copiedAtOnce = 8;

/// Copies the extents [begins[i], ends[i]) of slots that are taken, whose end is not 0, one after
/// the other. `spans`: of classes whose slots count; `slots`: by class, its first one. Returns how
/// many were copied. Compiled for the widest vectors that a processor may have.
std::size_t copyTaken(const std::int32_t* begins, const std::int32_t* ends,
                      std::span<const Interference::Span> spans, const std::uint32_t* slots,
                      std::int32_t* toBegins, std::int32_t* toEnds);
std::size_t copyTaken(const std::int64_t* begins, const std::int64_t* ends,
                      std::span<const Interference::Span> spans, const std::uint32_t* slots,
                      std::int64_t* toBegins, std::int64_t* toEnds);

} // namespace tilescope::sim
