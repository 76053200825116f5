// An item of one of two executions on the axis that aligns them.
#include <algorithm>
#include <type_traits>

#include "views/execution/item_kinds.h"
#include "views/execution/trace_selection.h"
#include "views/execution/tracks/counter_track.h"

namespace tilescope::views {
namespace {

/// A curve over the columns of the axis. In a gap nothing happens, so that rates are zero; what is
/// in use until it is freed stays as it was.
TrackCurve onAxis(const TrackCurve& curve, const CycleColumns& columns, const TraceAxis& axis,
                  bool target) {
    TrackCurve result = curve;
    result.columns = columns;
    for (std::vector<double>& part : result.parts)
        part.assign(columns.count(), 0);
    result.least.assign(curve.least.empty() ? 0 : columns.count(), 0);
    const bool holds = !curve.least.empty();
    for (std::size_t i = 0; i < columns.count(); ++i) {
        const CycleRange cycles = axis.cyclesAt(columns.at(i), target);
        const bool gap = cycles.cycles() <= 0;
        const auto first = curve.columns.columnOf(gap ? std::max<std::int64_t>(cycles.begin - 1, 0)
                                                      : cycles.begin);
        const auto last = gap ? first : curve.columns.columnOf(cycles.end - 1);
        if (!first || !last || (gap && !holds))
            continue;
        std::size_t highest = *first;
        for (std::size_t column = *first + 1; column <= *last; ++column)
            if (curve.top(column) > curve.top(highest))
                highest = column;
        for (std::size_t part = 0; part < result.parts.size(); ++part)
            result.parts[part][i] = curve.parts[part][highest];
        if (holds)
            result.least[i] =
                *std::min_element(curve.least.begin() + static_cast<std::ptrdiff_t>(*first),
                                  curve.least.begin() + static_cast<std::ptrdiff_t>(*last) + 1);
    }
    return result;
}

class AlignedItem : public TraceItem {
public:
    AlignedItem(const TraceQuestion& question, std::shared_ptr<const TraceItem> item)
        : TraceItem(question, item->key(), item->empty().name, item->target())
        , axis_(question.axis)
        , item_(std::move(item)) {}

    [[nodiscard]] TraceLane read(const ItemDetail& detail,
                                 const std::stop_token& stop) const override {
        ItemDetail own = detail;
        own.range = axis_.cyclesAt(detail.range, target());
        own.range.end = std::max(own.range.end, own.range.begin + 1);
        TraceLane lane = item_->read(own, stop);
        for (TraceRow& row : lane.rows)
            for (TraceBox& box : row.boxes)
                move(box);
        if (lane.curve)
            lane.curve = std::make_shared<const TrackCurve>(
                onAxis(*lane.curve, CycleColumns(detail.range, detail.columns), axis_, target()));
        return lane;
    }
    [[nodiscard]] TraceRow folded(const TraceLane& lane) const override {
        return item_->folded(lane);
    }
    [[nodiscard]] const TraceRow* strip(const TraceLane& lane) const override {
        return item_->strip(lane);
    }
    [[nodiscard]] QString readOut(const ItemPlace& place,
                                  const ViewContext& context) const override {
        return inCycles(place, [&](const ItemPlace& own) { return item_->readOut(own, context); });
    }
    [[nodiscard]] std::int64_t step(const TraceBox& box) const override { return item_->step(box); }
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        ItemPlace own = place;
        own.cycle =
            static_cast<double>(axis_.cycleAt(static_cast<std::int64_t>(place.cycle), target()));
        inCycles(own, [&](const ItemPlace& at) { item_->click(at, selection); });
    }
    [[nodiscard]] IpuId ipu() const override { return item_->ipu(); }
    [[nodiscard]] const CounterTrack* counter() const override { return item_->counter(); }

private:
    void move(TraceBox& box) const {
        const CycleRange places = axis_.placesOf({box.begin, box.end}, target());
        box.begin = places.begin;
        box.end = places.end;
    }
    /// Calls `use` with the place's box as the profile has it.
    template <class Use>
    std::invoke_result_t<Use, const ItemPlace&> inCycles(const ItemPlace& place,
                                                         const Use& use) const {
        if (place.box == nullptr)
            return use(place);
        TraceBox box = *place.box;
        box.begin = axis_.cycleAt(place.box->begin, target());
        box.end =
            place.box->cycles() > 0 ? axis_.cycleAt(place.box->end - 1, target()) + 1 : box.begin;
        ItemPlace own = place;
        own.box = &box;
        return use(own);
    }

    TraceAxis axis_;
    std::shared_ptr<const TraceItem> item_;
};

} // namespace

void alignItems(TraceItems& items, const TraceQuestion& question) {
    if (!question.axis.aligned())
        return;
    for (std::shared_ptr<const TraceItem>& item : items)
        item = std::make_shared<AlignedItem>(question, item);
}

} // namespace tilescope::views
