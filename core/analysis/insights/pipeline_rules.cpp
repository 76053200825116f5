// What a pipeline loses, and to what.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/loss_split.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Less than this of the step is not worth a line.
constexpr double worthTelling = 0.05;
/// A share of the IPUs' time in the step that is lost; none if it is not worth a line, or there is
/// no pipeline.
std::optional<Insight> lost(const Facts& p, double share, const char* label) {
    if (!p.run() || p.pipeline().stages.size() < 2 || share < worthTelling)
        return std::nullopt;
    Insight insight;
    insight.cost = {std::llround(share * static_cast<double>(p.info().cycles)), 0, share};
    insight.level = levelOf(share);
    insight.link.report = "pipeline";
    insight.evidence = {shareOf(label, share)};
    return insight;
}

std::vector<Insight> findBubbles(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight = lost(p, report.bubbleShare, "bubbles");
    if (!insight)
        return {};
    insight->cost.cycles = splitOf(p).mean(LossKind::Bubbles); // as in the list of losses
    insight->title = fmt::format("IPUs have no stage to run for {} of the step",
                                 formatPercent(report.bubbleShare, 1));
    insight->evidence.push_back(shareOf("utilisation", report.utilisation));
    insight->evidence.push_back(
        shareOf("utilisation of this schedule with equal stages", report.scheduleUtilisation));
    insight->evidence.push_back(countOf("micro-batches of a step", report.microBatches));
    Remedies remedies = remediesFor(p, LossKind::Bubbles, insight->cost.cycles);
    insight->reason = std::move(remedies.reason);
    insight->advice = std::move(remedies.advice);
    if (!insight->reason.empty())
        insight->evidence.push_back(
            cyclesOf("gain for as many micro-batches", insight->advice.front().gain));
    return {*insight};
}

std::vector<Insight> findUnbalanced(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight = lost(p, report.imbalanceShare, "imbalance");
    if (!insight)
        return {};
    insight->cost.cycles = splitOf(p).mean(LossKind::StageImbalance); // as in the list of losses
    const PipelineStage& longest = report.stages.at(static_cast<std::size_t>(report.longestStage));
    insight->title = fmt::format("Stages wait for stage {} for {} of the step", longest.stage,
                                 formatPercent(report.imbalanceShare, 1));
    for (const PipelineStage& stage : report.stages)
        insight->evidence.push_back(
            cyclesOf(fmt::format("stage {}, forward and backward", stage.stage), stage.cycles()));
    Remedies remedies = remediesFor(p, LossKind::StageImbalance, insight->cost.cycles);
    insight->reason = std::move(remedies.reason);
    insight->advice = std::move(remedies.advice);
    if (!report.better.split.empty()) {
        insight->evidence.push_back(
            cyclesOf("longest stage of that split", report.better.longestCycles));
        insight->evidence.push_back(cyclesOf("gain of the step", report.better.gainCycles));
    }
    return {*insight};
}

/// Time that is neither a stage's work nor waiting for one.
std::vector<Insight> findOverhead(const Facts& p) {
    const PipelineReport& report = p.pipeline();
    std::optional<Insight> insight =
        lost(p, report.overheadShare, "copies, host and weight update");
    if (!insight)
        return {};
    insight->title = fmt::format("Copies between stages, host and weight update take {} of the "
                                 "step",
                                 formatPercent(report.overheadShare, 1));
    insight->advice = remediesFor(p, LossKind::Sync, insight->cost.cycles).advice;
    // With what other IPUs wait for meanwhile, which the trace of each has as syncs.
    const LossSplit split = splitOf(p);
    const auto mean = [&](LossKind kind) { return split.mean(kind); };
    insight->evidence.push_back(
        cyclesOf("exchange between IPUs, mean of all", mean(LossKind::GlobalExchange)));
    insight->evidence.push_back(cyclesOf("host, mean of all", mean(LossKind::Host)));
    if (const std::int64_t remote = mean(LossKind::StreamingMemory); remote > 0)
        insight->evidence.push_back(cyclesOf("streaming memory, mean of all", remote));
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
