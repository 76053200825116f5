#include "core/profile/values.h"

namespace tilescope {
namespace {

bool sameOptional(const std::optional<double>& a, const std::optional<double>& b) {
    return a.has_value() == b.has_value() && (!a || sameNumber(*a, *b));
}

} // namespace

bool operator==(const CurvePoint& a, const CurvePoint& b) {
    return a.iteration == b.iteration && sameNumber(a.loss, b.loss) &&
           sameOptional(a.accuracy, b.accuracy) && a.learningRate == b.learningRate &&
           a.lossScale == b.lossScale;
}

bool operator==(const EpochPoint& a, const EpochPoint& b) {
    return a.epoch == b.epoch && a.iteration == b.iteration && sameNumber(a.loss, b.loss) &&
           sameOptional(a.accuracy, b.accuracy) && sameOptional(a.evalLoss, b.evalLoss) &&
           sameOptional(a.evalAccuracy, b.evalAccuracy);
}

bool operator==(const ProfileValues& a, const ProfileValues& b) {
    return a.curve == b.curve && a.epochs == b.epochs && a.tensors == b.tensors &&
           a.samples == b.samples;
}

} // namespace tilescope
