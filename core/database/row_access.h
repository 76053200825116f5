// Columns of a row as the profile's types; what a damaged file might hold is refused.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/damaged_profile.h"
#include "core/base/enum_names.h"
#include "core/base/ids.h"
#include "core/database/database.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

template <class T>
concept AnyId = requires(T id) {
    []<class Tag>(Id<Tag>) {}(id);
};

/// An id, or none for NULL; whether there is such a row is for its reader to check.
template <class IdType> IdType idAt(const Statement& row, int at) {
    if (row.isNull(at))
        return {};
    const std::int64_t value = row.integer(at);
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
        throw DamagedProfile("a row has an impossible id");
    return IdType(static_cast<std::int32_t>(value));
}

/// The table that ids of a type refer to, and its column of them; none if any id is allowed.
struct IdList {
    std::string_view table;
    std::string_view id = "id";
};
template <class IdType> inline constexpr IdList idListOf{};

/// Ids in rows that refer to a list: a table whose ids are places from 0 on.
template <class IdType> class References {
public:
    explicit References(std::int64_t count)
        : count_(count) {}
    explicit References(const Database& db)
        : count_(db.integer(fmt::format("SELECT ifnull(max({}), -1) + 1 FROM {}",
                                        idListOf<IdType>.id, idListOf<IdType>.table))) {}

    [[nodiscard]] std::int64_t count() const { return count_; }

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

/// A number that is checked later, or may be anything.
inline std::int64_t numberAt(const Statement& row, int at) {
    return row.integer(at);
}

/// A count or a number of bytes or cycles: not negative, and small enough to be added up.
inline std::int64_t amountAt(const Statement& row, int at) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() >> 16;
    const std::int64_t value = row.integer(at);
    if (value < 0 || value > most)
        throw DamagedProfile("a row has an impossible size");
    return value;
}

/// Values of a machine's tiles, none of them negative: bytes, cycles and counts.
inline TileSeries seriesAt(const Statement& row, int at, std::int64_t tiles) {
    // A view yields this if it finds no series.
    if (row.isNull(at))
        throw DamagedProfile("a row refers to a series that does not exist");
    TileSeries series = TileSeries::decode(row.blob(at));
    for (const TileRun& run : series.runs())
        if (run.value < 0 || run.end > tiles)
            throw DamagedProfile("a per-tile blob is not of this machine");
    return series;
}

/// The value of a look-up by name; throws UserError if the name in the row was not known.
template <class Optional> auto known(Optional value, const Statement& row, int at) {
    // A message of a megabyte keeps a window busy for minutes.
    constexpr int longest = 60; // characters
    if (!value)
        throw DamagedProfile(fmt::format("unknown name '{:.{}}'", row.text(at), longest));
    return *value;
}

/// A value, with the check for its type.
template <class T> T valueAt(const Statement& row, int at) {
    if constexpr (std::same_as<T, std::string>)
        return row.text(at);
    else if constexpr (std::same_as<T, double>)
        return row.real(at);
    else if constexpr (std::same_as<T, bool>)
        return row.integer(at) != 0;
    else if constexpr (std::is_enum_v<T>)
        return known(fromName<T>(row.text(at)), row, at);
    else if constexpr (AnyId<T>)
        return idAt<T>(row, at);
    else if constexpr (std::same_as<T, std::int64_t>)
        return amountAt(row, at);
    else {
        const std::int64_t value = row.integer(at);
        if (!std::in_range<T>(value))
            throw DamagedProfile("a row has an impossible size");
        return static_cast<T>(value);
    }
}

/// An element by an index from the file; throws UserError if there is none.
template <class List>
auto& element(List& items, std::optional<std::int64_t> at,
              const char* damage = "a row refers to one that does not exist") {
    if (!at || !std::in_range<std::size_t>(*at) || static_cast<std::size_t>(*at) >= items.size())
        throw DamagedProfile(damage);
    return *std::next(items.begin(), static_cast<std::ptrdiff_t>(*at));
}

} // namespace tilescope
