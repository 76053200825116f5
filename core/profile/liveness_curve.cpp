#include "core/profile/liveness_curve.h"

#include <algorithm>

namespace tilescope {

StepId LivenessCurve::peakOf(const std::vector<std::int64_t>& byStep) {
    const auto peak = std::max_element(byStep.begin(), byStep.end());
    return peak == byStep.end() ? StepId()
                                : StepId(static_cast<std::size_t>(peak - byStep.begin()));
}

LivenessCurve livenessCurveOf(const Profile& profile) {
    const Target& target = profile.info.target;
    const auto ipus = static_cast<std::size_t>(target.ipus);
    const std::size_t steps = profile.steps.size();
    LivenessCurve live;
    live.byIpu.assign(ipus, std::vector<std::int64_t>(steps + 1, 0));
    for (const Variable& v : profile.variables) {
        if (v.alwaysLive || !v.liveness.valid())
            continue;
        for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
            const auto first = static_cast<std::int32_t>(ipu) * target.tilesPerIpu;
            const std::int64_t bytes = v.bytes.sum(first, first + target.tilesPerIpu);
            if (bytes == 0)
                continue;
            for (const StepInterval& i : profile.livenessClasses[v.liveness].intervals) {
                live.byIpu[ipu].at(i.first.index()) += bytes;
                live.byIpu[ipu].at(i.end.index()) -= bytes;
            }
        }
    }
    live.notAlwaysLive.assign(steps, 0);
    for (auto& curve : live.byIpu) {
        for (std::size_t step = 1; step < curve.size(); ++step)
            curve[step] += curve[step - 1];
        curve.resize(steps);
        for (std::size_t step = 0; step < steps; ++step)
            live.notAlwaysLive[step] += curve[step];
    }
    return live;
}

} // namespace tilescope
