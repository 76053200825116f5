// How boxes of the model's graph are coloured.
#pragma once

#include <QString>

#include "core/table/unit.h"
#include "views/operations/graph/graph_scene.h"
#include "views/session/preferences.h"
#include "views/theme/text.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// Texts and unit of a metric, to be translated.
struct MetricRow {
    const char* title;
    const char* toolTip; ///< what it counts, in a sentence
    Unit unit;
};
const MetricRow& metricRow(GraphMetric metric);
inline QString metricTitle(GraphMetric metric) {
    return Text::tr(metricRow(metric).title);
}
/// A value with its unit; changes have a sign.
QString metricText(GraphMetric metric, double value, ByteUnits units, bool change = false);

/// Colours of a scene by a metric: one hue from the paper's colour to strong or, for the change
/// between two profiles, blue for less and vermillion for more. The largest visible value has the
/// strongest colour.
class GraphColours {
public:
    GraphColours(const GraphScene& scene, GraphMetric metric);

    [[nodiscard]] GraphMetric metric() const { return metric_; }
    /// The largest value, or change of either sign, of a box that shows.
    [[nodiscard]] double most() const { return most_; }
    [[nodiscard]] bool comparing() const { return comparing_; }
    /// What a box is coloured by: its value, or the change from source to target.
    [[nodiscard]] double valueOf(const GraphModel& model, const GraphItem& item) const;
    [[nodiscard]] QColor colourOf(double value, const Theme& theme) const;

private:
    GraphMetric metric_;
    bool comparing_;
    double most_ = 0;
};

} // namespace tilescope::views
