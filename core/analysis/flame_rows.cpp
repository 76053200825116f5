#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/analysis/trace_window.h"

namespace tilescope {
namespace {

/// Where a step stands in the flame: boxes that it shares with others, and its own.
struct FlamePath {
    std::vector<std::string_view> groups;
    std::string_view leaf;
};

std::string_view withoutDigits(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    return text.substr(std::min(end, text.size()));
}

/// The text behind a word, a number and a separator, as in "cs12_" or "copy3_Copy_"; empty if the
/// text does not begin so.
std::string_view behindNumber(std::string_view text, std::string_view word,
                              std::string_view separator) {
    if (!text.starts_with(word))
        return {};
    const std::string_view digits = text.substr(word.size());
    const std::string_view rest = withoutDigits(digits);
    if (rest.size() == digits.size() || !rest.starts_with(separator))
        return {};
    return rest.substr(separator.size());
}

std::vector<std::string_view> partsOf(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        if (slash != 0)
            parts.push_back(path.substr(0, slash));
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return parts;
}

FlamePath splitLast(std::string_view path) {
    FlamePath split{partsOf(path), {}};
    if (!split.groups.empty()) {
        split.leaf = split.groups.back();
        split.groups.pop_back();
    }
    return split;
}

/// An exchange is named after the compute set or the copy that needs it, with a number in front of
/// the path; without it the exchange stands beside what it is for. Its own name stays whole.
FlamePath pathOf(std::string_view name) {
    constexpr std::string_view suffix = "/ExchangePre";
    std::string_view stem = name;
    if (stem.ends_with(suffix))
        stem.remove_suffix(suffix.size());
    if (const std::string_view computeSet = behindNumber(stem, "cs", "_"); !computeSet.empty())
        return {splitLast(computeSet).groups, name};
    if (const std::string_view copy = behindNumber(stem, "copy", "_Copy_"); !copy.empty()) {
        // "copy3_Copy_SOURCE_to_USER": the user is why the copy is there.
        constexpr std::string_view to = "_to_";
        const std::size_t at = copy.rfind(to);
        if (at != std::string_view::npos)
            return {partsOf(copy.substr(at + to.size())), name};
    }
    return splitLast(name);
}

/// Grows boxes span by span; a box ends where the next span's name differs at its row.
class FlameBuilder {
public:
    FlameBuilder(const TraceIndex& index, const IdVector<ProgramId, Program>& programs)
        : index_(index)
        , programs_(programs) {}

    void add(const TraceSpan& span) {
        if (open_.empty() || run_ != span.run) {
            close(0);
            run_ = span.run;
        }
        extend(0, index_.runs()[static_cast<std::size_t>(span.run)].name, false, span);
        if (span.merged())
            addPath({sharedGroups(span), {}}, span);
        else if (known(span.program))
            addPath(pathOf(programs_[span.program].name), span);
    }

    std::vector<FlameSpan> finish() {
        close(0);
        std::vector<FlameSpan> all;
        for (auto& row : rows_)
            all.insert(all.end(), std::make_move_iterator(row.begin()),
                       std::make_move_iterator(row.end()));
        return all;
    }

private:
    struct Open {
        FlameSpan box;
        TraceSums sums;
    };

    [[nodiscard]] bool known(ProgramId program) const {
        return program.valid() && program.index() < programs_.size();
    }

    void addPath(const FlamePath& path, const TraceSpan& span) {
        std::size_t row = 1;
        for (const std::string_view group : path.groups)
            extend(row++, group, false, span);
        if (!path.leaf.empty() || span.merged())
            extend(row++, path.leaf, true, span);
        close(row);
    }

    /// The groups of the first step with a name from a step on, forward or backward.
    [[nodiscard]] std::vector<std::string_view> groupsFrom(std::int64_t step, int direction) const {
        // A sync without a name stands before a step with one.
        constexpr int tried = 3;
        for (int i = 0; i < tried && step >= 0 && step < index_.stepCount(); ++i, step += direction)
            if (const ProgramId program = index_.stepAt(step).program; known(program))
                return pathOf(programs_[program].name).groups;
        return {};
    }

    /// The groups that the ends of a merged span share: it is too narrow to look at the rest.
    [[nodiscard]] std::vector<std::string_view> sharedGroups(const TraceSpan& span) const {
        std::vector<std::string_view> first = groupsFrom(span.firstStep, 1);
        const auto last = groupsFrom(span.firstStep + span.steps - 1, -1);
        first.erase(std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first,
                    first.end());
        return first;
    }

    // A step never continues a box that others share, though both may have one name: the box would
    // be as wide as all of them and say nothing of the step.
    void extend(std::size_t row, std::string_view name, bool leaf, const TraceSpan& span) {
        if (row < open_.size() && (open_[row].box.name != name || open_[row].box.leaf != leaf))
            close(row);
        if (row == open_.size()) {
            FlameSpan box;
            box.row = static_cast<std::int32_t>(row);
            box.begin = span.begin;
            box.name = std::string(name);
            box.leaf = leaf;
            box.firstStep = span.firstStep;
            open_.push_back({std::move(box), {}});
        }
        Open& open = open_[row];
        open.box.end = std::max(open.box.end, span.end);
        open.box.steps += span.steps;
        open.sums.cyclesByKind[static_cast<std::size_t>(span.kind)] += span.end - span.begin;
        open.box.kind = open.sums.dominantKind();
    }

    /// Ends the boxes from a row down, deepest last in its own row.
    void close(std::size_t row) {
        for (std::size_t at = row; at < open_.size(); ++at) {
            if (rows_.size() <= at)
                rows_.resize(at + 1);
            rows_[at].push_back(std::move(open_[at].box));
        }
        open_.resize(std::min(open_.size(), row));
    }

    const TraceIndex& index_;
    const IdVector<ProgramId, Program>& programs_;
    std::int32_t run_ = -1;
    std::vector<Open> open_;
    std::vector<std::vector<FlameSpan>> rows_;
};

} // namespace

std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs, IpuId ipu,
                                 CycleRange range, std::int64_t minimumCycles) {
    FlameBuilder builder(index, programs);
    for (const TraceSpan& span : index.spans(ipu, range, minimumCycles))
        builder.add(span);
    return builder.finish();
}

} // namespace tilescope
