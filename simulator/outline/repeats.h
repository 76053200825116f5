// Repeated parts of a sequence of letters.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::sim {

/// A part of a sequence that occurs at two or more places, which may overlap.
struct Repeat {
    std::int32_t length = 0;
    std::vector<std::int32_t> starts; ///< ascending
};

/// Calls `found` with each maximal repeat: one that no symbol makes longer to either side without
/// losing a place. These are the inner nodes of the suffix tree whose places differ in the letter
/// in front. Takes time proportional to n log^2 n plus the places reported.
/// `wanted`: whether the length at a place is of interest, asked before the places are collected.
void forEachRepeat(const std::vector<std::int32_t>& letters,
                   const std::function<bool(std::int32_t start, std::int32_t length)>& wanted,
                   const std::function<void(Repeat)>& found);

} // namespace tilescope::sim
