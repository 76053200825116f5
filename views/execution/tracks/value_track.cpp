#include "views/execution/tracks/value_track.h"

#include <algorithm>
#include <cmath>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::optional<double> finiteNumber(const Cell& cell) {
    const std::optional<double> number = numberOf(cell);
    return number && std::isfinite(*number) && std::abs(*number) < 1e300 ? number : std::nullopt;
}

} // namespace

ValueTrack::ValueTrack(QString name, QString unit, QString toolTip, std::vector<ValuePoint> points,
                       int hue)
    : name_(std::move(name))
    , unit_(std::move(unit))
    , toolTip_(std::move(toolTip))
    , points_(std::move(points))
    , hue_(hue) {
    std::ranges::stable_sort(points_, {}, &ValuePoint::cycle);
}

std::vector<CounterTrack::Part> ValueTrack::parts(const Theme& theme) const {
    return {{{}, theme.series(hue_)}};
}

TrackCurve ValueTrack::curve(const CycleColumns& columns) const {
    TrackCurve curve;
    curve.columns = columns;
    std::vector<double>& most = curve.parts.emplace_back();
    auto at = std::ranges::partition_point(points_, [&](const ValuePoint& point) {
        return point.cycle <= static_cast<double>(columns.range().begin);
    });
    double holds = at == points_.begin() ? 0 : (at - 1)->value;
    for (std::size_t i = 0; i < columns.count(); ++i) {
        const auto end = static_cast<double>(columns.at(i).end);
        // A point at the beginning of a column replaces what held before.
        const bool isAtBegin =
            at != points_.end() && at->cycle <= static_cast<double>(columns.at(i).begin);
        double high = isAtBegin ? at->value : holds;
        double low = high;
        for (; at != points_.end() && at->cycle < end; ++at) {
            holds = at->value;
            high = std::max(high, holds);
            low = std::min(low, holds);
        }
        most.push_back(high);
        curve.least.push_back(low);
    }
    return curve;
}

QString ValueTrack::text(double value, const TrackUnits& units) const {
    return unit_.isEmpty() ? shortText(value, units)
                           : QStringLiteral("%1 %2").arg(shortText(value, units), unit_);
}

QString ValueTrack::shortText(double value, const TrackUnits&) const {
    return QString::fromStdString(tilescope::textOf(Cell(value), Unit::None, {}));
}

QString ValueTrack::note(double, const TrackUnits&) const {
    return unit_;
}

ValueTracks graphTracks(const HostRecord& record, double clockHz) {
    constexpr std::size_t most = 64; // in a menu
    ValueTracks tracks;
    for (const HostSeries& series : record.series) {
        if (series.points.empty() || tracks.size() == most)
            continue;
        std::vector<ValuePoint> points;
        points.reserve(series.points.size());
        for (const HostSeries::Point& point : series.points)
            points.push_back({point.time * clockHz, point.value});
        const QString graph = shownName(series.graph, mostOfOne);
        const QString label = shownName(series.label, mostOfOne);
        tracks.push_back(std::make_shared<const ValueTrack>(
            label.isEmpty() || label == graph ? graph : Text::tr("%1: %2").arg(graph, label),
            shownName(series.unit, mostOfOne), Text::tr("A graph that the program recorded"),
            std::move(points), static_cast<int>(tracks.size())));
    }
    return tracks;
}

std::vector<ValuePoint> pointsOf(const Table& answer, QString& error) {
    std::vector<ValuePoint> points;
    constexpr std::size_t columns = 2;
    if (answer.columns.size() != columns) {
        error = Text::tr("a track needs two columns, cycles and value, and the answer has %1")
                    .arg(answer.columns.size());
        return {};
    }
    for (const Row& row : answer.rows) {
        const auto cycle = finiteNumber(row.cells[0]);
        const auto value = finiteNumber(row.cells[1]);
        if (!cycle || !value) {
            error = Text::tr("a track needs numbers: row %1 of the answer has others")
                        .arg(points.size() + 1);
            return {};
        }
        points.push_back({*cycle, *value});
    }
    return points;
}

} // namespace tilescope::views
