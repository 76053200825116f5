// How a tensor in groups of one dimension is rearranged into groups of another.
// Decisions: PopLibs popops/Rearrange.cpp, updateGrouping, regroupTensor and addTransposeVertices.
#pragma once

#include <cstdint>

#include "core/target/target.h"

namespace tilescope::sim {

/// Blocks of `rows` x `columns` elements that are transposed, whole ones on a tile.
struct RegroupPlan {
    std::int64_t rows = 1;          ///< of the wanted group
    std::int64_t columns = 1;       ///< of the source's group
    std::int64_t blocks = 1;        ///< in all
    std::int64_t blocksPerTile = 1; ///< from the first tile on, until all are placed
};

/// `sourceGroup`, `wantedGroup`: elements that lie together before and after, multiples of the
/// 64-bit grain. Groups are taken apart where that keeps more tiles busy.
RegroupPlan planRegroup(const Target& target, std::int64_t elements, std::int64_t elementBytes,
                        std::int64_t sourceGroup, std::int64_t wantedGroup);

/// Which vertices transpose the blocks of a tile.
enum class TransposeMethod {
    Workers, ///< a vertex for each worker, with lists of blocks: elements of four bytes
    OneWorker,
    Shared, ///< one vertex that gives whole blocks to the workers
    Split,  ///< one vertex that cuts blocks, of which there are fewer than workers
};
TransposeMethod transposeMethod(const Target& target, const RegroupPlan& plan,
                                std::int64_t elementBytes);

/// Rows and columns that each worker transposes with TransposeMethod::Split. The vertex's worklist,
/// up to 48 B a tile, is not modelled.
struct TransposePart {
    std::int64_t rows = 1, columns = 1;
};
TransposePart splitTranspose(const Target& target, const RegroupPlan& plan);

} // namespace tilescope::sim
