// Stores each distinct series of values by tile once, however many rows have it. Internal to
// core/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/database/insert.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

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

} // namespace tilescope
