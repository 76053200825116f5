// Waits by what causes them, for the lines of a program.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/analysis/insights/losses.h"
#include "core/profile/model_graph.h"
#include "core/profile/source_code.h"

namespace tilescope {

/// Cycles of one IPU in which no operation runs, at what causes them: an operation, or a line
/// outside of the model.
struct CausedWait {
    IpuId ipu;
    ModelNodeId node;                       ///< of the operation; none: see `anchor`
    std::optional<SourceAnchorKind> anchor; ///< the line that asks for it; none for an operation
    LossKind kind = LossKind::Sync;
    std::int64_t cycles = 0;
};

/// The cycles of the last run that Operations has in rows without an operation, all of them and
/// each once, by the losses of Insights: an IPU that waits for a longer stage waits for its
/// operations, in proportion to their cycles; copies with the host are the call's, and bubbles,
/// copies between IPUs that are no operation, and syncs those of the line that made the model.
/// Empty without a trace. Throws UserError for a damaged profile, Cancelled after a stop.
std::vector<CausedWait> causedWaits(const ProfileView& profile, const std::stop_token& stop = {});

} // namespace tilescope
