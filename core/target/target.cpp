#include "core/target/target.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope {
namespace {

// Sync between the tiles of one IPU: the maximum IPU sync delay that the ipu21 target object of a
// real SDK reports. For Mk1 and Mk2 the value is assumed to be the same.
constexpr std::int32_t maxIpuSyncDelay = 126;
// Global sync of the ipu21 target object (getGlobalSyncCycles); assumed for Mk1 and Mk2.
constexpr std::int32_t globalSyncCycles = 600;
// A card: PCIe gen4 x16 is published as 64 GB/s in both directions; one direction is half of it.
// The part of it that stream copies reach is not public: half is assumed.
constexpr double cardHostBytesPerSecond = 16e9;
// An IPU of an M2000 or Bow-2000, whose host is at the other end of a network: *assumed*, pinned by
// a load of 40 images, 125,440 B, that takes some 38,000 cycles of a GC200 in the picture of the
// pipelining tutorial (graphcore/tutorials, pytorch/pipelining).
constexpr double machineHostBytesPerSecond = 4.4e9;
// Time until the host answers a stream request: not public, assumed.
constexpr double hostLatencySeconds = 5e-6;

// Streaming memory, the DDR of the machine around the IPUs, at this end of the network: no public
// figure. *Assumed* to be what stream copies of a card reach, by PCIe.
constexpr double streamingMemoryBytesPerSecond = cardHostBytesPerSecond;

// A call of the engine: not public, assumed. Orders of magnitude: a system call and a sync for the
// engine, a hash look-up and a registration for each stream, interpreted code for the frameworks.
constexpr double engineRunSeconds = 20e-6;
constexpr double streamSetupSeconds = 2e-6;
constexpr double hostCopyBytesPerSecond = 10e9;
constexpr std::int64_t hostBufferBytes = std::int64_t{2} * 128 * 1024 * 1024;
constexpr double popartStepSeconds = 30e-6;
constexpr double poprtStepSeconds = 120e-6;
constexpr double poptorchStepSeconds = 300e-6;
constexpr double tensorflowStepSeconds = 500e-6;
constexpr double kerasStepSeconds = 1e-3;

// IPU-Links join up to 64 IPUs (IPU-POD64 datasheet); larger machines are such domains with
// GW-Links between them.
constexpr std::int32_t linkDomainIpus = 64;
// Two GW-Links of 100 Gbit/s on each machine of four IPUs (M2000 and Bow-2000 datasheets).
constexpr double gatewayBytesPerSecond = 2 * 100e9 / 8 / 4;
// Of the machines that Graphcore sold.
constexpr std::array systemSizes{4, 16, 64, 128, 256};

// Sources of constants.
struct Source {
    bool assumed = false;
    std::string_view text;
};
constexpr std::string_view documents = "Graphcore documentation and datasheets";
constexpr std::string_view poplibs = "PopLibs source";

Source published(std::string_view text) {
    return {false, text};
}
Source assumed(std::string_view text) {
    return {true, text};
}
Source assumedIf(bool isAssumed, std::string_view text) {
    return {isAssumed, text};
}

Target mk1() {
    Target t;
    t.name = "mk1";
    t.architecture = "ipu1";
    t.description = "GC2 (Mk1)";
    t.tilesPerIpu = 1216;
    t.clockHz = 1.6e9;
    t.bytesPerTile = std::int64_t{256} * 1024;
    t.memoryBase = 0x40000;
    t.elementBytes = std::int64_t{16} * 1024;
    t.interleavedOffset = std::int64_t{8} * 16 * 1024;
    t.convUnitsHalfToHalf = 8;
    t.convUnitsHalfToFloat = 8;
    t.convUnitsFloatToFloat = 8;
    t.internalSyncCycles = maxIpuSyncDelay;
    t.externalSyncCycles = globalSyncCycles;
    t.hostBytesPerSecond = cardHostBytesPerSecond;
    t.hostLatencySeconds = hostLatencySeconds;
    t.engineRunSeconds = engineRunSeconds;
    t.streamSetupSeconds = streamSetupSeconds;
    t.hostCopyBytesPerSecond = hostCopyBytesPerSecond;
    t.hostBufferBytes = hostBufferBytes;
    t.popartStepSeconds = popartStepSeconds;
    t.poprtStepSeconds = poprtStepSeconds;
    t.poptorchStepSeconds = poptorchStepSeconds;
    t.tensorflowStepSeconds = tensorflowStepSeconds;
    t.kerasStepSeconds = kerasStepSeconds;
    t.ipuLinkBytesPerSecond = 32e9;
    t.streamingMemoryBytesPerSecond = streamingMemoryBytesPerSecond;
    t.linkDomainIpus = linkDomainIpus;
    t.gatewayBytesPerSecond = gatewayBytesPerSecond;
    return t;
}

Target mk2() {
    Target t = mk1();
    t.name = "mk2";
    t.architecture = "ipu2";
    t.description = "GC200 (Mk2)";
    t.tilesPerIpu = 1472;
    t.clockHz = 1.325e9;
    t.bytesPerTile = std::int64_t{624} * 1024;
    t.memoryBase = 0x4C000;
    t.interleavedOffset = std::int64_t{13} * 16 * 1024;
    t.convUnitsHalfToHalf = 16;
    t.convUnitsHalfToFloat = 8;
    t.convUnitsFloatToFloat = 16;
    t.hostBytesPerSecond = machineHostBytesPerSecond;
    return t;
}

Target ipu21(std::string name, std::string description, double clockHz) {
    Target t = mk2();
    t.name = std::move(name);
    t.architecture = "ipu21";
    t.description = std::move(description);
    t.clockHz = clockHz;
    return t;
}

Target c600() {
    Target t = ipu21("c600", "C600 card (Mk2.1)", 1.5e9);
    t.hostBytesPerSecond = cardHostBytesPerSecond;
    return t;
}

Target system(Target ipu, std::string name, std::string machine, std::int32_t ipus) {
    ipu.name = std::move(name);
    ipu.description = std::move(machine);
    ipu.systemIpus = ipus;
    return ipu;
}

std::vector<Target> makePresets() {
    const Target bow = ipu21("bow", "Bow IPU (Mk2, wafer on wafer)", 1.85e9);
    std::vector<Target> presets{mk1(),
                                mk2(),
                                bow,
                                c600(),
                                system(mk2(), "m2000", "IPU-M2000 (GC200)", 4),
                                system(bow, "bow2000", "Bow-2000 (Bow IPU)", 4)};
    for (const std::int32_t ipus : systemSizes)
        presets.push_back(system(mk2(), fmt::format("pod{}", ipus),
                                 fmt::format("IPU-POD{} (GC200)", ipus), ipus));
    for (const std::int32_t ipus : systemSizes)
        presets.push_back(system(bow, fmt::format("bow-pod{}", ipus),
                                 fmt::format("Bow Pod{} (Bow IPU)", ipus), ipus));
    return presets;
}

} // namespace

const std::vector<Target>& targetPresets() {
    static const std::vector<Target> presets = makePresets();
    return presets;
}

Target targetPreset(std::string_view name) {
    std::vector<std::string> names;
    for (const Target& preset : targetPresets()) {
        if (preset.name == name)
            return preset;
        names.push_back(preset.name);
    }
    throw UserError(fmt::format("unknown target '{}': the targets are {}.{}", name,
                                fmt::join(names, ", "), didYouMean(name, names)));
}

std::vector<TargetConstant> targetConstants(const Target& t) {
    const bool isIpu21 = t.architecture == "ipu21";
    const bool isMk1 = t.architecture == "ipu1";
    const bool isMk2 = t.architecture == "ipu2";
    const bool isC600 = t.name == "c600";
    std::vector<TargetConstant> constants;
    const auto add = [&](const char* name, auto value, const char* unit, const Source& source) {
        constants.push_back(
            {name, fmt::format("{}", value), unit, source.assumed, std::string(source.text)});
    };
#define TARGET_CONSTANT(type, name, initial, unit, since, source) add(#name, t.name, unit, source);
#include "core/target/constants.def"
#undef TARGET_CONSTANT
    return constants;
}

std::int32_t physicalTileId(const Target& target, std::int32_t tileOnIpu) {
    // Software order walks islands row by row, so physical ids (column first) stride by the number
    // of rows.
    const std::int32_t islands = target.tilesPerIpu / tilesPerIsland;
    const std::int32_t rows = islands / chipColumns;
    const std::int32_t island = tileOnIpu / tilesPerIsland;
    if (rows == 0 || island >= rows * chipColumns)
        return tileOnIpu;
    const std::int32_t column = island % chipColumns;
    const std::int32_t row = island / chipColumns;
    return (column * rows + row) * tilesPerIsland + tileOnIpu % tilesPerIsland;
}

} // namespace tilescope
