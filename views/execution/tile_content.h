// What the bulk-synchronous view of the execution shows, made on a worker thread.
#pragma once

#include <stop_token>

#include "core/trace/tile_raster.h"
#include "views/execution/trace_content.h"

namespace tilescope::views {

/// The parts of a profile that show what each tile does, kept as long as they are displayed.
struct TileParts {
    ProfileView::Part<TraceIndex> trace;
    ProfileView::Part<IdVector<ProgramId, Program>> programs;
    ProfileView::Part<IdVector<ComputeSetId, ComputeSet>> computeSets;
    ProfileView::Part<IdVector<ExchangeId, Exchange>> exchanges;
    ProfileView::Part<IdVector<StreamId, Stream>> streams;
    std::int32_t tilesPerIpu = 0;
    double clockHz = 0;
    [[nodiscard]] TileSources sources() const;
};
TileParts readTileParts(const ProfileView& profile, const std::stop_token& stop);

/// One IPU of the bulk-synchronous view.
struct TileLane {
    AskedIpu asked;
    TileParts parts;
};
std::vector<TileLane> readTileLanes(const TraceQuestion& question, const std::stop_token& stop);

/// What a tile does at a cycle: the step, and the tile's own part in it.
struct TileMoment {
    std::int64_t step = -1; ///< execution index, -1 between steps
    ProgramKind kind = ProgramKind::Sync;
    ProgramId program;
    StepOnIpu on;
    std::int64_t worked = 0; ///< cycles of the tile in the step
};
TileMoment tileMoment(const TileLane& lane, std::int32_t tile, std::int64_t cycle);

} // namespace tilescope::views
