#include "core/profile/liveness_curve.h"

#include <algorithm>

#include "core/base/error.h"

namespace tilescope {

StepBytes::StepBytes(const std::vector<std::int64_t>& bytes)
    : steps_(bytes.size()) {
    const auto hasBytes = [](std::int64_t of) { return of != 0; };
    const auto first = std::find_if(bytes.begin(), bytes.end(), hasBytes);
    const auto end = std::find_if(bytes.rbegin(), std::make_reverse_iterator(first), hasBytes);
    first_ = static_cast<std::size_t>(first - bytes.begin());
    held_.assign(first, end.base());
}

void StepBytes::set(std::size_t step, std::int64_t bytes) {
    if (step >= steps_ || (!held_.empty() && step < first_))
        throw InternalError("the steps of a curve are not in order");
    if (held_.empty())
        first_ = step;
    if (step - first_ >= held_.size())
        held_.resize(step - first_ + 1, 0);
    held_[step - first_] = bytes;
}

std::vector<std::int64_t> StepBytes::all() const {
    std::vector<std::int64_t> bytes(steps_, 0);
    std::copy(held_.begin(), held_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(first_));
    return bytes;
}

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
    std::vector<std::vector<std::int64_t>> byIpu(ipus, std::vector<std::int64_t>(steps + 1, 0));
    for (const Variable& v : profile.variables) {
        if (v.alwaysLive || !v.liveness.valid())
            continue;
        for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
            const auto first = static_cast<std::int32_t>(ipu) * target.tilesPerIpu;
            const std::int64_t bytes = v.bytes.sum(first, first + target.tilesPerIpu);
            if (bytes == 0)
                continue;
            for (const StepInterval& i : profile.livenessClasses[v.liveness].intervals) {
                byIpu[ipu].at(i.first.index()) += bytes;
                byIpu[ipu].at(i.end.index()) -= bytes;
            }
        }
    }
    live.notAlwaysLive.assign(steps, 0);
    for (auto& curve : byIpu) {
        for (std::size_t step = 1; step < curve.size(); ++step)
            curve[step] += curve[step - 1];
        curve.resize(steps);
        for (std::size_t step = 0; step < steps; ++step)
            live.notAlwaysLive[step] += curve[step];
        live.byIpu.emplace_back(curve);
    }
    return live;
}

} // namespace tilescope
