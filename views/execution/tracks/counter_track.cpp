#include "views/execution/tracks/counter_track.h"

#include <algorithm>
#include <cmath>

#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// A curve with the values of each part in each column.
template <class... Value>
TrackCurve curveOf(const CounterColumns& counters, const Value&... value) {
    TrackCurve curve;
    curve.columns = counters.columns();
    const auto add = [&](const auto& of) {
        std::vector<double>& part = curve.parts.emplace_back();
        part.reserve(counters.count());
        for (std::size_t i = 0; i < counters.count(); ++i)
            part.push_back(static_cast<double>(of(i)));
    };
    (add(value), ...);
    return curve;
}

/// Bytes transferred per cycle.
class RateTrack : public CounterTrack {
public:
    QString text(double value, const TrackUnits& units) const override {
        const QString byCycle = Text::tr("%1/cycle").arg(shortText(value, units));
        if (units.clockHz <= 0 || value <= 0)
            return byCycle;
        return QStringLiteral("%1 (%2)").arg(byCycle, Text::tr("%1/s").arg(units.preferences.bytes(
                                                          std::llround(value * units.clockHz))));
    }
    QString shortText(double value, const TrackUnits& units) const override {
        constexpr double fewBytes = 10; // below it, fractions count
        return value > 0 && value < fewBytes ? Text::tr("%1 B").arg(QString::number(value, 'g', 2))
                                             : units.preferences.bytes(std::llround(value));
    }
    QString note(double, const TrackUnits&) const override { return Text::tr("per cycle"); }
};

class LiveMemoryTrack : public CounterTrack {
public:
    QString name() const override { return Text::tr("Live memory"); }
    QString toolTip() const override {
        return Text::tr("Memory resident on the chosen IPUs at each moment, added up; where a "
                        "column has many moments, from the least to the most of them. Liveness "
                        "differs: there all IPUs are at the same step of the program");
    }
    bool shownAtFirst() const override { return true; }
    std::vector<Part> parts(const Theme& theme) const override {
        return {{{}, theme.notAlwaysLive}};
    }
    TrackCurve read(const CounterColumns& counters) const override {
        const std::vector<LiveExtremes>& live = counters.live();
        TrackCurve curve = curveOf(counters, [&](std::size_t i) { return live[i].most; });
        for (const LiveExtremes& column : live)
            curve.least.push_back(static_cast<double>(column.least));
        curve.whole = static_cast<double>(counters.memory());
        curve.limited = true;
        curve.bounds = !counters.liveIsExact();
        return curve;
    }
    QString text(double value, const TrackUnits& units) const override {
        return shortText(value, units);
    }
    QString shortText(double value, const TrackUnits& units) const override {
        return units.preferences.bytes(std::llround(value));
    }
    QString note(double whole, const TrackUnits& units) const override {
        return whole > 0 ? Text::tr("of %1").arg(shortText(whole, units)) : QString();
    }
};

class ExchangeTrack : public RateTrack {
public:
    QString name() const override { return Text::tr("Exchange"); }
    QString toolTip() const override {
        return Text::tr("Bytes that tiles receive from other tiles: on the chip, and from other "
                        "IPUs");
    }
    bool shownAtFirst() const override { return true; }
    std::vector<Part> parts(const Theme& theme) const override {
        return {{Text::tr("between IPUs"), theme.kind(ProgramKind::GlobalExchange)},
                {Text::tr("on chip"), theme.kind(ProgramKind::DoExchange)}};
    }
    TrackCurve read(const CounterColumns& counters) const override {
        return curveOf(
            counters, [&](std::size_t i) { return counters.betweenIpusBytesPerCycle(i); },
            [&](std::size_t i) { return counters.onChipBytesPerCycle(i); });
    }
};

/// On a scale of its own: the exchange on the chip is so much faster that links would not show.
class LinksTrack : public RateTrack {
public:
    QString name() const override { return Text::tr("IPU links"); }
    QString toolTip() const override {
        return Text::tr("Bytes that tiles receive from other IPUs, on a scale of their own");
    }
    std::vector<Part> parts(const Theme& theme) const override {
        return {{{}, theme.kind(ProgramKind::GlobalExchange)}};
    }
    TrackCurve read(const CounterColumns& counters) const override {
        return curveOf(counters,
                       [&](std::size_t i) { return counters.betweenIpusBytesPerCycle(i); });
    }
};

class ActiveTilesTrack : public CounterTrack {
public:
    QString name() const override { return Text::tr("Active tiles"); }
    QString toolTip() const override {
        return Text::tr("Tiles that compute or move data, rather than wait for others");
    }
    std::vector<Part> parts(const Theme& theme) const override {
        return {{{}, theme.kind(ProgramKind::OnTileExecute)}};
    }
    TrackCurve read(const CounterColumns& counters) const override {
        TrackCurve curve =
            curveOf(counters, [&](std::size_t i) { return counters.activeTiles(i); });
        curve.whole = static_cast<double>(counters.tiles());
        return curve;
    }
    QString text(double value, const TrackUnits& units) const override {
        return Text::tr("%1 tiles").arg(shortText(value, units));
    }
    QString shortText(double value, const TrackUnits&) const override {
        return countText(std::llround(value));
    }
    QString note(double whole, const TrackUnits& units) const override {
        return Text::tr("of %1").arg(shortText(whole, units));
    }
};

class HostTrack : public RateTrack {
public:
    QString name() const override { return Text::tr("Host bytes"); }
    QString toolTip() const override { return Text::tr("Bytes that stream copies move"); }
    std::vector<Part> parts(const Theme& theme) const override {
        const QColor colour = theme.kind(ProgramKind::StreamCopyMid);
        return {{Text::tr("from host"), colour},
                {Text::tr("to host"), theme.kind(ProgramKind::StreamCopyEnd)}};
    }
    TrackCurve read(const CounterColumns& counters) const override {
        return curveOf(
            counters, [&](std::size_t i) { return counters.fromHostBytesPerCycle(i); },
            [&](std::size_t i) { return counters.toHostBytesPerCycle(i); });
    }
};

template <class... Track> std::vector<std::unique_ptr<const CounterTrack>> listOf() {
    std::vector<std::unique_ptr<const CounterTrack>> tracks;
    (tracks.push_back(std::make_unique<Track>()), ...);
    return tracks;
}

} // namespace

const std::vector<std::unique_ptr<const CounterTrack>>& counterTracks() {
    static const auto tracks =
        listOf<LiveMemoryTrack, ExchangeTrack, LinksTrack, ActiveTilesTrack, HostTrack>();
    return tracks;
}

double TrackCurve::top(std::size_t column) const {
    double height = 0;
    for (const std::vector<double>& part : parts)
        height += part[column];
    return height;
}

std::optional<std::size_t> TrackCurve::columnAt(double cycle) const {
    const CycleRange& range = columns.range();
    if (columns.count() == 0 || cycle < static_cast<double>(range.begin) ||
        cycle >= static_cast<double>(range.end))
        return {};
    const double place = (cycle - static_cast<double>(range.begin)) /
                         static_cast<double>(range.cycles()) * static_cast<double>(columns.count());
    return std::min(static_cast<std::size_t>(place), columns.count() - 1);
}

QString columnText(const CounterTrack& track, const TrackCurve& curve, std::size_t column,
                   const Theme& theme, const TrackUnits& units) {
    if (!curve.least.empty()) {
        const QString least = track.text(curve.bottom(column), units);
        const QString most = track.text(curve.top(column), units);
        if (curve.bounds) // the extremes of the IPUs, perhaps of different moments, added up
            return Text::tr("at least %1, at most %2").arg(least, most);
        return least == most ? most : Text::tr("%1 to %2").arg(least, most);
    }
    if (curve.parts.size() == 1)
        return track.text(curve.parts.front()[column], units);
    const std::vector<CounterTrack::Part> parts = track.parts(theme);
    QStringList texts;
    for (std::size_t i = curve.parts.size(); i-- > 0;)
        texts << Text::tr("%1 %2").arg(parts[i].name, track.text(curve.parts[i][column], units));
    return texts.join(QStringLiteral(", "));
}

} // namespace tilescope::views
