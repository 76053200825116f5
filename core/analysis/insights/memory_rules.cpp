// What takes up memory.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/analysis/memory/summary.h"
#include "core/base/units.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

/// The proportion at which the tile's temporary data would be `bytes` smaller if it shrank in step,
/// but at most half of the one in force: plans are few, and most need far less than they may use,
/// so a slightly lower bound leads to the same plan. None if the tile has less temporary data than
/// that, or the proportion would be close to zero.
std::string proportionFor(const Facts& p, TileId tile, std::int64_t bytes) {
    constexpr double least = 0.05;
    constexpr double hundredth = 100;
    const auto now = numberInForce(p.info(), "availableMemoryProportion");
    const auto temporary = static_cast<double>(p.livenessOn(tile).maxNotAlwaysLive());
    if (!now || temporary <= 0)
        return {};
    const double inStep = *now * (1 - static_cast<double>(bytes) / temporary);
    const double value = std::floor(std::min(inStep, *now / 2) * hundredth) / hundredth;
    return value >= least && value < *now ? numberText(value) : std::string();
}

/// Whether rings that sum gradients one by one account for much of the code that exceeds a tile.
bool hasManyRings(const Facts& p, TileId tile, std::int64_t missing) {
    // A smaller part of what is missing is not worth an option.
    constexpr std::int64_t worthTelling = 4;
    const auto sums =
        std::count_if(p.operations().begin(), p.operations().end(),
                      [](const Operation& o) { return o.type == "ReplicatedAllReduceInplace"; });
    std::int64_t code = 0;
    for (const Variable& variable : p.variables())
        if (variable.category == MemoryCategory::GlobalExchangeCode)
            code += variable.bytes.sum(tile.value(), tile.value() + 1);
    return sums > 1 && code * worthTelling >= missing;
}

void doesNotFit(const Facts& p, const MemorySummary& memory, Insight& insight) {
    const std::int64_t missing = memory.maxTile.includingGaps - memory.limitPerTile;
    insight.level = InsightLevel::Problem;
    insight.cost = memoryCost(p, missing, memory.maxTileId);
    insight.title = fmt::format("Does not fit: tile {} needs {} more than it has",
                                memory.maxTileId.value(), formatBytes(missing));
    Adviser adviser(p.info());
    const std::string buffer = gradientBufferToTry(p.info());
    if (!buffer.empty() && hasManyRings(p, memory.maxTileId, missing))
        adviser.raise("maxCrossReplicaBufferSize",
                      "sums gradients over the replicas together, with the code of few rings",
                      buffer);
    adviser
        .lower("availableMemoryProportion",
               "makes temporary data of convolutions and matmuls smaller",
               proportionFor(p, memory.maxTileId, missing))
        .lower("batchSize", "makes activations smaller");
    // Sums of single-precision operands stay in single precision.
    if (p.isHalf())
        adviser.set("partialsType", "half", "halves partial sums");
    else
        adviser.set("precision", "half", "halves weights and activations");
    insight.advice = adviser.advice();
    insight.evidence.push_back(countOf("tiles over the limit", memory.tilesOverLimit));
}

} // namespace

std::vector<Insight> findFit(const Facts& p) {
    if (p.tileMemory().empty())
        return {};
    const MemorySummary memory =
        summariseMemory(p.info().target, p.tileMemory(), p.liveness().notAlwaysLive);
    Insight insight;
    insight.link.report = "memory";
    insight.link.things.add(memory.maxTileId);
    const InsightCost used = memoryCost(p, memory.maxTile.includingGaps, memory.maxTileId);
    const std::int64_t spare = memory.limitPerTile - memory.maxTile.includingGaps;
    if (!p.info().fits || spare < 0) {
        doesNotFit(p, memory, insight);
    } else {
        insight.cost = used;
        insight.level = used.share > nearlyFull ? InsightLevel::Warning : InsightLevel::Good;
        insight.title = fmt::format("Fits: the fullest tile has {} to spare", formatBytes(spare));
        if (used.share > nearlyFull)
            insight.advice =
                Adviser(p.info())
                    .lower("availableMemoryProportion", "makes room at the cost of cycles")
                    .advice();
    }
    insight.evidence.push_back(
        bytesOf("fullest tile, including gaps", used.bytes, memory.maxTileId));
    insight.evidence.push_back(bytesOf("memory of a tile", memory.limitPerTile));
    insight.evidence.push_back(shareOf("share of the fullest tile", used.share));
    return {insight};
}

namespace {

/// Its cost is the excess of the fullest tile over the mean.
std::vector<Insight> findWorstTiles(const Facts& p) {
    const auto& tiles = p.tileMemory();
    if (tiles.empty())
        return {};
    std::vector<TileId> order;
    std::int64_t all = 0;
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
        order.emplace_back(tile);
        all += tiles[TileId(tile)].includingGaps;
    }
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(shownRows, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](TileId a, TileId b) {
        return std::pair(-tiles[a].includingGaps, a) < std::pair(-tiles[b].includingGaps, b);
    });
    order.erase(end, order.end());
    const TileId fullest = order.front();
    const std::int64_t mean = all / static_cast<std::int64_t>(tiles.size());
    Insight insight;
    insight.cost = memoryCost(p, tiles[fullest].includingGaps - mean, fullest);
    insight.title = fmt::format("Tile {} uses the most memory, {} more than the mean",
                                fullest.value(), formatBytes(insight.cost.bytes));
    insight.link.report = "memory";
    insight.link.things.add(fullest);
    for (const TileId tile : order)
        insight.evidence.push_back(
            bytesOf(fmt::format("tile {} (IPU {})", tile.value(),
                                tile.value() / std::max(1, p.info().target.tilesPerIpu)),
                    tiles[tile].includingGaps, tile));
    insight.evidence.push_back(bytesOf("mean of all tiles", mean));
    return {insight};
}

/// Of the parts of a kind over all tiles, largest first; the link leads to the first. `title` has a
/// placeholder for its name.
std::optional<Insight> largestOf(const Facts& p, const std::vector<SizedPart>& parts,
                                 const char* title) {
    if (parts.empty())
        return std::nullopt;
    Insight insight;
    insight.cost = memoryCost(p, parts.front().bytes);
    insight.title = fmt::format(fmt::runtime(title), parts.front().name);
    insight.link = parts.front().link;
    for (std::size_t i = 0; i < std::min(shownRows, parts.size()); ++i)
        insight.evidence.push_back(
            bytesOf(parts[i].name, parts[i].bytes, {}, parts[i].link.things.operation));
    return insight;
}

std::vector<Insight> listOf(std::optional<Insight> insight) {
    return insight ? std::vector{std::move(*insight)} : std::vector<Insight>();
}

/// Whether the peak consists of what the step's own operation needs, or of data kept for others.
void addHolders(const Facts& p, const std::vector<SizedPart>& parts, Insight& insight) {
    const StepId peak = p.liveness().peakStep;
    if (!peak.valid() || !p.steps()[peak].valid())
        return;
    const OperationId running = p.programs()[p.steps()[peak]].operation;
    std::int64_t own = 0, kept = 0;
    std::set<OperationId> others;
    for (const SizedPart& part : parts) {
        if (part.link.things.operation == running) {
            own += part.bytes;
            continue;
        }
        kept += part.bytes;
        others.insert(part.link.things.operation);
    }
    if (running.valid())
        insight.evidence.push_back(
            bytesOf(fmt::format("made by the operation of the step, '{}'", p.nameOf(running)), own,
                    {}, running));
    if (kept > 0)
        insight.evidence.push_back(
            bytesOf(fmt::format("kept from {} other operation{}", others.size(),
                                others.size() == 1 ? "" : "s"),
                    kept));
}

std::vector<Insight> findPeakVariables(const Facts& p) {
    const std::string title = fmt::format("At the peak, step {}, '{{}}' is the largest variable",
                                          p.liveness().peakStep.value());
    const std::vector<SizedPart> parts = p.largest(PartKind::PeakVariable);
    std::optional<Insight> insight = largestOf(p, parts, title.c_str());
    if (!insight)
        return {};
    insight->cost = memoryCost(p, p.liveness().maxNotAlwaysLive());
    insight->advice = Adviser(p.info())
                          .lower("availableMemoryProportion",
                                 "makes temporary data of convolutions and matmuls smaller")
                          .lower("batchSize", "makes activations smaller")
                          .advice();
    insight->evidence.insert(insight->evidence.begin(),
                             bytesOf("not always live at this step", insight->cost.bytes));
    addHolders(p, parts, *insight);
    addProportion(p, insight->link.things.operation, *insight);
    return listOf(std::move(insight));
}

std::vector<Insight> findVertexCode(const Facts& p) {
    return listOf(largestOf(p, p.largest(PartKind::VertexCode), "'{}' has the most vertex code"));
}

std::vector<Insight> findVertexState(const Facts& p) {
    return listOf(largestOf(p, p.largest(PartKind::VertexState), "'{}' has the most vertex state"));
}

std::vector<Insight> findExchangeCode(const Facts& p) {
    return listOf(
        largestOf(p, p.largest(PartKind::ExchangeCode), "'{}' has the most exchange code"));
}

} // namespace

std::vector<Rule> memoryRules() {
    return {
        {InsightKind::Memory, "fit", findFit},
        {InsightKind::Memory, "worstTiles", findWorstTiles},
        {InsightKind::Memory, "peakVariables", findPeakVariables},
        {InsightKind::Memory, "vertexCode", findVertexCode},
        {InsightKind::Memory, "vertexState", findVertexState},
        {InsightKind::Memory, "exchangeCode", findExchangeCode},
    };
}

} // namespace tilescope
