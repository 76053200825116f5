// What a pipeline loses, and to what.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Less than this of the step is not worth a line.
constexpr double worthTelling = 0.05;
// What an accumulation count is advised for.
constexpr double wantedUtilisation = 0.9;

/// Micro-batches with which G / (G + N - 1) reaches what is wanted, as a multiple that every
/// schedule takes.
std::int64_t microBatchesFor(std::int64_t stages) {
    const double least =
        wantedUtilisation / (1 - wantedUtilisation) * static_cast<double>(stages - 1);
    const std::int64_t multiple = 2 * stages;
    return static_cast<std::int64_t>(std::ceil(least / static_cast<double>(multiple) - 1e-9)) *
           multiple;
}

/// Cycles of bubbles that this many micro-batches of the step would be spared among more.
std::int64_t gainOfMore(const PipelineReport& report, std::int64_t step,
                        std::int64_t microBatches) {
    const double kept =
        static_cast<double>(report.microBatches) / static_cast<double>(microBatches);
    return static_cast<std::int64_t>(static_cast<double>(step) * report.bubbleShare * (1 - kept));
}

/// A share of the IPUs' time in the step that is lost; none if it is not worth a line, or nothing
/// was pipelined.
std::optional<Insight> lost(const Facts& p, double share, const char* label) {
    if (!p.run() || p.pipeline().stages.size() < 2 || share < worthTelling)
        return std::nullopt;
    Insight insight;
    insight.cost = {static_cast<std::int64_t>(share * static_cast<double>(p.info().cycles)), 0,
                    share};
    insight.level = levelOf(share);
    insight.link.report = "pipeline";
    insight.evidence = {shareOf(label, share)};
    return insight;
}

const char* microBatchOption(const Facts& p) {
    return p.info().mode == "training" ? "gradientAccumulation" : "deviceIterations";
}

std::vector<Insight> findBubbles(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight = lost(p, report.bubbleShare, "bubbles");
    if (!insight)
        return {};
    const std::int64_t more = microBatchesFor(static_cast<std::int64_t>(report.stages.size()));
    insight->title = fmt::format("IPUs have no stage to run for {} of the step",
                                 formatPercent(report.bubbleShare, 1));
    insight->evidence.push_back(shareOf("utilisation", report.utilisation));
    insight->evidence.push_back(
        shareOf("utilisation of this schedule with equal stages", report.scheduleUtilisation));
    insight->evidence.push_back(countOf("micro-batches of a step", report.microBatches));
    Adviser adviser(p.info());
    if (report.schedule == "sequential") {
        adviser.set("schedule", "grouped",
                    "lets the stages work at the same time, for more memory of activations that "
                    "wait");
    } else if (more > report.microBatches) {
        insight->reason = "Ramp-up and ramp-down weigh less with more micro-batches.";
        adviser.raise(microBatchOption(p),
                      fmt::format("would reach a utilisation of {} with equal stages",
                                  formatPercent(wantedUtilisation, 1)),
                      std::to_string(more));
        insight->evidence.push_back(
            cyclesOf("gain for as many micro-batches", gainOfMore(report, p.info().cycles, more)));
    }
    insight->advice = adviser.advice();
    return {*insight};
}

std::vector<Insight> findUnbalanced(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight = lost(p, report.imbalanceShare, "imbalance");
    if (!insight)
        return {};
    const PipelineStage& longest = report.stages.at(static_cast<std::size_t>(report.longestStage));
    insight->title = fmt::format("Stages wait for stage {} for {} of the step", longest.stage,
                                 formatPercent(report.imbalanceShare, 1));
    for (const PipelineStage& stage : report.stages)
        insight->evidence.push_back(
            cyclesOf(fmt::format("stage {}, forward and backward", stage.stage), stage.cycles()));
    if (report.better.split.empty()) {
        insight->reason = "No split between other blocks of the model is shorter; the longest "
                          "operations of the stage would have to become faster.";
    } else {
        insight->advice = Adviser(p.info())
                              .set("split", fmt::format("{}", fmt::join(report.better.split, ",")),
                                   "would balance the stages")
                              .advice();
        insight->evidence.push_back(
            cyclesOf("longest stage of that split", report.better.longestCycles));
        insight->evidence.push_back(cyclesOf("gain of the step", report.better.gainCycles));
    }
    return {*insight};
}

/// What is neither a stage's work nor waiting for one.
std::vector<Insight> findOverhead(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight =
        lost(p, report.overheadShare, "copies, host and weight update");
    if (!insight)
        return {};
    insight->title = fmt::format("Copies between stages, host and weight update take {} of the "
                                 "step",
                                 formatPercent(report.overheadShare, 1));
    insight->advice = Adviser(p.info())
                          .raise(microBatchOption(p), "has fewer of those that are once a step")
                          .advice();
    const TraceSums& sums = p.run()->worst.sums;
    const std::string where = fmt::format(", IPU {}", p.run()->ipu.value());
    insight->evidence.push_back(
        cyclesOf("exchange between IPUs" + where, sums.cycles(ProgramKind::GlobalExchange)));
    insight->evidence.push_back(cyclesOf("host and streaming memory" + where, sums.host()));
    insight->evidence.push_back(cyclesOf("syncs" + where, sums.sync()));
    std::int64_t update = 0;
    for (const PipelineStage& stage : report.stages)
        update = std::max(update, stage.updateCycles);
    if (update > 0)
        insight->evidence.push_back(cyclesOf("longest weight update of a stage", update));
    return {*insight};
}

} // namespace

std::vector<Rule> pipelineRules() {
    return {
        {InsightKind::Time, "pipelineBubbles", findBubbles},
        {InsightKind::Time, "unbalancedStages", findUnbalanced},
        {InsightKind::Time, "pipelineOverhead", findOverhead},
    };
}

} // namespace tilescope
