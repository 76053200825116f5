#include "core/analysis/insights/facts.h"

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

std::optional<MainRun> mainRunOf(const InsightParts& p) {
    if (!p.info.hasExecution || p.trace.runs().empty())
        return std::nullopt;
    const TraceRun& run = p.trace.runs().back();
    MainRun result{{run.start, run.start + run.cycles}, {}, {}};
    for (std::int32_t ipu = 0; ipu < p.info.target.ipus; ++ipu) {
        const TraceStatistics statistics = p.trace.statistics(IpuId(ipu), result.range);
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

Facts::Facts(const InsightParts& parts)
    : p_(parts)
    , liveness_(livenessOf(p_.info.target, p_.variables, p_.livenessClasses, p_.steps.size(),
                           TileSelection::all()))
    , fullest_(fullestTileOf(p_.tileMemory))
    , run_(mainRunOf(p_)) {
    if (p_.info.hasExecution)
        executions_ = p_.trace.executions(p_.programs.size());
    const OperationSources sources{p_.operations, p_.variables, p_.computeSets, p_.exchanges,
                                   p_.programs,   p_.copies,    &p_.vertexTypes};
    groups_ = operationGroups({sources, p_.info.target, executions_}, OperationLayer::Operation);
}

std::int64_t Facts::cyclesOf(ProgramId program, std::int64_t once) const {
    return program.valid() && program.index() < executions_.size()
               ? executions_[program.index()].cycles
               : once;
}

std::string Facts::nameOf(OperationId id) const {
    return id.valid() && id.index() < p_.operations.size() ? p_.operations[id].name
                                                           : "no operation";
}

LivenessSeries Facts::livenessOn(TileId tile) const {
    return livenessOf(p_.info.target, p_.variables, p_.livenessClasses, p_.steps.size(),
                      TileSelection::ofTile(tile));
}

MemoryParts Facts::memory() const {
    return {p_.info.target, p_.variables, p_.livenessClasses, p_.vertexTypes,
            p_.computeSets, p_.exchanges, p_.steps.size()};
}

} // namespace tilescope
