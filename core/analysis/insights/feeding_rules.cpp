// Runs that wait for data from outside of the IPU.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

/// The first stream copy of the main run, as far as one is near its begin.
ProgramId firstStreamCopy(const TraceIndex& trace) {
    constexpr std::int64_t looked = 1000;
    std::int64_t at = trace.stepAtCycle(IpuId(0), trace.runs().back().start);
    for (std::int64_t i = 0; at >= 0 && i < looked && at < trace.stepCount(); ++i, ++at)
        if (const ExecutedStep step = trace.stepAt(at); step.kind == ProgramKind::StreamCopyBegin)
            return step.program;
    return {};
}

/// Cycles of copies with streaming memory on an IPU.
std::int64_t remoteCycles(const Facts& p, IpuId ipu) {
    Steps steps;
    for (std::size_t i = 0; i < p.programs().size(); ++i)
        if (p.isRemote(ProgramId(i)))
            steps.emplace_back(i);
    return p.cyclesOn(ipu, steps);
}

/// Stream copies during which nothing else runs.
std::int64_t exposedCopies(const TraceStatistics& statistics) {
    const TraceSums& sums = statistics.sums;
    const std::int64_t others = sums.compute() + sums.exchange() + sums.sync();
    return std::clamp<std::int64_t>(statistics.cycles - others, 0, sums.host());
}

/// Stream copies during which nothing else runs, those with the host and with streaming memory.
struct Exposed {
    std::int64_t host = 0;
    std::int64_t remote = 0;
};

Exposed exposedOf(const Facts& p) {
    const std::int64_t copies = exposedCopies(p.run()->worst);
    const std::int64_t remote = std::min(copies, remoteCycles(p, p.run()->ipu));
    return {copies - remote, remote};
}

std::vector<Insight> findHostBound(const Facts& p) {
    if (!p.run())
        return {};
    const MainRun& run = *p.run();
    const std::int64_t cycles = exposedOf(p).host;
    std::optional<Insight> insight = boundBy(p, run.ipu, "host input and output", cycles);
    if (!insight)
        return {};
    Remedies remedies = remediesFor(p, LossKind::Host, cycles);
    insight->reason = std::move(remedies.reason);
    insight->advice = std::move(remedies.advice);
    const HostCopyTimes copies = hostCopyTimesOf(p);
    insight->link.things.program = firstStreamCopy(p.trace());
    insight->evidence.front() = cyclesOf("waiting for the host", copies.waits);
    insight->evidence.insert(insight->evidence.begin() + 1, cyclesOf("transfer", copies.transfers));
    if (copies.ends > 0)
        insight->evidence.insert(insight->evidence.begin() + 2,
                                 cyclesOf("end of the transfers", copies.ends));
    insight->evidence.push_back(
        cyclesOf("estimated gain, at most, if transfers overlapped with compute",
                 std::min(cycles, run.worst.sums.compute())));
    return {*insight};
}

/// What the host does for each call of the engine, relative to the run that it calls: all shares in
/// insights are of the run.
std::vector<Insight> findCallBound(const Facts& p) {
    constexpr double least = 0.1;
    const ProfileInfo& info = p.info();
    if (!p.run() || info.seconds() <= 0)
        return {};
    Insight insight;
    insight.cost.share = info.hostCallSeconds / info.seconds();
    insight.cost.cycles = std::llround(info.hostCallSeconds * info.target.clockHz);
    if (insight.cost.share < least)
        return {};
    insight.level = levelOf(insight.cost.share);
    insight.title = fmt::format("The host's call of the engine takes {} of the run",
                                formatPercent(insight.cost.share, 1));
    insight.reason =
        fmt::format("The host needs {} for each run, which takes {}.",
                    formatSeconds(info.hostCallSeconds), formatSeconds(info.seconds()));
    Adviser adviser(info);
    if (numberInForce(info, "stepsPerExecution"))
        adviser.raise("stepsPerExecution", "does more with each call");
    else
        adviser.raise("deviceIterations", "does more with each call");
    insight.advice = adviser.advice();
    insight.link.report = "trace";
    insight.evidence = {cyclesOf("host call", insight.cost.cycles),
                        cyclesOf("run", p.run()->range.cycles()),
                        shareOf("share", insight.cost.share)};
    return {insight};
}

std::vector<Insight> findMemoryBound(const Facts& p) {
    if (!p.run())
        return {};
    std::optional<Insight> insight =
        boundBy(p, p.run()->ipu, "copies with streaming memory", exposedOf(p).remote);
    if (!insight)
        return {};
    const bool phased = inForce(p.info(), "execution") == "phased";
    insight->advice = remediesFor(p, LossKind::StreamingMemory, insight->cost.cycles).advice;
    insight->link.report = phased ? "phases" : "trace";
    insight->link.things.program = firstStreamCopy(p.trace());
    return {*insight};
}

std::vector<Insight> findLinkBound(const Facts& p) {
    const IpuCycles most = mostOf(p, ProgramKind::GlobalExchange);
    std::optional<Insight> insight = boundBy(p, most.ipu, "exchange between IPUs", most.cycles);
    if (!insight)
        return {};
    insight->advice = remediesFor(p, LossKind::GlobalExchange, insight->cost.cycles).advice;
    return {*insight};
}

} // namespace

std::vector<Rule> feedingRules() {
    return {
        {InsightKind::Time, "hostBound", findHostBound},
        {InsightKind::Time, "memoryBound", findMemoryBound},
        {InsightKind::Time, "callBound", findCallBound},
        {InsightKind::Time, "linkBound", findLinkBound},
    };
}

} // namespace tilescope
