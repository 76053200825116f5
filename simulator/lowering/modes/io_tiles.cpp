#include "simulator/lowering/modes/io_tiles.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

constexpr std::int64_t shareGrain = 8;                 // bytes: what an exchange moves at a time
constexpr std::string_view streamTensorPrefix = "ST_"; // PopART's, exchangex.cpp
constexpr std::string_view ioTensorPrefix = "IO_";

/// Even shares of `bytes` bytes, in whole grains.
TileSeries evenShares(std::int64_t bytes, std::int32_t firstTile, std::int32_t tiles) {
    TileSeries shares;
    const std::int64_t grains = ceilDiv(bytes, shareGrain);
    std::int64_t placed = 0;
    for (std::int32_t i = 0; i < tiles && placed < bytes; ++i) {
        const std::int64_t end = std::min(bytes, grains * (i + 1) / tiles * shareGrain);
        if (end > placed)
            shares.append(firstTile + i, firstTile + i + 1, end - placed);
        placed = std::max(placed, end);
    }
    return shares;
}

/// For two rows of pieces of the same bytes in the same order, cut differently: how many pieces of
/// `others` each piece of `own` overlaps.
TileSeries piecesTouched(const TileSeries& own, const TileSeries& others) {
    std::vector<std::int64_t> ends; // of the others' pieces
    std::int64_t at = 0;
    for (const TileRun& run : others.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile)
            ends.push_back(at += run.value);
    TileSeries touched;
    std::int64_t begin = 0;
    for (const TileRun& run : own.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile) {
            const auto first = std::upper_bound(ends.begin(), ends.end(), begin);
            begin += run.value;
            const auto last = std::lower_bound(first, ends.end(), begin);
            touched.append(tile, tile + 1, last - first + 1);
        }
    return touched;
}

std::int64_t shortestPiece(const TileSeries& series) {
    std::int64_t shortest = series.max().value;
    for (const TileRun& run : series.runs())
        shortest = std::min(shortest, run.value);
    return shortest;
}

} // namespace

IoTileStreams::IoTileStreams(LoweringContext& context)
    : b_(context.builder())
    , firstTile_(context.target().tilesPerIpu)
    , tiles_(context.options().machine.ioTiles) {
    for (const HostStream& stream : inputStreams(context))
        inputs_.push_back(land(stream));
    for (const HostStream& stream : outputStreams(context))
        outputs_.push_back(land(stream));
}

IoTileStreams::Landing IoTileStreams::land(const HostStream& stream) {
    Profile& profile = b_.lowered().profile;
    const Variable here = profile.variables[stream.variable];
    const TileSeries shares = evenShares(here.bytes.sum(), firstTile_, tiles_);
    if (!here.bytes.empty())
        b_.setIpu(IpuId(here.bytes.runs().front().first / b_.machine().tilesPerIpu));
    const auto onIoTiles = [&](std::string_view prefix) {
        return b_.variable(fmt::format("{}{}", prefix, here.name), MemoryCategory::Variable, shares,
                           here.type, here.shape);
    };
    const VariableId streamed = onIoTiles(streamTensorPrefix);
    const VariableId there = onIoTiles(ioTensorPrefix);
    b_.setIpu(IpuId(0));
    profile.streams[stream.stream].bytes = profile.variables[streamed].bytes;
    return {stream.stage, stream.stream, streamed, there, stream.variable};
}

void IoTileStreams::load(std::int32_t stage) {
    transfer(inputs_, stage);
}

void IoTileStreams::store(std::int32_t stage) {
    transfer(outputs_, stage);
}

void IoTileStreams::transfer(const std::vector<Landing>& tensors, std::int32_t stage) {
    std::vector<ProgramBuilder::StreamCopy> copies;
    for (const Landing& one : tensors)
        if (stage < 0 || one.stage == stage)
            copies.push_back({one.stream, {one.streamed}, one.there});
    b_.streamCopies(copies);
}

void IoTileStreams::copyIn(std::int32_t stage) {
    copy(inputs_, true, stage);
}

void IoTileStreams::copyOut(std::int32_t stage) {
    copy(outputs_, false, stage);
}

void IoTileStreams::copy(const std::vector<Landing>& tensors, bool in, std::int32_t stage) {
    Movement movement;
    Access access;
    for (const Landing& one : tensors) {
        if (stage >= 0 && one.stage != stage)
            continue;
        const auto& variables = b_.lowered().profile.variables;
        const VariableId from = in ? one.there : one.here;
        const VariableId to = in ? one.here : one.there;
        Traffic traffic;
        traffic.sent = variables[from].bytes;
        traffic.received = variables[to].bytes;
        traffic.total = traffic.received.sum();
        traffic.messages = piecesTouched(traffic.received, traffic.sent);
        movement.add(b_.machine(), traffic, 1,
                     std::min(shortestPiece(traffic.sent), shortestPiece(traffic.received)));
        access.reads.push_back(from);
        access.writes.push_back(to);
    }
    if (!access.reads.empty())
        b_.exchange(b_.names().copyName(in ? "IoTileCopy/in" : "IoTileCopy/out") + "/ExchangePre",
                    std::move(movement), std::move(access));
}

} // namespace tilescope::sim
