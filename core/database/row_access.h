// Columns of a row as the profile's types; what a damaged file might hold is refused.
#pragma once

#include <fmt/format.h>
#include <limits>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/database/database.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

/// An id, or none for NULL; whether there is such a row is for its reader to check.
template <class IdType> IdType idAt(const Statement& row, int at) {
    if (row.isNull(at))
        return {};
    const std::int64_t value = row.integer(at);
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
        throw DamagedProfile("a row has an impossible id");
    return IdType(static_cast<std::int32_t>(value));
}

/// An id of which there are `count`; throws UserError if there is no such row.
template <class IdType> IdType idBelow(const Statement& row, int at, std::int64_t count) {
    const std::int64_t value = row.integer(at);
    if (row.isNull(at) || value < 0 || value >= count)
        throw DamagedProfile("a row refers to one that does not exist");
    return IdType(static_cast<std::int32_t>(value));
}

/// Ids in rows that refer to a list: a table whose ids are places from 0 on.
template <class IdType> class References {
public:
    References(const Database& db, std::string_view table, std::string_view id = "id")
        : count_(db.integer(fmt::format("SELECT ifnull(max({}), -1) + 1 FROM {}", id, table))) {}

    /// None for NULL; throws UserError if the list has no such row.
    IdType operator()(const Statement& row, int at) const { return known(idAt<IdType>(row, at)); }

    /// The same where there must be one.
    IdType required(const Statement& row, int at) const {
        if (row.isNull(at))
            throw DamagedProfile("a row refers to one that does not exist");
        return (*this)(row, at);
    }

    /// The same for an id that a blob holds.
    IdType known(IdType id) const {
        if (id.valid() && id.value() >= count_)
            throw DamagedProfile("a row refers to one that does not exist");
        return id;
    }

private:
    std::int64_t count_;
};

/// A count or a number of bytes or cycles: not negative, and small enough to be added up.
inline std::int64_t amountAt(const Statement& row, int at) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() >> 16;
    const std::int64_t value = row.integer(at);
    if (value < 0 || value > most)
        throw DamagedProfile("a row has an impossible size");
    return value;
}

/// A TileSeries blob.
inline TileSeries seriesAt(const Statement& row, int at) {
    return TileSeries::decode(row.blob(at));
}

/// The value of a look-up by name; throws UserError if the name in the row was not known.
template <class Optional> auto known(Optional value, const Statement& row, int at) {
    // A message of a megabyte keeps a window busy for minutes.
    constexpr int longest = 60; // characters
    if (!value)
        throw DamagedProfile(fmt::format("unknown name '{:.{}}'", row.text(at), longest));
    return *value;
}

/// An element by an index from the file; throws UserError if there is none.
template <class T> T& element(std::vector<T>& items, std::int64_t at) {
    if (at < 0 || static_cast<std::size_t>(at) >= items.size())
        throw DamagedProfile("a row refers to one that does not exist");
    return items[static_cast<std::size_t>(at)];
}

template <class IdType, class T> T& element(IdVector<IdType, T>& items, std::int64_t at) {
    if (at < 0 || static_cast<std::size_t>(at) >= items.size())
        throw DamagedProfile("a row refers to one that does not exist");
    return items[IdType(static_cast<std::size_t>(at))];
}

} // namespace tilescope
