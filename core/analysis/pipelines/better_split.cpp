// Which contiguous split of the operations has the shortest longest stage.
#include <algorithm>

#include "core/analysis/pipelines/stage_times.h"

namespace tilescope {
namespace {

/// First operations of the stages if none takes longer than `most`; fewer than `stages` if the
/// operations do not fill them, more if they do not fit.
std::vector<std::size_t> cutAt(const std::vector<PassCycles>& operations, std::size_t stages,
                               std::int64_t most) {
    std::vector<std::size_t> starts{0};
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::int64_t cycles = operations[i].sum();
        const std::size_t open = stages - std::min(stages, starts.size());
        const bool mustCut = open > 0 && operations.size() - i <= open && i > starts.back();
        if ((sum + cycles > most && sum > 0) || mustCut) {
            starts.push_back(i);
            sum = 0;
        }
        sum += cycles;
    }
    return starts;
}

std::vector<std::size_t> balancedStarts(const std::vector<PassCycles>& operations,
                                        std::size_t stages) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const PassCycles& op : operations) {
        low = std::max(low, op.sum());
        high += op.sum();
    }
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (cutAt(operations, stages, middle).size() <= stages)
            high = middle;
        else
            low = middle + 1;
    }
    return cutAt(operations, stages, high);
}

bool isBelow(const std::string& name, const std::string& scope) {
    return name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/');
}

/// The shortest scope that begins with this operation, which --split takes as the boundary.
std::string boundaryName(const std::vector<StagedOperation>& operations, std::size_t at) {
    const std::string& name = operations[at].name;
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
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
    if (stages < 2 || times.operations.size() < stages || stepCycles <= 0)
        return {};
    const std::vector<std::size_t> starts = balancedStarts(times.operations, stages);
    if (starts.size() != stages)
        return {};
    std::vector<PassCycles> expected(stages);
    std::size_t stage = 0;
    for (std::size_t i = 0; i < times.operations.size(); ++i) {
        if (stage + 1 < stages && starts[stage + 1] == i)
            ++stage;
        expected[stage].forward += times.operations[i].forward;
        expected[stage].backward += times.operations[i].backward;
    }
    BetterSplit better;
    better.gainCycles = pipeline.iterations *
                        (slotSums(pipeline, times.stages, times.fifos).total -
                         slotSums(pipeline, expected, times.fifos).total);
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
