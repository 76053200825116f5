// What the user's program recorded about itself while it ran the machine: tracepoints, graphs and
// heat maps of libpvti.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

// Times are seconds from the beginning of the first run; earlier times are negative.

/// Times are at most three years before or after the first run, as the host's other times.
inline constexpr double mostHostSeconds = 1e8;

/// The time between the two ends of a tracepoint, or a moment.
struct HostEvent {
    std::string thread;  ///< "MainThread"
    std::string channel; ///< that the tracepoint belongs to: "poptorch.trainingModel"
    std::string name;
    double start = 0;
    std::optional<double> seconds; ///< none: a moment
    friend bool operator==(const HostEvent&, const HostEvent&) = default;
};

/// A line of a graph over time.
struct HostSeries {
    struct Point {
        double time = 0, value = 0;
        friend bool operator==(const Point&, const Point&) = default;
    };
    std::string graph, unit, label;
    std::vector<Point> points; ///< in order of time
    friend bool operator==(const HostSeries&, const HostSeries&) = default;
};

/// Counts of numbers between edges, at several moments.
struct HostHeatMap {
    struct Moment {
        double time = 0;
        /// One more than the number of edges: below the first, between two, from the last on.
        std::vector<std::int64_t> counts;
        friend bool operator==(const Moment&, const Moment&) = default;
    };
    std::string name, unit;
    std::vector<double> edges;   ///< ascending
    std::vector<Moment> moments; ///< in order of time
    friend bool operator==(const HostHeatMap&, const HostHeatMap&) = default;
};

/// All of it; empty if the program recorded nothing.
struct HostRecord {
    std::vector<HostEvent> events; ///< by start; of equal ones the longer first
    std::vector<HostSeries> series;
    std::vector<HostHeatMap> heatMaps;
    [[nodiscard]] bool empty() const {
        return events.empty() && series.empty() && heatMaps.empty();
    }
    friend bool operator==(const HostRecord&, const HostRecord&) = default;
};

} // namespace tilescope
