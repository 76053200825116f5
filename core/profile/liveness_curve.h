// Live bytes over the steps of a program.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// Bytes by step. Only steps from the first to the last that has any take memory: an IPU of a
/// pipeline runs a small part of all.
class StepBytes {
public:
    /// Without bytes at any of so many steps.
    explicit StepBytes(std::size_t steps = 0)
        : steps_(steps) {}
    explicit StepBytes(const std::vector<std::int64_t>& bytes);

    /// Sets the bytes of a step, which is none of those before the first that was set. Throws
    /// InternalError otherwise.
    void set(std::size_t step, std::int64_t bytes);

    [[nodiscard]] std::size_t size() const { return steps_; }
    [[nodiscard]] std::int64_t operator[](std::size_t step) const {
        return step - first_ < held_.size() ? held_[step - first_] : 0;
    }
    [[nodiscard]] std::vector<std::int64_t> all() const;
    /// Steps that take memory.
    [[nodiscard]] std::size_t heldSteps() const { return held_.size(); }

private:
    std::size_t steps_ = 0;
    std::size_t first_ = 0; ///< step of the first that is held
    std::vector<std::int64_t> held_;
};

/// Not-always-live bytes over all tiles at each step, and by IPU.
struct LivenessCurve {
    std::vector<std::int64_t> notAlwaysLive; ///< by step
    std::vector<StepBytes> byIpu;
    /// The first step with the most; none without steps.
    [[nodiscard]] StepId peakStep() const { return peakOf(notAlwaysLive); }
    static StepId peakOf(const std::vector<std::int64_t>& byStep);
};

/// Of a profile in memory: the bytes of each class are added at its starts and taken off at its
/// ends.
LivenessCurve livenessCurveOf(const Profile& profile);

} // namespace tilescope
