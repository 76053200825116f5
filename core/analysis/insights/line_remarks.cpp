#include "core/analysis/insights/line_remarks.h"

#include <set>

namespace tilescope {

std::vector<LineRemark> lineRemarks(const ProfileView& profile, const SourceNames& names,
                                    SourceGrain grain, const std::stop_token& stop) {
    std::vector<LineRemark> remarks;
    for (const Insight& insight : findInsights(profile, stop)) {
        std::set<std::string> places;
        const auto add = [&](OperationId operation, const std::string& evidence) {
            const SourceFrameId frame =
                operation.valid() ? names.frameOf(operation) : SourceFrameId();
            if (frame.valid() && places.insert(names.name(frame, grain)).second)
                remarks.push_back({frame, insight.rule, insight.level, insight.cost,
                                   insight.title + (evidence.empty() ? "" : "; ") + evidence});
        };
        add(insight.link.things.operation, {});
        for (const Evidence& evidence : insight.evidence)
            add(evidence.operation,
                evidence.label + ": " + textOf(cellOf(evidence), evidence.unit));
    }
    return remarks;
}

} // namespace tilescope
