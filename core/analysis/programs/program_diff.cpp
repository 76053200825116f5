#include "core/analysis/programs/program_diff.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tilescope {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// A table of this many cells takes no noticeable time.
constexpr std::size_t largestTable = std::size_t{1} << 22;

/// The name of a step without the number of the program that copies and exchanges begin with
/// ("cs288_conv1/ExchangePre", "copy12_input"): one step more elsewhere is another number.
std::string_view unnumbered(std::string_view name) {
    for (const std::string_view prefix : {"cs", "copy"}) {
        if (!name.starts_with(prefix))
            continue;
        const std::size_t end = name.find_first_not_of("0123456789", prefix.size());
        if (end != std::string_view::npos && end > prefix.size() && name[end] == '_')
            return name.substr(end + 1);
    }
    return name;
}

/// Pairs of equal numbers in two lists, both rising.
class Alignment {
public:
    Alignment(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b)
        : a_(a)
        , b_(b) {}

    Pairs make() {
        std::size_t first = 0;
        while (first < a_.size() && first < b_.size() && a_[first] == b_[first]) {
            pairs_.emplace_back(first, first);
            ++first;
        }
        std::size_t aEnd = a_.size();
        std::size_t bEnd = b_.size();
        while (aEnd > first && bEnd > first && a_[aEnd - 1] == b_[bEnd - 1]) {
            --aEnd;
            --bEnd;
        }
        if ((aEnd - first) * (bEnd - first) <= largestTable)
            longest(first, aEnd, bEnd);
        else
            firstInOrder(first, aEnd, bEnd);
        for (; aEnd < a_.size(); ++aEnd, ++bEnd)
            pairs_.emplace_back(aEnd, bEnd);
        return std::move(pairs_);
    }

private:
    void longest(std::size_t first, std::size_t aEnd, std::size_t bEnd) {
        const std::size_t width = bEnd - first + 1;
        std::vector<std::uint32_t> length((aEnd - first + 1) * width);
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
            return length[(i - first) * width + (j - first)];
        };
        for (std::size_t i = aEnd; i-- > first;)
            for (std::size_t j = bEnd; j-- > first;)
                at(i, j) =
                    a_[i] == b_[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        for (std::size_t i = first, j = first; i < aEnd && j < bEnd;) {
            if (a_[i] == b_[j])
                pairs_.emplace_back(i++, j++);
            else if (at(i + 1, j) >= at(i, j + 1))
                ++i;
            else
                ++j;
        }
    }

    void firstInOrder(std::size_t first, std::size_t aEnd, std::size_t bEnd) {
        std::unordered_map<std::size_t, std::vector<std::size_t>> places;
        for (std::size_t j = first; j < bEnd; ++j)
            places[b_[j]].push_back(j);
        std::size_t next = first;
        for (std::size_t i = first; i < aEnd; ++i) {
            const auto known = places.find(a_[i]);
            if (known == places.end())
                continue;
            const auto j = std::lower_bound(known->second.begin(), known->second.end(), next);
            if (j == known->second.end())
                continue;
            pairs_.emplace_back(i, *j);
            next = *j + 1;
        }
    }

    const std::vector<std::size_t>& a_;
    const std::vector<std::size_t>& b_;
    Pairs pairs_;
};

class Matcher {
public:
    Matcher(const ProgramSide& source, const ProgramSide& target)
        : source_(source)
        , target_(target) {
        diff_.source.resize(source.programs.size());
        diff_.target.resize(target.programs.size());
    }

    ProgramDiff make() {
        matchLists(source_.roots, target_.roots);
        while (!open_.empty()) {
            const auto [a, b] = open_.back();
            open_.pop_back();
            matchLists(source_.programs[a].children, target_.programs[b].children);
        }
        return std::move(diff_);
    }

private:
    void matchLists(const std::vector<ProgramId>& a, const std::vector<ProgramId>& b) {
        const Pairs pairs = Alignment(keys(source_, a), keys(target_, b)).make();
        std::size_t i = 0;
        std::size_t j = 0;
        for (const auto& [toA, toB] : pairs) {
            matchRest(a, i, toA, b, j, toB);
            match(a[toA], b[toB]);
            i = toA + 1;
            j = toB + 1;
        }
        matchRest(a, i, a.size(), b, j, b.size());
    }

    /// Programs [i, iEnd) and [j, jEnd) have at most their kinds in common.
    void matchRest(const std::vector<ProgramId>& a, std::size_t i, std::size_t iEnd,
                   const std::vector<ProgramId>& b, std::size_t j, std::size_t jEnd) {
        for (; i < iEnd && j < jEnd; ++i, ++j)
            if (source_.programs[a[i]].kind == target_.programs[b[j]].kind)
                match(a[i], b[j]);
    }

    void match(ProgramId a, ProgramId b) {
        const bool same =
            source_.costs[a.index()] == target_.costs[b.index()] &&
            source_.programs[a].count == target_.programs[b].count &&
            unnumbered(source_.programs[a].name) == unnumbered(target_.programs[b].name);
        const ProgramChange change = same ? ProgramChange::Same : ProgramChange::Changed;
        diff_.source[a.index()] = {change, b};
        diff_.target[b.index()] = {change, a};
        open_.emplace_back(a, b);
    }

    /// A number for each kind and name, the same on both sides.
    std::vector<std::size_t> keys(const ProgramSide& side, const std::vector<ProgramId>& list) {
        std::vector<std::size_t> keys;
        for (const ProgramId id : list) {
            const Program& program = side.programs[id];
            std::string key(program.kindText());
            key += ' ';
            key += unnumbered(program.name);
            keys.push_back(known_.try_emplace(std::move(key), known_.size()).first->second);
        }
        return keys;
    }

    const ProgramSide& source_;
    const ProgramSide& target_;
    ProgramDiff diff_;
    std::vector<std::pair<ProgramId, ProgramId>> open_; ///< matched, their children not yet
    std::unordered_map<std::string, std::size_t> known_;
};

} // namespace

ProgramDiff diffPrograms(const ProgramSide& source, const ProgramSide& target) {
    return Matcher(source, target).make();
}

} // namespace tilescope
