#include "views/execution/repeated_lane.h"

#include <algorithm>
#include <optional>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// Moves the boxes of a run, as far as they are in it, to a repetition of it.
void append(TraceLane& lane, const TraceLane& run, const CycleRange& of, std::int64_t start) {
    lane.rows.resize(std::max(lane.rows.size(), run.rows.size()));
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
        std::vector<TraceBox>& boxes = lane.rows[row].boxes;
        for (const TraceBox& box : run.rows[row].boxes) {
            const std::int64_t begin = std::max(box.begin, of.begin);
            const std::int64_t end = std::min(box.end, of.end);
            if (begin >= end)
                continue;
            boxes.push_back(box);
            boxes.back().begin = begin - of.begin + start;
            boxes.back().end = end - of.begin + start;
            boxes.back().ghost = true;
        }
    }
}

} // namespace

void addRepeatedRuns(TraceLane& lane, const RepeatedRuns& repeated, const ItemDetail& detail,
                     const std::function<TraceLane(const ItemDetail&)>& read) {
    constexpr std::int64_t wide = 24; // pixels from which on a run is more than a box
    const std::int64_t pixel = std::max<std::int64_t>(1, detail.minimumCycles);
    const CycleRange run{repeated.run.start, repeated.run.start + repeated.run.cycles};
    std::optional<TraceLane> coarse; // for all narrow ones
    std::int64_t drawn = run.end;
    for (std::size_t at = repeated.firstFrom(detail.range.begin);
         at < repeated.starts.size() && repeated.starts[at] < detail.range.end; ++at) {
        const std::int64_t start = repeated.starts[at];
        if (run.cycles() / pixel >= wide) {
            ItemDetail part = detail;
            part.range = {std::max(run.begin, detail.range.begin - start + run.begin),
                          std::min(run.end, detail.range.end - start + run.begin)};
            append(lane, read(part), run, start);
            continue;
        }
        if (start + run.cycles() - drawn < pixel)
            continue;
        if (!coarse) {
            ItemDetail whole = detail;
            whole.range = run;
            whole.minimumCycles = std::max(pixel, run.cycles() / 4);
            coarse = read(whole);
        }
        append(lane, *coarse, run, start);
        drawn = start + run.cycles();
    }
}

QString repeatedText() {
    return Text::tr("Repeated: the trace has one call, and all take the same cycles");
}

} // namespace tilescope::views
