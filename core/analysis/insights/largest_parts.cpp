#include "core/analysis/insights/largest_parts.h"

#include <algorithm>

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/tables.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

/// The parts of one selection, from the profile's parts.
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
            return variables(alwaysLiveVariables(target_, *profile_.variables(stop_), selection_),
                             {});
        case PartKind::VertexState:
            return vertices(&VertexRow::stateBytes);
        case PartKind::VertexCode:
            return vertices(&VertexRow::codeBytes);
        case PartKind::ExchangeCode:
            return exchanges();
        }
        throw InternalError("unknown kind of part");
    }

private:
    [[nodiscard]] SizedPart part(const std::string& name, std::int64_t bytes, const char* report,
                                 OperationId operation) const {
        InsightLink link;
        link.report = report;
        link.things.add(selection_.tile());
        link.things.operation = operation;
        return {name, bytes, std::move(link)};
    }

    [[nodiscard]] std::vector<SizedPart> variables(const std::vector<SizedVariable>& sized,
                                                   StepId step) const {
        std::vector<SizedPart> parts;
        parts.reserve(sized.size());
        for (const SizedVariable& v : sized) {
            const char* report = step.valid() ? "liveness" : "memory";
            parts.push_back(part(v.name, v.bytes, report, v.operation));
            parts.back().link.things.step = step;
            parts.back().link.things.variable = v.variable;
        }
        return parts;
    }

    [[nodiscard]] std::vector<SizedPart> peakVariables() const {
        const StepId peak = livenessOf(profile_, selection_, stop_).peakStep;
        if (!peak.valid())
            return {};
        return variables(notAlwaysLiveVariables(target_, *profile_.variables(stop_),
                                                *profile_.livenessClasses(stop_),
                                                profile_.steps(stop_)->size(), peak, selection_),
                         peak);
    }

    [[nodiscard]] std::vector<SizedPart> vertices(std::int64_t VertexRow::*bytes) const {
        const auto& sets = *profile_.computeSets(stop_);
        std::vector<SizedPart> parts;
        for (const VertexRow& row :
             vertexTable(target_, *profile_.vertexTypes(stop_), sets, selection_)) {
            const bool runs = !row.computeSets.empty();
            parts.push_back(part(row.name, row.*bytes, "vertices",
                                 runs ? sets[row.computeSets.front()].operation : OperationId()));
            parts.back().link.things.vertexType = row.type;
        }
        return parts;
    }

    [[nodiscard]] std::vector<SizedPart> exchanges() const {
        const TileRange range = selection_.range(target_);
        const auto& exchanges = *profile_.exchanges(stop_);
        std::vector<SizedPart> parts;
        for (std::size_t i = 0; i < exchanges.size(); ++i) {
            const Exchange& exchange = exchanges[ExchangeId(i)];
            const std::int64_t code = exchange.codeBytes.sum(range.first, range.end);
            if (code == 0)
                continue;
            parts.push_back(part(exchange.name, code, "exchanges", exchange.operation));
            parts.back().link.things.exchange = ExchangeId(i);
        }
        return parts;
    }

    const ProfileView& profile_;
    const Target& target_;
    const TileSelection& selection_;
    const std::stop_token& stop_;
};

} // namespace

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
