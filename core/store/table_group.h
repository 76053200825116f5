// Tables of the file that belong together: how they are created, written and read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/profile_reader_impl.h"

namespace tilescope {

/// How a part of a profile is written and read; either may be empty.
struct StoredPart {
    PartKey key;
    std::function<void(const Profile&, const Database&)> write;
    std::function<void(const ProfileReader::Impl&, Profile&)> read;
};

/// A member of Profile that `read` returns.
template <auto member, class Write, class Read> StoredPart part(Write write, Read read) {
    return {partKey<member>(), write, [read](const ProfileReader::Impl& file, Profile& profile) {
                profile.*member = read(file);
            }};
}
/// A member that consists of a table's rows; `write` if they need more than the structs.
template <auto member, class Row, class Columns, class Write>
StoredPart part(const StoredTable<Row, Columns>& table, Write write) {
    return part<member>(write, [&table](const ProfileReader::Impl& file) {
        return readRows<std::remove_cvref_t<decltype(Profile().*member)>>(file.rows(), table);
    });
}
template <auto member> StoredPart part(const auto& table) {
    return part<member>(table, [&table](const Profile& profile, const Database& db) {
        writeRows(db, table, profile.*member);
    });
}

/// Tables that one file of this folder describes, writes and reads.
struct TableGroup {
    /// Schema version from which on the tables are there; their parts are empty in older files.
    std::int64_t since = 1;
    /// Documented statements that create the tables, and views of them.
    std::string create;
    std::vector<StoredPart> parts;
    /// Statements to run after all rows are written.
    std::string_view indexes = {};
};

/// All groups, in the order of the file.
std::span<const TableGroup> tableGroups();

} // namespace tilescope
