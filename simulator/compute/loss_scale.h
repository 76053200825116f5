// The factor of the loss's gradient, where it is adapted to the gradients.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/options/training_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// PopART's automatic loss scaling (willow/src/transforms/automaticlossscaling.cpp,
/// popx/op/lossscaleupdatex.cpp): counts elements of the gradients that convolutions and matrix
/// products make, over all micro-batches and replicas. After a weight update the scale is halved
/// if more than a certain share of them is very large, else doubled, up to 2^15 where it is kept
/// in half. Momentum, which has the loss's scale here, is rescaled with it.
class LossScale {
public:
    LossScale(const Graph& prepared, const TrainingOptions& options, bool isAutomatic);

    /// Whether a constant holds the scale or its inverse, which removes it from a gradient.
    static bool dependsOn(const Tensor& constant);
    /// A constant's value at the present scale.
    [[nodiscard]] TensorData constant(const Tensor& tensor) const;
    /// An operation whose attributes hold the scale, with the present one; none for all others.
    [[nodiscard]] std::optional<Op> adjusted(const Op& op) const;
    /// Counts what an operation has made, if it is a gradient.
    void see(const Op& op, const std::vector<TensorData>& made);
    /// Called after a weight update; true if the scale has changed.
    bool update();

    [[nodiscard]] double value() const { return given_ * factor_; }

private:
    const bool isAutomatic_;
    const Optimizer optimizer_;
    const double given_;
    bool isHalf_ = false;
    /// Factors of the given scale: now, and at the previous weight update.
    double factor_ = 1, factorBefore_ = 1;
    std::int64_t large_ = 0, all_ = 0;
};

} // namespace tilescope::sim
