#include "simulator/cost/reduce_cycles.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

bool isSum(ReduceFunction function) {
    return function == ReduceFunction::Add || function == ReduceFunction::Mean ||
           function == ReduceFunction::SquareAdd;
}

std::int64_t vectorWidth(const Target& target, DataType type) {
    return type == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
}

// STRIDED_REDUCE: columns in whole vectors of 64 bits, one load a cycle.
std::int64_t stridedCycles(std::int64_t columns, std::int64_t rows, std::int64_t vector) {
    return 7 + 17 + ceilDiv(columns, vector) * 6 + ceilDiv(columns * rows, vector);
}

// SCALAR_OUTPUT_SINGLE_INPUT.
std::int64_t scalarCycles(std::int64_t inputs, std::int64_t vector, bool convert) {
    return 7 + 8 + 11 + inputs / vector + inputs % vector + (convert ? 5 : 0);
}

// ALL_REGIONS_CONTINUOUS: one result after the other. PopLibs gives its estimate the results after
// the first (the field numOutputsM1), for their inputs as well; the inputs of all are read here.
std::int64_t continuousCycles(std::int64_t results, std::int64_t inputs, std::int64_t vector) {
    return results * (inputs / vector) + (inputs % 2 != 0 ? 2 : 0) + 12 * (results - 1) + 10 + 7;
}

// DEFAULT: columns that are not whole vectors are split by powers of two; every row is a
// region of its own.
std::int64_t defaultCycles(std::int64_t columns, std::int64_t rows, std::int64_t vector, bool sum) {
    const std::int64_t width = sum ? 2 * vector : vector;
    const std::int64_t load = (sum ? 2 : 0) + 2 + width / std::min(width, vector) + 3;
    std::int64_t cycles = 7 + 26 + 24 + 2 * 3;
    cycles += columns / width * (6 + 2 * vector + rows * (10 + load));
    for (std::int64_t remainder = 1; remainder < width; remainder *= 2)
        if ((columns % width & remainder) != 0)
            cycles += 4 + 2 * std::min(remainder, vector) + rows * (10 + 6);
    return cycles;
}

// LOG_ADD adds two floats in 23 cycles or four halves in 13 where columns are whole vectors, and
// is C++ elsewhere (PopLibs getCycleEstimateForReduceVertex).
std::int64_t stridedLogAddCycles(std::int64_t columns, std::int64_t rows, std::int64_t vector,
                                 bool half) {
    const std::int64_t loop = 3 + 2 + 2 + 3 + (half ? 13 : 23) * (rows - 1);
    return 4 + 11 + ceilDiv(columns, vector) * loop;
}
std::int64_t scalarLogAddCycles(std::int64_t columns, std::int64_t rows, bool convert) {
    return 7 + 2 * 12 + 8 + 22 + (24 + 12 + (convert ? 1 : 0)) * columns * rows;
}

/// Elements a cycle as PopLibs guesses them when it decides about row splits.
std::int64_t opsPerCycle(std::int64_t columns, std::int64_t vector, bool sum) {
    const std::int64_t widest = sum ? 2 * vector : vector;
    for (std::int64_t width = widest; width > 0; width /= 2)
        if (columns == width)
            return widest;
    for (std::int64_t width = widest; width > 1; width /= 2)
        if (columns % width == 0)
            return width;
    return 1;
}

/// Busiest worker: the longest vertices first, each to the worker that is free first.
std::int64_t busiestWorker(const Target& target, std::vector<std::int64_t> vertices) {
    std::sort(vertices.rbegin(), vertices.rend());
    std::vector<std::int64_t> workers(static_cast<std::size_t>(target.workers), 0);
    for (const std::int64_t cycles : vertices)
        *std::min_element(workers.begin(), workers.end()) += cycles;
    return *std::max_element(workers.begin(), workers.end());
}

/// One way of a tile's reductions through one or two compute sets.
class TileReducer {
public:
    TileReducer(const Target& target, ReduceFunction function, DataType in, DataType out)
        : target_(target)
        , in_(vectorWidth(target, in))
        , out_(vectorWidth(target, out))
        , grain_(reduceGrain(target, function, in))
        , convert_(out == DataType::Half)
        , sum_(isSum(function))
        , logAdd_(function == ReduceFunction::LogAdd)
        , half_(in == DataType::Half) {}

    OnTileReduction run(const std::vector<RegionReduction>& regions) {
        std::vector<RegionReduction> plain;
        std::int64_t total = 0;
        for (const RegionReduction& region : regions)
            total += region.count;
        for (const RegionReduction& region : regions) {
            if (region.inner > 1 && region.columns > 1)
                innerFactor(region, total);
            else if (region.columns > 0 && region.rows > 0)
                plain.push_back({region.columns, region.rows * region.inner, 1, region.count});
        }
        splitRows(splitColumns(plain));
        OnTileReduction result;
        result.cycles = target_.workers * busiestWorker(target_, first_);
        result.secondCycles = target_.workers * busiestWorker(target_, second_);
        result.secondElements = secondElements_;
        result.vertices = static_cast<std::int64_t>(first_.size());
        result.secondVertices = static_cast<std::int64_t>(second_.size());
        return result;
    }

private:
    // More vertices do not change a plan: a tile with more of them repeats its workers' rounds.
    static constexpr std::int64_t mostVertices = 240;

    void add(std::vector<std::int64_t>& vertices, std::int64_t cycles, std::int64_t count) const {
        // Many equal vertices are counted one by one in rounds of all workers.
        const std::int64_t listed = std::min(count, mostVertices);
        const std::int64_t each = ceilDiv(count, listed);
        vertices.insert(vertices.end(), static_cast<std::size_t>(listed), cycles * each);
    }

    [[nodiscard]] std::int64_t cycles(std::int64_t columns, std::int64_t rows,
                                      std::int64_t vector) const {
        if (logAdd_)
            return columns % vector == 0 ? stridedLogAddCycles(columns, rows, vector, half_)
                                         : scalarLogAddCycles(columns, rows, convert_);
        if (columns == 1 && sum_)
            return scalarCycles(rows, vector, convert_);
        if (columns % vector == 0)
            return stridedCycles(columns, rows, vector);
        return defaultCycles(columns, rows, vector, sum_);
    }

    /// Values of one result lie next to each other.
    void innerFactor(const RegionReduction& region, std::int64_t total) {
        const std::int64_t workers =
            std::max<std::int64_t>(1, target_.workers / std::max<std::int64_t>(1, total));
        if (region.rows == 1) {
            const std::int64_t results = ceilDiv(region.columns, workers);
            add(first_, continuousCycles(results, region.inner, in_),
                ceilDiv(region.columns, results) * region.count);
            return;
        }
        std::int64_t parts = 1;
        for (std::int64_t i = 2; i <= workers; ++i)
            if (region.columns % i == 0 && region.columns / i * region.inner >= 2 * in_)
                parts = i;
        const std::int64_t results = region.columns / parts;
        add(first_, cycles(results * region.inner, region.rows, in_), parts * region.count);
        add(second_, continuousCycles(results, region.inner, out_), parts * region.count);
        secondElements_ += region.columns * region.inner * region.count;
    }

    /// Regions are cut in grains until every worker has one.
    [[nodiscard]] std::vector<RegionReduction>
    splitColumns(const std::vector<RegionReduction>& regions) const {
        std::int64_t grains = 0;
        for (const RegionReduction& region : regions)
            grains += ceilDiv(region.columns, grain_) * region.count;
        const std::int64_t most =
            std::max<std::int64_t>(1, ceilDiv(grains, target_.workers)) * grain_;
        std::vector<RegionReduction> split;
        for (const RegionReduction& region : regions) {
            const std::int64_t parts = ceilDiv(region.columns, most);
            const std::int64_t columns = ceilDiv(ceilDiv(region.columns, parts), grain_) * grain_;
            const std::int64_t whole = region.columns / columns;
            if (whole > 0)
                split.push_back({columns, region.rows, 1, whole * region.count});
            if (region.columns % columns != 0)
                split.push_back({region.columns % columns, region.rows, 1, region.count});
        }
        return split;
    }

    /// While workers are idle, the slowest reduction is cut by rows, if that is worth a second
    /// compute set (splitTwoStageReductionsBetweenWorkers).
    void splitRows(const std::vector<RegionReduction>& regions) {
        constexpr std::int64_t vertexOverhead = 30;
        constexpr std::int64_t leastCycles = 4;
        std::int64_t total = 0;
        for (const RegionReduction& region : regions)
            total += region.count;
        std::int64_t idle = target_.workers - total;
        if (idle <= 0) {
            for (const RegionReduction& region : regions)
                add(first_, cycles(region.columns, region.rows, in_), region.count);
            return;
        }
        struct Piece {
            RegionReduction region;
            std::int64_t work, estimate, most, parts = 1;
        };
        std::vector<Piece> pieces;
        for (const RegionReduction& region : regions)
            for (std::int64_t i = 0; i < region.count; ++i) {
                const std::int64_t work =
                    ceilDiv(region.columns * region.rows, opsPerCycle(region.columns, out_, sum_));
                pieces.push_back(
                    {region, work, vertexOverhead + work,
                     std::min(region.rows / 2, (vertexOverhead + work) / leastCycles)});
            }
        for (; idle > 0 && !pieces.empty(); --idle) {
            Piece& slowest =
                *std::max_element(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
                    return a.estimate < b.estimate;
                });
            const std::int64_t after = 2 * vertexOverhead + slowest.work / (slowest.parts + 1);
            if (slowest.parts + 1 >= slowest.most || after >= slowest.estimate)
                break;
            slowest.estimate = after;
            ++slowest.parts;
        }
        for (const Piece& piece : pieces) {
            const std::int64_t rows = ceilDiv(piece.region.rows, piece.parts);
            add(first_, cycles(piece.region.columns, rows, in_), piece.parts);
            if (piece.parts == 1)
                continue;
            add(second_, cycles(piece.region.columns, piece.parts, out_), 1);
            secondElements_ += piece.region.columns * piece.parts;
        }
    }

    const Target& target_;
    std::int64_t in_, out_; ///< elements of 64 bits
    std::int64_t grain_;
    bool convert_, sum_, logAdd_, half_;
    std::vector<std::int64_t> first_, second_; ///< worker cycles of the vertices
    std::int64_t secondElements_ = 0;
};

} // namespace

OnTileReduction reduceOnTile(const Target& target, ReduceFunction function, DataType in,
                             DataType out, const std::vector<RegionReduction>& regions) {
    if (regions.empty())
        return {};
    return TileReducer(target, function, in, out).run(regions);
}

std::int64_t reduceGrain(const Target& target, ReduceFunction function, DataType type) {
    return vectorWidth(target, type) * (isSum(function) ? 2 : 1);
}

std::int64_t balancedReduceCycles(const Target& target, std::int64_t outputs, std::int64_t depth,
                                  DataType type) {
    if (outputs == 0 || depth <= 1)
        return 0;
    const std::int64_t vector = vectorWidth(target, type);
    const std::int64_t columns =
        std::min(outputs, ceilDiv(ceilDiv(outputs, vector), target.workers) * vector);
    return target.workers * stridedCycles(columns, depth, vector);
}

DataType reducePartialType(ReduceFunction function, DataType out) {
    const bool wider = isSum(function) || function == ReduceFunction::Multiply ||
                       function == ReduceFunction::LogAdd;
    return out == DataType::Half && wider ? DataType::Float : out;
}

std::string reduceVertex(ReduceFunction function, DataType in, DataType out) {
    const std::string_view name = function == ReduceFunction::Mean ? "ADD" : toString(function);
    return fmt::format("popops::Reduce<popops::Reduce{},{},{},false,3>", name, toString(in),
                       toString(out));
}

} // namespace tilescope::sim
