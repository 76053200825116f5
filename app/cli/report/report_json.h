// Sections whose JSON is more than fields and tables.
#pragma once

#include "core/store/profile_reader.h"

namespace boost::json {
class value;
}

namespace tilescope::cli {

struct ReportRequest;

/// {"insights": [{"kind", "costs", "level", "title", "cost": {"cycles", "bytes", "share"},
/// "advice", "options": [...], "evidence": [...], "link": {...}}]}, by what they cost; for a tile
/// or an IPU the largest parts of each kind.
boost::json::value insightsJson(const ProfileReader& reader, const ReportRequest& request);

/// {"schedule", "stages", "slots", "utilisation", "longestStage"}
boost::json::value pipelineJson(const ProfileReader& reader);

struct Section;
/// A section as JSON, whichever kind it is.
boost::json::value sectionJson(const Section& section, const ProfileReader& reader,
                               const ReportRequest& request);

} // namespace tilescope::cli
