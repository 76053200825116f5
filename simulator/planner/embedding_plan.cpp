#include "simulator/planner/embedding_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/base/ceil_div.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/cost/reduce_cycles.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

constexpr std::int64_t indexBytes = 4;

/// Sizes of the largest part, for the cost.
struct Part {
    Part(const Target& target, const EmbeddingProblem& problem, const EmbeddingSplits& splits)
        : grain(embeddingGrain(target, problem.type))
        , columns(std::min(problem.width,
                           ceilDiv(ceilDiv(problem.width, grain), splits.unsliced) * grain))
        , rows(ceilDiv(problem.rows, splits.sliced))
        , indices(ceilDiv(problem.indices, splits.lookups))
        , secondIndices(ceilDiv(indices, splits.sliced))
        , rowBytes(columns * bytesOf(problem.type))
        , tableBytes(rows * rowBytes)
        , storedElements(ceilDiv(rows * columns, splits.lookups)) {}

    std::int64_t grain, columns, rows, indices;
    std::int64_t secondIndices;  ///< of the second stage of a look-up
    std::int64_t rowBytes;       ///< of a row's columns
    std::int64_t tableBytes;     ///< that the vertices work on
    std::int64_t storedElements; ///< of the table, where look-up parts share it
};

void addSliceCost(EmbeddingCost& cost, const Target& target, const EmbeddingProblem& problem,
                  const EmbeddingSplits& splits, const Part& part) {
    const std::int64_t broadcast = splits.lookups > 1 ? part.tableBytes : 0;
    const double inRange = static_cast<double>(part.rows) / static_cast<double>(problem.rows);
    cost.sliceExchange = exchangeCycles(target, broadcast, false);
    cost.sliceCompute = multiSliceCycles(target, part.indices, part.columns, inRange);
    const std::int64_t indices = part.indices * indexBytes;
    if (splits.sliced == 1) {
        cost.tempBytes = std::max(cost.tempBytes, broadcast + indices);
        return;
    }
    const std::int64_t firstBytes = part.indices * part.rowBytes;
    const std::int64_t secondBytes = splits.sliced * part.secondIndices * part.rowBytes;
    cost.sliceExchange += exchangeCycles(target, secondBytes, false);
    cost.sliceCompute += multiSliceCycles(target, part.secondIndices, part.columns, inRange);
    cost.tempBytes = std::max({cost.tempBytes, broadcast + firstBytes + indices,
                               firstBytes + secondBytes + part.secondIndices * indexBytes});
}

void addUpdateCost(EmbeddingCost& cost, const Target& target, const EmbeddingProblem& problem,
                   const EmbeddingSplits& splits, const Part& part) {
    const bool partials = splits.lookups > 1;
    const DataType type = partials ? DataType::Float : problem.type;
    const bool cast = type != problem.type;
    const std::int64_t updates = part.indices * part.columns * bytesOf(type);
    const std::int64_t multicast = splits.sliced > 1 ? updates : 0;
    const std::int64_t partialBytes = partials ? part.rows * part.columns * bytesOf(type) : 0;
    cost.updateExchange = exchangeCycles(target, multicast, false);
    const double inRange =
        static_cast<double>(ceilDiv(part.rows, target.workers)) / static_cast<double>(problem.rows);
    cost.updateCompute = multiUpdateCycles(target, part.indices, part.columns, type, inRange);
    const auto elementwise = [&](ElementwiseFunction function, Operands operands,
                                 std::int64_t elements) {
        return elementwiseCycles(target, function, operands, false, problem.type, elements);
    };
    const std::int64_t castUpdates = part.secondIndices * part.columns;
    if (cast)
        cost.updateCompute += elementwise(ElementwiseFunction::Cast, Operands::Unary, castUpdates);
    if (partials) {
        cost.updateCompute += fillCycles(target, part.rows * part.columns, type);
        const std::int64_t outputs = ceilDiv(part.rows * part.columns, splits.lookups);
        cost.updateReduce =
            exchangeCycles(target, splits.lookups * outputs * bytesOf(type), false) +
            balancedReduceCycles(target, outputs, splits.lookups, type) +
            elementwise(ElementwiseFunction::ScaledAdd, Operands::Binary, part.storedElements);
        if (cast)
            cost.updateReduce +=
                2 * elementwise(ElementwiseFunction::Cast, Operands::Unary, part.storedElements);
    }
    const std::int64_t castBytes = cast ? castUpdates * bytesOf(type) : 0;
    const std::int64_t castAfterwards = splits.sliced > 1 ? 0 : castBytes;
    cost.tempBytes =
        std::max(cost.tempBytes,
                 std::max({castBytes + multicast,
                           castAfterwards + multicast + partialBytes + part.indices * indexBytes,
                           2 * partialBytes}));
}

} // namespace

std::int64_t EmbeddingPlan::columns() const {
    return std::min(problem.width, ceilDiv(ceilDiv(problem.width, grain), splits.unsliced) * grain);
}

std::int64_t EmbeddingPlan::indicesPerPart() const {
    return ceilDiv(problem.indices, splits.lookups);
}

DataType EmbeddingPlan::partialType() const {
    return splits.lookups > 1 && problem.type == DataType::Half ? DataType::Float : problem.type;
}

std::string EmbeddingPlan::toJson() const {
    return fmt::format(
        R"({{"method":"multiSlice","tiles":{},"partition":{{"lookups":{},"sliced":{},"unsliced":{}}},)"
        R"("grain":{},"partialType":"{}",)"
        R"("estimate":{{"cycles":{},"sliceExchange":{},"sliceCompute":{},"updateExchange":{},)"
        R"("updateCompute":{},"updateReduce":{},"tableBytes":{},"tempBytes":{}}},"withinMemoryTarget":{}}})",
        splits.tiles(), splits.lookups, splits.sliced, splits.unsliced, grain,
        toString(partialType()), cost.cycles(), cost.sliceExchange, cost.sliceCompute,
        cost.updateExchange, cost.updateCompute, cost.updateReduce, cost.tableBytes, cost.tempBytes,
        withinMemoryTarget);
}

std::int64_t embeddingGrain(const Target& target, DataType type) {
    // Later PopLibs takes 8 bytes; published cycles and memory of embeddings (SDK 2.0) need 4.
    return std::max<std::int64_t>(1, target.atomicStoreBytes / bytesOf(type));
}

EmbeddingCost embeddingCost(const Target& target, const EmbeddingProblem& problem,
                            const EmbeddingSplits& splits) {
    const Part part(target, problem, splits);
    EmbeddingCost cost;
    cost.tableBytes = part.storedElements * bytesOf(problem.type);
    if (problem.slices)
        addSliceCost(cost, target, problem, splits, part);
    if (problem.updates)
        addUpdateCost(cost, target, problem, splits, part);
    return cost;
}

EmbeddingPlan planEmbedding(const Target& target, const EmbeddingProblem& problem,
                            double availableMemoryProportion) {
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    EmbeddingPlan best;
    best.problem = problem;
    best.grain = embeddingGrain(target, problem.type);
    // Fewer than two rows a part cost more than they save.
    const std::int64_t mostRowParts = std::max<std::int64_t>(1, ceilDiv(problem.rows, 2));
    bool found = false;
    const auto rank = [&](const EmbeddingCost& cost) {
        const bool fits = cost.tempBytes <= bound;
        return std::tuple(!fits, cost.tempBytes + (fits ? cost.tableBytes : 0), cost.cycles());
    };
    const std::int64_t tiles = target.tilesPerIpu;
    const std::int64_t grains = std::max<std::int64_t>(1, ceilDiv(problem.width, best.grain));
    for (const std::int64_t unsliced : distinctSplits(grains, tiles))
        for (const std::int64_t sliced :
             distinctSplits(problem.rows, std::min(tiles / unsliced, mostRowParts)))
            for (const std::int64_t lookups :
                 distinctSplits(problem.indices, tiles / (unsliced * sliced))) {
                const EmbeddingSplits splits{unsliced, sliced, lookups};
                const EmbeddingCost cost = embeddingCost(target, problem, splits);
                if (found && rank(cost) >= rank(best.cost))
                    continue;
                found = true;
                best.splits = splits;
                best.cost = cost;
            }
    best.withinMemoryTarget = best.cost.tempBytes <= bound;
    return best;
}

} // namespace tilescope::sim
