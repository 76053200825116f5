// What is live when: curves over the program's steps, and the variables of a point of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/store/profile_reader.h"
#include "core/target/selection.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Live bytes over the steps of the liveness order, for a selection of tiles: the bytes on all of
/// them at the same step of the program. At a moment of the execution, IPUs are at different steps,
/// see LiveMemory.
struct LivenessSeries {
    std::int64_t alwaysLive = 0;             ///< bytes at every step
    std::vector<std::int64_t> notAlwaysLive; ///< bytes by step, without the always-live ones
    StepId peakStep; ///< first step with the largest value; none if no steps
    [[nodiscard]] std::int64_t maxNotAlwaysLive() const;
    /// The most live bytes at any step.
    [[nodiscard]] std::int64_t peak() const { return alwaysLive + maxNotAlwaysLive(); }
};

/// Bytes of the tiles of a range that are live at every step.
std::int64_t alwaysLiveBytes(const IdVector<TileId, TileMemory>& tiles, TileRange range);

/// From the file's summary tables: quick, for all tiles or an IPU (not for a single tile: throws
/// InternalError).
LivenessSeries livenessFromCurve(const LivenessCurve& curve, const Target& target,
                                 const IdVector<TileId, TileMemory>& tiles,
                                 const TileSelection& selection);

/// From the variables themselves: for any selection, a single tile included.
LivenessSeries livenessOf(const Target& target, const IdVector<VariableId, Variable>& variables,
                          const IdVector<LivenessClassId, LivenessClass>& classes,
                          std::size_t steps, const TileSelection& selection);

/// Chooses between the two, depending on the selection.
LivenessSeries livenessOf(const ProfileView& profile, const TileSelection& selection,
                          Stop stop = {});

/// By class of liveness: whether it is live at a step. Throws UserError for a step that does not
/// exist.
std::vector<bool> liveClasses(const IdVector<LivenessClassId, LivenessClass>& classes,
                              std::size_t steps, StepId step);

/// A variable with its bytes on the selected tiles.
struct SizedVariable {
    VariableId variable;
    std::string name;
    MemoryCategory category = MemoryCategory::Variable;
    OperationId operation;
    std::int64_t bytes = 0;
};

/// Always-live variables with bytes on the selected tiles, largest first (then by name).
std::vector<SizedVariable> alwaysLiveVariables(const Target& target,
                                               const IdVector<VariableId, Variable>& variables,
                                               const TileSelection& selection);

/// Not-always-live variables that are live at a step and have bytes on the selected tiles, largest
/// first. Throws UserError for a step that does not exist.
std::vector<SizedVariable>
notAlwaysLiveVariables(const Target& target, const IdVector<VariableId, Variable>& variables,
                       const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                       StepId step, const TileSelection& selection);

std::int64_t totalBytes(const std::vector<SizedVariable>& variables);

/// "DoExchange (conv1/ExchangePre)" for each step, in order.
std::vector<std::string> stepNames(const IdVector<ProgramId, Program>& programs,
                                   const IdVector<StepId, ProgramId>& steps);

} // namespace tilescope
