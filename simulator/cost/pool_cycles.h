// Cycles of a pooling vertex: PopLibs popnn/PerformanceEstimation.hpp, getPoolingCycles.
#pragma once

#include <cstdint>
#include <string>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// What a pooling vertex computes, and in what channels lie: `groups` channel groups on the tile,
/// each of `vectors` 64-bit vectors.
struct PoolVertex {
    PoolKind kind = PoolKind::Max;
    /// Compares each input with the maximum that it may be, instead of pooling. Gradients of sums
    /// are sums themselves.
    bool findsMaximum = false;
    std::int64_t groups = 1;
    std::int64_t vectors = 1;
};

/// The terms of a vertex. A worker has rows of results; for each position of the kernel that meets
/// the input it goes through a row, for one vector of a group after the other.
class PoolCycles {
public:
    PoolCycles(const Target& target, const PoolVertex& vertex);

    /// One position of the kernel for a row in which it meets the input `results` times.
    [[nodiscard]] std::int64_t position(std::int64_t results) const;
    /// A row beside its positions.
    [[nodiscard]] std::int64_t row() const { return rowCycles; }
    /// A worker whose rows take `rows` cycles, on a tile with `results` results in a channel.
    [[nodiscard]] std::int64_t worker(std::int64_t results, std::int64_t rows) const;
    /// The vertex, by its busiest worker.
    [[nodiscard]] std::int64_t vertex(std::int64_t busiest) const;

private:
    static constexpr std::int64_t rowCycles = 15;

    const Target& target_;
    PoolVertex vertex_;
    std::int64_t unpackVector_, unpackList_; ///< of pointers to 64-bit vectors and to lists
};

/// The work of one tile as the planner sees it: all rows are whole, and all positions of the kernel
/// meet the input.
struct PoolTileSizes {
    std::int64_t rows = 1, rowLength = 1;
    std::int64_t positions = 1; ///< of the kernel
    /// Results of a row for each one that a position meets: more than one where the input has zeros
    /// between its elements, as in the gradient of a stride.
    std::int64_t step = 1;
};
std::int64_t poolCycles(const Target& target, const PoolVertex& vertex, const PoolTileSizes& sizes);

/// Codelet class, "popnn::MaxPooling<half>".
std::string poolVertexName(const PoolVertex& vertex, DataType type);

} // namespace tilescope::sim
