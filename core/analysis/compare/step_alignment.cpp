#include "core/analysis/compare/step_alignment.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/base/damaged_profile.h"

namespace tilescope {
namespace {

struct Block {
    std::int32_t key = -1;
    std::size_t first = 0;
    std::size_t count = 0;
};

std::vector<Block> blocksOf(std::span<const std::int32_t> keys) {
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (blocks.empty() || blocks.back().key != keys[i])
            blocks.push_back({keys[i], i, 0});
        ++blocks.back().count;
    }
    return blocks;
}

using Pair = std::pair<std::size_t, std::size_t>; // blocks of source and target

/// The n-th block of a key in one with the n-th in the other, in the source's order.
std::vector<Pair> byOccurrence(std::span<const Block> source, std::span<const Block> target) {
    std::unordered_map<std::int32_t, std::deque<std::size_t>> waiting;
    for (std::size_t j = 0; j < target.size(); ++j)
        if (target[j].key >= 0)
            waiting[target[j].key].push_back(j);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const auto found = waiting.find(source[i].key);
        if (source[i].key < 0 || found == waiting.end() || found->second.empty())
            continue;
        pairs.emplace_back(i, found->second.front());
        found->second.pop_front();
    }
    return pairs;
}

/// The most pairs whose targets ascend.
std::vector<Pair> longestChain(const std::vector<Pair>& pairs) {
    std::vector<std::size_t> ends; // of the best chain of each length: its last pair
    std::vector<std::ptrdiff_t> before(pairs.size(), -1);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto at =
            std::lower_bound(ends.begin(), ends.end(), pairs[i].second,
                             [&](std::size_t end, std::size_t j) { return pairs[end].second < j; });
        if (at != ends.begin())
            before[i] = static_cast<std::ptrdiff_t>(*(at - 1));
        if (at == ends.end())
            ends.push_back(i);
        else
            *at = i;
    }
    std::vector<Pair> chain;
    for (auto i = ends.empty() ? -1 : static_cast<std::ptrdiff_t>(ends.back()); i >= 0;
         i = before[static_cast<std::size_t>(i)])
        chain.push_back(pairs[static_cast<std::size_t>(i)]);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

/// Adds the longest common subsequence of the blocks [from, to) of both.
void addCommon(std::vector<Pair>& chain, std::span<const Block> source,
               std::span<const Block> target, Pair from, Pair to) {
    // Up to this many cells time and memory do not matter; a larger gap keeps the pairs found by
    // occurrence.
    constexpr std::size_t mostCells = 1'000'000;
    const std::size_t rows = to.first - from.first;
    const std::size_t columns = to.second - from.second;
    if (rows == 0 || columns == 0 || rows * columns > mostCells)
        return;
    const auto same = [&](std::size_t i, std::size_t j) {
        const std::int32_t key = source[from.first + i].key;
        return key >= 0 && key == target[from.second + j].key;
    };
    const std::size_t width = columns + 1;
    std::vector<std::uint32_t> common((rows + 1) * width, 0);
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
            common[i * width + j] =
                same(i, j) ? common[(i + 1) * width + j + 1] + 1
                           : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same(i, j))
            chain.emplace_back(from.first + i++, from.second + j++);
        else if (common[(i + 1) * width + j] >= common[i * width + j + 1])
            ++i;
        else
            ++j;
    }
}

std::vector<Pair> matchBlocks(std::span<const Block> source, std::span<const Block> target) {
    std::vector<Pair> chain;
    Pair from{0, 0};
    for (const Pair& link : longestChain(byOccurrence(source, target))) {
        addCommon(chain, source, target, from, link);
        chain.push_back(link);
        from = {link.first + 1, link.second + 1};
    }
    addCommon(chain, source, target, from, {source.size(), target.size()});
    return chain;
}

/// Puts steps at places, block by block.
class Placer {
public:
    Placer(std::span<const Block> source, std::span<const Block> target)
        : source_(source)
        , target_(target) {}

    StepAlignment run() {
        for (const Pair& match : matchBlocks(source_, target_)) {
            alone(match);
            together(source_[match.first], target_[match.second]);
            next_ = {match.first + 1, match.second + 1};
        }
        alone({source_.size(), target_.size()});
        return std::move(result_);
    }

private:
    static void place(std::vector<std::int32_t>& places, const Block& block, std::int32_t at) {
        for (std::size_t i = 0; i < block.count; ++i)
            places.push_back(at++);
    }
    void alone(const Pair& until) {
        for (std::size_t i = next_.first; i < until.first; ++i) {
            place(result_.source, source_[i], result_.places);
            result_.places += static_cast<std::int32_t>(source_[i].count);
        }
        for (std::size_t j = next_.second; j < until.second; ++j) {
            place(result_.target, target_[j], result_.places);
            result_.places += static_cast<std::int32_t>(target_[j].count);
        }
    }
    void together(const Block& a, const Block& b) {
        place(result_.source, a, result_.places);
        place(result_.target, b, result_.places);
        result_.places += static_cast<std::int32_t>(std::max(a.count, b.count));
        result_.sourceMatched += a.count;
        result_.targetMatched += b.count;
    }

    std::span<const Block> source_;
    std::span<const Block> target_;
    Pair next_{0, 0}; // blocks that have no places yet
    StepAlignment result_;
};

} // namespace

bool StepAlignment::mostlyMatched() const {
    return 2 * sourceMatched >= source.size() && 2 * targetMatched >= target.size();
}

StepAlignment alignSteps(std::span<const std::int32_t> source,
                         std::span<const std::int32_t> target) {
    const std::vector<Block> ofSource = blocksOf(source);
    const std::vector<Block> ofTarget = blocksOf(target);
    return Placer(ofSource, ofTarget).run();
}

StepKeys programKeys(const ProfilePair& profiles, Stop stop) {
    const auto operations = profiles.matching->operations(stop);
    const auto programs = profiles.matching->programs(stop);
    const auto both = [](const Matching& matching, std::int32_t place) {
        return place >= 0 && matching.matches()[static_cast<std::size_t>(place)].both();
    };
    const auto firstOfPrograms = static_cast<std::int32_t>(operations->matches().size());
    const auto keysOf = [&](const ProfileView& profile, auto placeOf) {
        std::vector<std::int32_t> keys;
        const auto all = profile.programs(stop);
        for (std::size_t i = 0; i < all->size(); ++i) {
            const ProgramId id(i);
            const std::int32_t operation = placeOf(*operations, (*all)[id].operation.value());
            const std::int32_t program = placeOf(*programs, id.value());
            keys.push_back(both(*operations, operation) ? operation
                           : both(*programs, program)   ? firstOfPrograms + program
                                                        : -1);
        }
        return keys;
    };
    return {keysOf(*profiles.source,
                   [](const Matching& m, std::int32_t i) { return m.placeInSource(i); }),
            keysOf(*profiles.target,
                   [](const Matching& m, std::int32_t i) { return m.placeInTarget(i); })};
}

StepKeys stepKeys(const ProfilePair& profiles, Stop stop) {
    const StepKeys ofPrograms = programKeys(profiles, stop);
    const auto keysOf = [&](const ProfileView& profile, const std::vector<std::int32_t>& programs) {
        std::vector<std::int32_t> keys;
        const auto steps = profile.steps(stop);
        for (const ProgramId id : *steps) {
            if (!id.valid() || id.index() >= programs.size())
                throw DamagedProfile("a step names a program that does not exist");
            keys.push_back(programs[id.index()]);
        }
        return keys;
    };
    return {keysOf(*profiles.source, ofPrograms.source),
            keysOf(*profiles.target, ofPrograms.target)};
}

} // namespace tilescope
