#include "simulator/engine/step_work.h"

#include <cmath>

namespace tilescope::sim {

const std::vector<StepOnIpu>& StepWork::of(ProgramId leaf) {
    const auto [at, isNew] = known_.try_emplace(leaf);
    if (isNew)
        at->second = workOf(profile_.programs[leaf]);
    return at->second;
}

bool StepWork::touches(const TileSeries& series, bool ioTiles) const {
    for (std::int32_t ipu = 0; ipu < target_.ipus; ++ipu) {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        const std::int32_t end = first + target_.tilesPerIpu;
        const std::int32_t io = end - feeding_.ioTiles;
        if (series.sum(ioTiles ? io : first, ioTiles ? end : io) > 0)
            return true;
    }
    return false;
}

TileSet StepWork::tileSet(const Program& leaf) const {
    if (!feeding_.overlaps)
        return TileSet::Others;
    if (leaf.kind == ProgramKind::GlobalExchange)
        return TileSet::Both;
    if (leaf.stream.valid())
        return touches(profile_.streams[leaf.stream].bytes, false) ? TileSet::Others : TileSet::Io;
    if (leaf.exchange.valid()) {
        const Exchange& exchange = profile_.exchanges[leaf.exchange];
        return touches(exchange.bytesReceived, true) || touches(exchange.bytesSent, true)
                   ? TileSet::Both
                   : TileSet::Others;
    }
    return TileSet::Others;
}

bool StepWork::isVaryingInput(const Program& leaf) const {
    return leaf.stream.valid() && !feeding_.pace.isConstant() &&
           isInput(profile_.streams[leaf.stream]);
}

bool StepWork::waitsForInput(const Program& leaf) const {
    return leaf.kind == ProgramKind::StreamCopyBegin && isVaryingInput(leaf);
}

bool StepWork::movesInput(const Program& leaf) const {
    return leaf.kind == ProgramKind::StreamCopyMid && isVaryingInput(leaf);
}

StepOnIpu StepWork::onIpu(std::size_t ipu, const TileSeries& cycles) const {
    const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
    const TileSeries own =
        target_.ipus == 1 ? cycles : cycles.slice(first, first + target_.tilesPerIpu);
    return {IpuId(ipu), 0, own.max().value, own.tilesUsed(), own.sum(), 0, 0};
}

std::int64_t StepWork::bytesOn(std::size_t ipu, const TileSeries& bytes) const {
    const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
    return bytes.sum(first, first + target_.tilesPerIpu);
}

std::vector<StepOnIpu> StepWork::workOf(const Program& leaf) const {
    std::vector<StepOnIpu> parts;
    for (std::size_t ipu = 0; ipu < static_cast<std::size_t>(target_.ipus); ++ipu) {
        StepOnIpu on{IpuId(ipu), 0, 0, 0, 0, 0, 0};
        if (leaf.computeSet.valid()) {
            on = onIpu(ipu, profile_.computeSets[leaf.computeSet].cycles);
        } else if (leaf.exchange.valid()) {
            const Exchange& exchange = profile_.exchanges[leaf.exchange];
            on = onIpu(ipu, exchange.cycles);
            on.bytesIn = bytesOn(ipu, exchange.bytesReceived);
            on.bytesOut = bytesOn(ipu, exchange.bytesSent);
        } else if (leaf.stream.valid()) {
            stream(on, leaf, ipu);
        }
        parts.push_back(on);
    }
    return parts;
}

void StepWork::stream(StepOnIpu& on, const Program& leaf, std::size_t ipu) const {
    const Stream& stream = profile_.streams[leaf.stream];
    const std::int64_t bytes = bytesOn(ipu, stream.bytes);
    if (bytes == 0 && target_.ipus > 1)
        return;
    const auto first = static_cast<std::int32_t>(ipu) * target_.tilesPerIpu;
    on.activeTiles = stream.bytes.slice(first, first + target_.tilesPerIpu).tilesUsed();
    switch (leaf.kind) {
    case ProgramKind::StreamCopyBegin:
        on.cycles = target_.externalSyncCycles;
        // No program of the host has to answer for streaming memory.
        if (!stream.remoteBuffer.valid() && !isVaryingInput(leaf))
            on.cycles += feeding_.pace.latencyCycles;
        break;
    case ProgramKind::StreamCopyMid:
        on.cycles = static_cast<std::int64_t>(
            std::ceil(static_cast<double>(bytes) /
                      (stream.remoteBuffer.valid() ? target_.streamingMemoryBytesPerSecond
                                                   : target_.hostBytesPerSecond) *
                      target_.clockHz));
        (stream.toDevice ? on.bytesIn : on.bytesOut) = bytes;
        break;
    default:
        on.cycles = target_.externalSyncCycles;
    }
}

} // namespace tilescope::sim
