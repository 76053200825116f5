// The rules behind findInsights(). Internal to core/analysis.
#pragma once

#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/analysis/operations/operation_groups.h"
#include "core/trace/trace_index.h"

namespace tilescope {

void addMemoryInsights(const InsightParts& parts, std::vector<Insight>& insights);
void addCopyInsights(const InsightParts& parts, std::vector<Insight>& insights);
void addTimeInsights(const InsightParts& parts, std::vector<Insight>& insights);
void addPipelineInsights(const InsightParts& parts, std::vector<Insight>& insights);
/// `groups`: the operations of the model.
void addWasteInsights(const InsightParts& parts, const std::vector<OperationGroup>& groups,
                      std::vector<Insight>& insights);
void addHotInsights(const InsightParts& parts, const std::vector<OperationGroup>& groups,
                    std::vector<Insight>& insights);

/// The last run: the main program, behind the one that loads weights.
struct Executed {
    CycleRange range;
    TraceStatistics worst; ///< of the IPU that does least computing
    IpuId ipu;
};
Executed mainRun(const InsightParts& parts);
/// Cycles as a share of a range.
double shareOfRange(std::int64_t cycles, const TraceStatistics& statistics);
/// A share of the cycles from which a bound is worth a note.
inline constexpr double boundShare = 0.3;
/// A note, or from half of the cycles on a warning.
InsightLevel levelOf(double share);
/// What comes from outside of the IPU: from the host, streaming memory and other IPUs.
void addFeedingInsights(const InsightParts& parts, const Executed& run,
                        std::vector<Insight>& insights);

inline Evidence bytesOf(std::string label, std::int64_t bytes, TileId tile = {},
                        OperationId operation = {}) {
    return {
        std::move(label), static_cast<double>(bytes), Evidence::Unit::Bytes, tile, operation, {}};
}
inline Evidence cyclesOf(std::string label, std::int64_t cycles, OperationId operation = {}) {
    return {
        std::move(label), static_cast<double>(cycles), Evidence::Unit::Cycles, {}, operation, {}};
}
inline Evidence shareOf(std::string label, double share) {
    return {std::move(label), share, Evidence::Unit::Share, {}, {}, {}};
}
inline Evidence countOf(std::string label, std::int64_t count) {
    return {std::move(label), static_cast<double>(count), Evidence::Unit::Count, {}, {}, {}};
}
/// What the planner could take for an operation, if it was planned.
void addProportion(const InsightParts& parts, OperationId operation, Insight& insight);

inline Evidence textOf(std::string label, std::string text) {
    return {std::move(label), 0, Evidence::Unit::Text, {}, {}, std::move(text)};
}

} // namespace tilescope
