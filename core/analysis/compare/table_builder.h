// Makes a table of a comparison from the items of both sides. Internal to core/analysis/compare.
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
    std::string detail; ///< compared as text, shown as "a -> b" where it differs
    std::int32_t id = -1;
    std::vector<std::int64_t> values; ///< one for each column
};

/// Puts items that match by their ids in one row, the largest changes first.
ComparedTable makeComparedTable(std::string key, std::string title,
                                std::vector<ComparedColumn> columns, const Matching& matching,
                                const std::vector<TableItem>& source,
                                const std::vector<TableItem>& target);

/// The largest change of the first column first, then those of the next, then by name.
void sortByChange(ComparedTable& table);

} // namespace tilescope
