#include "core/analysis/compare/parts.h"

namespace tilescope {

ProfileParts partsOf(const ProfileView& profile, const std::stop_token& stop) {
    const auto curve = profile.livenessCurve(stop);
    return {profile.info(),
            profile.messages(stop),
            profile.operations(stop),
            profile.livenessClasses(stop),
            profile.variables(stop),
            profile.vertexTypes(stop),
            profile.computeSets(stop),
            profile.exchanges(stop),
            profile.copies(stop),
            profile.programs(stop),
            profile.controlPrograms(stop),
            profile.steps(stop),
            profile.categoryMemory(stop),
            profile.tileMemory(stop),
            {curve, &curve->notAlwaysLive},
            profile.info().hasExecution ? profile.wholeTrace(stop)
                                        : std::make_shared<const Trace>()};
}

} // namespace tilescope
