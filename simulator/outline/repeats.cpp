#include "simulator/outline/repeats.h"

#include <algorithm>
#include <numeric>

namespace tilescope::sim {
namespace {

using Numbers = std::vector<std::int32_t>;

/// Suffixes in order, by doubling the length that is compared (Manber and Myers).
Numbers suffixArray(const Numbers& letters) {
    const auto n = static_cast<std::int32_t>(letters.size());
    Numbers order(letters.size());
    std::iota(order.begin(), order.end(), 0);
    Numbers rank = letters;
    Numbers next(letters.size());
    for (std::int32_t compared = 1;; compared *= 2) {
        const auto key = [&](std::int32_t at) {
            const std::int32_t after = at + compared;
            return std::pair(rank[static_cast<std::size_t>(at)],
                             after < n ? rank[static_cast<std::size_t>(after)] : INT32_MIN);
        };
        std::sort(order.begin(), order.end(),
                  [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto at = static_cast<std::size_t>(order[i]);
            if (i == 0)
                next[at] = 0;
            else
                next[at] = next[static_cast<std::size_t>(order[i - 1])] +
                           (key(order[i - 1]) < key(order[i]) ? 1 : 0);
        }
        rank.swap(next);
        if (order.empty() || rank[static_cast<std::size_t>(order.back())] + 1 == n)
            return order;
    }
}

/// Letters that each suffix has in common with the one before it in order (Kasai and others).
Numbers commonPrefixes(const Numbers& letters, const Numbers& order) {
    const std::size_t n = letters.size();
    Numbers rank(n);
    for (std::size_t i = 0; i < n; ++i)
        rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    Numbers common(n, 0);
    std::size_t length = 0;
    for (std::size_t at = 0; at < n; ++at) {
        const auto place = static_cast<std::size_t>(rank[at]);
        if (place == 0) {
            length = 0;
            continue;
        }
        const auto other = static_cast<std::size_t>(order[place - 1]);
        while (at + length < n && other + length < n &&
               letters[at + length] == letters[other + length])
            ++length;
        common[place] = static_cast<std::int32_t>(length);
        length -= length > 0 ? 1 : 0;
    }
    return common;
}

/// Suffixes [first, ...) of the order that begin with the same `length` letters.
struct Node {
    std::int32_t length = 0;
    std::size_t first = 0;
};

} // namespace

void forEachRepeat(const std::vector<std::int32_t>& letters,
                   const std::function<bool(std::int32_t, std::int32_t)>& wanted,
                   const std::function<void(Repeat)>& found) {
    const Numbers order = suffixArray(letters);
    const Numbers common = commonPrefixes(letters, order);
    const auto report = [&](const Node& node, std::size_t end) {
        if (!wanted(order[node.first], node.length))
            return;
        Repeat repeat{node.length, Numbers(order.begin() + static_cast<std::ptrdiff_t>(node.first),
                                           order.begin() + static_cast<std::ptrdiff_t>(end))};
        const auto inFront = [&](std::int32_t start) {
            return start == 0 ? INT32_MIN : letters[static_cast<std::size_t>(start - 1)];
        };
        // The same letter in front of all: a longer repeat has the same places.
        if (std::all_of(repeat.starts.begin(), repeat.starts.end(), [&](std::int32_t start) {
                return inFront(start) == inFront(repeat.starts.front());
            }))
            return;
        std::sort(repeat.starts.begin(), repeat.starts.end());
        found(std::move(repeat));
    };
    std::vector<Node> open;
    for (std::size_t i = 1; i <= order.size(); ++i) {
        const std::int32_t shared = i < order.size() ? common[i] : 0;
        std::size_t first = i - 1;
        while (!open.empty() && open.back().length > shared) {
            report(open.back(), i);
            first = open.back().first;
            open.pop_back();
        }
        if (shared > 0 && (open.empty() || open.back().length < shared))
            open.push_back({shared, first});
    }
}

} // namespace tilescope::sim
