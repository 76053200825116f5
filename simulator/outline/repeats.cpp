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

/// Suffixes [begin, ...) of the order that begin with the same letters.
struct Node {
    Repeat repeat;
    std::int32_t before = 0; ///< letter in front of the first
    bool differ = false;     ///< whether another has another letter in front

    void add(const Node& other) {
        repeat.firstStart = std::min(repeat.firstStart, other.repeat.firstStart);
        repeat.lastStart = std::max(repeat.lastStart, other.repeat.lastStart);
        differ = differ || other.differ || before != other.before;
    }
};

} // namespace

Repeats::Repeats(const std::vector<std::int32_t>& letters)
    : sorted_{suffixArray(letters)} {
    common_ = commonPrefixes(letters, sorted_.front());
    for (const std::int32_t start : sorted_.front())
        before_.push_back(start == 0 ? INT32_MIN : letters[static_cast<std::size_t>(start - 1)]);
    for (std::size_t block = 1; block < letters.size(); block *= 2) {
        Numbers level = sorted_.back();
        const auto at = [&](std::size_t i) {
            return level.begin() + static_cast<std::ptrdiff_t>(std::min(i, level.size()));
        };
        for (std::size_t i = 0; i < level.size(); i += 2 * block)
            std::inplace_merge(at(i), at(i + block), at(i + 2 * block));
        sorted_.push_back(std::move(level));
    }
}

void Repeats::forEach(const std::function<void(const Repeat&)>& found) const {
    const Numbers& order = sorted_.front();
    std::vector<Node> open;
    for (std::size_t i = 1; i <= order.size(); ++i) {
        const std::int32_t shared = i < order.size() ? common_[i] : 0;
        const auto suffix = [&](std::size_t at) {
            return Node{{shared, order[at], order[at], at, at + 1}, before_[at], false};
        };
        Node closed = suffix(i - 1);
        while (!open.empty() && open.back().repeat.length > shared) {
            open.back().add(closed);
            closed = open.back();
            open.pop_back();
            closed.repeat.end = i;
            // The same letter in front of all: a longer repeat has the same places.
            if (closed.differ)
                found(closed.repeat);
        }
        if (shared == 0)
            continue;
        if (open.empty() || open.back().repeat.length < shared) {
            closed.repeat.length = shared;
            open.push_back(closed);
        } else {
            open.back().add(closed);
        }
    }
}

std::int32_t Repeats::startFrom(const Repeat& repeat, std::int32_t from) const {
    std::int32_t least = -1;
    for (std::size_t at = repeat.begin; at < repeat.end;) {
        std::size_t level = 0;
        const auto fits = [&](std::size_t k) {
            return k < sorted_.size() && at % (std::size_t{1} << k) == 0 &&
                   at + (std::size_t{1} << k) <= repeat.end;
        };
        while (fits(level + 1))
            ++level;
        const auto begin = sorted_[level].begin() + static_cast<std::ptrdiff_t>(at);
        at += std::size_t{1} << level;
        const auto end = sorted_[level].begin() + static_cast<std::ptrdiff_t>(at);
        const auto next = std::lower_bound(begin, end, from);
        if (next != end && (least < 0 || *next < least))
            least = *next;
    }
    return least;
}

} // namespace tilescope::sim
