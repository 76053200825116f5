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

/// A repeat that could become a match, without ends that would cut an indivisible group.
struct Candidate {
    Repeat repeat;
    std::int32_t skipped = 0; ///< of the repeat, at its beginning
    std::int32_t length = 0;
    std::int32_t front = 0; ///< position of the first place
    double value = 0;
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
        , valueUpTo_(sequence.size() + 1, 0)
        , overwritesUpTo_(sequence.size() + 1, 0) {
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            valueUpTo_[i + 1] = valueUpTo_[i] + sequence.values[i];
            overwritesUpTo_[i + 1] =
                overwritesUpTo_[i] + (overwritesOperand(graph.ops[sequence.ops[i]]) ? 1 : 0);
        }
    }

    std::vector<OutlineMatch> run() {
        const Repeats repeats(text());
        std::vector<Candidate> found = candidates(repeats);
        std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
            return std::tuple(-a.value, -a.length, a.front) <
                   std::tuple(-b.value, -b.length, b.front);
        });
        for (const Candidate& candidate : found)
            take(repeats, candidate);
        return aboveThreshold();
    }

private:
    [[nodiscard]] double valueBetween(std::int32_t start, std::int32_t end) const {
        return valueUpTo_[static_cast<std::size_t>(end)] -
               valueUpTo_[static_cast<std::size_t>(start)];
    }
    /// Most places overwrite nothing, so that nothing has to be checked.
    [[nodiscard]] bool isOverwrittenApart(std::int32_t start, std::int32_t length) const {
        return overwritesUpTo_[static_cast<std::size_t>(start + length)] ==
                   overwritesUpTo_[static_cast<std::size_t>(start)] ||
               overwritesApart(graph_, sequence_, uses_, start, length);
    }

    /// The sequence with cuts as letters that occur once, so that nothing repeats across them.
    std::vector<std::int32_t> text() {
        std::vector<std::int32_t> letters;
        const auto add = [&](std::int32_t letter, std::size_t position) {
            letters.push_back(letter);
            positionOf_.push_back(static_cast<std::int32_t>(position));
        };
        for (std::size_t i = 0; i < sequence_.size(); ++i) {
            if (i > 0 && sequence_.cuts[i] != sequence_.cuts[i - 1])
                add(-1 - sequence_.cuts[i], i);
            placeOf_.push_back(static_cast<std::int32_t>(letters.size()));
            add(sequence_.letters[i], i);
        }
        return letters;
    }

    /// Repeats that are worth more than the threshold and have two places that do not overlap.
    [[nodiscard]] std::vector<Candidate> candidates(const Repeats& repeats) const {
        std::vector<Candidate> found;
        repeats.forEach([&](const Repeat& repeat) {
            const Candidate candidate = trimmed(repeat);
            if (candidate.length > 0 && candidate.value > threshold_ &&
                repeat.lastStart - repeat.firstStart >= candidate.length)
                found.push_back(candidate);
        });
        return found;
    }

    [[nodiscard]] Candidate trimmed(const Repeat& repeat) const {
        Candidate c{repeat, 0, repeat.length,
                    positionOf_[static_cast<std::size_t>(repeat.firstStart)], 0};
        for (; c.length > 0 && !sequence_.canCut(c.front); --c.length) {
            ++c.skipped;
            ++c.front;
        }
        while (c.length > 0 && !sequence_.canCut(c.front + c.length))
            --c.length;
        c.value = valueBetween(c.front, c.front + c.length);
        return c;
    }

    /// Position of the candidate's first place at or after a position; -1 if there is none.
    [[nodiscard]] std::int32_t placeFrom(const Repeats& repeats, const Candidate& candidate,
                                         std::int32_t position) const {
        const auto whole = static_cast<std::size_t>(std::max(0, position - candidate.skipped));
        if (whole >= placeOf_.size())
            return -1;
        const std::int32_t start = repeats.startFrom(candidate.repeat, placeOf_[whole]);
        return start < 0 ? -1 : positionOf_[static_cast<std::size_t>(start)] + candidate.skipped;
    }

    [[nodiscard]] bool crosses(std::int32_t start, std::int32_t end) const {
        return innermost_[static_cast<std::size_t>(start)] !=
               innermost_[static_cast<std::size_t>(end - 1)];
    }

    /// The first start after `start`, which crosses, that may not cross: the starts up to the end
    /// of the place around it, or those that end in a later place, cross as well.
    [[nodiscard]] std::int32_t afterCrossing(std::int32_t start, std::int32_t length) const {
        const auto endOf = [&](const Taken& taken) {
            return taken.start + matches_[taken.match].length;
        };
        const std::int32_t last = start + length - 1;
        const std::int32_t around = innermost_[static_cast<std::size_t>(start)];
        if (around >= 0 && endOf(taken_[static_cast<std::size_t>(around)]) <= last)
            return endOf(taken_[static_cast<std::size_t>(around)]);
        const Taken& cut =
            taken_[static_cast<std::size_t>(innermost_[static_cast<std::size_t>(last)])];
        return std::min(cut.start, endOf(cut) - length + 1);
    }

    /// The candidate's places, from the first on, that neither overlap nor cross.
    [[nodiscard]] std::vector<std::int32_t> freePlaces(const Repeats& repeats,
                                                       const Candidate& candidate) const {
        std::vector<std::int32_t> starts;
        const std::int32_t length = candidate.length;
        std::int32_t next = 0;
        for (;;) {
            const std::int32_t start = placeFrom(repeats, candidate, next);
            if (start < 0)
                return starts;
            next = start + 1;
            Neighbours neighbours;
            if (!sequence_.canCut(start) || !sequence_.canCut(start + length))
                continue;
            if (crosses(start, start + length)) {
                next = afterCrossing(start, length);
            } else if (canBeContiguous(graph_, sequence_, start, length, neighbours) &&
                       isOverwrittenApart(start, length)) {
                starts.push_back(start);
                next = start + length;
            }
        }
    }

    void take(const Repeats& repeats, const Candidate& candidate) {
        const std::vector<std::int32_t> places = freePlaces(repeats, candidate);
        // Before connections are compared, which takes time proportional to their length.
        if (grouped(places).copiesOfCode < 2)
            return;
        std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> byConnections;
        for (const std::int32_t start : places)
            byConnections[connections(graph_, sequence_, uses_, start, candidate.length)].push_back(
                start);
        for (auto& [pattern, starts] : byConnections)
            takeEqual(candidate.length, starts);
    }

    struct Grouped {
        std::vector<std::int32_t> kept; ///< ascending
        std::size_t copiesOfCode = 0;
    };

    /// Places within a larger match have to be in all of its places, and count as code once.
    [[nodiscard]] Grouped grouped(const std::vector<std::int32_t>& starts) const {
        std::map<std::pair<std::size_t, std::int32_t>, std::vector<std::int32_t>> within;
        Grouped groups;
        for (const std::int32_t start : starts) {
            const std::int32_t around = innermost_[static_cast<std::size_t>(start)];
            if (around < 0) {
                groups.kept.push_back(start);
                continue;
            }
            const Taken& taken = taken_[static_cast<std::size_t>(around)];
            within[{taken.match, start - taken.start}].push_back(start);
        }
        groups.copiesOfCode = groups.kept.size();
        for (const auto& [place, list] : within) {
            if (list.size() != matches_[place.first].starts.size())
                continue;
            ++groups.copiesOfCode;
            groups.kept.insert(groups.kept.end(), list.begin(), list.end());
        }
        std::sort(groups.kept.begin(), groups.kept.end());
        return groups;
    }

    void takeEqual(std::int32_t length, const std::vector<std::int32_t>& starts) {
        Grouped groups = grouped(starts);
        if (groups.copiesOfCode < 2)
            return;
        for (const std::int32_t start : groups.kept) {
            std::fill_n(innermost_.begin() + start, length,
                        static_cast<std::int32_t>(taken_.size()));
            taken_.push_back({matches_.size(), start});
        }
        const double value = valueBetween(groups.kept.front(), groups.kept.front() + length);
        matches_.push_back({length, std::move(groups.kept), value});
    }

    /// From the least valuable on, the matches that add enough to those within them.
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
    std::vector<std::int32_t> overwritesUpTo_; ///< operations that overwrite, before each position
    std::vector<std::int32_t> positionOf_;     ///< of each letter of the text with cuts
    std::vector<std::int32_t> placeOf_;        ///< and the other way round
};

} // namespace

std::vector<OutlineMatch> chooseMatches(const Graph& graph, const OpSequence& sequence,
                                        const TensorUses& uses, const OutlineOptions& options) {
    std::vector<OutlineMatch> matches = Chooser(graph, sequence, uses, options.threshold).run();
    if (options.copyCostPruning)
        pruneByCopyCost(graph, sequence, uses, matches);
    std::stable_sort(
        matches.begin(), matches.end(), [](const OutlineMatch& a, const OutlineMatch& b) {
            return std::pair(a.length, a.starts.front()) < std::pair(b.length, b.starts.front());
        });
    return matches;
}

} // namespace tilescope::sim
