// Rows for a table, with the profile's types as columns.
#pragma once

#include <array>
#include <concepts>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/database/database.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

/// Inserts rows, each with a value for every column in order. An Id of none and an empty optional
/// are NULL, a TileSeries and bytes are blobs. The database outlives it.
class Insert {
public:
    /// `verb`: of SQLite, such as "INSERT OR REPLACE".
    Insert(const Database& db, std::string_view table, std::string_view verb = "INSERT")
        : db_(db)
        , into_(fmt::format("{} INTO {}", verb, table)) {}

    template <class... Values> void operator()(const Values&... values) {
        if (!statement_)
            statement_.emplace(prepare(sizeof...(Values)));
        int at = 0;
        (bind(at++, values), ...);
        statement_->run();
    }

private:
    [[nodiscard]] Statement prepare(std::size_t columns) const {
        std::string marks = "?";
        for (std::size_t i = 1; i < columns; ++i)
            marks += ",?";
        return db_.prepare(fmt::format("{} VALUES({})", into_, marks));
    }

    void bind(int at, std::integral auto value) {
        statement_->bind(at, static_cast<std::int64_t>(value));
    }
    void bind(int at, double value) { statement_->bind(at, value); }
    void bind(int at, std::string_view value) { statement_->bind(at, value); }
    void bind(int at, const std::vector<std::byte>& value) {
        statement_->bind(at, std::span<const std::byte>(value));
    }
    void bind(int at, const TileSeries& series) { bind(at, series.encode()); }
    template <class Tag> void bind(int at, Id<Tag> id) {
        if (id.valid())
            bind(at, id.value());
        else
            statement_->bindNull(at);
    }
    template <class Value> void bind(int at, const std::optional<Value>& value) {
        if (value)
            bind(at, *value);
        else
            statement_->bindNull(at);
    }

    const Database& db_;
    std::string into_;
    std::optional<Statement> statement_;
};

/// Inserts rows of integers, many with one statement: what a statement costs beside its rows is
/// paid once for 64. The database outlives it.
template <std::size_t columns> class IntegerRows {
public:
    IntegerRows(const Database& db, std::string_view table)
        : db_(db)
        , table_(table) {
        values_.reserve(together * columns);
    }

    void operator()(const std::array<std::int64_t, columns>& row) {
        values_.insert(values_.end(), row.begin(), row.end());
        if (values_.size() < together * columns)
            return;
        if (!full_)
            full_.emplace(prepare(together));
        write(*full_);
    }

    /// Inserts the last rows. They are lost without it.
    void finish() {
        if (values_.empty())
            return;
        Statement rest = prepare(values_.size() / columns);
        write(rest);
    }

private:
    static constexpr std::size_t together = 64;

    [[nodiscard]] Statement prepare(std::size_t rows) const {
        std::string row = "(?";
        for (std::size_t i = 1; i < columns; ++i)
            row += ",?";
        row += ')';
        std::string all = row;
        for (std::size_t i = 1; i < rows; ++i)
            all += ',' + row;
        return db_.prepare(fmt::format("INSERT INTO {} VALUES{}", table_, all));
    }

    void write(Statement& statement) {
        for (std::size_t i = 0; i < values_.size(); ++i)
            statement.bind(static_cast<int>(i), values_[i]);
        statement.run();
        values_.clear();
    }

    const Database& db_;
    std::string table_;
    std::optional<Statement> full_;
    std::vector<std::int64_t> values_;
};

} // namespace tilescope
