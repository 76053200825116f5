// Rows for a table, with the profile's types as columns.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <optional>

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

} // namespace tilescope
