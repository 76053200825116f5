#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/analysis/trace_window.h"

namespace tilescope {
namespace {

/// Where a step stands in the flame: boxes that it shares with others, and its own.
struct FlamePath {
    std::string_view groups; ///< parts between slashes
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

FlamePath splitLast(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos
               ? FlamePath{{}, path}
               : FlamePath{path.substr(0, slash), path.substr(slash + 1)};
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
            return {copy.substr(at + to.size()), name};
    }
    return splitLast(name);
}

/// Grows boxes span by span; a box ends where the next span's name differs at its row.
class FlameBuilder {
public:
    FlameBuilder(const std::vector<TraceRun>& runs, const IdVector<ProgramId, Program>& programs)
        : runs_(runs)
        , programs_(programs) {}

    void add(const TraceSpan& span) {
        if (open_.empty() || run_ != span.run) {
            close(0);
            run_ = span.run;
        }
        extend(0, runs_[static_cast<std::size_t>(span.run)].name, false, span);
        if (span.merged())
            close(1);
        if (!span.program.valid() || span.program.index() >= programs_.size())
            return;
        FlamePath path = pathOf(programs_[span.program].name);
        std::size_t row = 1;
        while (!path.groups.empty()) {
            const std::size_t slash = std::min(path.groups.find('/'), path.groups.size());
            if (slash != 0)
                extend(row++, path.groups.substr(0, slash), false, span);
            path.groups.remove_prefix(std::min(slash + 1, path.groups.size()));
        }
        if (!path.leaf.empty())
            extend(row++, path.leaf, true, span);
        close(row);
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

    const std::vector<TraceRun>& runs_;
    const IdVector<ProgramId, Program>& programs_;
    std::int32_t run_ = -1;
    std::vector<Open> open_;
    std::vector<std::vector<FlameSpan>> rows_;
};

} // namespace

std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs, IpuId ipu,
                                 CycleRange range, std::int64_t minimumCycles) {
    FlameBuilder builder(index.runs(), programs);
    for (const TraceSpan& span : index.spans(ipu, range, minimumCycles))
        builder.add(span);
    return builder.finish();
}

} // namespace tilescope
