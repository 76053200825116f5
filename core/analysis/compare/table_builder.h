// The tables of a comparison, from the items of both sides. Internal to core/analysis/compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/matching.h"

namespace tilescope {

/// An item of one side.
struct TableItem {
    std::string name;
    std::string kind;
    std::string detail; ///< compared as text
    std::int32_t id = -1;
    std::vector<std::int64_t> values; ///< one for each column
};

/// Text of a row for details that differ.
using DetailChange = std::string (*)(const std::string& source, const std::string& target);
/// "a -> b".
std::string fromTo(const std::string& source, const std::string& target);

/// Puts items that match by their ids in one row of a table without rows, the largest changes
/// first.
ComparedTable makeComparedTable(ComparedTable table, const Matching& matching,
                                const std::vector<TableItem>& source,
                                const std::vector<TableItem>& target, DetailChange change = fromTo);

/// As Comparison::tables has them.
std::vector<ComparedTable> comparedTables(const ProfileView& source, const ProfileView& target,
                                          const ProfileMatching& matching, CycleBasis basis,
                                          Stop stop);

/// The largest change of the first column first, then those of the next, then by name.
void sortByChange(ComparedTable& table);

/// The largest change first, with the shares.
void sortByChange(CauseList& list);

} // namespace tilescope
