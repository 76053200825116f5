// One axis for the program steps of two profiles, on which the same operations stand together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/compare/profile_pair.h"

namespace tilescope {

/// What each step belongs to, by the step's index: equal numbers are the same operation (or the
/// same program, of steps without one) in both profiles; negative where the other has none.
struct StepKeys {
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> target;
};

/// By the pair's matched operations, and its matched programs where no operation is. Both profiles
/// have to be there.
StepKeys stepKeys(const ProfilePair& profiles, Stop stop = {});

/// Places of the steps of both on one axis; each place has at most one step of each side.
struct StepAlignment {
    std::vector<std::int32_t> source; ///< ascending, by step
    std::vector<std::int32_t> target; ///< ascending, by step
    std::int32_t places = 0;          ///< length of the axis
    std::size_t sourceMatched = 0;    ///< steps that stand with their operation's of the other side
    std::size_t targetMatched = 0;
    /// At least half of the steps of each side.
    [[nodiscard]] bool mostlyMatched() const;
};

/// Steps with equal keys that follow each other are a block. Blocks of equal keys in equal order
/// begin at one place and are as wide as the longer of the two; blocks that cross others, and those
/// of one side only, have places of their own, first the source's. alignSteps(a, a) puts step i at
/// place i if no key is negative. The order is a longest increasing chain of pairs, occurrence by
/// occurrence (Fredman 1975), and between its links a longest common subsequence.
StepAlignment alignSteps(std::span<const std::int32_t> source,
                         std::span<const std::int32_t> target);

} // namespace tilescope
