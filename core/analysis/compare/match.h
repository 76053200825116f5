// Which item of one program is which item of the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// What identifies an item. Signatures describe it independently of its name, the strongest first;
/// an item without any only matches an item of the same name.
struct MatchKey {
    std::string name;
    std::vector<std::string> signatures;
};

/// Indices of an item in source and target; -1 where that side lacks it.
struct Match {
    std::int32_t source = -1;
    std::int32_t target = -1;
    bool renamed = false; ///< their names differ by more than the compiler's counting
    [[nodiscard]] bool both() const { return source >= 0 && target >= 0; }
    friend bool operator==(const Match&, const Match&) = default;
};

/// Pairs items by equal names, then by names without counters (comparableName), then by equal
/// signatures in equal order between the same neighbours, for each signature in turn. Items of
/// equal names pair in their order. The result is in the source's order, with items that only the
/// target has merged in at their place. matchItems(a, a) pairs every item with itself.
std::vector<Match> matchItems(const std::vector<MatchKey>& source,
                              const std::vector<MatchKey>& target);

} // namespace tilescope
