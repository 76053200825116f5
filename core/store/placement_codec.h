// Compact storage of tile addresses: neighbouring placements differ little, so each variable's
// offset is coded against the placement before, and chunks of placements are zstd-compressed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// Placements of one chunk, as many as the writer puts together.
inline constexpr std::size_t placementsPerChunk = 64;

/// `placements`: with their variables in any order; those in the order of variables take the least
/// time.
std::vector<std::byte> encodePlacements(std::span<const Placement> placements);

/// Throws UserError on damaged data.
std::vector<Placement> decodePlacements(std::span<const std::byte> data);

/// All of a profile, in chunks.
std::vector<PlacementChunk> packedPlacements(std::span<const Placement> placements);

/// Throws UserError on damaged data.
IdVector<PlacementId, Placement> unpackedPlacements(std::span<const PlacementChunk> chunks);

/// How many placements some chunks have.
std::size_t placementsIn(std::span<const PlacementChunk> chunks);

} // namespace tilescope
