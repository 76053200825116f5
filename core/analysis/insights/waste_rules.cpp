// Memory that could be spared: single precision, gaps, code that stands several times.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/analysis/insights/rules.h"
#include "core/analysis/liveness/liveness.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

constexpr std::size_t shown = 5;
// Shares of the fullest tile (or of all memory in use) from which a saving is worth a card.
constexpr double worthOnATile = 0.05;
constexpr double worthOverall = 0.01;
// Gaps below the interleaved memory cost nothing as long as there is room above.
constexpr double nearlyFull = 0.9;

std::string optionOf(const InsightParts& p, const char* key) {
    const auto found = p.info.options.find(key);
    return found == p.info.options.end() ? std::string() : found->second;
}

TileId fullestTile(const InsightParts& p) {
    TileId fullest(0);
    for (std::size_t i = 0; i < p.tileMemory.size(); ++i)
        if (p.tileMemory[TileId(i)].includingGaps > p.tileMemory[fullest].includingGaps)
            fullest = TileId(i);
    return fullest;
}

/// Single-precision variables that take room on the fullest tile at the peak, the largest first.
std::vector<VariableId> singlePrecision(const InsightParts& p, TileId tile, StepId peak) {
    std::vector<VariableId> found;
    for (std::size_t i = 0; i < p.variables.size(); ++i) {
        const Variable& v = p.variables[VariableId(i)];
        const bool there = v.alwaysLive || (peak.valid() && v.liveness.valid() &&
                                            v.liveness.index() < p.livenessClasses.size() &&
                                            p.livenessClasses[v.liveness].contains(peak));
        if (v.type == "float" && there && v.bytes.at(tile) > 0)
            found.emplace_back(i);
    }
    std::stable_sort(found.begin(), found.end(), [&](VariableId a, VariableId b) {
        return p.variables[a].bytes.at(tile) > p.variables[b].bytes.at(tile);
    });
    return found;
}

void addSinglePrecision(const InsightParts& p, TileId tile, std::vector<Insight>& insights) {
    const LivenessSeries liveness = livenessOf(p.info.target, p.variables, p.livenessClasses,
                                               p.steps.size(), TileSelection::ofTile(tile));
    const std::vector<VariableId> variables = singlePrecision(p, tile, liveness.peakStep);
    std::int64_t bytes = 0;
    for (const VariableId id : variables)
        bytes += p.variables[id].bytes.at(tile);
    const std::int64_t gain = bytes / 2; // half has two bytes where float has four
    if (variables.empty() ||
        static_cast<double>(gain) <
            worthOnATile * static_cast<double>(p.tileMemory[tile].includingGaps))
        return;
    Insight insight;
    insight.kind = InsightKind::SinglePrecision;
    insight.title = fmt::format(
        "Single-precision variables take {} of the fullest tile at its peak", formatBytes(bytes));
    insight.advice = optionOf(p, "precision") == "half"
                         ? "Partial sums are single precision: --partials-type half halves them, "
                           "for sums that are less exact."
                         : "--precision half halves weights and activations, for values that are "
                           "less exact.";
    insight.link = {.report = "liveness",
                    .tile = tile,
                    .step = liveness.peakStep,
                    .operation = p.variables[variables.front()].operation,
                    .variable = variables.front(),
                    .vertexType = {},
                    .exchange = {},
                    .program = {}};
    insight.evidence = {bytesOf("on the tile, at its peak", bytes, tile),
                        bytesOf("estimated gain on the tile, at most", gain, tile)};
    for (std::size_t i = 0; i < std::min(shown, variables.size()); ++i) {
        const Variable& v = p.variables[variables[i]];
        insight.evidence.push_back(bytesOf(v.name, v.bytes.at(tile), tile, v.operation));
    }
    insights.push_back(std::move(insight));
}

void addGaps(const InsightParts& p, TileId tile, std::vector<Insight>& insights) {
    const TileMemory& memory = p.tileMemory[tile];
    const std::int64_t gaps = memory.includingGaps - memory.excludingGaps;
    const auto limit = static_cast<double>(p.info.target.bytesPerTile);
    if (gaps <= 0 || static_cast<double>(memory.includingGaps) < nearlyFull * limit ||
        static_cast<double>(gaps) < worthOnATile * static_cast<double>(memory.includingGaps))
        return;
    std::int64_t all = 0;
    for (const TileMemory& each : p.tileMemory)
        all += each.includingGaps - each.excludingGaps;
    Insight insight;
    insight.kind = InsightKind::Gaps;
    insight.title = fmt::format(
        "{} of the fullest tile are gaps between variables",
        formatPercent(static_cast<double>(gaps), static_cast<double>(memory.includingGaps)));
    insight.advice = "Gaps keep operands in different memory elements and whole variables in "
                     "interleaved memory. Smaller temporary data leave fewer: a lower "
                     "--available-memory-proportion, or a smaller --batch-size.";
    insight.link.report = "memory";
    insight.link.tile = tile;
    insight.evidence = {bytesOf("gaps on the fullest tile", gaps, tile),
                        bytesOf("gaps on all tiles", all),
                        bytesOf("estimated gain on the tile, at most", gaps, tile)};
    insights.push_back(std::move(insight));
}

/// Operations that were planned alike, with code of their own each.
struct Alike {
    std::vector<const OperationGroup*> operations;
    std::int64_t code = 0; ///< of all of them
    std::int64_t most = 0; ///< of the one with most
    [[nodiscard]] std::int64_t gain() const { return code - most; }
};

// Exchange and control code; vertices share their code already, and their state is data.
std::int64_t ownCode(const OperationGroup& group) {
    return group.exchangeCode + group.controlCode;
}

void addRepeatedCode(const InsightParts& p, const std::vector<OperationGroup>& groups,
                     std::vector<Insight>& insights) {
    std::map<std::tuple<std::string, std::string, std::string>, Alike> kinds;
    for (const OperationGroup& group : groups) {
        if (!group.operation.valid() || p.operations[group.operation].plan.empty())
            continue;
        const Operation& operation = p.operations[group.operation];
        Alike& alike = kinds[{operation.type, operation.outputShape, operation.plan}];
        alike.operations.push_back(&group);
        alike.code += ownCode(group);
        alike.most = std::max(alike.most, ownCode(group));
    }
    std::vector<const Alike*> repeated;
    std::int64_t gain = 0;
    for (const auto& [key, alike] : kinds)
        if (alike.operations.size() > 1 && alike.gain() > 0) {
            repeated.push_back(&alike);
            gain += alike.gain();
        }
    std::int64_t used = 0;
    for (const TileMemory& tile : p.tileMemory)
        used += tile.excludingGaps;
    if (repeated.empty() || static_cast<double>(gain) < worthOverall * static_cast<double>(used))
        return;
    std::stable_sort(repeated.begin(), repeated.end(),
                     [](const Alike* a, const Alike* b) { return a->gain() > b->gain(); });
    Insight insight;
    insight.kind = InsightKind::RepeatedCode;
    insight.title = fmt::format("Operations that are planned alike have {} of exchange and control "
                                "code more than one of each would need",
                                formatBytes(gain));
    insight.advice = optionOf(p, "outline") == "off"
                         ? "--outline on makes functions of what is repeated, so that its code "
                           "stands once, for copies of what goes in and out."
                         : "A lower --outline-threshold makes functions of smaller repeats too, "
                           "for more copies of what goes in and out.";
    insight.link.report = "operations";
    insight.link.operation = repeated.front()->operations.front()->operation;
    insight.evidence = {bytesOf("estimated gain over all tiles, at most", gain)};
    for (std::size_t i = 0; i < std::min(shown, repeated.size()); ++i) {
        const Alike& alike = *repeated[i];
        insight.evidence.push_back(
            bytesOf(fmt::format("{} operations like '{}'", alike.operations.size(),
                                alike.operations.front()->name),
                    alike.code, {}, alike.operations.front()->operation));
    }
    insights.push_back(std::move(insight));
}

} // namespace

void addWasteInsights(const InsightParts& p, const std::vector<OperationGroup>& groups,
                      std::vector<Insight>& insights) {
    if (p.tileMemory.empty())
        return;
    const TileId tile = fullestTile(p);
    addSinglePrecision(p, tile, insights);
    addGaps(p, tile, insights);
    addRepeatedCode(p, groups, insights);
}

} // namespace tilescope
