// Blocking: the tile mapping of a tensor (poplar::Graph::setTileMapping), which block each tile
// holds or needs. A regular product of intervals, never a list of elements, so that traffic between
// two blockings (traffic.h) is arithmetic on intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/tiles/tile_series.h"

namespace tilescope::sim {

/// Indices [begin, end).
struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end > begin ? end - begin : 0; }
    friend bool operator==(const Interval&, const Interval&) = default;
};
Interval intersect(Interval a, Interval b);

/// A digit of the tile number: `count` values, `stride` tiles apart.
struct TileDigit {
    std::int32_t count = 1;
    std::int32_t stride = 1;
    friend bool operator==(const TileDigit&, const TileDigit&) = default;
};

/// One dimension of a blocking: one or more of the storage's atoms (see Layout) taken as one index
/// in row-major order, cut into blocks. Block b lives on the tiles whose digits, read with the
/// last digit as the slowest, give b.
struct BlockedDim {
    std::vector<int> atoms;
    std::int64_t size = 1;
    std::vector<Interval> blocks;  ///< disjoint for a storage; may overlap (halo) for a need
    std::vector<TileDigit> digits; ///< counts multiply to blocks.size()
    friend bool operator==(const BlockedDim&, const BlockedDim&) = default;
};

/// Cuts [0, size) in `parts` blocks of whole grains; the larger blocks are the last ones.
std::vector<Interval> evenBlocks(std::int64_t size, std::int64_t parts, std::int64_t grain = 1);

/// How tiles with the same block share it. Without a least share every tile gets an even part; with
/// one, parts are no smaller and the last of the tiles get nothing (poputil/Util.cpp, splitRegions,
/// as TensorUseTracker uses it).
struct BlockSharing {
    std::int64_t grain = 1;  ///< elements that stay together
    std::int64_t least = 0;  ///< grains of a tile that has any
    std::int64_t slices = 1; ///< of the block, each shared separately by the same tiles
    bool fromLast = false;   ///< the last tile is the first to get a part

    /// Tiles of `sharers` that get something of a block of `elements`.
    [[nodiscard]] std::int64_t holders(std::int64_t elements, std::int64_t sharers) const;
    /// Elements that the n-th of `sharers` gets.
    [[nodiscard]] std::int64_t part(std::int64_t elements, std::int64_t nth,
                                    std::int64_t sharers) const;
    /// Which elements these are; of a block of several slices only how many.
    [[nodiscard]] Interval range(std::int64_t elements, std::int64_t nth,
                                 std::int64_t sharers) const;
    friend bool operator==(const BlockSharing&, const BlockSharing&) = default;
};

struct Blocking {
    std::vector<BlockedDim> dims;
    std::vector<TileDigit> copies; ///< digits that do not choose a block: tiles with the same block
    /// False: each of these tiles has the whole block (a broadcast need). True: they share it (a
    /// storage).
    bool copiesShare = false;
    BlockSharing sharing;
    std::int32_t firstTile = 0;

    /// Number of tiles that take part.
    [[nodiscard]] std::int32_t tiles() const;
    /// Index of the block of each dimension on the n-th tile that takes part.
    void blockIndex(std::int32_t nth, std::span<std::int32_t> index) const;
    /// The tile of the device that is the n-th to take part: n's mixed-radix digits times strides.
    [[nodiscard]] std::int32_t tileOf(std::int32_t nth) const;
    /// Elements that each tile holds or needs.
    [[nodiscard]] TileSeries elements() const;
    [[nodiscard]] std::int64_t largestBlock() const;
    /// Number of tiles with the same block.
    [[nodiscard]] std::int32_t copyCount() const;
    /// Part of a block of `elements` that the n-th tile to take part has.
    [[nodiscard]] std::int64_t shareOf(std::int32_t nth, std::int64_t elements) const;
    friend bool operator==(const Blocking&, const Blocking&) = default;
};

} // namespace tilescope::sim
