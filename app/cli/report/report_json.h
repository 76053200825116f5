// Reports as JSON.
#pragma once

#include "core/report/report.h"

namespace boost::json {
class value;
}

namespace tilescope::cli {

/// A report as JSON: its fields and tables, or for some reports a form of their own:
/// {"insights": [{"kind", "costs", "level", "title", "cost": {"cycles", "bytes", "share"},
/// "advice", "options": [...], "evidence": [...], "link": {...}}]}, sorted by cost, for a tile
/// or an IPU the largest parts of each kind; {"schedule", "stages", "slots", "utilisation",
/// "longestStage"}.
boost::json::value reportJson(const Report& report, const ProfileView& profile,
                              const ReportRequest& request);

} // namespace tilescope::cli
