// What the rules of the insights read, from an open profile.
#pragma once

#include "core/analysis/insights.h"
#include "views/session/open_profile.h"

namespace tilescope::views {

/// Calls `use` with the parts while they are held. Parts that other reports show too are loaded once
/// for all of them. Throws as OpenProfile does.
template <class Use>
auto withOpenParts(const OpenProfile& profile, const std::stop_token& stop, Use use) {
    const PipelineReport pipeline = pipelineReport(profile.reader(stop));
    return use(InsightParts{profile.info(), *profile.operations(stop),
                            *profile.livenessClasses(stop), *profile.variables(stop),
                            *profile.vertexTypes(stop), *profile.computeSets(stop),
                            *profile.exchanges(stop), *profile.copies(stop),
                            *profile.tileMemory(stop), *profile.steps(stop), *profile.trace(stop),
                            pipeline, *profile.programs(stop)});
}

} // namespace tilescope::views
