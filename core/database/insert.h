// Rows for a table, with the profile's types as columns.
#pragma once

#include <array>
#include <concepts>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/database/number_text.h"
#include "core/database/row_access.h"

namespace tilescope {

/// A list of ids of one kind.
template <class T>
concept AnyIds = requires(const T& ids) {
    []<class Tag>(const std::vector<Id<Tag>>&) {}(ids);
};

/// A value as a parameter. An Id of none, an empty optional, no ids and NaN are NULL, a TileSeries
/// and bytes are blobs, values of enumerations their names, ids a JSON array.
template <class T> void bindValue(Statement& to, int at, const T& value) {
    if constexpr (std::integral<T>)
        to.bind(at, static_cast<std::int64_t>(value));
    else if constexpr (AnyId<T>)
        bindValue(to, at, value.valid() ? std::optional(value.value()) : std::nullopt);
    else if constexpr (std::same_as<T, TileSeries>)
        bindValue(to, at, value.encode());
    else if constexpr (std::same_as<T, std::vector<std::byte>>)
        to.bind(at, std::span<const std::byte>(value));
    else if constexpr (AnyIds<T>)
        bindValue(to, at, value.empty() ? std::nullopt : std::optional(idsText(value)));
    else if constexpr (std::is_enum_v<T>)
        to.bind(at, toString(value));
    else if constexpr (std::invocable<T>)
        bindValue(to, at, value());
    else if constexpr (requires { value.has_value(); }) {
        if (value)
            bindValue(to, at, *value);
        else
            to.bindNull(at);
    } else if constexpr (std::floating_point<T>)
        to.bind(at, value);
    else
        to.bind(at, std::string_view(value));
}

/// The type of columns with such values.
template <class T> constexpr std::string_view sqlType() {
    if constexpr (requires(T optional) { optional.has_value(); })
        return sqlType<typename T::value_type>();
    else if constexpr (std::invocable<T>)
        return sqlType<std::invoke_result_t<T>>();
    else if constexpr (std::integral<T> || AnyId<T>)
        return "INTEGER";
    else if constexpr (std::floating_point<T>)
        return "REAL";
    else if constexpr (std::convertible_to<T, std::string_view> || std::is_enum_v<T> || AnyIds<T>)
        return "TEXT";
    else
        return "BLOB";
}

/// "INSERT INTO table VALUES(?,?),(?,?)" from its first words.
inline std::string insertSql(std::string_view into, std::size_t columns, std::size_t rows = 1) {
    std::string row = "(?";
    for (std::size_t i = 1; i < columns; ++i)
        row += ",?";
    row += ')';
    std::string all = row;
    for (std::size_t i = 1; i < rows; ++i)
        all += ',' + row;
    return fmt::format("{} VALUES{}", into, all);
}

/// Inserts rows, each with a value for every column in order. The database outlives it.
class Insert {
public:
    /// `verb`: of SQLite, such as "INSERT OR REPLACE".
    Insert(const Database& db, std::string_view table, std::string_view verb = "INSERT")
        : db_(db)
        , into_(fmt::format("{} INTO {}", verb, table)) {}

    template <class... Values> void operator()(const Values&... values) {
        if (!statement_)
            statement_.emplace(db_.prepare(insertSql(into_, sizeof...(Values))));
        int at = 0;
        (bindValue(*statement_, at++, values), ...);
        statement_->run();
    }

private:
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
        , into_(fmt::format("INSERT INTO {}", table)) {
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
        return db_.prepare(insertSql(into_, columns, rows));
    }

    void write(Statement& statement) {
        for (std::size_t i = 0; i < values_.size(); ++i)
            statement.bind(static_cast<int>(i), values_[i]);
        statement.run();
        values_.clear();
    }

    const Database& db_;
    std::string into_;
    std::optional<Statement> full_;
    std::vector<std::int64_t> values_;
};

} // namespace tilescope
