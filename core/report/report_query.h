// SQL over reports: queries on the tables of a profile's file and of the reports.
#pragma once

#include <cstddef>
#include <string>

#include "core/store/profile_reader.h"

namespace tilescope {

/// Runs one SELECT. In addition to the tables of the file there is report_<id> for each report
/// named in the text, such as report_operations: the first table of the report with all columns of
/// its CSV. Throws SqlError for bad SQL, UserError for a damaged profile.
SqlResult queryReports(ProfileReader& reader, const std::string& sql,
                       std::size_t maxRows = static_cast<std::size_t>(-1));

} // namespace tilescope
