#include "core/trace/counters.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/trace/lane_cursor.h"
#include "core/trace/search.h"

namespace tilescope {
namespace {

/// Sums of one IPU from the start of the execution up to points that ascend: the steps of the block
/// that was read last are kept.
class RunningSums {
public:
    RunningSums(const TraceLanes& lanes, IpuId ipu, std::int64_t coarse)
        : lanes_(lanes)
        , ipu_(ipu)
        , coarse_(coarse) {}

    [[nodiscard]] TraceSums until(std::int64_t cycle) {
        TraceSums sums;
        for (const TraceRun& run : lanes_.outline().runs)
            sums += ofBody(run.body, cycle - run.start);
        return sums;
    }

private:
    /// The sums of each entry of a block.
    struct BlockSteps {
        std::size_t block = static_cast<std::size_t>(-1);
        std::vector<TraceSums> sums;
    };

    TraceSums ofBody(TraceBodyId body, std::int64_t to) {
        LaneCursor cursor(lanes_, body, ipu_);
        if (to <= 0)
            return {};
        if (to >= cursor.lane().length)
            return cursor.lane().total;
        const std::size_t block = cursor.wholeBlocks(0, to).end;
        TraceSums sums = cursor.sumsBefore(block);
        if (const LaneBlock* narrow = narrowBlock(cursor, block, to)) {
            const TraceSums all = cursor.sumsBefore(block + 1) - sums;
            sums += all.share(to - narrow->begin, narrow->maxEnd - narrow->begin);
            return sums;
        }
        const std::size_t end = cursor.firstBeginningAt(to);
        for (std::size_t i = block * entriesPerBlock; i < end; ++i)
            sums += ofEntry(body, cursor, i, to);
        return sums;
    }

    /// The block, if it is the only one active at a cycle, and too narrow to be read.
    const LaneBlock* narrowBlock(const LaneCursor& cursor, std::size_t at, std::int64_t to) const {
        const std::vector<LaneBlock>& blocks = cursor.summary();
        if (at >= blocks.size())
            return nullptr;
        const bool alone = at + 1 == blocks.size() || blocks[at + 1].begin >= to;
        const bool narrow = blocks[at].maxEnd - blocks[at].begin < coarse_;
        return alone && narrow && blocks[at].begin < to ? &blocks[at] : nullptr;
    }

    TraceSums ofEntry(TraceBodyId body, LaneCursor& cursor, std::size_t at, std::int64_t to) {
        const LaneEntry entry = cursor.at(at);
        if (entry.call >= 0 && to < entry.end)
            return ofCall(lanes_.repetition(body, entry), to - entry.begin);
        const TraceSums all = sumsOf(body, cursor, at);
        return to >= entry.end ? all : all.share(to - entry.begin, entry.end - entry.begin);
    }

    TraceSums ofCall(const Repetition& r, std::int64_t to) {
        const auto [first, end] = r.touched(0, to);
        const auto [firstWhole, endWhole] = r.whole(0, to);
        TraceSums sums = lanes_.lane(r.callee, ipu_).total.times(endWhole - firstWhole);
        for (std::int64_t k = endWhole; k < end; ++k)
            sums += ofBody(r.callee, to - k * r.period);
        return sums;
    }

    TraceSums sumsOf(TraceBodyId body, LaneCursor& cursor, std::size_t at) {
        const std::size_t block = at / entriesPerBlock;
        BlockSteps& known = steps_[body.index()];
        if (known.block != block) {
            known.block = block;
            known.sums.clear();
            const std::size_t first = block * entriesPerBlock;
            const std::size_t end = std::min(first + entriesPerBlock, cursor.lane().count);
            for (std::size_t i = first; i < end; ++i)
                known.sums.push_back(lanes_.sumsOf(body, ipu_, LaneEntry(cursor.at(i))));
        }
        return known.sums[at % entriesPerBlock];
    }

    const TraceLanes& lanes_;
    IpuId ipu_;
    std::int64_t coarse_;
    std::unordered_map<std::size_t, BlockSteps> steps_; ///< by body
};

} // namespace

std::vector<TraceSums> columnSums(const TraceIndex& index, IpuId ipu, const CycleColumns& columns,
                                  std::int64_t columnsOfBlock, const std::stop_token& stop) {
    const TraceLanes& lanes = index.lanes();
    requireIpu(lanes, ipu);
    std::vector<TraceSums> sums(columns.count());
    if (sums.empty())
        return sums;
    const std::int64_t width = columns.range().cycles() / static_cast<std::int64_t>(sums.size());
    RunningSums running(lanes, ipu, lanes.inPages() ? columnsOfBlock * width : 0);
    TraceSums before = running.until(columns.range().begin);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (stop.stop_requested())
            throw Cancelled();
        const TraceSums until = running.until(columns.border(i + 1));
        sums[i] = until - before;
        sums[i].steps = 0;
        before = until;
    }
    return sums;
}

} // namespace tilescope
