// Cycles in which nothing is computed, or by few tiles.
#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

// Below this balance most tiles wait for few.
constexpr double lowBalance = 0.5;

Steps longestExchanges(const Facts& p) {
    Steps steps;
    for (std::size_t i = 0; i < p.programs().size(); ++i)
        if (p.programs()[ProgramId(i)].exchange.valid())
            steps.emplace_back(i);
    return longestFirst(p, std::move(steps));
}

std::vector<Insight> findExchangeBound(const Facts& p) {
    if (!p.run())
        return {};
    std::optional<Insight> insight =
        boundBy(*p.run(), "exchange", p.run()->worst.sums.cycles(ProgramKind::DoExchange));
    if (!insight)
        return {};
    insight->advice = Adviser(p.info())
                          .raise("availableMemoryProportion", "lets the planner move less data")
                          .raise("batchSize", "moves weights less often")
                          .advice();
    insight->link.report = "exchanges";
    const Steps longest = longestExchanges(p);
    for (std::size_t i = 0; i < std::min(shownRows, longest.size()); ++i) {
        const Exchange& e = p.exchanges()[p.programs()[longest[i]].exchange];
        insight->evidence.push_back(cyclesOf(e.name, p.cyclesOf({longest[i]}), e.operation));
    }
    if (!longest.empty())
        insight->link.exchange = p.programs()[longest.front()].exchange;
    return {*insight};
}

// Syncs of a pipeline are mostly waits for other stages, which are told with these.
std::vector<Insight> findSyncBound(const Facts& p) {
    if (!p.run() || p.pipeline().stages.size() > 1)
        return {};
    const std::int64_t syncs = p.run()->worst.sums.sync();
    std::optional<Insight> insight = boundBy(*p.run(), "syncs", syncs);
    if (!insight)
        return {};
    insight->reason = "Every step ends with a sync of all tiles.";
    insight->advice =
        Adviser(p.info()).raise("batchSize", "does more in each step, for as many syncs").advice();
    insight->evidence.push_back(
        cyclesOf("estimated gain for as many samples, with twice the batch", syncs / 2));
    return {*insight};
}

// What IPUs of a pipeline wait for is told with its stages.
std::vector<Insight> findIdleTime(const Facts& p) {
    if (!p.run() || p.pipeline().stages.size() > 1)
        return {};
    const std::int64_t idle = p.run()->worst.idle();
    std::optional<Insight> insight = boundBy(*p.run(), "idle", idle);
    if (!insight)
        return {};
    insight->title = fmt::format("IPU {} has nothing to do for {} of the run", p.run()->ipu.value(),
                                 formatPercent(insight->cost.share, 1));
    if (p.info().target.ipus > 1)
        insight->advice = Adviser(p.info())
                              .set("execution", "pipelined", "lets the IPUs work at the same time")
                              .advice();
    insight->evidence.push_back(cyclesOf("estimated gain, at most", idle));
    return {*insight};
}

/// Tile cycles of compute sets, all executions.
struct Balance {
    double possible = 0;
    double used = 0;
    ComputeSetId worst; ///< with most cycles of tiles that wait
    [[nodiscard]] double share() const { return possible > 0 ? used / possible : 1; }
};

Balance balanceOf(const Facts& p) {
    Balance balance;
    double mostWaste = 0;
    for (std::size_t i = 0; i < p.programs().size(); ++i) {
        const ComputeSetId id = p.programs()[ProgramId(i)].computeSet;
        if (!id.valid())
            continue;
        const TileSeries& once = p.computeSets()[id].cycles;
        const auto longest = static_cast<double>(once.max().value);
        const auto all = static_cast<double>(p.cyclesOf({ProgramId(i)}));
        const double possible = all * p.info().target.totalTiles();
        const double used = longest > 0 ? all / longest * static_cast<double>(once.sum()) : 0;
        balance.possible += possible;
        balance.used += used;
        if (!balance.worst.valid() || possible - used > mostWaste) {
            balance.worst = id;
            mostWaste = possible - used;
        }
    }
    return balance;
}

std::vector<Insight> findTileImbalance(const Facts& p) {
    if (!p.run() || p.run()->worst.sums.compute() == 0)
        return {};
    const Balance balance = balanceOf(p);
    if (!balance.worst.valid() || balance.share() >= lowBalance)
        return {};
    const ComputeSet& worst = p.computeSets()[balance.worst];
    Insight insight;
    insight.cost =
        costOf(static_cast<std::int64_t>(static_cast<double>(p.run()->worst.sums.compute()) *
                                         (1 - balance.share())),
               *p.run());
    insight.title = fmt::format("Compute sets keep only {} of the tiles busy on average",
                                formatPercent(balance.share(), 1));
    insight.advice =
        Adviser(p.info()).raise("batchSize", "gives each compute set more work to spread").advice();
    insight.link.report = "operations";
    insight.link.operation = worst.operation;
    insight.evidence = {shareOf("balance of all compute sets", balance.share()),
                        cyclesOf(fmt::format("most wasteful: {}", worst.name),
                                 worst.cycles.max().value, worst.operation),
                        countOf("tiles it uses", worst.cycles.tilesUsed()),
                        cyclesOf("estimated gain of even work, at most", insight.cost.cycles)};
    return {insight};
}

} // namespace

std::vector<Rule> timeRules() {
    return {
        {InsightKind::Time, "exchangeBound", findExchangeBound},
        {InsightKind::Time, "syncBound", findSyncBound},
        {InsightKind::Time, "idleTime", findIdleTime},
        {InsightKind::Time, "tileImbalance", findTileImbalance},
    };
}

} // namespace tilescope
