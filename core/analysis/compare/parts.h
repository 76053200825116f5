// What a comparison reads of each profile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/memory/summary.h"
#include "core/profile/profile.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Shared parts of a profile.
struct ProfileParts {
    template <class T> using Part = std::shared_ptr<const T>;
    ProfileInfo info;
    Part<std::vector<Message>> messages;
    Part<IdVector<OperationId, Operation>> operations;
    Part<IdVector<LivenessClassId, LivenessClass>> livenessClasses;
    Part<IdVector<VariableId, Variable>> variables;
    Part<IdVector<VertexTypeId, VertexType>> vertexTypes;
    Part<IdVector<ComputeSetId, ComputeSet>> computeSets;
    Part<IdVector<ExchangeId, Exchange>> exchanges;
    Part<IdVector<CopyId, Copy>> copies;
    Part<IdVector<ProgramId, Program>> programs;
    Part<std::vector<ProgramId>> controlPrograms;
    Part<IdVector<StepId, ProgramId>> steps;
    Part<std::vector<CategoryMemory>> categoryMemory;
    Part<IdVector<TileId, TileMemory>> tileMemory;
    Part<std::vector<std::int64_t>> notAlwaysLive; ///< bytes by step over all tiles
    Part<Trace> trace;                             ///< empty if nothing was executed

    [[nodiscard]] MemorySummary memory() const {
        return summariseMemory(info.target, *tileMemory, *notAlwaysLive);
    }
};

/// All that a comparison reads. Throws UserError for a damaged file, Cancelled after a stop.
ProfileParts partsOf(const ProfileView& profile, const std::stop_token& stop = {});

} // namespace tilescope
