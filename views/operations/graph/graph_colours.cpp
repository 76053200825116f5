#include "views/operations/graph/graph_colours.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/theme/colour_scale.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::string plainText(GraphMetric metric, double value, ByteUnits units) {
    switch (metric) {
    case GraphMetric::MeasuredCycles:
    case GraphMetric::Cycles:
        return formatCycles(std::llround(value));
    case GraphMetric::Utilisation:
        return formatPercent(value, 1);
    case GraphMetric::Flops:
        return formatFlops(value);
    case GraphMetric::Code:
    case GraphMetric::Temporary:
    case GraphMetric::Variables:
        break;
    }
    return formatBytes(std::llround(value), units);
}

} // namespace

QString metricTitle(GraphMetric metric) {
    switch (metric) {
    case GraphMetric::MeasuredCycles:
        return Text::tr("Measured cycles");
    case GraphMetric::Cycles:
        return Text::tr("Estimated cycles");
    case GraphMetric::Utilisation:
        return Text::tr("FLOP utilisation");
    case GraphMetric::Flops:
        return Text::tr("FLOPs");
    case GraphMetric::Code:
        return Text::tr("Code");
    case GraphMetric::Temporary:
        return Text::tr("Temporary memory at the peak");
    case GraphMetric::Variables:
        break;
    }
    return Text::tr("Variables");
}

QString metricToolTip(GraphMetric metric) {
    switch (metric) {
    case GraphMetric::MeasuredCycles:
        return Text::tr("Of the trace, slowest tile, all runs. Places that share a function have "
                        "equal parts");
    case GraphMetric::Cycles:
        return Text::tr("Slowest tile, one run at each place, estimated");
    case GraphMetric::Utilisation:
        return Text::tr("FLOPs over what the machine could do in the estimated cycles");
    case GraphMetric::Flops:
        return Text::tr("Floating-point operations of one run at each place");
    case GraphMetric::Code:
        return Text::tr("Vertex, exchange and control code, all tiles. Places that share a "
                        "function have equal parts");
    case GraphMetric::Temporary:
        return Text::tr("Variables that are not always live, at the step at which most is live, "
                        "all tiles");
    case GraphMetric::Variables:
        break;
    }
    return Text::tr("Variables and constants, all tiles");
}

QString metricText(GraphMetric metric, double value, ByteUnits units, bool change) {
    const QString text = QString::fromStdString(plainText(metric, std::abs(value), units));
    if (!change || value == 0)
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
    // One hue, so that only lightness tells: paper to the palette's vermillion.
    const QColor little = mixed(theme.surface, theme.text, 0.05);
    return mixed(little, theme.series(5), std::clamp(share, 0.0, 1.0));
}

} // namespace tilescope::views
