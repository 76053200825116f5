// Tables as data: one list of columns gives the statement that creates a table, and how its rows
// are written, read and checked.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/database/insert.h"
#include "core/database/row_access.h"

namespace tilescope {

/// The file that rows are read from.
struct RowSource {
    const Database& db;
    std::int64_t version = 1; ///< of its schema
    std::int64_t tiles = 0;   ///< of its machine
};

/// What a column holds: a member of the row's struct, a value computed from it, the row's number,
/// or a value that the writer gives with the row (and the reader may get back).
enum class Held : std::uint8_t { Member, ReadOnly, Derived, RowNumber, Given, GivenBack };

/// A column of one row; T is a reference to the member. The functions below make them.
template <Held what, class T = std::int64_t, class Check = std::nullptr_t> struct StoredColumn {
    static constexpr Held held = what;
    using Value = std::remove_cvref_t<T>;
    static constexpr bool isMember = held == Held::Member || held == Held::ReadOnly;
    static constexpr bool isGiven = held == Held::Given || held == Held::GivenBack;
    static constexpr bool hasList = isMember && !idListOf<Value>.table.empty();

    std::string_view name; ///< if it is only read: an expression for SELECT
    T value;
    Check check;
    std::int64_t since = 1; ///< schema version; older files leave the member at its default
};

/// A check for ids that must not be NULL.
struct RequiredId {};
inline constexpr RequiredId required;

/// A member. `check`: `required`, or a function that reads the value; else its type decides.
template <class T, class Check = std::nullptr_t>
constexpr auto field(std::string_view name, T& member, Check check = {}, std::int64_t since = 1) {
    return StoredColumn<Held::Member, T&, Check>{name, member, check, since};
}
/// A member that is read from somewhere else than it is written to: a view's column, an expression.
template <class T, class Check = std::nullptr_t>
constexpr auto readFrom(std::string_view source, T& member, Check check = {},
                        std::int64_t since = 1) {
    return StoredColumn<Held::ReadOnly, T&, Check>{source, member, check, since};
}
/// A value computed from the struct, or a function that computes it; it is only written.
template <class T> constexpr auto derived(std::string_view name, const T& value) {
    return StoredColumn<Held::Derived, T>{name, value, nullptr};
}
/// The row's number from 0, which is the table's key; reading rejects files with missing rows.
constexpr auto rowNumber(std::string_view name) {
    return StoredColumn<Held::RowNumber>{name, 0, nullptr};
}
/// A value that the writer gives with the row.
template <class T = std::int64_t> constexpr auto given(std::string_view name) {
    return StoredColumn<Held::Given, T>{name, {}, nullptr};
}
/// An integer that the reader also gets back, such as the index of the row's owner.
constexpr auto givenBack(std::string_view name, std::int64_t since = 1) {
    return StoredColumn<Held::GivenBack>{name, 0, nullptr, since};
}

/// A table with a struct for each row.
template <class Row> struct TableRules {
    std::string_view name;
    std::int64_t since = 1; ///< schema version; older files have no rows
    /// If no column is the row's number: one column, or several for a table without row ids.
    std::string_view key = {};
    std::string_view from = {};          ///< what is read instead of the table, such as a view
    std::string_view order = {};         ///< of reading; by default by key, or as written
    void (*check)(const Row&) = nullptr; ///< rejects values that contradict each other
};

/// The same with its columns: columns(to, row) calls to(column...).
template <class Row, class Columns> struct StoredTable : TableRules<Row> { Columns columns; };
template <class Row, class Columns>
constexpr StoredTable<Row, Columns> storedTable(const TableRules<Row>& rules, Columns columns) {
    return {rules, columns};
}

/// Calls use() with each column of a row.
void eachColumn(const auto& table, auto& row, const auto& use) {
    const auto to = [&use](const auto&... column) { (use(column), ...); };
    table.columns(to, row);
}

/// The stored columns with their types, and the key.
struct TableText {
    std::vector<std::string> columns;
    std::string_view key;

    template <class Row, class Columns>
    explicit TableText(const StoredTable<Row, Columns>& table)
        : key(table.key) {
        const Row row{};
        eachColumn(table, row, [this]<class Column>(const Column& column) {
            if (Column::held != Held::ReadOnly)
                columns.push_back(
                    fmt::format("{} {}", column.name, sqlType<typename Column::Value>()));
            if (Column::held == Held::RowNumber)
                key = column.name;
        });
    }
    /// What follows "CREATE TABLE name".
    [[nodiscard]] std::string create(std::string_view name) const;
};

/// Fills in "CREATE TABLE name{}" for each table, in the order of the text.
std::string tablesSql(std::string_view text, const auto&... tables) {
    return fmt::format(fmt::runtime(text), TableText(tables).create(tables.name)...);
}

/// Writes rows. The database and the table outlive it.
template <class Row, class Columns> class RowWriter {
public:
    RowWriter(const Database& db, const StoredTable<Row, Columns>& table)
        : db_(db)
        , table_(table) {}

    /// `given`: a value for each given column, in their order.
    template <class... Given> void operator()(const Row& row, const Given&... given) {
        if (!statement_)
            statement_.emplace(db_.prepare(insertSql(fmt::format("INSERT INTO {}", table_.name),
                                                     TableText(table_).columns.size())));
        int at = 0;
        std::array<int, sizeof...(Given)> givenAt{};
        std::size_t next = 0;
        const auto bind = [&]<class Column>(const Column& column) {
            if constexpr (Column::held == Held::RowNumber)
                statement_->bind(at++, rows_);
            else if constexpr (Column::isGiven)
                givenAt[next++] = at++;
            else if constexpr (Column::held != Held::ReadOnly)
                bindValue(*statement_, at++, column.value);
        };
        const auto to = [&bind]<class... Column>(const Column&... column) {
            static_assert((std::size_t{0} + ... + Column::isGiven) == sizeof...(Given));
            (bind(column), ...);
        };
        table_.columns(to, row);
        next = 0;
        (bindValue(*statement_, givenAt[next++], given), ...);
        statement_->run();
        ++rows_;
    }

private:
    const Database& db_;
    const StoredTable<Row, Columns>& table_;
    std::optional<Statement> statement_; ///< none before the first row
    std::int64_t rows_ = 0;
};

void writeRows(const Database& db, const auto& table, const auto& list) {
    RowWriter write(db, table);
    for (const auto& row : list)
        write(row);
}

/// Reads a member; `listed`: how many rows the list of its ids has.
template <class Column>
void readCell(const Column& column, const Statement& row, int at, std::int64_t tiles,
              std::int64_t listed) {
    using Value = typename Column::Value;
    if constexpr (std::invocable<decltype(column.check), const Statement&, int>)
        column.value = column.check(row, at);
    else if constexpr (std::same_as<Value, TileSeries>)
        column.value = seriesAt(row, at, tiles);
    else if constexpr (std::same_as<decltype(column.check), RequiredId>)
        column.value = References<Value>(listed).required(row, at);
    else if constexpr (Column::hasList)
        column.value = References<Value>(listed)(row, at);
    else
        column.value = valueAt<Value>(row, at);
}

/// Calls use(row, given) for each row; a file that is older than the table has none. `given` has
/// the givenBack() columns from 0 on.
template <class Row, class Columns, class Use>
void eachRow(const RowSource& file, const StoredTable<Row, Columns>& table, const Use& use) {
    if (file.version < table.since)
        return;
    Row none{};
    std::string sql;
    std::vector<std::int64_t> listed;
    int first = 0; // column after those that are given back
    for (const bool isGiven : {true, false})
        eachColumn(table, none, [&]<class Column>(const Column& column) {
            if (Column::held == Held::Derived || Column::held == Held::Given ||
                isGiven != (Column::held == Held::GivenBack))
                return;
            const bool isThere = file.version >= column.since;
            sql +=
                fmt::format("{}{}", sql.empty() ? "SELECT " : ", ", isThere ? column.name : "NULL");
            listed.push_back(0);
            if constexpr (Column::hasList)
                if (isThere)
                    listed.back() = References<typename Column::Value>(file.db).count();
            first += isGiven ? 1 : 0;
        });
    const TableText text(table);
    Statement from = file.db.prepare(fmt::format("{} FROM {} ORDER BY {}", sql,
                                                 table.from.empty() ? table.name : table.from,
                                                 !table.order.empty() ? table.order
                                                 : !text.key.empty()  ? text.key
                                                                      : "rowid"));
    for (std::int64_t number = 0; from.step(); ++number) {
        Row row{};
        int at = first;
        eachColumn(table, row, [&]<class Column>(const Column& column) {
            if constexpr (Column::held == Held::RowNumber) {
                if (from.integer(at++) != number && table.order.empty())
                    throw DamagedProfile(fmt::format("rows of {} are missing", table.name));
            } else if constexpr (Column::isMember) {
                if (file.version >= column.since)
                    readCell(column, from, at, file.tiles, listed[static_cast<std::size_t>(at)]);
                ++at;
            }
        });
        if (table.check != nullptr)
            table.check(row);
        use(row, from);
    }
}

template <class List, class Row> void append(List& list, Row&& row) {
    if constexpr (requires { list.add(std::forward<Row>(row)); })
        list.add(std::forward<Row>(row));
    else
        list.push_back(std::forward<Row>(row));
}

/// Room for the rows of a table whose key is their number, so that a list need not grow, but hardly
/// more than fit in the file; 0 for other tables.
template <class Row, class Columns>
std::size_t rowsOf(const RowSource& file, const StoredTable<Row, Columns>& table) {
    const TableText text(table);
    if (file.version < table.since || !table.key.empty() || text.key.empty())
        return 0;
    // Older files may have these rows in other tables.
    if (file.db.integer(fmt::format("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
                                    "name = '{}'",
                                    table.name)) == 0)
        return 0;
    constexpr std::int64_t fewestBytes = 8;     // of a row
    constexpr std::int64_t mostAhead = 1 << 20; // a damaged id must not ask for all memory
    const std::int64_t most =
        std::min(mostAhead, file.db.integer("PRAGMA page_count") *
                                file.db.integer("PRAGMA page_size") / fewestBytes);
    const std::int64_t last =
        file.db.integer(fmt::format("SELECT max({}) FROM {}", text.key, table.name));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(last, 0, most)) + 1;
}

/// All rows of a table.
template <class List> List readRows(const RowSource& file, const auto& table) {
    List list;
    if constexpr (requires { list.reserve(std::size_t{0}); })
        list.reserve(rowsOf(file, table));
    eachRow(file, table, [&list](auto& row, const Statement&) { append(list, std::move(row)); });
    return list;
}

} // namespace tilescope
