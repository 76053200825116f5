#include "core/analysis/insights/largest_parts.h"

#include <algorithm>

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/tables.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

std::vector<SizedPart> variableParts(const std::vector<SizedVariable>& variables, StepId step,
                                     const TileSelection& selection) {
    std::vector<SizedPart> parts;
    parts.reserve(variables.size());
    for (const SizedVariable& variable : variables) {
        InsightLink link;
        link.report = step.valid() ? "liveness" : "memory";
        link.tile = selection.tile();
        link.step = step;
        link.operation = variable.operation;
        link.variable = variable.variable;
        parts.push_back({variable.name, variable.bytes, std::move(link)});
    }
    return parts;
}

std::vector<SizedPart> peakVariables(const MemoryParts& p, const TileSelection& selection) {
    const StepId peak =
        livenessOf(p.target, p.variables, p.livenessClasses, p.steps, selection).peakStep;
    if (!peak.valid())
        return {};
    return variableParts(
        notAlwaysLiveVariables(p.target, p.variables, p.livenessClasses, p.steps, peak, selection),
        peak, selection);
}

std::vector<SizedPart> vertexParts(const MemoryParts& p, std::int64_t VertexRow::*bytes,
                                   const TileSelection& selection) {
    std::vector<SizedPart> parts;
    for (const VertexRow& row : vertexTable(p.target, p.vertexTypes, p.computeSets, selection)) {
        InsightLink link;
        link.report = "vertices";
        link.tile = selection.tile();
        link.vertexType = row.type;
        if (!row.computeSets.empty())
            link.operation = p.computeSets[row.computeSets.front()].operation;
        parts.push_back({row.name, row.*bytes, std::move(link)});
    }
    return parts;
}

std::vector<SizedPart> exchangeParts(const MemoryParts& p, const TileSelection& selection) {
    std::vector<SizedPart> parts;
    for (const ExchangeRow& row : exchangeTable(p.target, p.exchanges, selection)) {
        InsightLink link;
        link.report = "exchanges";
        link.tile = selection.tile();
        link.operation = row.operation;
        link.exchange = row.exchange;
        parts.push_back({row.name, row.codeBytes, std::move(link)});
    }
    return parts;
}

std::vector<SizedPart> partsOf(const MemoryParts& p, PartKind kind,
                               const TileSelection& selection) {
    switch (kind) {
    case PartKind::PeakVariable:
        return peakVariables(p, selection);
    case PartKind::AlwaysLiveVariable:
        return variableParts(alwaysLiveVariables(p.target, p.variables, selection), {}, selection);
    case PartKind::VertexState:
        return vertexParts(p, &VertexRow::stateBytes, selection);
    case PartKind::VertexCode:
        return vertexParts(p, &VertexRow::codeBytes, selection);
    case PartKind::ExchangeCode:
        return exchangeParts(p, selection);
    }
    throw InternalError("unknown kind of part");
}

} // namespace

std::string_view toString(PartKind kind) {
    static constexpr std::array<std::string_view, allPartKinds.size()> names{
        "variables at the peak", "always-live variables", "vertex state", "vertex code",
        "exchange code"};
    return names.at(static_cast<std::size_t>(kind));
}

std::vector<SizedPart> largestParts(const MemoryParts& p, PartKind kind,
                                    const TileSelection& selection) {
    std::vector<SizedPart> parts = partsOf(p, kind, selection);
    std::erase_if(parts, [](const SizedPart& part) { return part.bytes == 0; });
    std::stable_sort(parts.begin(), parts.end(), [](const SizedPart& a, const SizedPart& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
    });
    return parts;
}

} // namespace tilescope
