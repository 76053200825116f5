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

std::vector<std::byte> encodePlacements(std::span<const Placement> placements);

/// Throws UserError on damaged data.
std::vector<Placement> decodePlacements(std::span<const std::byte> data);

} // namespace tilescope
