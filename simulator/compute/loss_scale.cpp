#include "simulator/compute/loss_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope::sim {
namespace {

// popart SessionOptions, AutomaticLossScalingSettings: binEdgeLocation of the type's range
// (numeric_limits of 16 bits for half), thresholdUpperCountProportion; updatePeriod is 1.
constexpr double edgeLocation = 0.0625;
constexpr double rangeOfHalf = 65535;
constexpr double mostLarge = 1e-7;
/// The largest power of two that a half holds.
constexpr double mostInHalf = 32768;

bool isGradient(const Op& op) {
    return op.pass == Pass::Backward && isPlanned(op.attributes);
}

} // namespace

LossScale::LossScale(const Graph& prepared, const TrainingOptions& options, bool isAutomatic)
    : isAutomatic_(isAutomatic)
    , optimizer_(options.optimizer)
    , given_(options.lossScaling) {
    const auto look = [&](const Graph& graph) {
        for (const Tensor& tensor : graph.tensors)
            isHalf_ = isHalf_ || (tensor.type == DataType::Half &&
                                  (dependsOn(tensor) || tensor.role == TensorRole::Weight));
    };
    look(prepared);
    for (const Graph& function : prepared.functions)
        look(function);
}

bool LossScale::dependsOn(const Tensor& constant) {
    return constant.lossScaling != LossScalingPart::None;
}

TensorData LossScale::constant(const Tensor& tensor) const {
    if (!isAutomatic_ || !dependsOn(tensor))
        return *tensor.value;
    TensorData scaled = tensor.value->copy();
    const double factor = tensor.lossScaling == LossScalingPart::Factor ? factor_ : 1 / factor_;
    for (std::int64_t i = 0; i < scaled.elements(); ++i)
        scaled.setNumber(i, scaled.number(i) * factor);
    return scaled;
}

/// SGD has the scale in its step, momentum also in the decay that is added to the gradient and in
/// the accumulated momentum (WeightUpdate::lastStep, decayed).
std::optional<Op> LossScale::adjusted(const Op& op) const {
    const bool isSgd = optimizer_ == Optimizer::Sgd || optimizer_ == Optimizer::Momentum;
    if (!isAutomatic_ || !isSgd || !std::holds_alternative<ElementwiseAttributes>(op.attributes))
        return std::nullopt;
    Op own = op;
    auto& function = std::get<ElementwiseAttributes>(own.attributes);
    if (op.type == "VarUpdate")
        function.alpha /= factor_;
    else if (op.type == "WeightDecay")
        function.alpha *= factor_;
    else if (op.type == "Accl1Update")
        function.alpha *= factor_ / factorBefore_;
    else
        return std::nullopt;
    return own;
}

void LossScale::see(const Op& op, const std::vector<TensorData>& made) {
    if (!isAutomatic_ || !isGradient(op))
        return;
    for (const TensorData& gradient : made) {
        if (gradient.isEmpty() || !gradient.isReal())
            continue;
        const auto edge = static_cast<float>(
            edgeLocation * (gradient.type() == DataType::Half
                                ? rangeOfHalf
                                : static_cast<double>(std::numeric_limits<float>::max())));
        const auto values = gradient.reals();
        large_ += std::count_if(values.begin(), values.end(),
                                [edge](float x) { return std::fabs(x) >= edge; });
        all_ += gradient.elements();
    }
}

bool LossScale::update() {
    if (!isAutomatic_ || all_ == 0)
        return false;
    const double share = static_cast<double>(large_) / static_cast<double>(all_);
    factorBefore_ = factor_;
    factor_ *= share > mostLarge ? 0.5 : 2;
    if (isHalf_)
        factor_ = std::min(factor_, mostInHalf / given_);
    large_ = all_ = 0;
    return factor_ != factorBefore_;
}

} // namespace tilescope::sim
