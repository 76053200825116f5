#include "core/analysis/hosts/host_timeline.h"

#include <algorithm>
#include <iterator>

namespace tilescope {
namespace {

/// Copies of one kind of work, in order of start, that do not overlap.
class Union {
public:
    Union(HostWork work, const HostCopies& of)
        : work_(work)
        , of_(of) {}

    void add(const TraceSpan& span) {
        const StreamId stream = span.merged() ? StreamId() : of_.streamOf(span.program);
        const bool follows = !boxes_.empty() && isEndOf(span, stream);
        if (boxes_.empty() || (span.begin >= boxes_.back().cycles.end && !follows)) {
            boxes_.push_back({{span.begin, span.end}, work_, of_.nameOf(stream), span.steps, true});
            stream_ = stream;
            return;
        }
        HostBox& last = boxes_.back();
        last.cycles.end = std::max(last.cycles.end, span.end);
        last.steps += span.steps;
        if (stream != stream_) {
            stream_ = {};
            last.name.clear();
        }
    }
    [[nodiscard]] std::vector<HostBox> take() { return std::move(boxes_); }

private:
    /// The end of a copy belongs to its transfer, though there may be a sync between them.
    [[nodiscard]] bool isEndOf(const TraceSpan& span, StreamId stream) const {
        return span.kind == ProgramKind::StreamCopyEnd && stream.valid() && stream == stream_;
    }

    HostWork work_;
    const HostCopies& of_;
    StreamId stream_; ///< of the last box; none of several
    std::vector<HostBox> boxes_;
};

/// Parts of a box that others leave free; both in order, `at` the first that may touch the box.
void addFreeParts(const HostBox& box, const std::vector<HostBox>& taken, std::size_t at,
                  std::vector<HostBox>& parts) {
    std::int64_t begin = box.cycles.begin;
    const auto add = [&](std::int64_t end) {
        if (end <= begin)
            return;
        parts.push_back(box);
        parts.back().cycles = {begin, end};
    };
    for (; at < taken.size() && taken[at].cycles.begin < box.cycles.end; ++at) {
        add(std::min(taken[at].cycles.begin, box.cycles.end));
        begin = std::max(begin, taken[at].cycles.end);
    }
    add(box.cycles.end);
}

/// The boxes, and between them what `over` leaves of `below`.
std::vector<HostBox> laidOver(std::vector<HostBox> over, const std::vector<HostBox>& below) {
    std::vector<HostBox> parts;
    std::size_t at = 0;
    for (const HostBox& box : below) {
        while (at < over.size() && over[at].cycles.end <= box.cycles.begin)
            ++at;
        addFreeParts(box, over, at, parts);
    }
    std::vector<HostBox> all;
    all.reserve(over.size() + parts.size());
    std::merge(std::make_move_iterator(over.begin()), std::make_move_iterator(over.end()),
               std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()),
               std::back_inserter(all),
               [](const HostBox& a, const HostBox& b) { return a.cycles.begin < b.cycles.begin; });
    return all;
}

std::vector<HostBox> waitsOfRuns(const std::vector<TraceRun>& runs, CycleRange range) {
    std::vector<HostBox> waits;
    for (const TraceRun& run : runs) {
        const CycleRange part{std::max(run.start, range.begin),
                              std::min(run.start + run.cycles, range.end)};
        if (part.cycles() > 0)
            waits.push_back({part, HostWork::HostWaits, {}, 0, part.cycles() == run.cycles});
    }
    return waits;
}

/// A wait that ends with the range, and not with its run, is longer than it appears.
void tellCuts(std::vector<HostBox>& boxes, CycleRange range) {
    for (HostBox& box : boxes)
        if (box.work == HostWork::HostWaits && !box.whole)
            box.whole = box.cycles.begin != range.begin && box.cycles.end != range.end;
}

} // namespace

std::vector<HostBox> callbackBoxes(std::vector<TraceSpan> copies, const HostCopies& of,
                                   const std::vector<TraceRun>& runs, CycleRange range) {
    std::stable_sort(copies.begin(), copies.end(),
                     [](const TraceSpan& a, const TraceSpan& b) { return a.begin < b.begin; });
    Union transfers(HostWork::Callback, of);
    Union waits(HostWork::IpuWaits, of);
    for (const TraceSpan& copy : copies)
        (copy.kind == ProgramKind::StreamCopyBegin ? waits : transfers).add(copy);
    std::vector<HostBox> boxes =
        laidOver(laidOver(transfers.take(), waits.take()), waitsOfRuns(runs, range));
    tellCuts(boxes, range);
    return boxes;
}

} // namespace tilescope
