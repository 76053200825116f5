// Sections whose JSON is more than fields and tables.
#pragma once

#include "core/store/profile_reader.h"

namespace boost::json {
class value;
}

namespace tilescope::cli {

/// {"insights": [{"kind", "level", "title", "advice", "evidence": [...], "link": {...}}]}
boost::json::value insightsJson(const ProfileReader& reader);

/// {"schedule", "stages", "slots", "utilisation", "longestStage"}
boost::json::value pipelineJson(const ProfileReader& reader);

} // namespace tilescope::cli
