// Stores each distinct series of values by tile once, however many rows have it. Internal to
// core/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/database/stored_table.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

/// From this schema version on each distinct series is in the file once.
constexpr std::int64_t firstVersionWithSeries = 8;

/// Over all rows of a table: a hundred times as many as the largest models have. Rows that share a
/// series are short, so a small damaged file could take all memory.
constexpr std::size_t mostRuns = std::size_t{1} << 26;

/// Numbers series from 0 on; equal series share a number. The series must outlive it.
class DistinctSeries {
public:
    struct Numbered {
        std::int64_t number = 0;
        bool isNew = false; ///< not equal to an earlier one
    };
    Numbered operator()(const TileSeries& series);

private:
    struct Hash {
        std::size_t operator()(const TileSeries* series) const;
    };
    struct Equal {
        bool operator()(const TileSeries* a, const TileSeries* b) const { return *a == *b; }
    };
    std::unordered_map<const TileSeries*, std::int64_t, Hash, Equal> numbers_;
};

/// Writes series to a table of ids and blobs, each distinct one once.
class SeriesBlobs {
public:
    SeriesBlobs(const Database& db, std::string_view table)
        : row_(db, table) {}

    /// The id of the series, which is in the table now.
    std::int64_t idOf(const TileSeries& series);

private:
    Insert row_;
    DistinctSeries distinct_;
};

/// The series of such a table, for the rows that refer to them.
class StoredSeries {
public:
    /// Throws DamagedProfile for blobs that are not of this machine.
    StoredSeries(const RowSource& file, std::string_view table);

    /// The series whose id a column has; throws DamagedProfile if there is none.
    const TileSeries& of(const Statement& row, int at);

private:
    std::vector<TileSeries> series_;
    std::size_t runs_ = 0; ///< of all that were asked for
};

} // namespace tilescope
