// The blobs of a profile: what decodes must encode to the same values, everything else is refused.
#include <cstdlib>
#include <vector>
#include <zstd.h>

#include "core/base/error.h"
#include "core/store/placement_codec.h"
#include "core/tiles/tile_series.h"

using namespace tilescope;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

void decodeSeries(std::span<const std::byte> blob) {
    const TileSeries series = TileSeries::decode(blob);
    require(TileSeries::decode(series.encode()) == series);
    const TileSeries twice = series + series;
    require(twice - series == series && twice == series.scaled(2));
    require(TileSeries::maxOf(series, twice).max().value ==
            std::max(series.max().value, twice.max().value));
    constexpr std::int32_t tiles = 4096;
    const auto dense = series.toDense(tiles);
    require(TileSeries::fromDense(dense) == series.slice(0, tiles));
    for (const TileRun& run : series.runs())
        require(series.at(TileId(run.first)) == run.value &&
                series.at(TileId(run.end - 1)) == run.value);
}

void decodeChunk(std::span<const std::byte> chunk) {
    const auto placements = decodePlacements(chunk);
    for (const Placement& placement : placements)
        for (const PlacedVariable& placed : placement.variables)
            require(placed.variable.valid());
}

template <class Decode> void orRefuse(Decode decode, std::span<const std::byte> data) {
    try {
        decode(data);
    } catch (const UserError&) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span blob(reinterpret_cast<const std::byte*>(data), size);
    orRefuse(decodeSeries, blob);
    orRefuse(decodeChunk, blob);
    // Damage behind the compression is what the decoder itself has to find.
    std::vector<std::byte> packed(ZSTD_compressBound(size));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), data, size, 1));
    orRefuse(decodeChunk, packed);
    return 0;
}
