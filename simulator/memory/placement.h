// Addresses of variables on every tile.
#pragma once

#include "core/profile/profile.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Gives every variable an address on every tile it lies on and fills placements, placementOfTile,
/// tileMemory and categoryMemory of the profile. Variables that are never live together may share
/// addresses; variables to be kept apart share no memory element. Executable code lies in the
/// non-interleaved region only; interleaved memory is preferred by variables that ask for it; what
/// finds no room lies beyond the tile's memory (overflowed). Tiles with equal lists of variables
/// and sizes share one placement.
void placeVariables(LoweredProgram& lowered, const Target& target);

/// One variable to place on one tile.
struct PlaceRequest {
    VariableId variable;
    std::int64_t bytes = 0;
    LivenessClassId liveness; ///< none: always live
    MemoryCategory category = MemoryCategory::Variable;
    bool interleaved = false;
    VariableId apartFrom; ///< lies in other memory elements than this one, if that is on the tile
};

/// Pairs of liveness classes that are live at a common step.
class Interference {
public:
    explicit Interference(const IdVector<LivenessClassId, LivenessClass>& classes);
    [[nodiscard]] bool overlap(LivenessClassId a, LivenessClassId b) const {
        if (!a.valid() || !b.valid())
            return true;
        return bits_[a.index() * count_ + b.index()] != 0;
    }
    /// The classes that overlap a class, itself among them.
    [[nodiscard]] const std::vector<LivenessClassId>& met(LivenessClassId id) const {
        return met_[id.index()];
    }
    [[nodiscard]] std::size_t classes() const { return count_; }

private:
    std::size_t count_;
    std::vector<std::uint8_t> bits_;
    std::vector<std::vector<LivenessClassId>> met_;
};

/// Places the variables of one tile; the result is sorted by offset.
Placement placeOnTile(const std::vector<PlaceRequest>& requests, const Interference& interference,
                      const Target& target);

} // namespace tilescope::sim
