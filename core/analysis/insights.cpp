#include "core/analysis/insights.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 10> kindNames{
    "fit",          "worstTiles",    "peakVariables", "vertexCode",     "vertexState",
    "exchangeCode", "exchangeBound", "hostBound",     "shortRunCopies", "tileImbalance"};
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
    case Evidence::Unit::Count:
        break;
    }
    return withThousands(static_cast<std::int64_t>(evidence.value));
}

std::vector<Insight> findInsights(const Profile& profile) {
    std::vector<Insight> insights;
    addMemoryInsights(profile, insights);
    addTimeInsights(profile, insights);
    std::stable_sort(insights.begin(), insights.end(),
                     [](const Insight& a, const Insight& b) { return a.kind < b.kind; });
    return insights;
}

} // namespace tilescope
