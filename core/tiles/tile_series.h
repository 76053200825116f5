// TileSeries: a value per tile, kept as runs. Everything that is per tile (bytes, cycles, counts)
// is one of these, in memory and in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// A value per tile; zero where nothing is said. Always canonical: runs sorted, not empty, not
/// zero, neighbours with equal values merged. So equal series compare equal.
class TileSeries {
public:
    TileSeries() = default;
    /// One run: `value` on tiles [first, first + tiles).
    TileSeries(TileId first, std::int32_t tiles, std::int64_t value);
    /// From one value a tile, the first of them for tile `first`.
    static TileSeries fromDense(std::span<const std::int64_t> values, TileId first = TileId(0));
    /// From runs in any order that do not overlap; throws InternalError where they do.
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
    /// One value a tile for tiles [0, tiles).
    [[nodiscard]] std::vector<std::int64_t> toDense(std::int32_t tiles) const;
    /// Adds the values into `dense`, which starts at tile 0.
    void addTo(std::span<std::int64_t> dense) const;

    TileSeries& operator+=(const TileSeries& other);
    friend TileSeries operator+(const TileSeries& a, const TileSeries& b);
    friend TileSeries operator-(const TileSeries& a, const TileSeries& b);
    [[nodiscard]] TileSeries scaled(std::int64_t factor) const;
    /// change(value) on every tile whose value is not zero.
    [[nodiscard]] TileSeries mapped(const std::function<std::int64_t(std::int64_t)>& change) const;
    /// 1 on every tile with a value other than zero.
    [[nodiscard]] TileSeries ones() const;
    /// The larger value tile by tile.
    static TileSeries maxOf(const TileSeries& a, const TileSeries& b);
    /// combine(a, b) tile by tile wherever one of the two is not zero; combine(0, 0) must be 0.
    static TileSeries zip(const TileSeries& a, const TileSeries& b,
                          const std::function<std::int64_t(std::int64_t, std::int64_t)>& combine);

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
    std::vector<TileRun> runs_;
};

} // namespace tilescope
