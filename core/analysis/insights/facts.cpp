#include "core/analysis/insights/facts.h"

#include <algorithm>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

TileId fullestTileOf(const IdVector<TileId, TileMemory>& tiles) {
    TileId fullest;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (const TileId tile(i);
            !fullest.valid() || tiles[tile].includingGaps > tiles[fullest].includingGaps)
            fullest = tile;
    return fullest;
}

std::optional<MainRun> mainRunOf(const ProfileView& profile, const std::stop_token& stop) {
    if (!profile.info().hasExecution)
        return std::nullopt;
    const auto trace = profile.trace(stop);
    if (trace->runs().empty())
        return std::nullopt;
    const TraceRun& run = trace->runs().back();
    MainRun result{{run.start, run.start + run.cycles}, {}, {}};
    for (std::int32_t ipu = 0; ipu < profile.machine().ipus; ++ipu) {
        const TraceStatistics statistics = trace->statistics(IpuId(ipu), result.range);
        if (result.ipu.valid() && statistics.sums.compute() >= result.worst.sums.compute())
            continue;
        result.worst = statistics;
        result.ipu = IpuId(ipu);
    }
    return result;
}

} // namespace

double MainRun::share(std::int64_t cycles) const {
    return range.cycles() > 0 ? static_cast<double>(cycles) / static_cast<double>(range.cycles())
                              : 0;
}

Facts::Facts(const ProfileView& profile, const std::stop_token& stop)
    : profile_(profile)
    , stop_(stop)
    , programs_(profile.programs(stop))
    , pipeline_(pipelineReport(profile, stop))
    , liveness_(livenessOf(profile, TileSelection::all(), stop))
    , fullest_(fullestTileOf(tileMemory()))
    , accounting_(accountingOf(profile, stop))
    , places_(costRows(profile, *accounting_, CostLayer::Place, 1, stop))
    , run_(mainRunOf(profile, stop))
    , executed_(programs().size()) {
    for (const CostPlace& place : accounting_->places())
        for (const PlacedStep& step : place.steps)
            if (step.program.valid()) {
                ProgramExecutions& of = executed_.at(step.program.index())[step.once.ipu];
                of.count = saturatingSum(of.count, step.executions);
                of.cycles += run_ ? step.cycles : step.once.cycles;
            }
}

std::int64_t Facts::cyclesOn(IpuId ipu, const Steps& steps) const {
    std::int64_t cycles = 0;
    for (const ProgramId step : steps)
        if (step.valid() && step.index() < executed_.size())
            if (const auto found = executed_[step.index()].find(ipu);
                found != executed_[step.index()].end())
                cycles += found->second.cycles;
    return cycles;
}

std::int64_t Facts::cyclesOf(const Steps& steps) const {
    std::int64_t most = 0;
    for (std::int32_t ipu = 0; ipu < info().target.ipus; ++ipu)
        most = std::max(most, cyclesOn(IpuId(ipu), steps));
    return most;
}

std::int64_t Facts::executionsOf(ProgramId step) const {
    std::int64_t most = 0;
    if (step.valid() && step.index() < executed_.size())
        for (const auto& [ipu, executed] : executed_[step.index()])
            most = std::max(most, executed.count);
    return most;
}

// Without the option a model has the precision of its own weights. Optimizer state and accumulators
// have options of their own.
bool Facts::isHalf() const {
    const auto inForce = [&](const char* key) {
        const auto given = info().options.find(key);
        return given == info().options.end() ? std::string() : given->second;
    };
    if (const std::string precision = inForce("precision"); !precision.empty())
        return precision == "half";
    if (inForce("accumulationType") == "half" || inForce("optimizerStateType") == "half")
        return false;
    return std::any_of(variables().begin(), variables().end(), [](const Variable& v) {
        return v.alwaysLive && v.category == MemoryCategory::Variable && v.type == "half";
    });
}

bool Facts::isRemote(ProgramId program) const {
    if (program.index() >= programs().size())
        return false;
    const StreamId stream = programs()[program].stream;
    return stream.valid() && stream.index() < streams().size() &&
           streams()[stream].remoteBuffer.valid();
}

std::string Facts::nameOf(OperationId id) const {
    return id.valid() && id.index() < operations().size() ? operations()[id].name : "no operation";
}

std::int64_t Facts::ownCodeOf(OperationId id) const {
    std::int64_t code = 0;
    for (const auto& [ipu, bytes] : memoryByOperation(profile_, stop_)->byOperation.at(id.index()))
        code += bytes.exchangeCode + bytes.controlCode;
    return code;
}

LivenessSeries Facts::livenessOn(TileId tile) const {
    return livenessOf(profile_, TileSelection::ofTile(tile), stop_);
}

std::vector<SizedPart> Facts::largest(PartKind kind) const {
    return largestParts(profile_, kind, TileSelection::all(), stop_);
}

} // namespace tilescope
