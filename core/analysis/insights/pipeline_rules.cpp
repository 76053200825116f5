// What a pipeline loses, and to what.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Less than this of the step is not worth a line.
constexpr double worthTelling = 0.05;
constexpr double worthAWarning = 0.25;
// What an accumulation count is advised for.
constexpr double wantedUtilisation = 0.9;

InsightLevel levelOf(double share) {
    return share >= worthAWarning ? InsightLevel::Warning : InsightLevel::Note;
}

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

void addBubbles(const InsightParts& p, std::vector<Insight>& insights) {
    const PipelineReport& report = p.pipeline;
    if (report.bubbleShare < worthTelling)
        return;
    const bool sequential = report.schedule == "sequential";
    const auto stages = static_cast<std::int64_t>(report.stages.size());
    const std::int64_t more = microBatchesFor(stages);
    Insight insight;
    insight.kind = InsightKind::PipelineBubbles;
    insight.level = levelOf(report.bubbleShare);
    insight.title = fmt::format("IPUs have no stage to run for {} of the step",
                                formatPercent(report.bubbleShare, 1));
    insight.link.report = "pipeline";
    insight.evidence = {
        shareOf("bubbles", report.bubbleShare), shareOf("utilisation", report.utilisation),
        shareOf("utilisation of this schedule with equal stages", report.scheduleUtilisation),
        countOf("micro-batches of a step", report.microBatches)};
    if (sequential) {
        insight.advice = "--schedule grouped or popart lets the stages work at the same time, for "
                         "more memory of activations that wait.";
    } else if (more > report.microBatches) {
        insight.advice = fmt::format("Ramp-up and ramp-down weigh less with more micro-batches: {} "
                                     "{} would reach {} with equal stages.",
                                     p.info.mode == "training" ? "--gradient-accumulation"
                                                               : "--device-iterations",
                                     more, formatPercent(wantedUtilisation, 1));
        insight.evidence.push_back(
            cyclesOf("gain for as many micro-batches", gainOfMore(report, p.info.cycles, more)));
    }
    insights.push_back(std::move(insight));
}

void addUnbalanced(const InsightParts& p, std::vector<Insight>& insights) {
    const PipelineReport& report = p.pipeline;
    if (report.imbalanceShare < worthTelling)
        return;
    const PipelineStage& longest = report.stages.at(static_cast<std::size_t>(report.longestStage));
    Insight insight;
    insight.kind = InsightKind::UnbalancedStages;
    insight.level = levelOf(report.imbalanceShare);
    insight.title = fmt::format("Stages wait for stage {} for {} of the step", longest.stage,
                                formatPercent(report.imbalanceShare, 1));
    insight.link.report = "pipeline";
    insight.evidence.push_back(shareOf("imbalance", report.imbalanceShare));
    for (const PipelineStage& stage : report.stages)
        insight.evidence.push_back(
            cyclesOf(fmt::format("stage {}, forward and backward", stage.stage), stage.cycles()));
    if (report.better.split.empty()) {
        insight.advice = "No split between other blocks of the model is shorter; the longest "
                         "operations of the stage would have to become faster.";
    } else {
        insight.advice = fmt::format("--split {} would balance the stages.",
                                     fmt::join(report.better.split, ","));
        insight.evidence.push_back(
            cyclesOf("longest stage of that split", report.better.longestCycles));
        insight.evidence.push_back(cyclesOf("gain of the step", report.better.gainCycles));
    }
    insights.push_back(std::move(insight));
}

} // namespace

void addPipelineInsights(const InsightParts& p, std::vector<Insight>& insights) {
    if (p.pipeline.stages.size() < 2 || !p.info.hasExecution)
        return;
    addBubbles(p, insights);
    addUnbalanced(p, insights);
}

} // namespace tilescope
