#include "simulator/lowering/operations/conv_pieces.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

/// The values of a digit by the sizes that they give.
struct DigitKinds {
    std::vector<std::size_t> kindOf;   ///< by value
    std::vector<std::int32_t> example; ///< by kind, a tile: the other digits are zero
};

DigitKinds kindsOf(const ConvTiling& tiling, const TileDigit& digit) {
    DigitKinds kinds;
    std::vector<ConvTileSizes> known;
    for (std::int32_t value = 0; value < digit.count; ++value) {
        const std::int32_t tile = value * digit.stride;
        ConvTileSizes sizes = tiling.sizesOf(tile);
        const auto same = std::find(known.begin(), known.end(), sizes);
        kinds.kindOf.push_back(static_cast<std::size_t>(same - known.begin()));
        if (same == known.end()) {
            known.push_back(std::move(sizes));
            kinds.example.push_back(tile);
        }
    }
    return kinds;
}

} // namespace

ConvPieces::ConvPieces(const ConvTiling& tiling) {
    // From the fastest digit on: each repeats the pieces so far for each of its values.
    std::vector<std::int32_t> examples{0};
    tiles_ = {0};
    for (const TileDigit& digit : tiling.digits()) {
        const DigitKinds kinds = kindsOf(tiling, digit);
        const std::size_t before = tiles_.size();
        const std::size_t inner = examples.size();
        tiles_.resize(before * kinds.kindOf.size());
        for (std::size_t value = kinds.kindOf.size(); value-- > 0;)
            for (std::size_t tile = 0; tile < before; ++tile)
                tiles_[value * before + tile] = kinds.kindOf[value] * inner + tiles_[tile];
        std::vector<std::int32_t> next;
        next.reserve(inner * kinds.example.size());
        for (const std::int32_t example : kinds.example)
            for (const std::int32_t tile : examples)
                next.push_back(example + tile);
        examples = std::move(next);
    }
    distinct_.reserve(examples.size());
    for (const std::int32_t example : examples)
        distinct_.push_back(tiling.sizesOf(example));
}

} // namespace tilescope::sim
