// Limits on what may change between two profiles: 'maxTile>+2%'.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare/metrics.h"

namespace tilescope {

/// A condition under which a comparison fails.
struct Threshold {
    enum class Relation { More, MoreOrEqual, Less, LessOrEqual };
    /// The value compared with the limit: the change in percent of the source, the change, or the
    /// target's value.
    enum class Kind { PercentChange, Change, Value };

    std::string text;       ///< as the user wrote it
    std::size_t metric = 0; ///< index into allMetrics()
    Relation relation = Relation::More;
    Kind kind = Kind::Value;
    double limit = 0; ///< percent, or in the metric's unit
};

/// Parses METRIC, one of > >= < <=, and a limit: "+2%" or "-5%" is a change in percent, a number
/// with a sign is a change, one without is a limit of the target's value itself. Bytes may end in
/// B, KiB, MiB, GiB, kB, MB or GB, seconds in ns, us, ms or s. Throws UserError that explains what
/// is wrong: an unknown metric, no comparison, a limit that is not a number or has the wrong unit.
Threshold parseThreshold(std::string_view text);

struct ThresholdResult {
    bool exceeded = false;
    std::string text; ///< "maxTile>+2%: 517 KiB -> 692 KiB (+34.0 %)"
};

/// Checks a threshold against the metrics of source and target (from metricValues()). Throws
/// UserError if one of the profiles lacks the metric: a threshold that cannot be checked must not
/// pass. A change from zero to anything else is infinite in percent.
ThresholdResult checkThreshold(const Threshold& threshold,
                               const std::vector<std::optional<double>>& source,
                               const std::vector<std::optional<double>>& target);

} // namespace tilescope
