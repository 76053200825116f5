// The activity of each tile of an IPU in a range of the execution, as a raster for the
// bulk-synchronous view: tiles downwards, time to the right.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/trace_index.h"

namespace tilescope {

/// The activity of a tile at a moment. Wait: its own part of a step is done while others still
/// work, or the step does not concern it.
enum class TileState : std::uint8_t {
    Idle, ///< the IPU does nothing at all
    Compute,
    Exchange,
    GlobalExchange,
    StreamBegin,
    StreamMid,
    StreamEnd,
    Sync,
    Wait,
};
inline constexpr std::array tileStates{
    TileState::Idle,           TileState::Compute,     TileState::Exchange,
    TileState::GlobalExchange, TileState::StreamBegin, TileState::StreamMid,
    TileState::StreamEnd,      TileState::Sync,        TileState::Wait,
};
/// The state of a tile that takes part in a step of a kind.
TileState tileStateOf(ProgramKind kind);

/// The parts of a profile that say how long each tile works in a step; they outlive the reader.
struct TileSources {
    const IdVector<ProgramId, Program>& programs;
    const IdVector<ComputeSetId, ComputeSet>& computeSets;
    const IdVector<ExchangeId, Exchange>& exchanges;
    const IdVector<StreamId, Stream>& streams;
    std::int32_t tilesPerIpu = 0;
};

/// How long every tile of an IPU works in an executed step, from its start. Compute sets and
/// exchanges have cycles of each tile; a sync or a stream copy takes all of its tiles as long as
/// the step. Tiles count from 0 on the IPU.
TileSeries tileCycles(const TileSources& sources, ProgramId program, IpuId ipu,
                      std::int64_t stepCycles);

/// What to draw: cycles over columns, tiles over rows.
struct RasterQuestion {
    IpuId ipu;
    CycleRange range;
    std::int32_t columns = 0;
    std::int32_t firstTile = 0; ///< on the IPU
    std::int32_t tiles = 0;
    std::int32_t rows = 0; ///< at most; never more than tiles
};

/// The state with most tile cycles in a cell, and the share of the cell that it and all other busy
/// states take, 0 to 255.
struct TileRaster {
    struct Cell {
        TileState state = TileState::Idle;
        std::uint8_t busy = 0;
    };
    std::int32_t columns = 0;
    std::int32_t rows = 0;
    std::vector<Cell> cells; ///< row by row
    [[nodiscard]] const Cell& at(std::int32_t column, std::int32_t row) const {
        return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                     static_cast<std::size_t>(column)];
    }
};

/// Steps narrower than a column are summed up in it. If a repetition puts more than `sampledSteps`
/// steps into one column, that many of them, spread over it, represent all, so the time taken
/// depends on the raster and not on the length of the execution. Throws Cancelled after a stop,
/// UserError for an IPU that does not exist.
TileRaster tileRaster(const TraceIndex& index, const TileSources& sources,
                      const RasterQuestion& question, const std::stop_token& stop);
inline constexpr std::int64_t sampledSteps = 16;

} // namespace tilescope
