#include "simulator/outline/matches.h"

#include <algorithm>
#include <map>

#include "simulator/outline/repeats.h"

namespace tilescope::sim {
namespace {

/// A place that was taken.
struct Taken {
    std::size_t match = 0;
    std::int32_t start = 0;
};

class Chooser {
public:
    Chooser(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
            double threshold)
        : graph_(graph)
        , sequence_(sequence)
        , uses_(uses)
        , threshold_(threshold)
        , innermost_(sequence.size(), -1)
        , valueUpTo_(sequence.size() + 1, 0) {
        for (std::size_t i = 0; i < sequence.size(); ++i)
            valueUpTo_[i + 1] = valueUpTo_[i] + sequence.values[i];
    }

    std::vector<OutlineMatch> run() {
        std::vector<Repeat> repeats = candidates();
        std::sort(repeats.begin(), repeats.end(), [&](const Repeat& a, const Repeat& b) {
            return std::tuple(-valueOf(a), -a.length, a.starts.front()) <
                   std::tuple(-valueOf(b), -b.length, b.starts.front());
        });
        for (const Repeat& repeat : repeats)
            take(repeat);
        return aboveThreshold();
    }

private:
    [[nodiscard]] double valueBetween(std::int32_t start, std::int32_t end) const {
        return valueUpTo_[static_cast<std::size_t>(end)] -
               valueUpTo_[static_cast<std::size_t>(start)];
    }
    [[nodiscard]] double valueOf(const Repeat& repeat) const {
        return valueBetween(repeat.starts.front(), repeat.starts.front() + repeat.length);
    }

    /// Repeats that are worth more than the threshold. Cuts are letters that occur once, so that
    /// nothing repeats across them.
    std::vector<Repeat> candidates() {
        std::vector<std::int32_t> text;
        std::vector<std::int32_t> position; // of each letter in the sequence
        for (std::size_t i = 0; i < sequence_.size(); ++i) {
            if (i > 0 && sequence_.cuts[i] != sequence_.cuts[i - 1]) {
                text.push_back(-1 - sequence_.cuts[i]);
                position.push_back(static_cast<std::int32_t>(i));
            }
            text.push_back(sequence_.letters[i]);
            position.push_back(static_cast<std::int32_t>(i));
        }
        std::vector<Repeat> repeats;
        forEachRepeat(
            text,
            [&](std::int32_t start, std::int32_t length) {
                const std::int32_t first = position[static_cast<std::size_t>(start)];
                return valueBetween(first, first + length) > threshold_;
            },
            [&](Repeat repeat) {
                for (std::int32_t& start : repeat.starts)
                    start = position[static_cast<std::size_t>(start)];
                trim(repeat);
                if (repeat.length > 0 && valueOf(repeat) > threshold_)
                    repeats.push_back(std::move(repeat));
            });
        return repeats;
    }

    /// Leaves the ends out that cut something whole.
    void trim(Repeat& repeat) const {
        const std::int32_t start = repeat.starts.front();
        std::int32_t skipped = 0;
        while (repeat.length > 0 && !sequence_.canCut(start + skipped)) {
            ++skipped;
            --repeat.length;
        }
        while (repeat.length > 0 && !sequence_.canCut(start + skipped + repeat.length))
            --repeat.length;
        for (std::int32_t& at : repeat.starts)
            at += skipped;
        std::erase_if(repeat.starts, [&](std::int32_t at) {
            return !sequence_.canCut(at) || !sequence_.canCut(at + repeat.length);
        });
    }

    [[nodiscard]] bool crosses(std::int32_t start, std::int32_t end) const {
        return innermost_[static_cast<std::size_t>(start)] !=
               innermost_[static_cast<std::size_t>(end - 1)];
    }

    void take(const Repeat& repeat) {
        std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> byConnections;
        std::int32_t free = 0;
        for (const std::int32_t start : repeat.starts) {
            Neighbours neighbours;
            if (start < free || crosses(start, start + repeat.length) ||
                !canBeContiguous(graph_, sequence_, start, repeat.length, neighbours))
                continue;
            free = start + repeat.length;
            byConnections[connections(graph_, sequence_, uses_, start, repeat.length)].push_back(
                start);
        }
        for (auto& [pattern, starts] : byConnections)
            takeEqual(repeat.length, starts);
    }

    void takeEqual(std::int32_t length, const std::vector<std::int32_t>& starts) {
        // Places within a larger match, by offset there: they have to be in all of its places.
        std::map<std::pair<std::size_t, std::int32_t>, std::vector<std::int32_t>> within;
        std::vector<std::int32_t> kept;
        for (const std::int32_t start : starts) {
            const std::int32_t around = innermost_[static_cast<std::size_t>(start)];
            if (around < 0) {
                kept.push_back(start);
                continue;
            }
            const Taken& taken = taken_[static_cast<std::size_t>(around)];
            within[{taken.match, start - taken.start}].push_back(start);
        }
        std::size_t copiesOfCode = kept.size();
        for (const auto& [place, list] : within) {
            if (list.size() != matches_[place.first].starts.size())
                continue;
            ++copiesOfCode;
            kept.insert(kept.end(), list.begin(), list.end());
        }
        if (copiesOfCode < 2)
            return;
        std::sort(kept.begin(), kept.end());
        for (const std::int32_t start : kept) {
            std::fill_n(innermost_.begin() + start, length,
                        static_cast<std::int32_t>(taken_.size()));
            taken_.push_back({matches_.size(), start});
        }
        const double value = valueBetween(kept.front(), kept.front() + length);
        matches_.push_back({length, std::move(kept), value});
    }

    /// From the least valuable on: what adds enough to the matches within it.
    std::vector<OutlineMatch> aboveThreshold() {
        std::vector<OutlineMatch> kept;
        for (auto match = matches_.rbegin(); match != matches_.rend(); ++match)
            if (match->value - valueWithin(*match, kept) > threshold_)
                kept.push_back(*match);
        return kept;
    }

    /// Value of the largest of `matches`, ascending, that are in a place of `outer`.
    static double valueWithin(const OutlineMatch& outer, const std::vector<OutlineMatch>& matches) {
        const std::int32_t begin = outer.starts.front();
        const std::int32_t end = begin + outer.length;
        std::vector<bool> covered(static_cast<std::size_t>(outer.length), false);
        double value = 0;
        for (auto inner = matches.rbegin(); inner != matches.rend(); ++inner)
            for (auto start = std::lower_bound(inner->starts.begin(), inner->starts.end(), begin);
                 start != inner->starts.end() && *start < end; ++start) {
                if (covered[static_cast<std::size_t>(*start - begin)])
                    continue;
                value += inner->value;
                std::fill_n(covered.begin() + (*start - begin), inner->length, true);
            }
        return value;
    }

    const Graph& graph_;
    const OpSequence& sequence_;
    const TensorUses& uses_;
    double threshold_;
    std::vector<OutlineMatch> matches_; ///< most valuable first
    std::vector<Taken> taken_;
    std::vector<std::int32_t> innermost_; ///< index in taken_ by position; -1 outside of all
    std::vector<double> valueUpTo_;
};

} // namespace

std::vector<OutlineMatch> chooseMatches(const Graph& graph, const OpSequence& sequence,
                                        const TensorUses& uses, const RunOptions& options) {
    std::vector<OutlineMatch> matches =
        Chooser(graph, sequence, uses, options.outlineThreshold).run();
    if (options.outlineCopyCostPruning)
        pruneByCopyCost(graph, sequence, uses, matches);
    std::stable_sort(
        matches.begin(), matches.end(), [](const OutlineMatch& a, const OutlineMatch& b) {
            return std::pair(a.length, a.starts.front()) < std::pair(b.length, b.starts.front());
        });
    return matches;
}

} // namespace tilescope::sim
