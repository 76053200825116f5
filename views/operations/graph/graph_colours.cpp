#include "views/operations/graph/graph_colours.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/units.h"
#include "views/theme/colour_scale.h"

namespace tilescope::views {
namespace {

std::string plainText(Unit unit, double value, ByteUnits units) {
    return unit == Unit::Cycles ? formatCycles(std::llround(value)) : textOf(value, unit, {units});
}

} // namespace

const MetricRow& metricRow(GraphMetric metric) {
    static constexpr std::array<MetricRow, graphMetrics.size()> rows{
        {{QT_TRANSLATE_NOOP("TileScope", "Measured cycles"),
          QT_TRANSLATE_NOOP("TileScope", "Of the trace, slowest tile, all runs. Places that share "
                                         "a function have equal parts"),
          Unit::Cycles},
         {QT_TRANSLATE_NOOP("TileScope", "Estimated cycles"),
          QT_TRANSLATE_NOOP("TileScope", "Slowest tile, one run at each place, estimated"),
          Unit::Cycles},
         {QT_TRANSLATE_NOOP("TileScope", "FLOP utilisation"),
          QT_TRANSLATE_NOOP("TileScope",
                            "FLOPs over what the machine could do in the estimated cycles"),
          Unit::Share},
         {QT_TRANSLATE_NOOP("TileScope", "FLOPs"),
          QT_TRANSLATE_NOOP("TileScope", "Floating-point operations of one run at each place"),
          Unit::Flops},
         {QT_TRANSLATE_NOOP("TileScope", "Code"),
          QT_TRANSLATE_NOOP("TileScope", "Vertex, exchange and control code, all tiles. Places "
                                         "that share a function have equal parts"),
          Unit::Bytes},
         {QT_TRANSLATE_NOOP("TileScope", "Temporary memory at the peak"),
          QT_TRANSLATE_NOOP("TileScope", "Variables that are not always live, at the step at which "
                                         "most is live, all tiles"),
          Unit::Bytes},
         {QT_TRANSLATE_NOOP("TileScope", "Variables"),
          QT_TRANSLATE_NOOP("TileScope", "Variables and constants, all tiles"), Unit::Bytes}}};
    return rows.at(static_cast<std::size_t>(metric));
}

QString metricText(GraphMetric metric, double value, ByteUnits units, bool change) {
    if (change && value == 0)
        return Text::tr("no change");
    const QString text =
        QString::fromStdString(plainText(metricRow(metric).unit, std::abs(value), units));
    if (!change)
        return text;
    return (value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + text;
}

GraphColours::GraphColours(const GraphScene& scene, GraphMetric metric)
    : metric_(metric)
    , comparing_(scene.model->comparing) {
    for (const GraphItem& item : scene.visible.items)
        most_ = std::max(most_, std::abs(valueOf(*scene.model, item)));
}

double GraphColours::valueOf(const GraphModel& model, const GraphItem& item) const {
    const double source = tilescope::valueOf(model.sourceCosts(item), metric_);
    return comparing_ ? tilescope::valueOf(model.targetCosts(item), metric_) - source : source;
}

QColor GraphColours::colourOf(double value, const Theme& theme) const {
    const double share = most_ > 0 ? value / most_ : 0;
    if (comparing_)
        return changeScaleColour(share, theme);
    // A single hue that varies in lightness: from paper to the palette's vermillion.
    const QColor little = mixed(theme.surface, theme.text, 0.05);
    return mixed(little, theme.series(5), std::clamp(share, 0.0, 1.0));
}

} // namespace tilescope::views
