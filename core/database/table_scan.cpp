#include "core/database/table_scan.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "core/base/damaged_profile.h"
#include "core/database/file_header.h"

namespace tilescope {
namespace {

// https://www.sqlite.org/fileformat.html#b_tree_pages
constexpr std::byte leafOfTable{0x0D};
constexpr std::byte insideOfTable{0x05};
constexpr std::byte leafOfIndex{0x0A};
constexpr std::byte insideOfIndex{0x02};
constexpr std::size_t cellCountAt = 3;
constexpr std::size_t rightmostAt = 8;
constexpr std::size_t insideHeaderBytes = 12;
constexpr std::size_t leafHeaderBytes = 8;
/// SQLite refuses deeper trees, too.
constexpr std::size_t mostLevels = 20;

[[noreturn]] void noTree() {
    throw DamagedProfile("the pages of a table contradict each other");
}

/// The first page of a table; none if it is no table of the file. The statement stays where it is.
std::uint32_t rootOf(Statement& statement, std::string_view table) {
    statement.bind(0, table);
    if (!statement.step())
        return 0;
    const std::int64_t root = statement.integer(0);
    constexpr std::int64_t first = 2; // the list of tables has the first page
    return root < first || root > std::numeric_limits<std::uint32_t>::max()
               ? 0
               : static_cast<std::uint32_t>(root);
}

/// True for a table without row ids.
bool isIndex(const FilePages& pages, std::uint32_t root) {
    std::vector<std::byte> page;
    pages.read(root, page);
    return page.front() == leafOfIndex || page.front() == insideOfIndex;
}

struct TableColumn {
    std::string name;
    bool isPlain = true; ///< in every record: neither computed nor with a value for shorter ones
    bool isKey = false;
    bool isInteger = false;
};

std::vector<TableColumn> columnsOf(const Database& db, std::string_view table) {
    std::vector<TableColumn> columns;
    Statement row = db.prepare(fmt::format("PRAGMA main.table_xinfo('{}')", table));
    while (row.step()) {
        std::string type = row.text(2);
        std::transform(type.begin(), type.end(), type.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        columns.push_back({row.text(1), row.isNull(4) && row.integer(6) == 0, row.integer(5) != 0,
                           type == "INTEGER"});
    }
    return columns;
}

/// The only key, if it is an integer: it is the row id.
std::string_view rowIdOf(const std::vector<TableColumn>& columns) {
    const auto isKey = [](const TableColumn& column) { return column.isKey; };
    const auto key = std::find_if(columns.begin(), columns.end(), isKey);
    if (key == columns.end() || !key->isInteger ||
        std::find_if(key + 1, columns.end(), isKey) != columns.end())
        return {};
    return key->name;
}

} // namespace

std::optional<TableScan> TableScan::of(const Database& db, const RowsWanted& wanted) {
    Statement lock =
        db.prepare("SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?");
    const std::uint32_t root = rootOf(lock, wanted.from);
    const std::optional<FilePages> pages = root == 0 ? std::nullopt : FilePages::of(db);
    if (!pages || isIndex(*pages, root))
        return std::nullopt;
    const std::vector<TableColumn> columns = columnsOf(db, wanted.from);
    const std::string_view rowId = rowIdOf(columns);
    if (wanted.order != "rowid" && (rowId.empty() || wanted.order != rowId))
        return std::nullopt;
    std::vector<int> places;
    for (const std::string& name : wanted.columns) {
        const auto found = std::find_if(columns.begin(), columns.end(),
                                        [&](const auto& column) { return column.name == name; });
        if (name == "NULL")
            places.push_back(isNone);
        else if (found == columns.end() || !found->isPlain)
            return std::nullopt;
        else
            places.push_back(name == rowId ? isRowId : static_cast<int>(found - columns.begin()));
    }
    TableScan scan(std::move(lock), *pages, std::move(places));
    scan.descend(root);
    return scan;
}

TableScan::TableScan(Statement lock, FilePages pages, std::vector<int> places)
    : lock_(std::make_unique<Statement>(std::move(lock)))
    , pages_(pages)
    , places_(std::move(places))
    , record_(static_cast<std::size_t>(
          1 + std::max(-1, places_.empty() ? -1
                                           : *std::max_element(places_.begin(), places_.end())))) {}

void TableScan::descend(std::uint32_t page) {
    // A damaged tree may have circles.
    if (++visited_ > pages_.count() || depth_ == mostLevels)
        noTree();
    if (depth_ == path_.size())
        path_.emplace_back();
    Level& level = path_[depth_++];
    pages_.read(page, level.page);
    const std::byte kind = level.page[0];
    if (kind != leafOfTable && kind != insideOfTable)
        noTree();
    level.isLeaf = kind == leafOfTable;
    level.next = level.bytes = 0;
    level.cells = bigEndian(std::span(level.page).subspan(cellCountAt, 2));
    const std::size_t header = level.isLeaf ? leafHeaderBytes : insideHeaderBytes;
    if (header + 2 * level.cells > pages_.usableBytes())
        noTree();
}

std::size_t TableScan::cellAt(const Level& level, std::size_t cell) {
    const std::size_t header = level.isLeaf ? leafHeaderBytes : insideHeaderBytes;
    return bigEndian(std::span(level.page).subspan(header + 2 * cell, 2));
}

std::uint32_t TableScan::childOf(const Level& level, std::size_t cell) const {
    constexpr std::size_t pageNumber = 4;
    const std::size_t at = cell == level.cells ? rightmostAt : cellAt(level, cell);
    if (at + pageNumber > pages_.usableBytes())
        noTree();
    return static_cast<std::uint32_t>(bigEndian(std::span(level.page).subspan(at, pageNumber)));
}

bool TableScan::step() {
    while (depth_ > 0) {
        Level& level = path_[depth_ - 1];
        const std::size_t cell = level.next++;
        // Inside there is a page more than there are cells.
        if (cell >= level.cells + (level.isLeaf ? 0 : 1)) {
            --depth_;
        } else if (!level.isLeaf) {
            descend(childOf(level, cell));
        } else {
            rowId_ = record_.take(pages_, level.page, cellAt(level, cell));
            level.bytes += record_.bytesInLeaf();
            if (level.bytes > level.page.size()) // records that share their bytes
                noTree();
            return true;
        }
    }
    return false;
}

RecordValue TableScan::valueOf(int at) const {
    const int place = places_[static_cast<std::size_t>(at)];
    return place < 0 ? RecordValue() : record_.value(pages_, static_cast<std::size_t>(place));
}

bool TableScan::isNull(int at) const {
    const int place = places_[static_cast<std::size_t>(at)];
    return place != isRowId && valueOf(at).isNull();
}
bool TableScan::isNumber(int at) const {
    return places_[static_cast<std::size_t>(at)] == isRowId || valueOf(at).isNumber();
}
std::int64_t TableScan::integer(int at) const {
    return places_[static_cast<std::size_t>(at)] == isRowId ? rowId_ : valueOf(at).integer();
}
double TableScan::real(int at) const {
    return places_[static_cast<std::size_t>(at)] == isRowId ? static_cast<double>(rowId_)
                                                            : valueOf(at).real();
}
std::string TableScan::text(int at) const {
    return places_[static_cast<std::size_t>(at)] == isRowId ? std::to_string(rowId_)
                                                            : valueOf(at).text();
}
std::span<const std::byte> TableScan::blob(int at) const {
    return valueOf(at).blob();
}

StoredRows::StoredRows(const Database& db, const RowsWanted& wanted)
    : scan_(TableScan::of(db, wanted)) {
    if (!scan_)
        statement_.emplace(
            db.prepare(fmt::format("SELECT {} FROM {} ORDER BY {}", fmt::join(wanted.columns, ", "),
                                   wanted.from, wanted.order)));
}

const StoredRow* StoredRows::next() {
    if (scan_)
        return scan_->step() ? &*scan_ : nullptr;
    return statement_->step() ? &*statement_ : nullptr;
}

} // namespace tilescope
