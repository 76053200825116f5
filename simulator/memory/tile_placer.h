// First fit on one tile. Internal to placement.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/memory/interference.h"

namespace tilescope::sim {

/// One variable to place on one tile.
struct PlaceRequest {
    VariableId variable;
    std::int64_t bytes = 0;
    LivenessClassId liveness; ///< none: always live
    MemoryCategory category = MemoryCategory::Variable;
    bool interleaved = false;
    VariableId apartFrom; ///< lies in other memory elements than this one, if that is on the tile
    /// The same where messages are placed first; each of a pair has the other, and most variables
    /// have none. The first one is set if any is.
    std::array<VariableId, 2> preferablyApart = {};
};

/// Where a request, by its index, has got its place.
struct PlacedRequest {
    std::uint32_t request = 0;
    std::int64_t offset = 0;
};

/// Places the variables of tiles, one tile after the other in the same memory: allocating it anew
/// for each would take a tenth of the time.
class TilePlacements {
public:
    /// Both outlive it.
    TilePlacements(const Interference& interference, const Target& target);
    ~TilePlacements();
    TilePlacements(TilePlacements&&) = delete;

    /// Of one tile, sorted by offset; valid until the next call. `requests`: in the order of their
    /// variables. `weights`: of each, the heavier ones of a kind come first; none: their bytes.
    /// Throws UserError where they are too many and too large to be counted.
    const std::vector<PlacedRequest>& place(const std::vector<PlaceRequest>& requests,
                                            const std::vector<double>& weights = {});
    /// The same with what exchanges bring before other variables that are not always live, and
    /// with variables apart from those that they preferably are apart from.
    const std::vector<PlacedRequest>& placeMessagesFirst(const std::vector<PlaceRequest>& requests);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The same for one tile.
std::vector<PlacedRequest> placeOnTile(const std::vector<PlaceRequest>& requests,
                                       const Interference& interference, const Target& target,
                                       const std::vector<double>& weights = {});

} // namespace tilescope::sim
