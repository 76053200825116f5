// Runs that wait for what comes from outside of the IPU.
#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/advised_values.h"
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

/// Cycles of copies with streaming memory on an IPU, all executions.
std::int64_t remoteCycles(const InsightParts& p, IpuId ipu) {
    const std::int32_t first = ipu.value() * p.info.target.tilesPerIpu;
    const auto isRemote = [&](const Program& program) {
        if (!program.stream.valid() || program.stream.index() >= p.streams.size())
            return false;
        const Stream& stream = p.streams[program.stream];
        return stream.remoteBuffer.valid() &&
               stream.bytes.sum(first, first + p.info.target.tilesPerIpu) > 0;
    };
    if (std::none_of(p.programs.begin(), p.programs.end(), isRemote))
        return 0;
    const std::vector<ProgramExecutions> executed = p.trace.executions(p.programs.size());
    std::int64_t cycles = 0;
    for (std::size_t i = 0; i < executed.size(); ++i)
        if (isRemote(p.programs[ProgramId(i)]))
            cycles += executed[i].cycles;
    return cycles;
}

/// Stream copies that nothing else runs beside.
std::int64_t exposedCopies(const TraceStatistics& statistics) {
    const TraceSums& sums = statistics.sums;
    const std::int64_t others = sums.compute() + sums.exchange() + sums.sync();
    return std::clamp<std::int64_t>(statistics.cycles - others, 0, sums.host());
}

bool isInForce(const InsightParts& p, const std::string& key, const std::string& value) {
    return inForce(p.info, key) == value;
}

bool hostIsSlow(const InsightParts& p) {
    return numberInForce(p.info, "hostRate").value_or(0) > 0;
}

/// What to do about waits: the host has nothing ready.
std::string adviceOnWaits(const InsightParts& p) {
    std::string advice;
    const std::string instances = inForce(p.info, "instances");
    const std::string replicas = std::to_string(p.info.replicas);
    if (hostIsSlow(p) && !instances.empty() && instances != replicas)
        advice = fmt::format("The host prepares too few samples: a higher --instances {} lets "
                             "more of its processes share the replicas. ",
                             insteadOf(replicas, instances));
    else if (hostIsSlow(p))
        advice = "The host prepares too few samples for each replica: only a faster preparation "
                 "(a higher --host-rate) helps. ";
    if (isInForce(p, "prefetchDepth", "1"))
        advice += "A higher --prefetch-depth has micro-batches ready, so that a request does not "
                  "wait for an answer. ";
    return advice;
}

/// What to do about transfers.
std::string adviceOnTransfers(const InsightParts& p) {
    std::string advice;
    if (isInForce(p, "inputType", "as-model"))
        advice = isInForce(p, "precision", "half")
                     ? "Inputs of 8 bits (--input-type int8) halve what the host sends. "
                     : "Inputs in half precision (--input-type half) halve what the host sends. ";
    if (isInForce(p, "ioTiles", "0") && isInForce(p, "execution", "single"))
        advice += "With --io-tiles (32 instead of 0), several --device-iterations and an "
                  "overlapping exchange strategy the next micro-batch comes while this one is "
                  "computed. ";
    else if (isInForce(p, "exchangeStrategy", "just-in-time") && !isInForce(p, "ioTiles", "0"))
        advice += "The I/O tiles wait for the others: with --exchange-strategy overlap-inner-loop "
                  "the next micro-batch comes while this one is computed. ";
    return advice;
}

std::string adviceOf(const InsightParts& p, double waits, double transfers) {
    // A smaller part of the run is not worth an option.
    constexpr double worthTelling = 0.1;
    const std::string onWaits = waits >= worthTelling ? adviceOnWaits(p) : "";
    const std::string onTransfers = transfers >= worthTelling ? adviceOnTransfers(p) : "";
    std::string advice = waits >= transfers ? onWaits + onTransfers : onTransfers + onWaits;
    // Where samples are few, more of them at a time come as slowly.
    if (!hostIsSlow(p) || transfers >= waits)
        advice += fmt::format("A larger --batch-size moves more data with each wait for the host{}",
                              isInForce(p, "precision", "half")
                                  ? "."
                                  : "; half precision (--precision half) halves the data.");
    while (advice.ends_with(' '))
        advice.pop_back();
    return advice;
}

void addHostBound(const InsightParts& p, const Executed& run, std::int64_t cycles,
                  std::vector<Insight>& insights) {
    const double share = shareOfRange(cycles, run.worst);
    if (share < boundShare)
        return;
    const TraceSums& sums = run.worst.sums;
    const std::int64_t waits = sums.cycles(ProgramKind::StreamCopyBegin);
    const std::int64_t transfers = sums.cycles(ProgramKind::StreamCopyMid);
    Insight insight;
    insight.kind = InsightKind::HostBound;
    insight.level = levelOf(share);
    insight.title =
        fmt::format("{} of the cycles are host input and output", formatPercent(share, 1));
    insight.advice =
        adviceOf(p, shareOfRange(waits, run.worst), shareOfRange(transfers, run.worst));
    insight.link.report = "trace";
    insight.link.program = firstStreamCopy(p.trace);
    insight.evidence = {cyclesOf("waiting for the host", waits), cyclesOf("transfer", transfers),
                        cyclesOf("run", run.worst.cycles), shareOf("share", share),
                        cyclesOf("estimated gain, at most, if transfers overlapped with compute",
                                 std::min(cycles, sums.compute()))};
    insights.push_back(std::move(insight));
}

void addMemoryBound(const InsightParts& p, const Executed& run, std::int64_t cycles,
                    std::vector<Insight>& insights) {
    const double share = shareOfRange(cycles, run.worst);
    if (share < boundShare)
        return;
    Insight insight;
    insight.kind = InsightKind::MemoryBound;
    insight.level = levelOf(share);
    insight.title =
        fmt::format("{} of the cycles are copies with streaming memory", formatPercent(share, 1));
    if (isInForce(p, "execution", "phased"))
        insight.advice = "Fewer --phases load weights less often, a larger --batch-size does more "
                         "with each load, and two IPUs (--ipus 2) take turns: one loads while the "
                         "other computes.";
    else if (p.info.mode == "training")
        insight.advice = "A larger --gradient-accumulation loads optimizer state less often; what "
                         "fits on the chip need not be in --offload.";
    else
        insight.advice = "What fits on the chip need not be in --offload.";
    insight.link.report = isInForce(p, "execution", "phased") ? "phases" : "trace";
    insight.link.program = firstStreamCopy(p.trace);
    insight.evidence = {cyclesOf("copies", cycles), cyclesOf("run", run.worst.cycles),
                        shareOf("share", share)};
    insights.push_back(std::move(insight));
}

void addLinkBound(const InsightParts& p, const Executed& run, std::vector<Insight>& insights) {
    const std::int64_t cycles = run.worst.sums.cycles(ProgramKind::GlobalExchange);
    const double share = shareOfRange(cycles, run.worst);
    if (share < boundShare)
        return;
    Insight insight;
    insight.kind = InsightKind::LinkBound;
    insight.level = levelOf(share);
    insight.title =
        fmt::format("{} of the cycles are exchange between IPUs", formatPercent(share, 1));
    if (p.info.replicas > 1 && p.info.mode == "training")
        insight.advice = "A larger --gradient-accumulation sums gradients over the replicas less "
                         "often; a larger --max-cross-replica-buffer-size sums several at once.";
    else
        insight.advice = "Another --split may cut the model where less has to be copied; fewer "
                         "--ipus copy less.";
    insight.link.report = "trace";
    insight.evidence = {cyclesOf("exchange between IPUs", cycles),
                        cyclesOf("run", run.worst.cycles), shareOf("share", share)};
    insights.push_back(std::move(insight));
}

} // namespace

void addFeedingInsights(const InsightParts& p, const Executed& run,
                        std::vector<Insight>& insights) {
    const std::int64_t copies = exposedCopies(run.worst);
    const std::int64_t remote = std::min(copies, remoteCycles(p, run.ipu));
    addHostBound(p, run, copies - remote, insights);
    addMemoryBound(p, run, remote, insights);
    addLinkBound(p, run, insights);
}

} // namespace tilescope
