// TileSeries: a value per tile, kept as runs. Everything that is per tile (bytes, cycles, counts)
// is one of these, in memory and in the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/ids.h"

namespace tilescope {

/// Tiles [first, end) that share a value.
struct TileRun {
    std::int32_t first = 0;
    std::int32_t end = 0;
    std::int64_t value = 0;
    [[nodiscard]] std::int32_t tiles() const { return end - first; }
    friend bool operator==(const TileRun&, const TileRun&) = default;
};

/// A value per tile; zero unless given. Always canonical: runs sorted, not empty, not zero,
/// neighbours with equal values merged. So equal series compare equal.
class TileSeries {
public:
    TileSeries() = default;
    /// One run: `value` on tiles [first, first + tiles).
    TileSeries(TileId first, std::int32_t tiles, std::int64_t value);
    /// From one value a tile, the first of them for tile `first`.
    static TileSeries fromDense(std::span<const std::int64_t> values, TileId first = TileId(0));
    /// From runs in any order; throws InternalError if they overlap.
    static TileSeries fromRuns(std::vector<TileRun> runs);

    /// Adds a run after all others (cheap); throws InternalError if it would not be the last.
    void append(std::int32_t first, std::int32_t end, std::int64_t value);

    [[nodiscard]] const std::vector<TileRun>& runs() const { return runs_; }
    [[nodiscard]] bool empty() const { return runs_.empty(); }
    /// The value on a tile, by binary search.
    [[nodiscard]] std::int64_t at(TileId tile) const;
    [[nodiscard]] std::int64_t sum() const;
    /// The sum over tiles [first, end).
    [[nodiscard]] std::int64_t sum(std::int32_t first, std::int32_t end) const;
    /// The largest value, 0 for an empty series, and the first tile that has it (none if empty).
    struct Peak {
        TileId tile;
        std::int64_t value = 0;
    };
    [[nodiscard]] Peak max() const;
    /// Number of tiles with a value other than zero.
    [[nodiscard]] std::int32_t tilesUsed() const;
    /// The part on tiles [first, end).
    [[nodiscard]] TileSeries slice(std::int32_t first, std::int32_t end) const;
    /// The same values `by` tiles further on.
    [[nodiscard]] TileSeries shifted(std::int32_t by) const;
    /// One value per tile for tiles [0, tiles).
    [[nodiscard]] std::vector<std::int64_t> toDense(std::int32_t tiles) const;
    /// Adds the values into `dense`, which starts at tile 0.
    void addTo(std::span<std::int64_t> dense) const;

    TileSeries& operator+=(const TileSeries& other);
    friend TileSeries operator+(const TileSeries& a, const TileSeries& b);
    friend TileSeries operator-(const TileSeries& a, const TileSeries& b);
    [[nodiscard]] TileSeries scaled(std::int64_t factor) const;
    /// change(value) on every tile whose value is not zero.
    template <class Change> [[nodiscard]] TileSeries mapped(const Change& change) const;
    /// 1 on every tile with a value other than zero.
    [[nodiscard]] TileSeries ones() const;
    /// The larger value tile by tile.
    static TileSeries maxOf(const TileSeries& a, const TileSeries& b);
    /// combine(a, b) tile by tile wherever one of the two is not zero; combine(0, 0) must be 0.
    template <class Combine>
    static TileSeries zip(const TileSeries& a, const TileSeries& b, const Combine& combine);

    friend bool operator==(const TileSeries&, const TileSeries&) = default;

    /// The file format: LEB128 numbers: run count, then for each run the distance from the end of
    /// the run before, its length, and the zigzag difference of its value from the run before.
    [[nodiscard]] std::vector<std::byte> encode() const;
    /// Values in files are at most this large either way, so that sums over all tiles cannot
    /// overflow.
    static constexpr std::int64_t largestStored = std::int64_t{1} << 42;
    /// Throws UserError on a malformed blob.
    static TileSeries decode(std::span<const std::byte> blob);

private:
    [[noreturn]] static void throwOutOfOrder();

    std::vector<TileRun> runs_;
};

inline void TileSeries::append(std::int32_t first, std::int32_t end, std::int64_t value) {
    if (first >= end || value == 0)
        return;
    if (first < 0 || (!runs_.empty() && first < runs_.back().end))
        throwOutOfOrder();
    if (!runs_.empty() && runs_.back().end == first && runs_.back().value == value)
        runs_.back().end = end;
    else
        runs_.push_back({first, end, value});
}

template <class Change> TileSeries TileSeries::mapped(const Change& change) const {
    TileSeries result;
    for (const TileRun& run : runs_)
        result.append(run.first, run.end, change(run.value));
    return result;
}

template <class Combine>
TileSeries TileSeries::zip(const TileSeries& a, const TileSeries& b, const Combine& combine) {
    constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
    TileSeries result;
    auto atA = a.runs_.begin();
    auto atB = b.runs_.begin();
    std::int32_t tile = 0;
    const auto nextEdge = [&](auto at, auto end) {
        return at == end ? never : tile < at->first ? at->first : at->end;
    };
    const auto valueHere = [&](auto at, auto end) -> std::int64_t {
        return at != end && at->first <= tile ? at->value : 0;
    };
    while (atA != a.runs_.end() || atB != b.runs_.end()) {
        const std::int32_t edge =
            std::min(nextEdge(atA, a.runs_.end()), nextEdge(atB, b.runs_.end()));
        const std::int64_t valueA = valueHere(atA, a.runs_.end());
        const std::int64_t valueB = valueHere(atB, b.runs_.end());
        if (valueA != 0 || valueB != 0)
            result.append(tile, edge, combine(valueA, valueB));
        tile = edge;
        if (atA != a.runs_.end() && atA->end <= tile)
            ++atA;
        if (atB != b.runs_.end() && atB->end <= tile)
            ++atB;
    }
    return result;
}

} // namespace tilescope
