// How a look-up of rows in a table, and the addition to them, is cut over the tiles of an IPU.
#pragma once

#include <cstdint>
#include <string>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// A table [rows, width] of which `indices` rows are looked up, added to, or both.
struct EmbeddingProblem {
    std::int64_t rows = 1, width = 1, indices = 1;
    DataType type = DataType::Float;
    bool slices = true;   ///< rows are looked up
    bool updates = false; ///< rows are added to
    friend bool operator==(const EmbeddingProblem&, const EmbeddingProblem&) = default;
};

/// Into how many parts each dimension is cut; tile = (look-up part x sliced + sliced part) x
/// unsliced + unsliced part (PopLibs popops/DynamicSlice.cpp).
struct EmbeddingSplits {
    std::int64_t unsliced = 1; ///< the width, in whole grains: no partial results
    std::int64_t sliced = 1;   ///< the rows: a second stage picks the part that had the row
    std::int64_t lookups = 1;  ///< the indices: the table is broadcast, updates are added up
    [[nodiscard]] std::int64_t tiles() const { return unsliced * sliced * lookups; }
    friend bool operator==(const EmbeddingSplits&, const EmbeddingSplits&) = default;
};

/// Terms of a plan's cost: cycles of the busiest tile, bytes on the fullest.
struct EmbeddingCost {
    std::int64_t sliceExchange = 0, sliceCompute = 0;
    std::int64_t updateExchange = 0, updateCompute = 0, updateReduce = 0;
    std::int64_t tableBytes = 0; ///< that a tile keeps
    std::int64_t tempBytes = 0;
    [[nodiscard]] std::int64_t cycles() const {
        return sliceExchange + sliceCompute + updateExchange + updateCompute + updateReduce;
    }
    friend bool operator==(const EmbeddingCost&, const EmbeddingCost&) = default;
};

struct EmbeddingPlan {
    EmbeddingProblem problem;
    EmbeddingSplits splits;
    std::int64_t grain = 1; ///< elements of the width that stay together
    EmbeddingCost cost;
    bool withinMemoryTarget = true;
    friend bool operator==(const EmbeddingPlan&, const EmbeddingPlan&) = default;

    /// Elements of the width, and indices, of the largest part.
    [[nodiscard]] std::int64_t columns() const;
    [[nodiscard]] std::int64_t indicesPerPart() const;
    /// Updates of look-up parts are added up in this type (PopLibs: float where the table is half).
    [[nodiscard]] DataType partialType() const;
    /// A JSON object for the profile's operation table.
    [[nodiscard]] std::string toJson() const;
};

/// Elements of the width that are never cut apart: what one store writes, so that no tile has to
/// merge half words.
std::int64_t embeddingGrain(const Target& target, DataType type);

/// Cost of given splits: the terms of PopLibs popops/DynamicSlice.cpp, indices evenly distributed.
EmbeddingCost embeddingCost(const Target& target, const EmbeddingProblem& problem,
                            const EmbeddingSplits& splits);

/// The splits of least memory, table and temporary, whose temporary memory stays within the
/// proportion of a tile's memory; of these, the fewest cycles. If there are none, those of least
/// temporary memory, with withinMemoryTarget false. PopLibs documents its planner as minimising
/// persistent memory with temporary memory bounded; published figures of SDK 2.0 show plans of
/// least memory where others have half the cycles.
EmbeddingPlan planEmbedding(const Target& target, const EmbeddingProblem& problem,
                            double availableMemoryProportion);

} // namespace tilescope::sim
