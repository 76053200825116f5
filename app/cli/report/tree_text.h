// The program tree as indented lines, for people.
#pragma once

#include <iosfwd>

#include "core/report/report.h"

namespace tilescope::cli {

/// "Control program 0 (main)" and the programs below it, each with its cycles; a filter keeps the
/// lines whose label it finds.
void writeProgramTrees(std::ostream& out, const ProfileReader& reader,
                       const ReportRequest& request);

} // namespace tilescope::cli
