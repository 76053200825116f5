#include "simulator/planner/pool_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

/// Elements of a 64-bit vector.
std::int64_t vectorWidth(const Target& target, DataType type) {
    return type == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
}

/// Groups have at most so many vectors: exchanging and rearranging larger ones takes memory.
constexpr std::int64_t mostVectors = 8;

/// The group that other operations work best with, in bytes.
constexpr std::int64_t preferredGroupBytes = 32;

/// Where there are too few channels for a vector, elements of other dimensions fill it instead of
/// zeros: such as no window joins, then of the batch.
PoolGroup filledGroup(const PoolProblem& problem, std::int64_t width) {
    PoolGroup group{problem.channels, 1, 1};
    std::int64_t factor = std::lcm(problem.channels, width) / problem.channels;
    const FieldDim& inner = problem.field.back();
    if (inner.kernel == 1 && inner.stride == 1 && inner.inDilation == 1) {
        group.inner = std::gcd(factor, inner.out);
        factor /= group.inner;
    }
    group.batch = std::gcd(factor, problem.batch);
    return group;
}

class PoolSearch {
public:
    PoolSearch(const Target& target, const PoolProblem& problem)
        : target_(target)
        , problem_(problem)
        , width_(vectorWidth(target, problem.type))
        , block_(problem.field.size(), 1)
        , splits_(problem.field.size() + 2, 1) {
        for (const FieldDim& dim : problem.field)
            positions_ *= dim.kernel;
    }

    PoolPlan run() {
        if (problem_.channels < width_) {
            search(filledGroup(problem_, width_));
            return std::move(best_);
        }
        const std::int64_t stored = ceilDiv(problem_.storedGroup, width_);
        const std::int64_t most = problem_.isFlat() ? 1 : ceilDiv(problem_.channels, width_);
        const std::int64_t vectors =
            std::max<std::int64_t>(1, std::min({stored, most, mostVectors}));
        for (std::int64_t n = 1; n <= vectors; ++n)
            search({n * width_, 1, 1});
        return preferred(std::move(best_));
    }

private:
    PoolPlan preferred(PoolPlan fastest) {
        const std::int64_t group = preferredGroupBytes / bytesOf(problem_.type);
        if (fastest.group.channels >= group || problem_.channels < group)
            return fastest;
        best_ = {};
        least_ = std::numeric_limits<std::int64_t>::max();
        search({group, 1, 1});
        return best_.cycles() < fastest.cycles() * 4 / 3 ? std::move(best_) : fastest;
    }

    void search(const PoolGroup& group) {
        group_ = group;
        cutField(0, target_.tilesPerIpu);
    }

    void cutField(std::size_t d, std::int64_t tiles) {
        if (d == problem_.field.size()) {
            cutBatch(tiles);
            return;
        }
        const bool innermost = d + 1 == problem_.field.size();
        const std::int64_t grain = innermost ? group_.inner : 1;
        const std::int64_t size = ceilDiv(problem_.field[d].out, grain);
        for (const std::int64_t parts : distinctSplits(size, tiles)) {
            splits_[d + 2] = parts;
            block_[d] = ceilDiv(size, parts);
            cutField(d + 1, tiles / parts);
        }
    }

    void cutBatch(std::int64_t tiles) {
        const std::int64_t batch = problem_.batch / group_.batch;
        const std::int64_t groups = ceilDiv(problem_.channels, group_.channels);
        for (const std::int64_t parts : distinctSplits(batch, tiles)) {
            splits_[0] = parts;
            batch_ = ceilDiv(batch, parts);
            // More parts of the channels never take longer: the fewest with so few groups.
            groups_ = ceilDiv(groups, std::min(groups, tiles / parts));
            splits_[1] = ceilDiv(groups, groups_);
            consider();
        }
    }

    void consider() {
        const std::int64_t bytes = bytesPerTile();
        const std::int64_t exchange = exchangeCycles(target_, bytes);
        const std::int64_t rearrange =
            group_.elements() == problem_.storedGroup ? 0 : bytes / rearrangedBytesPerCycle;
        if (exchange + rearrange + leastCompute() >= least_)
            return;
        const std::int64_t compute = computeCycles();
        if (compute + exchange + rearrange >= least_)
            return;
        least_ = compute + exchange + rearrange;
        best_.problem = problem_;
        best_.group = group_;
        best_.splits = splits_;
        best_.grains.assign(splits_.size(), 1);
        best_.grains[0] = group_.batch;
        best_.grains[1] = group_.channels;
        best_.grains.back() = group_.inner;
        best_.computeCycles = compute;
        best_.exchangeCycles = exchange;
        best_.rearrangeCycles = rearrange;
    }

    [[nodiscard]] std::int64_t results() const {
        return std::accumulate(block_.begin(), block_.end(), std::int64_t{1}, std::multiplies<>());
    }
    [[nodiscard]] std::int64_t vectors() const { return ceilDiv(group_.elements(), width_); }

    /// Everything is taken to be brought to the tile; the gradient of a maximum reads the pooled
    /// values, too, and the inputs that they came from.
    [[nodiscard]] std::int64_t bytesPerTile() const {
        std::int64_t read = 1;
        for (std::size_t d = 0; d < block_.size(); ++d) {
            const FieldDim& dim = problem_.field[d];
            read *= std::max<std::int64_t>(1, block_[d] * dim.stride + dim.kernel - dim.stride);
        }
        const std::int64_t each = batch_ * groups_ * group_.elements() * bytesOf(problem_.type);
        const bool findsMaximum = problem_.gradient && problem_.kind == PoolKind::Max;
        return findsMaximum ? (2 * read + results()) * each : read * each;
    }

    /// A bound of computeCycles(): the vectors alone, evenly shared.
    [[nodiscard]] std::int64_t leastCompute() const {
        const std::int64_t met = ceilDiv(results(), problem_.field.back().inDilation);
        return 3 * met * batch_ * groups_ * vectors() * positions_;
    }

    [[nodiscard]] std::int64_t computeCycles() {
        std::int64_t most = computeOf();
        if (problem_.isFlat())
            return most;
        // Smaller blocks beside the largest ones may share out worse over the workers.
        for (std::size_t d = 0; d < block_.size(); ++d) {
            if (problem_.field[d].out % block_[d] == 0)
                continue;
            --block_[d];
            most = std::max(most, computeOf());
            ++block_[d];
        }
        return most;
    }

    [[nodiscard]] std::int64_t computeOf() const {
        PoolVertex vertex{problem_.kind, problem_.gradient && problem_.kind == PoolKind::Max, 1,
                          vectors()};
        PoolTileSizes sizes;
        sizes.positions = positions_;
        sizes.step = problem_.field.back().inDilation;
        if (problem_.isFlat()) {
            sizes.rowLength = batch_ * groups_ * results();
            return poolCycles(target_, vertex, sizes);
        }
        sizes.rowLength = block_.back();
        sizes.rows = results() / block_.back();
        // Without a gradient samples are more channels.
        vertex.groups = problem_.gradient ? groups_ : batch_ * groups_;
        if (problem_.gradient)
            sizes.rows *= batch_;
        return poolCycles(target_, vertex, sizes);
    }

    /// PopLibs' penalty.
    static constexpr std::int64_t rearrangedBytesPerCycle = 4;

    const Target& target_;
    const PoolProblem& problem_;
    std::int64_t width_;
    std::int64_t positions_ = 1;
    PoolGroup group_;
    std::int64_t batch_ = 1, groups_ = 1; ///< of the largest block, as block_
    std::vector<std::int64_t> block_;
    std::vector<std::int64_t> splits_;
    PoolPlan best_;
    std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
};

} // namespace

bool PoolProblem::isFlat() const {
    return !gradient && std::all_of(field.begin(), field.end(), [](const FieldDim& dim) {
        return dim.padBegin == 0 && dim.dilation == 1 && dim.stride >= dim.kernel &&
               dim.out * dim.stride == dim.in;
    });
}

PoolVertex PoolPlan::vertexOf(std::int64_t batch, std::int64_t channels) const {
    PoolVertex vertex{problem.kind, problem.gradient && problem.kind == PoolKind::Max};
    vertex.vectors = ceilDiv(group.elements() * bytesOf(problem.type), 8);
    if (problem.isFlat())
        return vertex;
    vertex.groups = ceilDiv(channels, group.channels);
    if (!problem.gradient)
        vertex.groups *= ceilDiv(batch, group.batch);
    return vertex;
}

PoolPlan planPool(const Target& target, const PoolProblem& problem) {
    return PoolSearch(target, problem).run();
}

} // namespace tilescope::sim
