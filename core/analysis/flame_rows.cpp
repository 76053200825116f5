#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/analysis/trace_window.h"

namespace tilescope {
namespace {

std::vector<std::string_view> partsOf(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const std::size_t slash = name.find('/');
        if (slash != 0)
            parts.push_back(name.substr(0, slash));
        if (slash == std::string_view::npos)
            break;
        name.remove_prefix(slash + 1);
    }
    return parts;
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
        extend(0, runs_[static_cast<std::size_t>(span.run)].name, span);
        if (span.merged())
            close(1);
        if (!span.program.valid() || span.program.index() >= programs_.size())
            return;
        const auto parts = partsOf(programs_[span.program].name);
        std::size_t row = 1;
        for (const std::string_view part : parts)
            extend(row++, part, span);
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

    void extend(std::size_t row, std::string_view name, const TraceSpan& span) {
        if (row < open_.size() && open_[row].box.name != name)
            close(row);
        if (row == open_.size()) {
            FlameSpan box;
            box.row = static_cast<std::int32_t>(row);
            box.begin = span.begin;
            box.name = std::string(name);
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
