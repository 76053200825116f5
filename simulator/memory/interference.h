// Which liveness classes overlap in time. Internal to placement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Pairs of liveness classes that are live at a common step, among those present (on one IPU).
/// Classes are numbered in the order in which they begin: classes that begin within a life are then
/// one span of numbers, so that a class meets a few spans.
class Interference {
public:
    using Classes = IdVector<LivenessClassId, LivenessClass>;
    /// Numbers [first, end).
    struct Span {
        std::uint32_t first = 0, end = 0;
        friend bool operator==(const Span&, const Span&) = default;
    };

    explicit Interference(const Classes& classes);
    /// `there`: whether each class is present.
    Interference(const Classes& classes, const std::vector<bool>& there);

    [[nodiscard]] std::size_t classes() const { return begins_.size() - 1; }
    /// The number of a class that is present.
    [[nodiscard]] std::uint32_t number(LivenessClassId id) const { return numbers_[id.index()]; }
    /// The numbers of the classes that a class meets, itself among them; in order, spans apart.
    [[nodiscard]] std::span<const Span> met(std::uint32_t number) const {
        return {spans_.data() + begins_[number], begins_[number + 1] - begins_[number]};
    }

private:
    std::vector<std::uint32_t> numbers_; ///< by class
    std::vector<std::size_t> begins_;    ///< by number, in spans_; one entry more for the end
    std::vector<Span> spans_;
};

} // namespace tilescope::sim
