// The rules of findInsights(). Internal to core/analysis/insights.
//
// A new rule is a function and a row in the list at the end of its file.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/insights/facts.h"
#include "core/analysis/insights/insights.h"

namespace tilescope {

struct Rule {
    InsightKind kind;
    const char* name;                           ///< in `--json`: "worstTiles"
    std::vector<Insight> (*find)(const Facts&); ///< leaves kind and name of its insights empty
};

/// What findInsights() gives.
std::vector<Insight> insightsOf(const Facts& facts);

std::vector<Rule> memoryRules();
/// The first of these, and the only one that finds a problem.
std::vector<Insight> findFit(const Facts& facts);
std::vector<Rule> wasteRules();
std::vector<Rule> copyRules();
std::vector<Rule> timeRules();
std::vector<Rule> feedingRules();
std::vector<Rule> hotRules();
std::vector<Rule> pipelineRules();
std::vector<Rule> valueRules();

/// The most rows of evidence in a list.
inline constexpr std::size_t shownRows = 5;
/// From this share of a tile's memory on, a larger batch or another option may no longer fit.
inline constexpr double nearlyFull = 0.9;

/// A note; from a quarter of the run on, a warning.
InsightLevel levelOf(double share);

InsightCost costOf(std::int64_t cycles, const MainRun& run);
/// Cost in memory, of a tile or of all of them.
InsightCost memoryCost(const Facts& facts, std::int64_t bytes, TileId tile = {});

/// Cycles of the run in which an IPU computes nothing: "31.2 % of the cycles are `what`", of one of
/// several IPUs "31.2 % of the cycles of IPU 1 are `what`", with these cycles as evidence. None
/// below a tenth of the run, or if nothing ran.
std::optional<Insight> boundBy(const Facts& facts, IpuId ipu, const char* what,
                               std::int64_t cycles);

/// The IPU that spends most of the run on steps of a kind, and the cycles that it spends on them.
struct IpuCycles {
    IpuId ipu;
    std::int64_t cycles = 0;
};
IpuCycles mostOf(const Facts& facts, ProgramKind kind);

/// Most cycles first.
Steps longestFirst(const Facts& facts, Steps steps);

/// The memory that the planner could use for an operation, if it was planned.
void addProportion(const Facts& facts, OperationId operation, Insight& insight);

Evidence bytesOf(std::string label, std::int64_t bytes, TileId tile = {},
                 OperationId operation = {});
Evidence cyclesOf(std::string label, std::int64_t cycles, OperationId operation = {});
Evidence shareOf(std::string label, double share);
Evidence countOf(std::string label, std::int64_t count);
Evidence textOf(std::string label, std::string text);

} // namespace tilescope
