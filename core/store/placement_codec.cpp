#include "core/store/placement_codec.h"

#include <algorithm>
#include <unordered_map>
#include <zstd.h>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

constexpr int compressionLevel = 3;
// A chunk of 64 tiles with 100,000 variables each stays below this: more is damage.
constexpr std::size_t maxChunkBytes = std::size_t{1} << 27;

using Offsets = std::unordered_map<std::int32_t, std::int64_t>;

std::vector<std::byte> compress(std::span<const std::byte> raw) {
    std::vector<std::byte> packed(ZSTD_compressBound(raw.size()));
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), compressionLevel);
    if (ZSTD_isError(size))
        throw InternalError(std::string("zstd: ") + ZSTD_getErrorName(size));
    packed.resize(size);
    return packed;
}

std::vector<std::byte> decompress(std::span<const std::byte> packed) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > maxChunkBytes)
        throw DamagedProfile("a chunk of tile addresses cannot be read");
    std::vector<std::byte> raw(size);
    const std::size_t got = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
    if (ZSTD_isError(got) || got != raw.size())
        throw DamagedProfile("a chunk of tile addresses cannot be read");
    return raw;
}

void sortByVariable(std::vector<PlacedVariable>& placed) {
    std::sort(placed.begin(), placed.end(),
              [](const auto& a, const auto& b) { return a.variable < b.variable; });
}

} // namespace

std::vector<std::byte> encodePlacements(std::span<const Placement> placements) {
    std::vector<std::byte> raw;
    putVarint(raw, placements.size());
    Offsets before;
    for (const Placement& placement : placements) {
        std::vector<PlacedVariable> placed = placement.variables;
        sortByVariable(placed);
        putVarint(raw, placed.size());
        std::int32_t previous = -1;
        for (const PlacedVariable& entry : placed) {
            const std::int32_t id = entry.variable.value();
            putVarint(raw, static_cast<std::uint64_t>(id - previous - 1));
            std::int64_t& reference = before[id];
            putVarint(raw, zigzag(entry.offset - reference));
            reference = entry.offset;
            previous = id;
        }
    }
    return compress(raw);
}

std::vector<Placement> decodePlacements(std::span<const std::byte> data) {
    const std::vector<std::byte> raw = decompress(data);
    VarintReader reader(raw);
    const std::uint64_t count = reader.next();
    if (count > placementsPerChunk)
        throw DamagedProfile("a chunk of tile addresses is too long");
    std::vector<Placement> placements(count);
    Offsets before;
    for (Placement& placement : placements) {
        const std::uint64_t entries = reader.next();
        if (entries > reader.remaining() / 2)
            throw DamagedProfile("a chunk of tile addresses ends too early");
        placement.variables.reserve(entries);
        std::int64_t previous = -1;
        for (std::uint64_t i = 0; i < entries; ++i) {
            const auto id =
                static_cast<std::int32_t>(static_cast<std::uint64_t>(previous + 1) + reader.next());
            std::int64_t& reference = before[id];
            reference += reader.nextSigned();
            placement.variables.push_back({VariableId(id), reference});
            previous = id;
        }
        std::sort(placement.variables.begin(), placement.variables.end(),
                  [](const auto& a, const auto& b) {
                      return std::pair(a.offset, a.variable) < std::pair(b.offset, b.variable);
                  });
    }
    return placements;
}

} // namespace tilescope
