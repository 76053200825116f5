// The rows of a table by id, taken from the pages of the file. SQLite's machine needs several times
// as long for each value of a row; files and messages for damage are the same.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/file_pages.h"
#include "core/database/record.h"

namespace tilescope {

/// Some columns of a table, in the order of rows.
struct RowsWanted {
    std::span<const std::string> columns; ///< names, expressions, or "NULL"
    std::string_view from;                ///< a table or view
    std::string_view order;               ///< a list of columns; "rowid"
};

/// Goes once through a table. The database outlives it.
class TableScan final : public StoredRow {
public:
    /// None where this is left to SQLite: another order, expressions, views, tables without row
    /// ids, and files that FilePages leaves to it.
    static std::optional<TableScan> of(const Database& db, const RowsWanted& wanted);

    /// Advances to the next row; false at the end. Throws UserError for damage, Cancelled after a
    /// stop.
    bool step();

    [[nodiscard]] bool isNull(int at) const override;
    [[nodiscard]] bool isNumber(int at) const override;
    [[nodiscard]] std::int64_t integer(int at) const override;
    [[nodiscard]] double real(int at) const override;
    [[nodiscard]] std::string text(int at) const override;
    [[nodiscard]] std::span<const std::byte> blob(int at) const override;

private:
    /// Where a wanted column is: its place in the record, or one of these.
    static constexpr int isNone = -1;
    static constexpr int isRowId = -2;

    /// A page of the tree, and which of its cells comes next.
    struct Level {
        std::vector<std::byte> page;
        std::size_t next = 0;
        std::size_t cells = 0;
        std::size_t bytes = 0; ///< of the records that were taken
        bool isLeaf = false;
    };

    TableScan(Statement lock, FilePages pages, std::vector<int> places);
    void descend(std::uint32_t page);
    [[nodiscard]] std::uint32_t childOf(const Level& level, std::size_t cell) const;
    [[nodiscard]] static std::size_t cellAt(const Level& level, std::size_t cell);
    [[nodiscard]] RecordValue valueOf(int at) const;

    std::unique_ptr<Statement> lock_; ///< in the middle of its rows
    FilePages pages_;
    std::vector<int> places_; ///< by wanted column
    std::vector<Level> path_; ///< from the root; those from depth_ on have memory for later
    std::size_t depth_ = 0;
    std::size_t visited_ = 0; ///< pages of the tree
    std::int64_t rowId_ = 0;
    Record record_;
};

/// The same rows, by a scan if it can and by SQLite otherwise.
class StoredRows {
public:
    StoredRows(const Database& db, const RowsWanted& wanted);
    /// The next row; null at the end.
    const StoredRow* next();

private:
    std::optional<TableScan> scan_;
    std::optional<Statement> statement_;
};

} // namespace tilescope
