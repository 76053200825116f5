// The distinct pieces of work of a planned convolution.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/lowering/operations/conv_tiling.h"

namespace tilescope::sim {

/// ConvTiling::sizesOf() of all tiles. Each digit of a tile's number decides sizes independently
/// and cuts evenly, into two sizes at most, so there are few distinct pieces, which are found digit
/// by digit instead of tile by tile.
class ConvPieces {
public:
    explicit ConvPieces(const ConvTiling& tiling);

    [[nodiscard]] const std::vector<ConvTileSizes>& distinct() const { return distinct_; }
    /// By tile, its index in distinct().
    [[nodiscard]] const std::vector<std::size_t>& tiles() const { return tiles_; }
    /// number(sizes) of each tile, computed once for each distinct piece.
    template <class Number>
    [[nodiscard]] std::vector<std::int64_t> byTile(const Number& number) const {
        std::vector<std::int64_t> numbers;
        numbers.reserve(distinct_.size());
        for (const ConvTileSizes& sizes : distinct_)
            numbers.push_back(number(sizes));
        std::vector<std::int64_t> result;
        result.reserve(tiles_.size());
        for (const std::size_t piece : tiles_)
            result.push_back(numbers[piece]);
        return result;
    }

private:
    std::vector<ConvTileSizes> distinct_;
    std::vector<std::size_t> tiles_;
};

} // namespace tilescope::sim
