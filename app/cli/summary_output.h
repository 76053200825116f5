// The summary that `run` and `info` print.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

#include "core/analysis/memory/summary.h"
#include "core/profile/profile.h"
#include "core/view/profile_view.h"

namespace boost::json {
class value;
}

namespace tilescope::cli {

struct SummarySource {
    const ProfileInfo& info;
    MemorySummary memory;
    const std::vector<Message>& messages;
    std::filesystem::path profile;
};

/// The view must outlive the result.
SummarySource summaryOf(const ProfileView& profile);

/// {"kind", "tool", "version", "digest"}.
boost::json::value originJson(const Origin& origin);

/// {"fits", "profile", "target", "memory", "cycles", "messages", "timings", ...} with all fields of
/// run_fields.h; cycles, all seconds and throughput are null without an execution.
boost::json::value summaryJson(const SummarySource& source);

/// Model, target, memory, time, and warnings.
void writeSummary(std::ostream& out, const SummarySource& source);

} // namespace tilescope::cli
