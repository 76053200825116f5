// A body of an execution cut where no IPU is within a step. Internal to core/analysis/compare.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/lanes.h"

namespace tilescope {

/// Repetitions of another body.
struct PieceCall {
    TraceBodyId callee;
    std::int64_t begin = 0; ///< of the first, in the calling body
    std::int64_t count = 1;
    std::int64_t period = 0;
};

/// Cycles from `begin` to the next piece's: neighbouring steps of one operation, a call, or what
/// several IPUs do beside each other.
struct BodyPiece {
    std::int64_t begin = 0; ///< from the start of the body
    std::int32_t key = -1;  ///< of what begins it
    std::optional<PieceCall> call = {};
};

/// The key of calls that have no counterpart by name, and of runs: they match in their order.
inline constexpr std::int32_t anyCall = std::numeric_limits<std::int32_t>::max();

/// The pieces of a body; the first begins at 0. Syncs and copies with the host belong to the piece
/// before, as those that wait there only wait longer. Steps beyond a limit of half a million pieces
/// are in the last one. Keys are by program; negative for none. Throws UserError where the file is
/// damaged, Cancelled after a stop.
std::vector<BodyPiece> piecesOf(const TraceLanes& lanes, TraceBodyId body,
                                std::span<const std::int32_t> keys, const std::stop_token& stop);

/// The cycles of a body on the IPU that takes longest.
std::int64_t lengthOf(const TraceLanes& lanes, TraceBodyId body);

} // namespace tilescope
