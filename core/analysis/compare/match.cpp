#include "core/analysis/compare/match.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/analysis/compare/names.h"

namespace tilescope {
namespace {

using Indices = std::vector<std::int32_t>;

class Matcher {
public:
    Matcher(const std::vector<MatchKey>& source, const std::vector<MatchKey>& target)
        : source_(source)
        , target_(target)
        , targetOf_(source.size(), -1)
        , sourceOf_(target.size(), -1) {}

    std::vector<Match> run() {
        matchBy([](const MatchKey& key) { return key.name; });
        matchBy([](const MatchKey& key) { return comparableName(key.name); });
        std::size_t levels = 0;
        for (const MatchKey& key : source_)
            levels = std::max(levels, key.signatures.size());
        for (std::size_t level = 0; level < levels; ++level)
            matchBySignature(level);
        return inOrder();
    }

private:
    static Indices openOf(const Indices& partners) {
        Indices open;
        for (std::size_t i = 0; i < partners.size(); ++i)
            if (partners[i] < 0)
                open.push_back(static_cast<std::int32_t>(i));
        return open;
    }

    void pair(std::int32_t a, std::int32_t b) {
        targetOf_[static_cast<std::size_t>(a)] = b;
        sourceOf_[static_cast<std::size_t>(b)] = a;
    }

    template <class NameOf> void matchBy(NameOf nameOf) {
        std::unordered_map<std::string, std::deque<std::int32_t>> waiting;
        for (const std::int32_t b : openOf(sourceOf_))
            waiting[nameOf(target_[static_cast<std::size_t>(b)])].push_back(b);
        for (const std::int32_t a : openOf(targetOf_)) {
            const auto found = waiting.find(nameOf(source_[static_cast<std::size_t>(a)]));
            if (found == waiting.end() || found->second.empty())
                continue;
            pair(a, found->second.front());
            found->second.pop_front();
        }
    }

    /// The matched item before each item of one side, whose `partners` are of the other, as an
    /// index of the source.
    static Indices neighbours(const Indices& partners, bool isSource) {
        Indices before;
        std::int32_t last = -1;
        for (const std::int32_t partner : partners) {
            const auto at = static_cast<std::int32_t>(before.size());
            before.push_back(last);
            if (partner >= 0)
                last = isSource ? at : partner;
        }
        return before;
    }

    void matchBySignature(std::size_t level) {
        const Indices beforeSource = neighbours(targetOf_, true);
        const Indices beforeTarget = neighbours(sourceOf_, false);
        std::unordered_map<std::int32_t, std::pair<Indices, Indices>> gaps;
        for (const std::int32_t a : openOf(targetOf_))
            if (has(source_, a, level))
                gaps[beforeSource[static_cast<std::size_t>(a)]].first.push_back(a);
        for (const std::int32_t b : openOf(sourceOf_))
            if (has(target_, b, level))
                gaps[beforeTarget[static_cast<std::size_t>(b)]].second.push_back(b);
        for (const auto& [before, open] : gaps)
            matchGap(open.first, open.second, level);
    }

    static bool has(const std::vector<MatchKey>& keys, std::int32_t index, std::size_t level) {
        const auto& signatures = keys[static_cast<std::size_t>(index)].signatures;
        return level < signatures.size() && !signatures[level].empty();
    }

    [[nodiscard]] bool alike(std::int32_t a, std::int32_t b, std::size_t level) const {
        return source_[static_cast<std::size_t>(a)].signatures[level] ==
               target_[static_cast<std::size_t>(b)].signatures[level];
    }

    void matchGap(const Indices& a, const Indices& b, std::size_t level) {
        // The longest common subsequence takes time and memory proportional to its cells. Above
        // this limit (two programs of thousands of operations without a common name) the first fit
        // is taken.
        constexpr std::size_t mostCells = 4'000'000;
        if (a.empty() || b.empty())
            return;
        if (a.size() * b.size() > mostCells)
            matchFirst(a, b, level);
        else
            matchLongest(a, b, level);
    }

    void matchFirst(const Indices& a, const Indices& b, std::size_t level) {
        std::unordered_map<std::string, std::deque<std::int32_t>> waiting;
        for (const std::int32_t i : b)
            waiting[target_[static_cast<std::size_t>(i)].signatures[level]].push_back(i);
        for (const std::int32_t i : a) {
            auto& queue = waiting[source_[static_cast<std::size_t>(i)].signatures[level]];
            if (queue.empty())
                continue;
            pair(i, queue.front());
            queue.pop_front();
        }
    }

    void matchLongest(const Indices& a, const Indices& b, std::size_t level) {
        const std::size_t width = b.size() + 1;
        std::vector<std::uint32_t> common((a.size() + 1) * width, 0);
        for (std::size_t i = a.size(); i-- > 0;)
            for (std::size_t j = b.size(); j-- > 0;)
                common[i * width + j] =
                    alike(a[i], b[j], level)
                        ? common[(i + 1) * width + j + 1] + 1
                        : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < a.size() && j < b.size()) {
            if (alike(a[i], b[j], level))
                pair(a[i++], b[j++]);
            else if (common[(i + 1) * width + j] >= common[i * width + j + 1])
                ++i;
            else
                ++j;
        }
    }

    [[nodiscard]] std::vector<Match> inOrder() const {
        std::vector<Match> matches;
        std::vector<bool> done(target_.size(), false);
        const auto addTargetsFrom = [&](std::size_t b) {
            for (; b < target_.size() && sourceOf_[b] < 0 && !done[b]; ++b) {
                matches.push_back({-1, static_cast<std::int32_t>(b), false});
                done[b] = true;
            }
        };
        addTargetsFrom(0);
        for (std::size_t a = 0; a < source_.size(); ++a) {
            const std::int32_t b = targetOf_[a];
            if (b < 0) {
                matches.push_back({static_cast<std::int32_t>(a), -1, false});
                continue;
            }
            const auto at = static_cast<std::size_t>(b);
            matches.push_back(
                {static_cast<std::int32_t>(a), b,
                 comparableName(source_[a].name) != comparableName(target_[at].name)});
            addTargetsFrom(at + 1);
        }
        return matches;
    }

    const std::vector<MatchKey>& source_;
    const std::vector<MatchKey>& target_;
    Indices targetOf_;
    Indices sourceOf_;
};

} // namespace

std::vector<Match> matchItems(const std::vector<MatchKey>& source,
                              const std::vector<MatchKey>& target) {
    return Matcher(source, target).run();
}

} // namespace tilescope
