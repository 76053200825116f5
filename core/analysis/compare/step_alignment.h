// A common axis for the program steps of two profiles, which lines up equal operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/compare/profile_pair.h"

namespace tilescope {

/// The key of each step, by its index: equal numbers are the same operation (or the same program,
/// for steps without one) in both profiles; negative if the other profile has none.
struct StepKeys {
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> target;
};

/// The key of each program, by its id, likewise.
StepKeys programKeys(const ProfilePair& profiles, Stop stop = {});

/// Keys by the pair's matched operations, or by its matched programs for steps without an
/// operation. Both profiles must be present.
StepKeys stepKeys(const ProfilePair& profiles, Stop stop = {});

/// Places of the steps of both on one axis; each place has at most one step of each side.
struct StepAlignment {
    std::vector<std::int32_t> source; ///< ascending, by step
    std::vector<std::int32_t> target; ///< ascending, by step
    std::int32_t places = 0;          ///< length of the axis
    std::size_t sourceMatched = 0;    ///< steps placed together with their operation's of the other
                                      ///< side
    std::size_t targetMatched = 0;
    /// True if at least half of each side's steps are matched.
    [[nodiscard]] bool mostlyMatched() const;
};

/// Consecutive steps with equal keys form a block. Blocks of equal keys in equal order begin at the
/// same place and are as wide as the longer of the two; blocks that cross others, and those of one
/// side only, have places of their own, the source's first. alignSteps(a, a) puts step i at place i
/// if no key is negative. The order is a longest increasing chain of pairs, occurrence by
/// occurrence (Fredman 1975), with longest common subsequences between its links.
StepAlignment alignSteps(std::span<const std::int32_t> source,
                         std::span<const std::int32_t> target);

} // namespace tilescope
