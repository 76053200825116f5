#include "simulator/lowering/operations/pool_work.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/base/ceil_div.h"
#include "simulator/cost/footprint.h"
#include "simulator/layout/tile_walk.h"

namespace tilescope::sim {
namespace {

/// Results of which the n-th is the first that a position of the kernel reaches, and how many.
struct Meeting {
    std::int64_t first = 0, count = 0;
};

/// Results [begin, end) of a dimension whose window has an input at kernel index `k`. One of stride
/// and inDilation is 1.
Meeting meeting(const FieldDim& dim, Interval results, std::int64_t k) {
    const std::int64_t offset = k * dim.dilation - dim.padBegin;
    const std::int64_t last = (dim.in - 1) * dim.inDilation; // where the input's last index lies
    // From result to result the window moves by the stride.
    const std::int64_t begin =
        std::max(results.begin, offset < 0 ? ceilDiv(-offset, dim.stride) : 0);
    const std::int64_t end =
        last < offset ? begin : std::min(results.end, (last - offset) / dim.stride + 1);
    if (end <= begin)
        return {};
    const std::int64_t step = dim.inDilation;
    const std::int64_t beside = (begin * dim.stride + offset) % step;
    const std::int64_t first = begin + (beside == 0 ? 0 : step - beside);
    return first < end ? Meeting{first - results.begin, ceilDiv(end - first, step)} : Meeting{};
}

/// What one tile does, and the bytes of its lists.
struct TileWork {
    std::int64_t cycles = 0, worklists = 0, lists = 0;
};

/// The work of a tile from its block.
class TileRows {
public:
    TileRows(const Target& target, const PoolPlan& plan, std::int64_t batch, std::int64_t channels,
             std::vector<Interval> field)
        : target_(target)
        , dims_(plan.problem.field)
        , vertex_(plan.vertexOf(batch, channels))
        , terms_(target, vertex_)
        , field_(std::move(field)) {
        if (plan.problem.isFlat()) {
            flatten(ceilDiv(batch, plan.group.batch) * ceilDiv(channels, plan.group.channels));
            return;
        }
        // Elements of the innermost dimension that share a vector are pooled alike.
        Interval& inner = field_.back();
        inner = {inner.begin / plan.group.inner, ceilDiv(inner.end, plan.group.inner)};
        dims_.back().in /= plan.group.inner;
        rows_ = plan.problem.gradient ? ceilDiv(batch, plan.group.batch) : 1;
        for (std::size_t d = 0; d + 1 < field_.size(); ++d)
            rows_ *= field_[d].size();
        rowLength_ = field_.back().size();
    }

    TileWork work() {
        const std::int64_t results = rows_ * rowLength_;
        TileWork work;
        if (results == 0 || vertex_.groups == 0)
            return work;
        std::int64_t busiest = 0;
        for (std::int64_t nth = 0; nth < target_.workers; ++nth) {
            const std::int64_t cycles = rowsOf(
                {nth * results / target_.workers, (nth + 1) * results / target_.workers}, work);
            busiest = std::max(busiest, terms_.worker(results, cycles));
        }
        work.cycles = terms_.vertex(busiest);
        work.worklists += target_.workers * countBytes; // where each worker's rows begin
        return work;
    }

private:
    static constexpr std::int64_t countBytes = 2;
    static constexpr std::int64_t itemBytes = 3 * countBytes; ///< two offsets, a length
    static constexpr std::int64_t baseBytes = 2 * countBytes; ///< of a row: two offsets

    /// All results are one row, in each of which every position of the kernel meets an input.
    void flatten(std::int64_t groups) {
        for (const Interval& part : field_)
            groups *= part.size();
        rowLength_ = groups;
        for (FieldDim& dim : dims_)
            dim = {dim.kernel, 1, dim.kernel, 1, 1, 0, 1};
        dims_.back() = {rowLength_ * dims_.back().kernel,
                        rowLength_,
                        dims_.back().kernel,
                        dims_.back().kernel,
                        1,
                        0,
                        1};
        field_.assign(field_.size(), {0, 1});
        field_.back() = {0, rowLength_};
    }

    /// A worker's run of results, row by row.
    std::int64_t rowsOf(Interval run, TileWork& work) {
        std::int64_t cycles = 0;
        while (run.begin < run.end) {
            const std::int64_t at = run.begin % rowLength_;
            const std::int64_t length = std::min(run.size(), rowLength_ - at);
            cycles += rowCycles(run.begin / rowLength_, {at, at + length}, work);
            run.begin += length;
        }
        return cycles;
    }

    std::int64_t rowCycles(std::int64_t row, Interval part, TileWork& work) {
        // What the outer dimensions leave of the kernel.
        std::vector<std::int64_t> list;
        std::int64_t outer = 1;
        for (std::size_t d = dims_.size() - 1; d-- > 0;) {
            const std::int64_t index = field_[d].begin + row % field_[d].size();
            row /= field_[d].size();
            std::int64_t met = 0;
            for (std::int64_t k = 0; k < dims_[d].kernel; ++k)
                if (meeting(dims_[d], {index, index + 1}, k).count > 0) {
                    list.push_back(k);
                    ++met;
                }
            outer *= met;
        }
        const FieldDim& inner = dims_.back();
        const std::int64_t begin = field_.back().begin;
        std::int64_t cycles = 0;
        std::int64_t items = 0;
        for (std::int64_t k = 0; k < inner.kernel; ++k) {
            const Meeting met = meeting(inner, {begin + part.begin, begin + part.end}, k);
            list.push_back(met.first);
            list.push_back(met.count);
            if (met.count == 0)
                continue;
            cycles += terms_.position(met.count);
            ++items;
        }
        if (outer * items == 0)
            return 0;
        work.worklists += baseBytes;
        work.lists += worklistDescriptorBytes;
        if (known_.insert(std::move(list)).second)
            work.worklists += outer * items * itemBytes;
        return terms_.row() + outer * cycles;
    }

    const Target& target_;
    std::vector<FieldDim> dims_;
    PoolVertex vertex_;
    PoolCycles terms_;
    std::vector<Interval> field_;
    std::int64_t rows_ = 1, rowLength_ = 1;
    std::set<std::vector<std::int64_t>> known_; ///< lists that the tile has
};

std::string contentOf(const PoolPlan& plan, const Blocking& result) {
    std::string content =
        fmt::format("pooling worklists {}{} {}", plan.problem.gradient ? "gradient " : "",
                    plan.problem.batch, plan.problem.channels);
    for (const FieldDim& dim : plan.problem.field)
        content += fmt::format(" {}:{}:{}:{}:{}:{}:{}", dim.in, dim.out, dim.kernel, dim.stride,
                               dim.dilation, dim.padBegin, dim.inDilation);
    return content + fmt::format(" {} {} from {}", fmt::join(plan.splits, "."),
                                 fmt::join(plan.grains, "."), result.firstTile);
}

} // namespace

PoolWork::PoolWork(const Target& target, const PoolPlan& plan, const Blocking& result)
    : content_(contentOf(plan, result)) {
    std::map<std::vector<std::int64_t>, TileWork> known;
    TileWalk walk(result);
    DenseTiles cycles(walk);
    DenseTiles worklists(walk);
    DenseTiles lists(walk);
    std::vector<std::int64_t> key;
    for (; !walk.done(); walk.next()) {
        const auto blockOf = [&](std::size_t d) {
            return result.dims[d].blocks[static_cast<std::size_t>(walk.index()[d])];
        };
        key = {blockOf(0).size(), blockOf(1).size()};
        for (std::size_t d = 2; d < result.dims.size(); ++d)
            key.push_back(walk.index()[d]);
        const auto [found, isNew] = known.try_emplace(key);
        if (isNew) {
            std::vector<Interval> field;
            for (std::size_t d = 2; d < result.dims.size(); ++d)
                field.push_back(blockOf(d));
            found->second = TileRows(target, plan, key[0], key[1], std::move(field)).work();
        }
        cycles.set(walk.tile(), found->second.cycles);
        worklists.set(walk.tile(), found->second.worklists);
        lists.set(walk.tile(), found->second.lists);
    }
    cycles_ = cycles.series();
    worklistBytes_ = worklists.series();
    listBytes_ = lists.series();
}

} // namespace tilescope::sim
