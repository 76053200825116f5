// What the rows of the report on lines consist of, which is too much for its text.
#pragma once

#include "core/report/report.h"

namespace tilescope {

struct SourceParts {
    Table
        places; ///< operations of a row: where they run, in which pass, and why they have the line
    Table losses; ///< cycles in which others wait for a row, by kind; they add up to its waits
};

/// By the path and IPU of the rows that sourceReport() has for the same request. Cycles of places
/// are those of the run, of one execution where nothing ran, and add up to those of their row.
/// Throws UserError for a damaged profile.
SourceParts sourceParts(const ProfileView& profile, const ReportRequest& request);

} // namespace tilescope
