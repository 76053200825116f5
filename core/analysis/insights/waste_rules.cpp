// Memory that could be saved: single precision, gaps, repeated code.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Shares of the fullest tile (or of all memory in use) from which a saving is worth a card.
constexpr double worthOnATile = 0.05;
constexpr double worthOverall = 0.01;

/// Single-precision variables that take up space on the fullest tile at the peak, the largest
/// first.
std::vector<VariableId> singlePrecision(const Facts& p, TileId tile, StepId peak) {
    // Asking for a part takes a lock, and there may be a hundred thousand variables.
    const auto& variables = p.variables();
    const auto& classes = p.livenessClasses();
    std::vector<VariableId> found;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Variable& v = variables[VariableId(i)];
        const bool there = v.alwaysLive || (peak.valid() && v.liveness.valid() &&
                                            v.liveness.index() < classes.size() &&
                                            classes[v.liveness].contains(peak));
        if (v.type == "float" && there && v.bytes.at(tile) > 0)
            found.emplace_back(i);
    }
    std::stable_sort(found.begin(), found.end(), [&](VariableId a, VariableId b) {
        return variables[a].bytes.at(tile) > variables[b].bytes.at(tile);
    });
    return found;
}

std::vector<Insight> findSinglePrecision(const Facts& p) {
    const TileId tile = p.fullestTile();
    if (!tile.valid())
        return {};
    const StepId peak = p.livenessOn(tile).peakStep;
    const std::vector<VariableId> variables = singlePrecision(p, tile, peak);
    std::int64_t bytes = 0;
    for (const VariableId id : variables)
        bytes += p.variables()[id].bytes.at(tile);
    const std::int64_t gain = bytes / 2; // half has two bytes where float has four
    if (variables.empty() ||
        static_cast<double>(gain) <
            worthOnATile * static_cast<double>(p.tileMemory()[tile].includingGaps))
        return {};
    Insight insight;
    insight.cost = memoryCost(p, gain, tile);
    insight.title = fmt::format(
        "Single-precision variables take {} of the fullest tile at its peak", formatBytes(bytes));
    Adviser adviser(p.info());
    if (p.isHalf())
        adviser.set("partialsType", "half", "halves partial sums, which are less exact then");
    else
        adviser.set("precision", "half",
                    "halves weights and activations, which are less exact "
                    "then");
    insight.advice = adviser.advice();
    insight.link.report = "liveness";
    insight.link.things.add(tile);
    insight.link.things.step = peak;
    insight.link.things.operation = p.variables()[variables.front()].operation;
    insight.link.things.variable = variables.front();
    insight.evidence = {bytesOf("on the tile, at its peak", bytes, tile),
                        bytesOf("estimated gain on the tile, at most", gain, tile)};
    for (std::size_t i = 0; i < std::min(shownRows, variables.size()); ++i) {
        const Variable& v = p.variables()[variables[i]];
        insight.evidence.push_back(bytesOf(v.name, v.bytes.at(tile), tile, v.operation));
    }
    return {insight};
}

std::vector<Insight> findGaps(const Facts& p) {
    const TileId tile = p.fullestTile();
    if (!tile.valid())
        return {};
    const TileMemory& memory = p.tileMemory()[tile];
    const std::int64_t gaps = memory.includingGaps - memory.excludingGaps;
    const auto limit = static_cast<double>(p.info().target.bytesPerTile);
    // Gaps below the interleaved memory cost nothing as long as there is room above.
    if (gaps <= 0 || static_cast<double>(memory.includingGaps) < nearlyFull * limit ||
        static_cast<double>(gaps) < worthOnATile * static_cast<double>(memory.includingGaps))
        return {};
    std::int64_t all = 0;
    for (const TileMemory& each : p.tileMemory())
        all += each.includingGaps - each.excludingGaps;
    Insight insight;
    insight.cost = memoryCost(p, gaps, tile);
    insight.title = fmt::format(
        "{} of the fullest tile are gaps between variables",
        formatPercent(static_cast<double>(gaps), static_cast<double>(memory.includingGaps)));
    insight.reason = "Gaps keep operands in different memory elements and whole variables in "
                     "interleaved memory; smaller temporary data leave fewer.";
    insight.advice = Adviser(p.info())
                         .lower("availableMemoryProportion", "makes those of operations smaller")
                         .lower("batchSize", "makes activations smaller")
                         .advice();
    insight.link.report = "memory";
    insight.link.things.add(tile);
    insight.evidence = {bytesOf("gaps on the fullest tile", gaps, tile),
                        bytesOf("gaps on all tiles", all),
                        bytesOf("estimated gain on the tile, at most", gaps, tile)};
    return {insight};
}

/// Operations with equal plans, each with its own code.
struct Alike {
    std::vector<OperationId> operations;
    std::int64_t code = 0; ///< of all of them
    std::int64_t most = 0; ///< of the one with most
    [[nodiscard]] std::int64_t gain() const { return code - most; }
};

/// A plan without its estimates: they depend on where operands lie, too.
std::string choiceOf(const std::string& plan) {
    return plan.substr(0, plan.find(R"("estimate")"));
}

/// Those with a gain, the largest first.
std::vector<Alike> repeatedOperations(const Facts& p) {
    std::map<std::tuple<std::string, std::string, std::string>, Alike> kinds;
    for (std::size_t i = 0; i < p.operations().size(); ++i) {
        const OperationId id(i);
        const Operation& operation = p.operations()[id];
        if (operation.plan.empty())
            continue;
        Alike& alike = kinds[{operation.type, operation.outputShape, choiceOf(operation.plan)}];
        const std::int64_t code = p.ownCodeOf(id);
        alike.operations.push_back(id);
        alike.code += code;
        alike.most = std::max(alike.most, code);
    }
    std::vector<Alike> repeated;
    for (auto& [key, alike] : kinds)
        if (alike.gain() > 0)
            repeated.push_back(std::move(alike));
    std::stable_sort(repeated.begin(), repeated.end(),
                     [](const Alike& a, const Alike& b) { return a.gain() > b.gain(); });
    return repeated;
}

std::vector<Insight> findRepeatedCode(const Facts& p) {
    const std::vector<Alike> repeated = repeatedOperations(p);
    std::int64_t gain = 0;
    for (const Alike& alike : repeated)
        gain += alike.gain();
    std::int64_t used = 0;
    for (const TileMemory& tile : p.tileMemory())
        used += tile.excludingGaps;
    if (repeated.empty() || static_cast<double>(gain) < worthOverall * static_cast<double>(used))
        return {};
    Insight insight;
    insight.cost = memoryCost(p, gain);
    insight.title = fmt::format("Operations with equal plans have {} more exchange and control "
                                "code than one of each would need",
                                formatBytes(gain));
    Adviser adviser(p.info());
    if (inForce(p.info(), "outline") == "off")
        adviser.set("outline", "on",
                    "turns repeated parts into functions, so that their code exists only once, at "
                    "the cost of copying inputs and outputs");
    else
        adviser.lower("outlineThreshold",
                      "turns smaller repeats into functions too, at the cost of copying more "
                      "inputs and outputs");
    insight.advice = adviser.advice();
    insight.link.report = "operations";
    insight.link.things.operation = repeated.front().operations.front();
    insight.evidence = {bytesOf("estimated gain over all tiles, at most", gain)};
    for (std::size_t i = 0; i < std::min(shownRows, repeated.size()); ++i) {
        const Alike& alike = repeated[i];
        insight.evidence.push_back(
            bytesOf(fmt::format("all but one of {} operations like '{}'", alike.operations.size(),
                                p.nameOf(alike.operations.front())),
                    alike.gain(), {}, alike.operations.front()));
    }
    return {insight};
}

} // namespace

std::vector<Rule> wasteRules() {
    return {
        {InsightKind::Memory, "singlePrecision", findSinglePrecision},
        {InsightKind::Memory, "gaps", findGaps},
        {InsightKind::Memory, "repeatedCode", findRepeatedCode},
    };
}

} // namespace tilescope
