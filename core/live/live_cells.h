// What the IPUs of a machine hold together in short cells of time, as the file of a long trace has
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tilescope {

/// Extremes of the moments added so far; empty without any.
struct FoundExtremes {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    [[nodiscard]] bool any() const { return least <= most; }
    void add(const FoundExtremes& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
    /// Whether adding others changes nothing.
    [[nodiscard]] bool covers(const FoundExtremes& other) const {
        return other.least >= least && other.most <= most;
    }
    friend bool operator==(const FoundExtremes&, const FoundExtremes&) = default;
};

/// The cells of a chunk of time, in order.
using ChunkCells = std::vector<FoundExtremes>;

/// A chunk of a stretch of the execution, both as LiveMoments numbers them.
struct ChunkPlace {
    std::int64_t stretch = 0;
    std::int64_t chunk = 0;
    friend auto operator<=>(const ChunkPlace&, const ChunkPlace&) = default;
};

/// Of all IPUs together, without what is always live.
using LiveCells = std::map<ChunkPlace, std::shared_ptr<const ChunkCells>>;

/// LEB128 numbers: of each cell, which has moments, the difference of its extremes, and the zigzag
/// difference of the larger one from the cell before.
std::vector<std::byte> encodeCells(std::span<const FoundExtremes> cells);
/// Throws UserError on damaged data.
ChunkCells decodeCells(std::span<const std::byte> data);

} // namespace tilescope
