#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/rules.h"
#include "core/base/units.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

constexpr std::size_t shown = 5;
// Syncs and idle cycles can be spared only in part, but are nothing that a model needs.
constexpr double overheadShare = 0.1;
// Below this balance most tiles wait for few.
constexpr double lowBalance = 0.5;

ExchangeId longestExchange(const IdVector<ExchangeId, Exchange>& exchanges) {
    ExchangeId longest;
    for (std::size_t i = 0; i < exchanges.size(); ++i)
        if (const ExchangeId id(i); !longest.valid() || exchanges[id].cycles.max().value >
                                                            exchanges[longest].cycles.max().value)
            longest = id;
    return longest;
}

void addLongestExchanges(const InsightParts& p, Insight& insight) {
    std::vector<ExchangeId> order;
    for (std::size_t i = 0; i < p.exchanges.size(); ++i)
        order.emplace_back(i);
    const std::size_t count = std::min(shown, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](ExchangeId a, ExchangeId b) {
                          const std::int64_t first = p.exchanges[a].cycles.max().value;
                          const std::int64_t second = p.exchanges[b].cycles.max().value;
                          return first != second ? first > second : a < b;
                      });
    for (std::size_t i = 0; i < count; ++i) {
        const Exchange& e = p.exchanges[order[i]];
        insight.evidence.push_back(
            cyclesOf(fmt::format("{}, once", e.name), e.cycles.max().value, e.operation));
    }
}

// Syncs of a pipeline are mostly waits for other stages, which are told with these.
void addSyncBound(const InsightParts& p, const Executed& run, std::vector<Insight>& insights) {
    const double share = shareOfRange(run.worst.sums.sync(), run.worst);
    if (share < overheadShare || p.pipeline.stages.size() > 1)
        return;
    Insight insight;
    insight.kind = InsightKind::SyncBound;
    insight.level = levelOf(share);
    insight.title = fmt::format("{} of the cycles are syncs", formatPercent(share, 1));
    insight.advice = "Every step ends with a sync of all tiles: a larger --batch-size does more in "
                     "each step, for the same number of syncs.";
    insight.link.report = "trace";
    insight.evidence = {cyclesOf("syncs", run.worst.sums.sync()), cyclesOf("run", run.worst.cycles),
                        shareOf("share", share),
                        cyclesOf("estimated gain for as many samples, with twice the batch",
                                 run.worst.sums.sync() / 2)};
    insights.push_back(std::move(insight));
}

// What IPUs of a pipeline wait for is told with its stages.
void addIdleTime(const InsightParts& p, const Executed& run, std::vector<Insight>& insights) {
    const double share = shareOfRange(run.worst.idle(), run.worst);
    if (share < overheadShare || p.pipeline.stages.size() > 1)
        return;
    Insight insight;
    insight.kind = InsightKind::IdleTime;
    insight.level = levelOf(share);
    insight.title = fmt::format("IPU {} has nothing to do for {} of the run", run.ipu.value(),
                                formatPercent(share, 1));
    if (p.info.target.ipus > 1)
        insight.advice = "--execution pipelined lets the IPUs work at the same time.";
    insight.link.report = "trace";
    insight.evidence = {cyclesOf("idle", run.worst.idle()), cyclesOf("run", run.worst.cycles),
                        cyclesOf("estimated gain, at most", run.worst.idle())};
    insights.push_back(std::move(insight));
}

void addExchangeBound(const InsightParts& p, const Executed& run, std::vector<Insight>& insights) {
    const std::int64_t cycles = run.worst.sums.cycles(ProgramKind::DoExchange);
    const double share = shareOfRange(cycles, run.worst);
    if (share < boundShare)
        return;
    Insight insight;
    insight.kind = InsightKind::ExchangeBound;
    insight.level = levelOf(share);
    insight.title = fmt::format("{} of the cycles are exchange", formatPercent(share, 1));
    insight.advice = "A higher --available-memory-proportion lets the planner move less data; a "
                     "larger --batch-size moves weights less often.";
    insight.link.report = "exchanges";
    insight.link.exchange = longestExchange(p.exchanges);
    insight.evidence = {cyclesOf("exchange", cycles), cyclesOf("run", run.worst.cycles),
                        shareOf("share", share)};
    addLongestExchanges(p, insight);
    insights.push_back(std::move(insight));
}

void addShortRuns(const InsightParts& p, std::vector<Insight>& insights) {
    // Those before a strided copy are told with it.
    std::vector<bool> told(p.exchanges.size(), false);
    for (const Copy& copy : p.copies)
        if (copy.strided && copy.exchange.valid())
            told.at(copy.exchange.index()) = true;
    std::vector<ExchangeId> copies;
    for (std::size_t i = 0; i < p.exchanges.size(); ++i) {
        const Exchange& e = p.exchanges[ExchangeId(i)];
        if (!told[i] && e.runBytes > 0 && e.runBytes < shortRunBytes && !e.bytesReceived.empty())
            copies.emplace_back(i);
    }
    if (copies.empty())
        return;
    std::stable_sort(copies.begin(), copies.end(), [&](ExchangeId a, ExchangeId b) {
        return p.exchanges[a].cycles.max().value > p.exchanges[b].cycles.max().value;
    });
    std::int64_t cycles = 0;
    for (const ExchangeId e : copies)
        cycles += p.exchanges[e].cycles.max().value;
    Insight insight;
    insight.kind = InsightKind::ShortRunCopies;
    insight.level = InsightLevel::Note;
    insight.title =
        fmt::format("{} {} data in runs under {} bytes", copies.size(),
                    copies.size() == 1 ? "exchange moves" : "exchanges move", shortRunBytes);
    insight.advice = "The producer's layout differs from what the consumer needs; another "
                     "--available-memory-proportion may choose plans whose layouts agree.";
    insight.link.report = "exchanges";
    insight.link.operation = p.exchanges[copies.front()].operation;
    insight.link.exchange = copies.front();
    insight.evidence.push_back(cyclesOf("their cycles, once each", cycles));
    for (std::size_t i = 0; i < std::min(shown, copies.size()); ++i) {
        const Exchange& e = p.exchanges[copies[i]];
        insight.evidence.push_back(cyclesOf(fmt::format("{} (runs of {} B)", e.name, e.runBytes),
                                            e.cycles.max().value, e.operation));
    }
    insights.push_back(std::move(insight));
}

void addImbalance(const InsightParts& p, const Executed& run, std::vector<Insight>& insights) {
    const std::int64_t compute = run.worst.sums.compute();
    if (compute == 0)
        return;
    double possible = 0;
    double active = 0;
    const ComputeSet* worst = nullptr;
    double worstWaste = 0;
    for (const ComputeSet& set : p.computeSets) {
        const double whole =
            static_cast<double>(set.cycles.max().value) * p.info.target.totalTiles();
        const double used = static_cast<double>(set.cycles.sum());
        possible += whole;
        active += used;
        if (worst == nullptr || whole - used > worstWaste) {
            worst = &set;
            worstWaste = whole - used;
        }
    }
    if (worst == nullptr || possible <= 0 || active / possible >= lowBalance)
        return;
    Insight insight;
    insight.kind = InsightKind::TileImbalance;
    insight.level = InsightLevel::Note;
    insight.title = fmt::format("Compute sets keep only {} of the tiles busy on average",
                                formatPercent(active, possible));
    insight.advice = "A larger --batch-size gives each compute set more work to spread.";
    insight.link.report = "operations";
    insight.link.operation = worst->operation;
    insight.evidence = {shareOf("balance of all compute sets", active / possible),
                        cyclesOf(fmt::format("most wasteful: {}", worst->name),
                                 worst->cycles.max().value, worst->operation),
                        countOf("tiles it uses", worst->cycles.tilesUsed()),
                        cyclesOf("estimated gain of even work, at most",
                                 static_cast<std::int64_t>(static_cast<double>(compute) *
                                                           (1 - active / possible)))};
    insights.push_back(std::move(insight));
}

} // namespace

Executed mainRun(const InsightParts& p) {
    const TraceIndex& index = p.trace;
    const TraceRun& run = index.runs().back();
    Executed result{{run.start, run.start + run.cycles}, {}, {}};
    for (std::int32_t ipu = 0; ipu < p.info.target.ipus; ++ipu) {
        const TraceStatistics statistics = index.statistics(IpuId(ipu), result.range);
        if (result.ipu.valid() && statistics.sums.compute() >= result.worst.sums.compute())
            continue;
        result.worst = statistics;
        result.ipu = IpuId(ipu);
    }
    return result;
}

double shareOfRange(std::int64_t cycles, const TraceStatistics& statistics) {
    return statistics.cycles > 0
               ? static_cast<double>(cycles) / static_cast<double>(statistics.cycles)
               : 0;
}

InsightLevel levelOf(double share) {
    constexpr double warningShare = 0.5;
    return share >= warningShare ? InsightLevel::Warning : InsightLevel::Note;
}

void addTimeInsights(const InsightParts& p, std::vector<Insight>& insights) {
    addShortRuns(p, insights);
    if (!p.info.hasExecution || p.trace.runs().empty())
        return;
    const Executed run = mainRun(p);
    addExchangeBound(p, run, insights);
    addFeedingInsights(p, run, insights);
    addSyncBound(p, run, insights);
    addIdleTime(p, run, insights);
    addImbalance(p, run, insights);
}

} // namespace tilescope
