// Tables of the file that belong together: how they are created, written and read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/profile/profile.h"

namespace tilescope {

class Database;
class ProfileReader;

/// Tables that one file of this folder describes, writes and reads.
struct TableGroup {
    /// Schema version from which on the tables are there; their lists are empty in older files.
    std::int64_t since = 1;
    /// Documented statements that create the tables, and views of them.
    std::string_view create;
    void (*write)(const Profile& profile, const Database& db);
    /// Reads the lists of the group into a profile.
    void (*read)(const ProfileReader& reader, Profile& profile);
    /// Statements to run after all rows are written.
    std::string_view indexes = {};
};

/// All groups, in the order of the file.
std::span<const TableGroup> tableGroups();

} // namespace tilescope
