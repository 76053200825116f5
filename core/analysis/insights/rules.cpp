#include "core/analysis/insights/rules.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/base/units.h"

namespace tilescope {

InsightLevel levelOf(double share) {
    constexpr double warningShare = 0.25;
    return share >= warningShare ? InsightLevel::Warning : InsightLevel::Note;
}

InsightCost costOf(std::int64_t cycles, const MainRun& run) {
    return {cycles, 0, run.share(cycles)};
}

InsightCost memoryCost(const Facts& p, std::int64_t bytes, TileId tile) {
    const Target& target = p.info().target;
    const double tiles = tile.valid() ? 1 : target.totalTiles();
    const double memory = static_cast<double>(target.bytesPerTile) * tiles;
    return {0, bytes, memory > 0 ? static_cast<double>(bytes) / memory : 0, 0, tile.valid()};
}

std::optional<Insight> boundBy(const Facts& p, IpuId ipu, const char* what, std::int64_t cycles) {
    constexpr double least = 0.1; // of the run
    if (!p.run())
        return std::nullopt;
    const MainRun& run = *p.run();
    Insight insight;
    insight.cost = costOf(cycles, run);
    if (insight.cost.share < least)
        return std::nullopt;
    insight.level = levelOf(insight.cost.share);
    const std::string whose =
        p.info().target.ipus > 1 ? fmt::format(" of IPU {}", ipu.value()) : std::string();
    insight.title =
        fmt::format("{} of the cycles{} are {}", formatPercent(insight.cost.share, 1), whose, what);
    insight.link.report = "trace";
    insight.evidence = {cyclesOf(what, cycles), cyclesOf("run", run.range.cycles()),
                        shareOf("share", insight.cost.share)};
    return insight;
}

IpuCycles mostOf(const Facts& p, ProgramKind kind) {
    IpuCycles most;
    if (!p.run())
        return most;
    for (std::int32_t i = 0; i < p.info().target.ipus; ++i) {
        const IpuId ipu(i);
        const std::int64_t cycles = p.trace().statistics(ipu, p.run()->range).sums.cycles(kind);
        if (!most.ipu.valid() || cycles > most.cycles)
            most = {ipu, cycles};
    }
    return most;
}

Steps longestFirst(const Facts& p, Steps steps) {
    std::stable_sort(steps.begin(), steps.end(),
                     [&](ProgramId a, ProgramId b) { return p.cyclesOf({a}) > p.cyclesOf({b}); });
    return steps;
}

void addProportion(const Facts& p, OperationId operation, Insight& insight) {
    if (!operation.valid() || operation.index() >= p.operations().size())
        return;
    const Operation& planned = p.operations()[operation];
    if (const std::string proportion = proportionOf(planned); !proportion.empty())
        insight.evidence.push_back(
            textOf(fmt::format("availableMemoryProportion of '{}'", planned.name), proportion));
}

Evidence bytesOf(std::string label, std::int64_t bytes, TileId tile, OperationId operation) {
    return {std::move(label), static_cast<double>(bytes), Unit::Bytes, tile, operation, {}};
}

Evidence cyclesOf(std::string label, std::int64_t cycles, OperationId operation) {
    return {std::move(label), static_cast<double>(cycles), Unit::Cycles, {}, operation, {}};
}

Evidence shareOf(std::string label, double share) {
    return {std::move(label), share, Unit::Share, {}, {}, {}};
}

Evidence countOf(std::string label, std::int64_t count) {
    return {std::move(label), static_cast<double>(count), Unit::Count, {}, {}, {}};
}

Evidence textOf(std::string label, std::string text) {
    return {std::move(label), 0, Unit::None, {}, {}, std::move(text)};
}

} // namespace tilescope
