// A profile as a folder of CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/store/profile_reader.h"

namespace tilescope::cli {

/// Writes each table of each report section to FOLDER/SECTION.csv (a section's further tables to
/// SECTION_TABLE.csv) and gives the names of the files. Insights are sentences with their evidence,
/// no table, and are in the JSON only. Throws UserError if a file cannot be written.
std::vector<std::string> writeCsvFolder(const std::filesystem::path& folder,
                                        const ProfileReader& reader);

} // namespace tilescope::cli
