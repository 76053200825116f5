// Runs that wait for what comes from outside of the IPU.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
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
    const std::int32_t first = ipu.value() * p.info().target.tilesPerIpu;
    const auto isRemote = [&](const Program& program) {
        if (!program.stream.valid() || program.stream.index() >= p.streams().size())
            return false;
        const Stream& stream = p.streams()[program.stream];
        return stream.remoteBuffer.valid() &&
               stream.bytes.sum(first, first + p.info().target.tilesPerIpu) > 0;
    };
    Steps steps;
    for (std::size_t i = 0; i < p.programs().size(); ++i)
        if (isRemote(p.programs()[ProgramId(i)]))
            steps.emplace_back(i);
    return p.cyclesOn(ipu, steps);
}

/// Stream copies that nothing else runs beside.
std::int64_t exposedCopies(const TraceStatistics& statistics) {
    const TraceSums& sums = statistics.sums;
    const std::int64_t others = sums.compute() + sums.exchange() + sums.sync();
    return std::clamp<std::int64_t>(statistics.cycles - others, 0, sums.host());
}

bool isInForce(const Facts& p, const std::string& key, const std::string& value) {
    return inForce(p.info(), key) == value;
}

bool hostIsSlow(const Facts& p) {
    return numberInForce(p.info(), "hostRate").value_or(0) > 0;
}

/// What to do about waits: the host has nothing ready.
void adviseOnWaits(const Facts& p, Adviser& adviser, std::string& reason) {
    const std::string instances = inForce(p.info(), "instances");
    const std::string replicas = std::to_string(p.info().replicas);
    if (hostIsSlow(p) && !instances.empty() && instances != replicas) {
        reason = "The host prepares too few samples.";
        adviser.raise("instances", "lets more of the host's processes share the replicas",
                      replicas);
    } else if (hostIsSlow(p)) {
        reason = "The host prepares too few samples for each replica.";
        adviser.raise("hostRate", "(a faster preparation) is all that helps");
    }
    if (isInForce(p, "prefetchDepth", "1"))
        adviser.raise("prefetchDepth", "has micro-batches ready, so that a request does not wait "
                                       "for an answer");
}

/// What to do about transfers.
void adviseOnTransfers(const Facts& p, Adviser& adviser) {
    if (isInForce(p, "inputType", "as-model"))
        adviser.set("inputType", p.isHalf() ? "int8" : "half", "halves what the host sends");
    const bool hasIoTiles =
        isInForce(p, "execution", "single") ||
        (isInForce(p, "execution", "pipelined") && !isInForce(p, "schedule", "interleaved") &&
         !isInForce(p, "schedule", "sequential"));
    if (isInForce(p, "ioTiles", "0") && hasIoTiles)
        adviser.raise("ioTiles",
                      "lets the next micro-batch come while this one is computed, with several "
                      "--device-iterations and an --exchange-strategy that overlaps",
                      "32");
    else if (isInForce(p, "exchangeStrategy", "just-in-time") && !isInForce(p, "ioTiles", "0"))
        adviser.set("exchangeStrategy", "overlap-inner-loop",
                    "lets the next micro-batch come while this one is computed: the I/O tiles "
                    "wait for the others now");
}

void adviseOnHost(const Facts& p, double waits, double transfers, Insight& insight) {
    // A smaller part of the run is not worth an option.
    constexpr double worthTelling = 0.1;
    Adviser adviser(p.info());
    if (waits >= transfers && waits >= worthTelling)
        adviseOnWaits(p, adviser, insight.reason);
    if (transfers >= worthTelling)
        adviseOnTransfers(p, adviser);
    if (waits < transfers && waits >= worthTelling)
        adviseOnWaits(p, adviser, insight.reason);
    // Where samples are few, more of them at a time come as slowly.
    if (!hostIsSlow(p) || transfers >= waits)
        adviser.raise("batchSize", "moves more data with each wait for the host");
    if ((!hostIsSlow(p) || transfers >= waits) && !p.isHalf())
        adviser.set("precision", "half", "halves the data");
    insight.advice = adviser.advice();
}

/// Stream copies that nothing else runs beside, those with the host and with streaming memory.
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
    std::optional<Insight> insight = boundBy(run, "host input and output", cycles);
    if (!insight)
        return {};
    const TraceSums& sums = run.worst.sums;
    const std::int64_t waits = sums.cycles(ProgramKind::StreamCopyBegin);
    const std::int64_t transfers = sums.cycles(ProgramKind::StreamCopyMid);
    adviseOnHost(p, run.share(waits), run.share(transfers), *insight);
    insight->link.program = firstStreamCopy(p.trace());
    insight->evidence.front() = cyclesOf("waiting for the host", waits);
    insight->evidence.insert(insight->evidence.begin() + 1, cyclesOf("transfer", transfers));
    insight->evidence.push_back(
        cyclesOf("estimated gain, at most, if transfers overlapped with compute",
                 std::min(cycles, sums.compute())));
    return {*insight};
}

/// What the host does for each call of the engine, against the run that it calls: all shares of
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
        boundBy(*p.run(), "copies with streaming memory", exposedOf(p).remote);
    if (!insight)
        return {};
    const bool phased = isInForce(p, "execution", "phased");
    Adviser adviser(p.info());
    if (phased) {
        adviser.lower("phases", "loads weights less often")
            .raise("batchSize", "does more with each load");
        if (p.info().target.ipus == 1)
            adviser.set("ipus", "2", "lets IPUs take turns: one loads while the other computes");
    } else {
        if (p.info().mode == "training")
            adviser.raise("gradientAccumulation", "loads optimizer state less often");
        adviser.change("offload", "leaves on the chip what fits there");
    }
    insight->advice = adviser.advice();
    insight->link.report = phased ? "phases" : "trace";
    insight->link.program = firstStreamCopy(p.trace());
    return {*insight};
}

std::vector<Insight> findLinkBound(const Facts& p) {
    if (!p.run())
        return {};
    std::optional<Insight> insight = boundBy(
        *p.run(), "exchange between IPUs", p.run()->worst.sums.cycles(ProgramKind::GlobalExchange));
    if (!insight)
        return {};
    Adviser adviser(p.info());
    if (p.info().replicas > 1 && p.info().mode == "training")
        adviser.raise("gradientAccumulation", "sums gradients over the replicas less often")
            .raise("maxCrossReplicaBufferSize", "sums several gradients at once");
    else
        adviser.change("split", "may cut the model where less has to be copied")
            .lower("ipus", "copies less");
    insight->advice = adviser.advice();
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
