// How boxes of the model's graph are coloured.
#pragma once

#include <QString>

#include "views/operations/graph/graph_scene.h"
#include "views/session/preferences.h"
#include "views/theme/theme.h"

namespace tilescope::views {

QString metricTitle(GraphMetric metric);
/// What the metric counts, in a sentence.
QString metricToolTip(GraphMetric metric);
/// A value with its unit; changes have a sign.
QString metricText(GraphMetric metric, double value, ByteUnits units, bool change = false);

/// Colours of a scene by a metric: one hue from the paper's colour to strong, or, for the change
/// between two profiles, blue for less and vermillion for more. The largest that shows is
/// strongest.
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
