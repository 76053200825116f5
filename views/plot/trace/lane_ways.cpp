#include "views/plot/trace/lane_ways.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <optional>

namespace tilescope::views {
namespace {

constexpr double line = 1.5;    // pixels
constexpr double beside = 4;    // wider below it, so that it is seen on every colour
constexpr double narrowest = 3; // of an outline
constexpr double arrow = 5;     // half of its length and width
constexpr double shortestReach = 14;

/// Where places are on the widget.
class Places {
public:
    explicit Places(const TracePlottable& lanes)
        : lanes_(lanes)
        , area_(lanes.keyAxis()->axisRect()->rect()) {}

    /// None on a hidden lane; beside the plot for what is out of sight.
    [[nodiscard]] std::optional<QRectF> of(const LaneStop& stop) const {
        const auto& keys = lanes_.laneRows().keys;
        const auto key = std::find(keys.begin(), keys.end(), stop.key);
        if (key == keys.end())
            return {};
        const LanePlace* place = lanes_.layout().of(static_cast<std::size_t>(key - keys.begin()));
        if (place == nullptr)
            return {};
        const double left = x(stop.range.begin);
        const double width = std::max(narrowest, x(stop.range.end) - left);
        return QRectF(left, area_.top() + place->top, width, place->bottom() - place->top);
    }
    [[nodiscard]] const QRectF& area() const { return area_; }

private:
    // Coordinates far outside are no use to a painter.
    [[nodiscard]] double x(std::int64_t cycle) const {
        const double far = 4 * area_.width();
        return std::clamp(lanes_.keyAxis()->coordToPixel(static_cast<double>(cycle)),
                          area_.left() - far, area_.right() + far);
    }

    const TracePlottable& lanes_;
    QRectF area_;
};

void stroke(QPainter& painter, const QPainterPath& path, const Theme& theme) {
    painter.strokePath(path, QPen(theme.surface, beside, Qt::SolidLine, Qt::RoundCap));
    painter.strokePath(path, QPen(theme.text, line, Qt::SolidLine, Qt::RoundCap));
}

void join(QPainter& painter, const QRectF& from, const QRectF& to, const Theme& theme) {
    const QPointF begin(from.right(), from.center().y());
    const QPointF end(to.left(), to.center().y());
    const QPointF reach(std::max(shortestReach, (end.x() - begin.x()) / 2), 0);
    QPainterPath path(begin);
    path.cubicTo(begin + reach, end - reach, end);
    stroke(painter, path, theme);
    const QPolygonF head(
        {end, end + QPointF(-2 * arrow, -arrow), end + QPointF(-2 * arrow, arrow)});
    painter.setPen(QPen(theme.surface, 1));
    painter.setBrush(theme.text);
    painter.drawPolygon(head);
    painter.setBrush(Qt::NoBrush);
}

/// Up or down between two places that share time.
void joinAcross(QPainter& painter, const QRectF& from, const QRectF& to, const QRectF& area,
                const Theme& theme) {
    const double left = std::max({from.left(), to.left(), area.left()});
    const double right = std::min({from.right(), to.right(), area.right()});
    const double x = left + (right - left) / 2;
    const bool isDown = to.center().y() > from.center().y();
    const QPointF begin(x, from.center().y());
    const QPointF end(x, isDown ? to.top() : to.bottom());
    QPainterPath path(begin);
    path.lineTo(end);
    stroke(painter, path, theme);
    const double back = isDown ? -2 * arrow : 2 * arrow;
    const QPolygonF head({end, end + QPointF(-arrow, back), end + QPointF(arrow, back)});
    painter.setPen(QPen(theme.surface, 1));
    painter.setBrush(theme.text);
    painter.drawPolygon(head);
    painter.setBrush(Qt::NoBrush);
}

void outline(QPainter& painter, const QRectF& place, const LaneStop& stop, const Theme& theme) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.surface, beside, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(place);
    painter.setPen(QPen(theme.text, line, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(place);
    const QFontMetrics metrics = painter.fontMetrics();
    const QString text = stop.label;
    const double width = metrics.horizontalAdvance(text) + 8;
    if (text.isEmpty() || place.width() < width + 4)
        return;
    const QRectF tag(place.left(), place.top(), width, metrics.height());
    painter.fillRect(tag, theme.text);
    painter.setPen(theme.surface);
    painter.drawText(tag, Qt::AlignCenter, text);
}

} // namespace

SelectedSteps stepsOf(const std::vector<LaneWay>& ways) {
    SelectedSteps steps;
    for (const LaneWay& way : ways)
        for (const LaneStop& stop : way)
            steps[stop.key].push_back(stop.range);
    for (auto& [key, ranges] : steps)
        std::sort(ranges.begin(), ranges.end(),
                  [](const CycleRange& a, const CycleRange& b) { return a.begin < b.begin; });
    return steps;
}

void paintLaneWays(QPainter& painter, const std::vector<LaneWay>& ways, const TracePlottable& lanes,
                   const Theme& theme) {
    const Places places(lanes);
    const double left = places.area().left();
    const double right = places.area().right();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const LaneWay& way : ways)
        for (std::size_t i = 0; i + 1 < way.size(); ++i) {
            const auto from = places.of(way[i]);
            const auto to = places.of(way[i + 1]);
            if (from && to && from->right() <= right && to->left() >= left)
                join(painter, *from, *to, theme);
        }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const LaneWay& way : ways)
        for (const LaneStop& stop : way)
            if (const auto place = places.of(stop);
                place && place->left() <= right && place->right() >= left)
                outline(painter, *place, stop, theme);
}

void paintLaneFlows(QPainter& painter, const std::vector<LaneFlow>& flows,
                    const TracePlottable& lanes, const Theme& theme) {
    const Places places(lanes);
    const QRectF& area = places.area();
    for (const LaneFlow& flow : flows) {
        const auto from = places.of(flow.from);
        const auto to = places.of(flow.to);
        if (!from || !to || from->left() > area.right() || to->right() < area.left())
            continue;
        painter.setRenderHint(QPainter::Antialiasing);
        if (flow.from.range.end <= flow.to.range.begin)
            join(painter, *from, *to, theme);
        else if (from->right() >= area.left() && to->left() <= area.right())
            joinAcross(painter, *from, *to, area, theme);
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (const auto& [place, stop] : {std::pair(*from, &flow.from), std::pair(*to, &flow.to)})
            if (!stop->label.isEmpty() && place.left() <= area.right() &&
                place.right() >= area.left())
                outline(painter, place, *stop, theme);
    }
}

} // namespace tilescope::views
