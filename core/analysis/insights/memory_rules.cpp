#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/advised_values.h"
#include "core/analysis/insights/rules.h"
#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/summary.h"
#include "core/analysis/memory/tables.h"
#include "core/base/units.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

constexpr std::size_t shown = 5;
// From this share of a tile's memory on, a larger batch or another option may not fit any more.
constexpr double nearlyFull = 0.9;

/// The proportion with which temporary data of the tile would be so many bytes smaller, if it
/// shrank in step, but half of the one in force at most: plans are few, and most of them need far
/// less than they may, so that a slightly lower bound chooses the same again. None if the tile has
/// not as many, or it would be next to nothing.
std::string proportionFor(const InsightParts& p, TileId tile, std::int64_t bytes) {
    constexpr double least = 0.05;
    constexpr double hundredth = 100;
    const auto now = numberInForce(p.info, "availableMemoryProportion");
    const auto temporary =
        static_cast<double>(livenessOf(p.info.target, p.variables, p.livenessClasses,
                                       p.steps.size(), TileSelection::ofTile(tile))
                                .maxNotAlwaysLive());
    if (!now || temporary <= 0)
        return {};
    const double inStep = *now * (1 - static_cast<double>(bytes) / temporary);
    const double value = std::floor(std::min(inStep, *now / 2) * hundredth) / hundredth;
    return value >= least && value < *now ? numberText(value) : std::string();
}

std::string adviceToFit(const InsightParts& p, TileId tile, std::int64_t missing) {
    std::string advice = "Lower --available-memory-proportion";
    if (const std::string value = proportionFor(p, tile, missing); !value.empty())
        advice += " " + insteadOf(value, inForce(p.info, "availableMemoryProportion"));
    return advice + " or --batch-size, use --precision half or --partials-type half.";
}

void addFit(const InsightParts& p, const MemorySummary& memory, std::vector<Insight>& insights) {
    Insight insight;
    insight.kind = InsightKind::Fit;
    insight.link.report = "memory";
    insight.link.tile = memory.maxTileId;
    const double share = memory.limitPerTile > 0
                             ? static_cast<double>(memory.maxTile.includingGaps) /
                                   static_cast<double>(memory.limitPerTile)
                             : 0;
    const std::int64_t spare = memory.limitPerTile - memory.maxTile.includingGaps;
    if (!p.info.fits || spare < 0) {
        insight.level = InsightLevel::Problem;
        insight.title = fmt::format("Does not fit: tile {} needs {} more than it has",
                                    memory.maxTileId.value(), formatBytes(-spare));
        insight.advice = adviceToFit(p, memory.maxTileId, -spare);
        insight.evidence.push_back(countOf("tiles over the limit", memory.tilesOverLimit));
    } else {
        insight.level = share > nearlyFull ? InsightLevel::Warning : InsightLevel::Good;
        insight.title = fmt::format("Fits: the fullest tile has {} to spare", formatBytes(spare));
        if (share > nearlyFull)
            insight.advice = "A lower --available-memory-proportion makes room at the cost of "
                             "cycles.";
    }
    insight.evidence.push_back(
        bytesOf("fullest tile, including gaps", memory.maxTile.includingGaps, memory.maxTileId));
    insight.evidence.push_back(bytesOf("memory of a tile", memory.limitPerTile));
    insight.evidence.push_back(shareOf("share of the fullest tile", share));
    insights.push_back(std::move(insight));
}

void addWorstTiles(const InsightParts& p, std::vector<Insight>& insights) {
    std::vector<TileId> order;
    for (std::size_t tile = 0; tile < p.tileMemory.size(); ++tile)
        order.emplace_back(tile);
    const std::size_t count = std::min(shown, order.size());
    if (count == 0)
        return;
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](TileId a, TileId b) {
                          const std::int64_t bytesA = p.tileMemory[a].includingGaps;
                          const std::int64_t bytesB = p.tileMemory[b].includingGaps;
                          return bytesA != bytesB ? bytesA > bytesB : a < b;
                      });
    order.resize(count);
    Insight insight;
    insight.kind = InsightKind::WorstTiles;
    insight.title = fmt::format("Tile {} uses most memory", order.front().value());
    insight.link.report = "memory";
    insight.link.tile = order.front();
    for (const TileId tile : order)
        insight.evidence.push_back(
            bytesOf(fmt::format("tile {} (IPU {})", tile.value(),
                                tile.value() / std::max(1, p.info.target.tilesPerIpu)),
                    p.tileMemory[tile].includingGaps, tile));
    insights.push_back(std::move(insight));
}

void addPeakVariables(const InsightParts& p, const LivenessSeries& liveness,
                      std::vector<Insight>& insights) {
    if (!liveness.peakStep.valid() || liveness.maxNotAlwaysLive() == 0)
        return;
    const auto variables =
        notAlwaysLiveVariables(p.info.target, p.variables, p.livenessClasses, p.steps.size(),
                               liveness.peakStep, TileSelection::all());
    if (variables.empty())
        return;
    Insight insight;
    insight.kind = InsightKind::PeakVariables;
    insight.title = fmt::format("At the peak, step {}, '{}' is the largest variable",
                                liveness.peakStep.value(), variables.front().name);
    insight.advice = "Temporary data of convolutions and matmuls shrink with a lower "
                     "--available-memory-proportion, activations with a lower --batch-size.";
    insight.link.report = "liveness";
    insight.link.step = liveness.peakStep;
    insight.link.operation = variables.front().operation;
    insight.link.variable = variables.front().variable;
    insight.evidence.push_back(bytesOf("not always live at the peak", liveness.maxNotAlwaysLive()));
    for (std::size_t i = 0; i < std::min(shown, variables.size()); ++i)
        insight.evidence.push_back(
            bytesOf(variables[i].name, variables[i].bytes, {}, variables[i].operation));
    addProportion(p, variables.front().operation, insight);
    insights.push_back(std::move(insight));
}

void addVertices(const InsightParts& p, std::vector<Insight>& insights) {
    std::vector<VertexRow> rows =
        vertexTable(p.info.target, p.vertexTypes, p.computeSets, TileSelection::all());
    const auto add = [&](InsightKind kind, const char* what, std::int64_t VertexRow::*bytes) {
        std::stable_sort(rows.begin(), rows.end(), [&](const VertexRow& a, const VertexRow& b) {
            return a.*bytes > b.*bytes;
        });
        if (rows.empty() || rows.front().*bytes == 0)
            return;
        Insight insight;
        insight.kind = kind;
        insight.title = fmt::format("'{}' has the most vertex {}", rows.front().name, what);
        if (!rows.front().computeSets.empty())
            insight.link.operation = p.computeSets[rows.front().computeSets.front()].operation;
        insight.link.report = "vertices";
        insight.link.vertexType = rows.front().type;
        for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i)
            if (rows[i].*bytes != 0)
                insight.evidence.push_back(bytesOf(rows[i].name, rows[i].*bytes));
        insights.push_back(std::move(insight));
    };
    add(InsightKind::VertexCode, "code", &VertexRow::codeBytes);
    add(InsightKind::VertexState, "state", &VertexRow::stateBytes);
}

void addExchangeCode(const InsightParts& p, std::vector<Insight>& insights) {
    const std::vector<ExchangeRow> rows =
        exchangeTable(p.info.target, p.exchanges, TileSelection::all());
    if (rows.empty() || rows.front().codeBytes == 0)
        return;
    Insight insight;
    insight.kind = InsightKind::ExchangeCode;
    insight.title = fmt::format("'{}' has the most exchange code", rows.front().name);
    insight.link.report = "exchanges";
    insight.link.operation = rows.front().operation;
    insight.link.exchange = rows.front().exchange;
    for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i)
        if (rows[i].codeBytes != 0)
            insight.evidence.push_back(
                bytesOf(rows[i].name, rows[i].codeBytes, {}, rows[i].operation));
    insights.push_back(std::move(insight));
}

} // namespace

void addProportion(const InsightParts& p, OperationId operation, Insight& insight) {
    if (!operation.valid() || operation.index() >= p.operations.size())
        return;
    const Operation& planned = p.operations[operation];
    if (const std::string proportion = proportionOf(planned); !proportion.empty())
        insight.evidence.push_back(
            textOf(fmt::format("availableMemoryProportion of '{}'", planned.name), proportion));
}

void addMemoryInsights(const InsightParts& p, std::vector<Insight>& insights) {
    const LivenessSeries liveness = livenessOf(p.info.target, p.variables, p.livenessClasses,
                                               p.steps.size(), TileSelection::all());
    if (!p.tileMemory.empty()) {
        addFit(p, summariseMemory(p.info.target, p.tileMemory, liveness.notAlwaysLive), insights);
        addWorstTiles(p, insights);
    }
    addPeakVariables(p, liveness, insights);
    addVertices(p, insights);
    addExchangeCode(p, insights);
}

} // namespace tilescope
