#include "core/base/suggest.h"

#include <algorithm>
#include <numeric>

#include "core/base/printable.h"

namespace tilescope {

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row[b.size()];
}

std::string nearestName(std::string_view typed, const std::vector<std::string>& candidates) {
    constexpr std::size_t longestTyped = 256; // longer than any typed name; cost is quadratic
    std::string best;
    if (typed.size() > longestTyped)
        return best;
    // With more than a third of the letters wrong it is another word, not a typo.
    std::size_t bestDistance = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = editDistance(typed, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string didYouMean(std::string_view typed, const std::vector<std::string>& candidates) {
    const std::string nearest = nearestName(typed, candidates);
    return nearest.empty() ? "" : " Did you mean '" + nearest + "'?";
}

std::string shortened(std::string_view name) {
    constexpr std::size_t shown = 80;
    if (name.size() <= shown)
        return std::string(name);
    return std::string(firstBytes(name, shown)) + "\u2026";
}

} // namespace tilescope
