// Repeated parts of a sequence of letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::sim {

/// A part of a sequence that occurs at two or more places, which may overlap.
struct Repeat {
    std::int32_t length = 0;
    std::int32_t firstStart = 0, lastStart = 0;
    std::size_t begin = 0, end = 0; ///< its places in the order of suffixes, see Repeats
};

/// The repeats of a sequence. A chain of equal letters has as many repeats as letters, each with
/// nearly as many places: so places are not listed, but looked up from one to the next.
class Repeats {
public:
    /// Takes time proportional to n log^2 n.
    explicit Repeats(const std::vector<std::int32_t>& letters);

    /// Calls `found` with each maximal repeat: one that no symbol makes longer to either side
    /// without losing a place. These are the inner nodes of the suffix tree whose places differ in
    /// the letter in front: fewer than n.
    void forEach(const std::function<void(const Repeat&)>& found) const;

    /// The first of its places at or after `from`, -1 if there is none; in time log^2 n.
    [[nodiscard]] std::int32_t startFrom(const Repeat& repeat, std::int32_t from) const;

private:
    using Numbers = std::vector<std::int32_t>;
    Numbers before_;              ///< letter in front of each suffix in order, by that order
    Numbers common_;              ///< letters that each has in common with the one before it
    std::vector<Numbers> sorted_; ///< level k: the order of suffixes, sorted in blocks of 2^k
};

} // namespace tilescope::sim
