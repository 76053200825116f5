// The machines TileScope knows: every constant of an IPU stands here once, with its source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// One IPU model and the machine around it. A value type: presets are copied and then adjusted
/// (tiles per IPU, number of IPUs).
struct Target {
    std::string name;         ///< "mk1", "mk2", "bow", "c600", "pod16", "bow-pod64"
    std::string architecture; ///< Poplar's name: "ipu1", "ipu2", "ipu21"
    std::string description;  ///< for people: "GC200 (Mk2)"
    std::int32_t ipus = 1;
    std::int32_t tilesPerIpu = 0;
    double clockHz = 0;

    // Memory of a tile. Offsets count from the tile's memory base address.
    std::int64_t bytesPerTile = 0;
    std::int64_t memoryBase = 0;        ///< address of offset 0
    std::int64_t elementBytes = 0;      ///< one memory element (bank)
    std::int64_t interleavedOffset = 0; ///< elements from here on are interleaved in pairs

    // Tile processor.
    std::int32_t workers = 6;
    std::int32_t vectorWidthHalf = 4;  ///< elements of a 64-bit vector
    std::int32_t vectorWidthFloat = 2; ///< elements of a 64-bit vector
    std::int32_t convUnitsHalfToHalf = 0;
    std::int32_t convUnitsHalfToFloat = 0;
    std::int32_t convUnitsFloatToFloat = 0;
    std::int32_t convUnitLoadElemsHalf = 4;
    std::int32_t convUnitLoadElemsFloat = 2;
    std::int32_t convUnitPipelineDepth = 4;
    std::int32_t convCoefficientBytesPerCycle = 8;
    std::int32_t memcpyBytesPerCycle = 8;
    std::int32_t atomicStoreBytes = 4;

    // Exchange and syncs.
    std::int32_t exchangeBytesPerCycle = 4;   ///< received (or sent) by one tile
    std::int32_t tilesPerSharedBus = 2;       ///< neighbours that may receive the same data at once
    std::int32_t internalSyncCycles = 0;      ///< tiles of one IPU
    std::int32_t externalSyncCycles = 0;      ///< with the host or other IPUs
    double hostBytesPerSecond = 0;            ///< one direction, one IPU
    double hostLatencySeconds = 0;            ///< host readiness for one stream transfer
    double ipuLinkBytesPerSecond = 0;         ///< between neighbouring IPUs, one direction
    double streamingMemoryBytesPerSecond = 0; ///< one direction, one IPU

    // The machine around the IPUs.
    std::int32_t systemIpus = 0;      ///< of a machine of fixed size (M2000, POD16); 0: any number
    std::int32_t linkDomainIpus = 0;  ///< IPUs that IPU-Links join; beyond them GW-Links do
    double gatewayBytesPerSecond = 0; ///< over GW-Links, one direction, one IPU

    [[nodiscard]] std::int32_t totalTiles() const { return ipus * tilesPerIpu; }
    [[nodiscard]] std::int64_t bytesPerIpu() const { return bytesPerTile * tilesPerIpu; }
    friend bool operator==(const Target&, const Target&) = default;
};

/// The presets: single IPUs in order of age, then machines in order of size.
const std::vector<Target>& targetPresets();

/// A preset by name; throws UserError that lists the names (and the nearest one).
Target targetPreset(std::string_view name);

/// Whether a constant was published or is our assumption, and where it comes from.
struct TargetConstant {
    std::string name;  ///< field of Target
    std::string value; ///< as text
    std::string unit;
    bool assumed = false;
    std::string source;
};

/// Every constant of a target with its source, for `tilescope targets --json` and the window.
std::vector<TargetConstant> targetConstants(const Target& target);

/// The physical (column order) id of a tile on its IPU: software ids run in supertile pairs down
/// the columns. *Assumed*: the real map is not public; this one keeps neighbours on one bus.
std::int32_t physicalTileId(const Target& target, std::int32_t tileOnIpu);

} // namespace tilescope
