#include "core/analysis/insights/remedies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/insights/advise.h"
#include "core/base/units.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

// The goal of advice on the accumulation count.
constexpr double wantedUtilisation = 0.9;

bool isInForce(const Facts& p, const std::string& key, const std::string& value) {
    return inForce(p.info(), key) == value;
}

bool hostIsSlow(const Facts& p) {
    return numberInForce(p.info(), "hostRate").value_or(0) > 0;
}

Remedies againstUtilisation(const Facts& p, std::int64_t cycles) {
    Adviser adviser(p.info());
    // Vector units process twice as many halves per cycle, matrix units four times as many.
    if (!p.isHalf())
        adviser.set("precision", "half", "has a higher peak").gaining("precision", cycles / 2);
    return {{}, adviser.raise("batchSize", "fills the matrix units better").advice()};
}

Remedies againstTileImbalance(const Facts& p, std::int64_t cycles) {
    return {{},
            Adviser(p.info())
                .raise("batchSize", "gives each compute set more work to spread")
                .gaining("batchSize", cycles / 2)
                .advice()};
}

Remedies againstExchange(const Facts& p, std::int64_t cycles) {
    Adviser adviser(p.info());
    if (!p.isHalf())
        adviser.set("precision", "half", "halves what tiles send").gaining("precision", cycles / 2);
    return {{},
            adviser.raise("availableMemoryProportion", "lets the planner move less data")
                .raise("batchSize", "moves weights less often")
                .advice()};
}

Remedies againstLinks(const Facts& p, std::int64_t cycles) {
    Adviser adviser(p.info());
    if (!p.isHalf())
        adviser.set("precision", "half", "halves what IPUs copy").gaining("precision", cycles / 2);
    if (p.info().replicas > 1 && p.info().mode == "training")
        adviser.raise("gradientAccumulation", "sums gradients over the replicas less often")
            .raise("maxCrossReplicaBufferSize", "sums several gradients at once",
                   gradientBufferToTry(p.info()));
    // A batch of twice the size copies twice as much, and the amount depends on where a model is
    // cut: no split is offered whose copies are not known.
    else if (p.pipeline().stages.size() <= 1 && inForce(p.info(), "split").empty())
        adviser.lower("ipus", "copies less").gaining("ipus", cycles / 2);
    return {{}, adviser.advice()};
}

/// Advice against waits in which the host has nothing ready.
void adviseOnWaits(const Facts& p, Adviser& adviser, std::string& reason) {
    const std::string instances = inForce(p.info(), "instances");
    const std::string replicas = std::to_string(p.info().replicas);
    if (hostIsSlow(p) && !instances.empty() && instances != replicas) {
        reason = "The host prepares too few samples.";
        adviser.raise("instances", "lets more of the host's processes share the replicas",
                      replicas);
    } else if (hostIsSlow(p)) {
        reason = "The host prepares too few samples for each replica.";
        adviser.raise("hostRate", "(faster preparation) is all that helps");
    }
    if (isInForce(p, "prefetchDepth", "1"))
        adviser.raise("prefetchDepth", "has micro-batches ready, so that a request does not wait "
                                       "for an answer");
}

/// Advice on transfers.
void adviseOnTransfers(const Facts& p, const HostCopyTimes& copies, std::int64_t cycles,
                       Adviser& adviser) {
    if (isInForce(p, "inputType", "as-model"))
        adviser.set("inputType", p.isHalf() ? "int8" : "half", "halves what the host sends")
            .gaining("inputType", std::min(cycles, copies.transfers) / 2);
    const bool hasIoTiles =
        isInForce(p, "execution", "single") ||
        (isInForce(p, "execution", "pipelined") && !isInForce(p, "schedule", "interleaved") &&
         !isInForce(p, "schedule", "sequential"));
    if (isInForce(p, "ioTiles", "0") && hasIoTiles)
        adviser
            .raise("ioTiles",
                   "lets the next micro-batch come while this one is computed, with several "
                   "--device-iterations and an --exchange-strategy that overlaps",
                   "32")
            .needing("ioTiles", "exchangeStrategy", "overlap-inner-loop")
            .gaining("ioTiles", std::min(cycles, p.run()->worst.sums.compute()));
    else if (isInForce(p, "exchangeStrategy", "just-in-time") && !isInForce(p, "ioTiles", "0"))
        adviser
            .set("exchangeStrategy", "overlap-inner-loop",
                 "lets the next micro-batch come while this one is computed: the I/O tiles "
                 "wait for the others now")
            .gaining("exchangeStrategy", std::min(cycles, p.run()->worst.sums.compute()));
}

Remedies againstHost(const Facts& p, std::int64_t cycles) {
    // A smaller part of the run is not worth an option.
    constexpr double worthTelling = 0.1;
    const HostCopyTimes copies = hostCopyTimesOf(p);
    const double waits = p.run()->share(copies.waits);
    const double transfers = p.run()->share(copies.transfers);
    Remedies remedies;
    Adviser adviser(p.info());
    if (waits >= transfers && waits >= worthTelling)
        adviseOnWaits(p, adviser, remedies.reason);
    if (transfers >= worthTelling)
        adviseOnTransfers(p, copies, cycles, adviser);
    if (waits < transfers && waits >= worthTelling)
        adviseOnWaits(p, adviser, remedies.reason);
    // If samples are scarce, larger batches of them arrive no faster.
    if (!hostIsSlow(p) || transfers >= waits)
        adviser.raise("batchSize", "moves more data with each wait for the host")
            .gaining("batchSize", std::min(cycles, copies.waits) / 2);
    if ((!hostIsSlow(p) || transfers >= waits) && !p.isHalf())
        adviser.set("precision", "half", "halves the data")
            .gaining("precision", std::min(cycles, copies.transfers) / 2);
    remedies.advice = adviser.advice();
    return remedies;
}

Remedies againstStreamingMemory(const Facts& p, std::int64_t cycles) {
    Adviser adviser(p.info());
    if (isInForce(p, "execution", "phased")) {
        adviser.lower("phases", "loads weights less often")
            .raise("batchSize", "does more with each load")
            .gaining("batchSize", cycles / 2);
        if (p.info().target.ipus == 1)
            adviser.set("ipus", "2", "lets IPUs take turns: one loads while the other computes");
    } else {
        if (p.info().mode == "training")
            adviser.raise("gradientAccumulation", "loads optimizer state less often")
                .gaining("gradientAccumulation", cycles / 2);
        adviser.change("offload", "keeps on the chip what fits there");
    }
    return {{}, adviser.advice()};
}

Remedies againstSyncs(const Facts& p, std::int64_t cycles) {
    if (p.pipeline().stages.size() > 1)
        return {{},
                Adviser(p.info())
                    .raise(microBatchOption(p), "has fewer of the syncs that occur once per step")
                    .advice()};
    return {"Every step ends with a sync of all tiles.",
            Adviser(p.info())
                .raise("batchSize", "does more work per step with as many syncs")
                .gaining("batchSize", cycles / 2)
                .advice()};
}

Remedies againstBubbles(const Facts& p, std::int64_t cycles) {
    const PipelineReport& report = p.pipeline();
    Adviser adviser(p.info());
    if (report.schedule == "sequential")
        return {{},
                adviser
                    .set("schedule", "grouped",
                         "lets the stages work at the same time, for more memory of activations "
                         "that wait")
                    .gaining("schedule", cycles)
                    .advice()};
    const std::int64_t more = microBatchesFor(static_cast<std::int64_t>(report.stages.size()));
    if (more <= report.microBatches)
        return {};
    // The same number of samples has that many fewer ramps.
    const double spared = 1 - static_cast<double>(report.microBatches) / static_cast<double>(more);
    return {"Ramp-up and ramp-down weigh less with more micro-batches.",
            adviser
                .raise(microBatchOption(p),
                       fmt::format("would reach a utilisation of {} with equal stages",
                                   formatPercent(wantedUtilisation, 1)),
                       std::to_string(more))
                .gaining(microBatchOption(p), std::llround(static_cast<double>(cycles) * spared))
                .advice()};
}

Remedies againstStageImbalance(const Facts& p) {
    const BetterSplit& better = p.pipeline().better;
    if (better.split.empty())
        return {"No split between other blocks of the model is shorter; the longest operations of "
                "the stage would have to become faster.",
                {}};
    return {{},
            Adviser(p.info())
                .set("split", fmt::format("{}", fmt::join(better.split, ",")),
                     "would balance the stages")
                .gaining("split", better.gainCycles)
                .advice()};
}

Remedies againstIdleTime(const Facts& p, std::int64_t cycles) {
    if (p.info().target.ipus <= 1 || p.pipeline().stages.size() > 1)
        return {};
    return {{},
            Adviser(p.info())
                .set("execution", "pipelined", "lets the IPUs work at the same time")
                .gaining("execution", cycles)
                .advice()};
}

} // namespace

std::string gradientBufferToTry(const ProfileInfo& info) {
    // The value used in Graphcore's submissions to MLPerf (training_results_v1.1).
    constexpr std::int64_t usual = 52'428'800;
    const double now = numberInForce(info, "maxCrossReplicaBufferSize").value_or(0);
    return now < static_cast<double>(usual) ? std::to_string(usual) : std::string();
}

std::int64_t microBatchesFor(std::int64_t stages) {
    const double least =
        wantedUtilisation / (1 - wantedUtilisation) * static_cast<double>(stages - 1);
    const std::int64_t multiple = 2 * stages;
    return static_cast<std::int64_t>(std::ceil(least / static_cast<double>(multiple) - 1e-9)) *
           multiple;
}

const char* microBatchOption(const Facts& p) {
    return p.info().mode == "training" ? "gradientAccumulation" : "deviceIterations";
}

HostCopyTimes hostCopyTimesOf(const Facts& p) {
    HostCopyTimes most;
    if (!p.run())
        return most;
    std::int64_t longest = -1;
    for (std::int32_t ipu = 0; ipu < p.info().target.ipus; ++ipu) {
        const TraceSums sums = p.trace().statistics(IpuId(ipu), p.run()->range).sums;
        if (sums.host() <= longest)
            continue;
        longest = sums.host();
        most = {IpuId(ipu), sums.cycles(ProgramKind::StreamCopyBegin),
                sums.cycles(ProgramKind::StreamCopyMid), sums.cycles(ProgramKind::StreamCopyEnd)};
    }
    return most;
}

Remedies remediesFor(const Facts& p, LossKind kind, std::int64_t cycles) {
    switch (kind) {
    case LossKind::Utilisation:
        return againstUtilisation(p, cycles);
    case LossKind::TileImbalance:
        return againstTileImbalance(p, cycles);
    case LossKind::Exchange:
        return againstExchange(p, cycles);
    case LossKind::GlobalExchange:
        return againstLinks(p, cycles);
    case LossKind::Host:
        return againstHost(p, cycles);
    case LossKind::StreamingMemory:
        return againstStreamingMemory(p, cycles);
    case LossKind::Sync:
        return againstSyncs(p, cycles);
    case LossKind::Bubbles:
        return againstBubbles(p, cycles);
    case LossKind::StageImbalance:
        return againstStageImbalance(p);
    case LossKind::Idle:
        return againstIdleTime(p, cycles);
    // Losses decided by the model and not by options, and the one that the memory card covers.
    case LossKind::Compute:
    case LossKind::Copies:
    case LossKind::Memory:
        break;
    }
    return {};
}

} // namespace tilescope
