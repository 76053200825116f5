#include "views/execution/item_kinds.h"
#include "views/execution/trace_selection.h"
#include "views/execution/tracks/counter_track.h"

namespace tilescope::views {
namespace {

class CounterItem : public TraceItem {
public:
    CounterItem(const TraceQuestion& question, const CounterTrack& track, bool target)
        : TraceItem(question, (target ? "target " : "source ") + track.name().toStdString(),
                    track.name().toStdString(), target)
        , track_(track)
        , profile_(profileOf(question.profiles, target))
        , ipus_(question.ipus) {}

    [[nodiscard]] TraceLane read(const ItemDetail& detail,
                                 const std::stop_token& stop) const override {
        CounterCache own;
        CounterCache& cache = detail.counters != nullptr ? *detail.counters : own;
        const auto each = [cores = detail.cores](std::size_t count, const auto& work) {
            shareWork(count, cores, work);
        };
        const auto [counters, isNew] =
            cache.try_emplace(profile_.get(), *profile_, ipus_.of(profile_->machine().ipus),
                              CycleColumns(detail.range, detail.columns), stop, each);
        TraceLane lane = empty();
        lane.curve = std::make_shared<const TrackCurve>(track_.read(counters->second));
        return lane;
    }
    [[nodiscard]] QString readOut(const ItemPlace& place,
                                  const ViewContext& context) const override {
        const auto column =
            place.curve != nullptr ? place.curve->columnAt(place.cycle) : std::nullopt;
        return column ? columnText(track_, *place.curve, *column, context.theme.current(),
                                   {context.preferences, clockHz()})
                      : QString();
    }
    /// The first of several IPUs: steps that they run together are the same.
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        selection.showStepAt(ipus_.all() ? IpuId(0) : ipus_.first(),
                             static_cast<std::int64_t>(place.cycle), target());
    }
    [[nodiscard]] const CounterTrack* counter() const override { return &track_; }

private:
    const CounterTrack& track_;
    ProfileViewPtr profile_;
    IpuSet ipus_;
};

} // namespace

void addCounters(TraceItems& items, const TraceQuestion& question, bool target) {
    if (profileOf(question.profiles, target)->info().hasExecution)
        for (const auto& track : counterTracks())
            items.push_back(std::make_shared<CounterItem>(question, *track, target));
}

} // namespace tilescope::views
