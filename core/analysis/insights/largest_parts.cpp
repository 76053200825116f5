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

std::vector<SizedPart> vertexParts(const std::vector<VertexRow>& rows,
                                   const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                   std::int64_t VertexRow::*bytes, const TileSelection& selection) {
    std::vector<SizedPart> parts;
    for (const VertexRow& row : rows) {
        InsightLink link;
        link.report = "vertices";
        link.tile = selection.tile();
        link.vertexType = row.type;
        if (!row.computeSets.empty())
            link.operation = computeSets[row.computeSets.front()].operation;
        parts.push_back({row.name, row.*bytes, std::move(link)});
    }
    return parts;
}

std::vector<SizedPart> exchangeParts(const std::vector<ExchangeRow>& rows,
                                     const TileSelection& selection) {
    std::vector<SizedPart> parts;
    for (const ExchangeRow& row : rows) {
        InsightLink link;
        link.report = "exchanges";
        link.tile = selection.tile();
        link.operation = row.operation;
        link.exchange = row.exchange;
        parts.push_back({row.name, row.codeBytes, std::move(link)});
    }
    return parts;
}

/// The parts of one selection, from what of the profile they are made of.
class PartFinder {
public:
    PartFinder(const ProfileView& profile, const TileSelection& selection,
               const std::stop_token& stop)
        : profile_(profile)
        , target_(profile.machine())
        , selection_(selection)
        , stop_(stop) {}

    [[nodiscard]] std::vector<SizedPart> find(PartKind kind) const {
        switch (kind) {
        case PartKind::PeakVariable:
            return peakVariables();
        case PartKind::AlwaysLiveVariable:
            return variableParts(
                alwaysLiveVariables(target_, *profile_.variables(stop_), selection_), {},
                selection_);
        case PartKind::VertexState:
            return vertices(&VertexRow::stateBytes);
        case PartKind::VertexCode:
            return vertices(&VertexRow::codeBytes);
        case PartKind::ExchangeCode:
            return exchangeParts(exchangeTable(target_, *profile_.exchanges(stop_), selection_),
                                 selection_);
        }
        throw InternalError("unknown kind of part");
    }

private:
    [[nodiscard]] std::vector<SizedPart> peakVariables() const {
        const auto variables = profile_.variables(stop_);
        const auto classes = profile_.livenessClasses(stop_);
        const std::size_t steps = profile_.steps(stop_)->size();
        const StepId peak = livenessOf(target_, *variables, *classes, steps, selection_).peakStep;
        if (!peak.valid())
            return {};
        return variableParts(
            notAlwaysLiveVariables(target_, *variables, *classes, steps, peak, selection_), peak,
            selection_);
    }

    [[nodiscard]] std::vector<SizedPart> vertices(std::int64_t VertexRow::*bytes) const {
        const auto computeSets = profile_.computeSets(stop_);
        return vertexParts(
            vertexTable(target_, *profile_.vertexTypes(stop_), *computeSets, selection_),
            *computeSets, bytes, selection_);
    }

    const ProfileView& profile_;
    const Target& target_;
    const TileSelection& selection_;
    const std::stop_token& stop_;
};

} // namespace

std::string_view toString(PartKind kind) {
    static constexpr std::array<std::string_view, allPartKinds.size()> names{
        "variables at the peak", "always-live variables", "vertex state", "vertex code",
        "exchange code"};
    return names.at(static_cast<std::size_t>(kind));
}

std::vector<SizedPart> largestParts(const ProfileView& profile, PartKind kind,
                                    const TileSelection& selection, const std::stop_token& stop) {
    std::vector<SizedPart> parts = PartFinder(profile, selection, stop).find(kind);
    std::erase_if(parts, [](const SizedPart& part) { return part.bytes == 0; });
    std::stable_sort(parts.begin(), parts.end(), [](const SizedPart& a, const SizedPart& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
    });
    return parts;
}

} // namespace tilescope
