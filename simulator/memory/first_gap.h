// The innermost loops of placement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/memory/interference.h"

namespace tilescope::sim {

/// How many extents are examined at once: twice what the widest common vectors hold.
constexpr std::size_t extentsAtOnce = 16;

/// The first offset, from a given one on, of a gap of size `wanted` between the extents
/// [begins[i], ends[i]). Each pass over them takes one of `passes`; with none left, the result is
/// an offset before which there is no such gap. Ends are not negative. `count`: a multiple of
/// extentsAtOnce; extents that end at 0 fill it up. Compiled for the widest vectors that a
/// processor may have.
std::int32_t firstGap(const std::int32_t* begins, const std::int32_t* ends, std::size_t count,
                      std::int32_t offset, std::int32_t wanted, int& passes);
std::int64_t firstGap(const std::int64_t* begins, const std::int64_t* ends, std::size_t count,
                      std::int64_t offset, std::int64_t wanted, int& passes);

/// Copies the extents of some classes one after the other and returns how many they are. `firsts`:
/// by class, the first of its extents, with one entry more for the end. Whole blocks are copied: up
/// to extentsAtOnce more are read behind the extents of a class, and written behind the last.
std::size_t gatherExtents(std::span<const Interference::Span> classes, const std::uint32_t* firsts,
                          const std::int32_t* begins, const std::int32_t* ends,
                          std::int32_t* toBegins, std::int32_t* toEnds);
std::size_t gatherExtents(std::span<const Interference::Span> classes, const std::uint32_t* firsts,
                          const std::int64_t* begins, const std::int64_t* ends,
                          std::int64_t* toBegins, std::int64_t* toEnds);

} // namespace tilescope::sim
