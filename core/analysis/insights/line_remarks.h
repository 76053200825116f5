// What the insights say of lines of the user's program.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/analysis/source/source_names.h"

namespace tilescope {

/// An insight at the line of an operation that it is about, or that its evidence names.
struct LineRemark {
    SourceFrameId frame;
    std::string rule; ///< name of the insight's rule: "overheads"
    InsightLevel level = InsightLevel::Note;
    InsightCost cost; ///< of the insight, which may be about several lines
    /// One line: the insight's title, with what its evidence says of the line if it is about
    /// another one.
    std::string title;
};

/// In the order of findInsights(); an insight is at a line once, or at a statement, function or
/// file if they are gathered so. Throws UserError for a damaged profile, Cancelled after a stop.
std::vector<LineRemark> lineRemarks(const ProfileView& profile, const SourceNames& names,
                                    SourceGrain grain, const std::stop_token& stop = {});

} // namespace tilescope
