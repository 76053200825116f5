#include "simulator/memory/out_of_memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/error.h"
#include "simulator/engine/host_model.h"

namespace tilescope::sim {
namespace {

/// The tile that exceeds its memory most.
std::optional<TileId> worstTile(const Profile& profile) {
    std::optional<TileId> worst;
    std::int64_t used = 0;
    for (std::size_t tile = 0; tile < profile.tileMemory.size(); ++tile) {
        const TileMemory& memory = profile.tileMemory[TileId(tile)];
        if (memory.overflowed > 0 && memory.includingGaps > used) {
            worst = TileId(tile);
            used = memory.includingGaps;
        }
    }
    return worst;
}

std::string receivesTooMuch(const Profile& profile) {
    for (const Exchange& exchange : profile.exchanges) {
        const auto most = exchange.bytesReceived.max();
        if (most.value > profile.info.target.bytesPerTile)
            return fmt::format(
                "Tile {} receives more data than it has total memory in exchange '{}'",
                most.tile.value(), exchange.name);
    }
    return "";
}

/// Whether a tile has too much code: code is executed from the first region of memory only, and
/// everything else would fit beside that region.
bool hasTooMuchCode(const Profile& profile, TileId tile) {
    std::int64_t bytes = 0;
    for (const Variable& variable : profile.variables)
        switch (variable.category) {
        case MemoryCategory::VertexCode:
        case MemoryCategory::ControlCode:
        case MemoryCategory::InternalExchangeCode:
        case MemoryCategory::GlobalExchangeCode:
        case MemoryCategory::HostExchangeCode:
            bytes += variable.bytes.sum(tile.value(), tile.value() + 1);
            break;
        default:
            break;
        }
    const Target& target = profile.info.target;
    const std::int64_t others = profile.tileMemory[tile].excludingGaps - bytes;
    return bytes > target.interleavedOffset &&
           others <= target.bytesPerTile - target.interleavedOffset;
}

} // namespace

std::string outOfMemoryText(const Profile& profile) {
    const std::optional<TileId> worst = worstTile(profile);
    if (!worst)
        return "";
    if (std::string text = receivesTooMuch(profile); !text.empty())
        return text;
    const std::int64_t limit = profile.info.target.bytesPerTile;
    if (hasTooMuchCode(profile, *worst))
        return fmt::format("tile {} _poplar_start must be 0 not {} bytes from the start of memory. "
                           "Typically this error occurs when there is too much code to fit incode "
                           "memory.",
                           worst->value(), limit);
    return fmt::format(
        "Out of memory on tile {}: {} bytes used but tiles only have {} bytes of memory",
        worst->value(), profile.tileMemory[*worst].includingGaps, limit);
}

bool isOutOfVariables(const Profile& profile) {
    const std::optional<TileId> worst = worstTile(profile);
    return worst && receivesTooMuch(profile).empty() && !hasTooMuchCode(profile, *worst);
}

std::string outOfVariablesText(const std::string& profilePath) {
    const std::string text = "Out of memory: Cannot fit all variable data onto one or more tiles.";
    return profilePath.empty() ? text : fmt::format("{} Profile saved to: {}", text, profilePath);
}

void checkHostBuffers(const Profile& profile, const Target& target, std::int32_t depth) {
    const auto tiles = static_cast<std::size_t>(target.tilesPerIpu);
    for (std::int32_t ipu = 0; ipu < target.ipus; ++ipu) {
        std::int64_t remaining = target.hostBufferBytes;
        const auto first = static_cast<std::int32_t>(ipu * static_cast<std::int32_t>(tiles));
        for (const Stream& stream : profile.streams) {
            const bool input = isInput(stream);
            if (!input && !isResult(stream))
                continue;
            const std::int64_t bytes =
                stream.bytes.sum(first, first + target.tilesPerIpu) * (input ? depth : 1);
            if (bytes > remaining)
                throw UserError(fmt::format(
                    "Buffer 1 needs to be at least {} Bytes, but remaining host buffer memory is "
                    "only {} (stream '{}' of IPU {}). Choose a smaller --batch-size or "
                    "--prefetch-depth, or return fewer results",
                    bytes, remaining, stream.name, ipu));
            remaining -= bytes;
        }
    }
}

} // namespace tilescope::sim
