// The rules behind findInsights(). Internal to core/analysis.
#pragma once

#include <vector>

#include "core/analysis/insights.h"
#include "core/analysis/operation_groups.h"

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
