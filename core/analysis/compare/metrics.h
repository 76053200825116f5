// The figures of a profile that can be compared and limited, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/unit.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Whether an increase is good or bad; counts of the program alone are neither.
enum class MetricBetter { Less, More, Neither };

struct Metric {
    std::string name;    ///< name in thresholds: "maxTile"
    std::string title;   ///< for people: "Fullest tile"
    std::string meaning; ///< a sentence for the list of metrics
    Unit unit = Unit::Count;
    MetricBetter better = MetricBetter::Neither;
    bool headline = false; ///< part of the verdict
    bool ofTile = false;   ///< of one tile, or a count of tiles: not divided by samples
};

/// The title of a figure, or of the figure that it becomes when it is divided by samples
/// (perSample()).
std::string titleOf(const Metric& metric, bool perSample);

/// All metrics, always in this order. Categories of memory are metrics "memory.vertexCode" and so
/// on.
const std::vector<Metric>& allMetrics();

/// The values of a profile, one for each metric; none where the profile lacks it, such as cycles of
/// a profile that was not executed.
std::vector<std::optional<double>> metricValues(const ProfileView& profile,
                                                ProfileView::Stop stop = {});

/// The index of a metric in allMetrics(). Throws UserError that lists the names.
std::size_t metricNamed(std::string_view name);

} // namespace tilescope
