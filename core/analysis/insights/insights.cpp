#include "core/analysis/insights/insights.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/analysis/insights/advised_values.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 21> kindNames{"fit",
                                                     "worstTiles",
                                                     "peakVariables",
                                                     "singlePrecision",
                                                     "gaps",
                                                     "vertexCode",
                                                     "vertexState",
                                                     "exchangeCode",
                                                     "repeatedCode",
                                                     "longestOperations",
                                                     "exchangeBound",
                                                     "hostBound",
                                                     "memoryBound",
                                                     "linkBound",
                                                     "syncBound",
                                                     "idleTime",
                                                     "stridedCopies",
                                                     "shortRunCopies",
                                                     "tileImbalance",
                                                     "pipelineBubbles",
                                                     "unbalancedStages"};
constexpr std::array<std::string_view, 4> levelNames{"good", "note", "warning", "problem"};

} // namespace

std::string_view toString(InsightKind kind) {
    return kindNames.at(static_cast<std::size_t>(kind));
}

std::string_view toString(InsightLevel level) {
    return levelNames.at(static_cast<std::size_t>(level));
}

std::string formatEvidence(const Evidence& evidence) {
    switch (evidence.unit) {
    case Evidence::Unit::Bytes:
        return formatBytes(static_cast<std::int64_t>(evidence.value));
    case Evidence::Unit::Cycles:
        return formatCycles(static_cast<std::int64_t>(evidence.value));
    case Evidence::Unit::Share:
        return formatPercent(evidence.value, 1);
    case Evidence::Unit::Text:
        return evidence.text;
    case Evidence::Unit::Count:
        break;
    }
    return withThousands(static_cast<std::int64_t>(evidence.value));
}

std::vector<Insight> findInsights(const InsightParts& parts) {
    std::vector<Insight> insights;
    addMemoryInsights(parts, insights);
    addCopyInsights(parts, insights);
    addTimeInsights(parts, insights);
    addPipelineInsights(parts, insights);
    const OperationSources sources{parts.operations,  parts.variables, parts.computeSets,
                                   parts.exchanges,   parts.programs,  parts.copies,
                                   &parts.vertexTypes};
    std::vector<ProgramExecutions> executions;
    if (parts.info.hasExecution)
        executions = parts.trace.executions(parts.programs.size());
    const std::vector<OperationGroup> groups =
        operationGroups({sources, parts.info.target, executions}, OperationLayer::Operation);
    addWasteInsights(parts, groups, insights);
    addHotInsights(parts, groups, insights);
    for (Insight& insight : insights)
        insight.advice = withValues(std::move(insight.advice), parts.info);
    std::stable_sort(insights.begin(), insights.end(),
                     [](const Insight& a, const Insight& b) { return a.kind < b.kind; });
    return insights;
}

std::vector<Insight> findInsights(const ProfileReader& reader) {
    // Braces keep what is read alive until the rules are done with it.
    return findInsights({reader.info(), reader.operations(), reader.livenessClasses(),
                         reader.variables(), reader.vertexTypes(), reader.computeSets(),
                         reader.exchanges(), reader.copies(), reader.streams(), reader.tileMemory(),
                         reader.steps(), reader.traceIndex(), pipelineReport(reader),
                         reader.programs()});
}

std::vector<Insight> findInsights(const Profile& profile) {
    const TraceIndex trace(profile.trace, profile.info.target.ipus,
                           profile.info.target.tilesPerIpu);
    return findInsights({profile.info, profile.operations, profile.livenessClasses,
                         profile.variables, profile.vertexTypes, profile.computeSets,
                         profile.exchanges, profile.copies, profile.streams, profile.tileMemory,
                         profile.steps, trace, pipelineReport(profile), profile.programs});
}

} // namespace tilescope
