// The tree "where did the bytes go": gaps, regions, categories, overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/target/selection.h"

namespace tilescope {

/// A line of the tree: bytes in each column (a column is a selection of tiles).
struct MemoryNode {
    std::string name;
    std::vector<std::int64_t> bytes;
    std::vector<MemoryNode> children;
};

/// The lines in the order of the original:
///   Including gaps
///   Excluding gaps
///     By region: Non-interleaved, Interleaved, Overflowed
///     By category: Not overlapped and Overlapped, each with the categories that have bytes
/// Regions sum up to "Excluding gaps", and so do the two halves of "By category". Categories
/// without bytes in any column are left out. Throws UserError for a selection the target lacks.
std::vector<MemoryNode> memoryDetails(const Target& target,
                                      const IdVector<TileId, TileMemory>& tiles,
                                      const std::vector<CategoryMemory>& categories,
                                      std::span<const TileSelection> columns);

} // namespace tilescope
