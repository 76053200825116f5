// Cycles in which nothing is computed, or by few tiles.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

// Below this balance most tiles wait for a few.
constexpr double lowBalance = 0.5;

/// Exchanges between tiles of an IPU, those that take longest first.
Steps longestExchanges(const Facts& p, IpuId ipu) {
    Steps steps;
    for (std::size_t i = 0; i < p.programs().size(); ++i)
        if (const Program& program = p.programs()[ProgramId(i)];
            program.kind == ProgramKind::DoExchange && program.exchange.valid() &&
            p.cyclesOn(ipu, {ProgramId(i)}) > 0)
            steps.emplace_back(i);
    std::stable_sort(steps.begin(), steps.end(), [&](ProgramId a, ProgramId b) {
        return p.cyclesOn(ipu, {a}) > p.cyclesOn(ipu, {b});
    });
    return steps;
}

std::vector<Insight> findExchangeBound(const Facts& p) {
    // Not for the IPU that computes least: it may simply be waiting for the others.
    const IpuCycles most = mostOf(p, ProgramKind::DoExchange);
    std::optional<Insight> insight = boundBy(p, most.ipu, "exchange", most.cycles);
    if (!insight)
        return {};
    insight->advice = remediesFor(p, LossKind::Exchange, insight->cost.cycles).advice;
    insight->link.report = "exchanges";
    const Steps longest = longestExchanges(p, most.ipu);
    for (std::size_t i = 0; i < std::min(shownRows, longest.size()); ++i) {
        const Exchange& e = p.exchanges()[p.programs()[longest[i]].exchange];
        insight->evidence.push_back(
            cyclesOf(e.name, p.cyclesOn(most.ipu, {longest[i]}), e.operation));
    }
    if (!longest.empty())
        insight->link.things.exchange = p.programs()[longest.front()].exchange;
    return {*insight};
}

// Syncs of a pipeline are mostly waits for other stages, which the stages' cards cover.
std::vector<Insight> findSyncBound(const Facts& p) {
    if (!p.run() || p.pipeline().stages.size() > 1)
        return {};
    const std::int64_t syncs = p.run()->worst.sums.sync();
    std::optional<Insight> insight = boundBy(p, p.run()->ipu, "syncs", syncs);
    if (!insight)
        return {};
    Remedies remedies = remediesFor(p, LossKind::Sync, syncs);
    insight->reason = std::move(remedies.reason);
    insight->advice = std::move(remedies.advice);
    insight->evidence.push_back(
        cyclesOf("estimated gain for as many samples, with twice the batch", syncs / 2));
    return {*insight};
}

// What IPUs of a pipeline wait for is covered by its stages' cards.
std::vector<Insight> findIdleTime(const Facts& p) {
    if (!p.run() || p.pipeline().stages.size() > 1)
        return {};
    const std::int64_t idle = p.run()->worst.idle();
    std::optional<Insight> insight = boundBy(p, p.run()->ipu, "idle", idle);
    if (!insight)
        return {};
    insight->title = fmt::format("IPU {} has nothing to do for {} of the run", p.run()->ipu.value(),
                                 formatPercent(insight->cost.share, 1));
    insight->advice = remediesFor(p, LossKind::Idle, idle).advice;
    insight->evidence.push_back(cyclesOf("estimated gain, at most", idle));
    return {*insight};
}

/// Cycles of compute sets at their places, on the IPUs that run them.
struct Balance {
    double possible = 0;
    double used = 0;
    const CostRow* worst = nullptr; ///< with most cycles of tiles that wait
    [[nodiscard]] double share() const { return possible > 0 ? used / possible : 1; }
};

Balance balanceOf(const Facts& p) {
    Balance balance;
    double mostWaste = 0;
    for (const CostRow& row : p.places()) {
        const auto possible = static_cast<double>(row.measured(CostKind::Compute));
        const double used = possible * std::clamp(row.balance, 0.0, 1.0);
        balance.possible += possible;
        balance.used += used;
        if (possible - used > mostWaste) {
            mostWaste = possible - used;
            balance.worst = &row;
        }
    }
    return balance;
}

std::vector<Insight> findTileImbalance(const Facts& p) {
    if (!p.run() || !p.info().has(ProfilePart::ActiveTiles) || p.run()->worst.sums.compute() == 0)
        return {};
    const Balance balance = balanceOf(p);
    if (balance.worst == nullptr || balance.share() >= lowBalance)
        return {};
    const CostRow& worst = *balance.worst;
    Insight insight;
    insight.cost = costOf(
        std::llround(static_cast<double>(p.run()->worst.sums.compute()) * (1 - balance.share())),
        *p.run());
    insight.title = fmt::format("Compute sets keep only {} of the tiles busy on average",
                                formatPercent(balance.share(), 1));
    insight.advice = remediesFor(p, LossKind::TileImbalance, insight.cost.cycles).advice;
    insight.link.report = "operations";
    insight.link.things.operation = worst.operation;
    insight.evidence = {shareOf("balance of all compute sets", balance.share()),
                        cyclesOf(fmt::format("most wasteful: {}", worst.path),
                                 worst.measured(CostKind::Compute), worst.operation),
                        shareOf("its tile balance", worst.balance),
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
