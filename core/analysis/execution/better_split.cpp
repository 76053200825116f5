// Which contiguous split of the operations has the shortest longest stage.
#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "core/analysis/execution/stage_times.h"

namespace tilescope {
namespace {

/// True if the operations can be cut in `stages` runs of at most `most` each.
bool fits(const std::vector<PassCycles>& operations, std::size_t stages, std::int64_t most) {
    std::size_t used = 1;
    std::int64_t sum = 0;
    for (const PassCycles& op : operations) {
        if (sum + op.sum() > most && sum > 0) {
            ++used;
            sum = 0;
        }
        sum += op.sum();
    }
    return used <= stages;
}

/// The least length that the longest stage can have.
std::int64_t leastLongest(const std::vector<PassCycles>& operations, std::size_t stages) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const PassCycles& op : operations) {
        low = std::max(low, op.sum());
        high += op.sum();
    }
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (fits(operations, stages, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/// First operations of the stages: among the splits with the shortest longest stage, the one with
/// the least sum of squares, so that the other stages are balanced too; among equal ones the latest
/// cut.
std::vector<std::size_t> balancedStarts(const std::vector<PassCycles>& operations,
                                        std::size_t stages) {
    const std::size_t count = operations.size();
    const std::int64_t most = leastLongest(operations, stages);
    constexpr double impossible = std::numeric_limits<double>::infinity();
    std::vector<double> best(count + 1, impossible);
    best[0] = 0;
    std::vector<std::vector<std::size_t>> cut(stages, std::vector<std::size_t>(count + 1, 0));
    for (std::size_t stage = 0; stage < stages; ++stage) {
        std::vector<double> next(count + 1, impossible);
        for (std::size_t end = 1; end <= count; ++end) {
            std::int64_t sum = 0;
            for (std::size_t from = end; from-- > 0;) {
                sum += operations[from].sum();
                if (sum > most)
                    break;
                const double squares =
                    best[from] + static_cast<double>(sum) * static_cast<double>(sum);
                if (squares < next[end]) {
                    next[end] = squares;
                    cut[stage][end] = from;
                }
            }
        }
        best = std::move(next);
    }
    if (best[count] == impossible)
        return {};
    std::vector<std::size_t> starts(stages);
    for (std::size_t stage = stages, end = count; stage-- > 0;)
        end = starts[stage] = cut[stage][end];
    return starts;
}

/// The scope that an operation is in. An operation below another one ("conv1/bias") belongs to that
/// one's scope.
std::string blockOf(std::string name, const std::set<std::string_view>& names) {
    std::string scope;
    do {
        const std::size_t slash = name.rfind('/');
        scope = name.substr(0, slash == std::string::npos ? 0 : slash);
        name = scope;
    } while (!scope.empty() && names.contains(scope));
    return scope;
}

/// Whether one of two blocks is within the other, or the same; the model itself is not a block.
bool isOneBlock(const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && (isBelow(a, b) || isBelow(b, a));
}

/// The operations at which a stage may begin. Inside a block of the model its shortcuts would pass
/// to the next IPU as well, and what passes at such a place is not recorded: copies between IPUs
/// take as long as whole stages, so stages begin with a block or with an operation outside of any.
std::vector<std::size_t> blockStarts(const std::vector<StagedOperation>& operations) {
    std::set<std::string_view> names;
    for (const StagedOperation& op : operations)
        names.insert(op.name);
    std::vector<std::size_t> starts;
    std::string before;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::string block = blockOf(operations[i].name, names);
        const bool inside = i > 0 && (isOneBlock(block, before) ||
                                      isBelow(operations[i].name, operations[starts.back()].name));
        if (!inside)
            starts.push_back(i);
        before = block;
    }
    return starts;
}

/// Cycles of the operations from each start to the next.
std::vector<PassCycles> cyclesOfBlocks(const std::vector<PassCycles>& operations,
                                       const std::vector<std::size_t>& starts) {
    std::vector<PassCycles> blocks(starts.size());
    std::size_t block = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (block + 1 < starts.size() && starts[block + 1] == i)
            ++block;
        blocks[block].forward += operations[i].forward;
        blocks[block].backward += operations[i].backward;
    }
    return blocks;
}

/// The shortest scope that begins with this operation, which --split takes as the boundary.
std::string boundaryName(const std::vector<StagedOperation>& operations, std::size_t at) {
    // Names in a damaged file may nest deeper than is useful.
    constexpr int deepest = 100;
    const std::string& name = operations[at].name;
    std::size_t end = name.find('/');
    for (int depth = 0; depth < deepest && end != std::string::npos;
         ++depth, end = name.find('/', end + 1)) {
        const std::string scope = name.substr(0, end);
        if (std::none_of(operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(at),
                         [&](const StagedOperation& op) { return isBelow(op.name, scope); }))
            return scope;
    }
    return name;
}

} // namespace

BetterSplit betterSplit(const Pipeline& pipeline, const StageTimes& times,
                        std::int64_t stepCycles) {
    const std::size_t stages = pipeline.stages.size();
    const bool sharesIpus =
        workByIpu(pipeline, std::vector<std::int64_t>(stages, 0)).size() < stages;
    const std::vector<std::size_t> blocks = blockStarts(pipeline.operations);
    if (stages < 2 || sharesIpus || blocks.size() < stages || stepCycles <= 0)
        return {};
    std::vector<std::size_t> starts =
        balancedStarts(cyclesOfBlocks(times.operations, blocks), stages);
    if (starts.size() != stages)
        return {};
    for (std::size_t& start : starts)
        start = blocks[start];
    const std::vector<PassCycles> expected = cyclesOfBlocks(times.operations, starts);
    BetterSplit better;
    const double gain = static_cast<double>(pipeline.iterations) *
                        (slotSums(pipeline, times.stages, times.fifos).total -
                         slotSums(pipeline, expected, times.fifos).total);
    // The gain cannot exceed the step itself.
    better.gainCycles =
        static_cast<std::int64_t>(std::clamp(gain, 0.0, static_cast<double>(stepCycles)));
    better.gain = static_cast<double>(better.gainCycles) / static_cast<double>(stepCycles);
    if (better.gainCycles <= 0)
        return {};
    for (const PassCycles& one : expected) {
        better.stageCycles.push_back(one.sum());
        better.longestCycles = std::max(better.longestCycles, one.sum());
    }
    for (std::size_t i = 1; i < stages; ++i)
        better.split.push_back(boundaryName(pipeline.operations, starts[i]));
    return better;
}

} // namespace tilescope
