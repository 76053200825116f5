#include "core/analysis/values/compared_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilescope {
namespace {

std::vector<ComparedPoint> comparedCurves(const ProfileValues& source,
                                          const ProfileValues& target) {
    std::map<std::int64_t, ComparedPoint> points;
    for (const CurvePoint& p : source.curve) {
        points[p.iteration].sourceLoss = p.loss;
        points[p.iteration].sourceAccuracy = p.accuracy;
    }
    for (const CurvePoint& p : target.curve) {
        points[p.iteration].targetLoss = p.loss;
        points[p.iteration].targetAccuracy = p.accuracy;
    }
    std::vector<ComparedPoint> curve;
    for (auto& [iteration, point] : points) {
        point.iteration = iteration;
        curve.push_back(point);
    }
    return curve;
}

std::optional<double> distanceOf(const ValueTotals& a, const ValueTotals& b) {
    if (a.nonZero() == 0 || b.nonZero() == 0)
        return std::nullopt;
    double distance = 0;
    double difference = 0; // of the cumulated shares
    for (std::size_t bin = 0; bin < exponents::bins; ++bin) {
        difference += static_cast<double>(a.exponents[bin]) / static_cast<double>(a.nonZero()) -
                      static_cast<double>(b.exponents[bin]) / static_cast<double>(b.nonZero());
        distance += std::fabs(difference);
    }
    return distance;
}

double lostShare(const ValueTotals& totals) {
    return totals.share(totals.zeros + totals.nans + totals.infinities);
}

using TensorKey = std::tuple<std::string, ValueKind, std::string>;
TensorKey keyOf(const ValueTensor& tensor) {
    return {tensor.name, tensor.kind, tensor.place};
}

} // namespace

double ComparedTensor::lostChange() const {
    return lostShare(after) - lostShare(before);
}

ComparedValues compareValues(const ProfileValues& source, const ProfileValues& target) {
    ComparedValues compared{comparedCurves(source, target), {}};
    std::map<TensorKey, ValueTensorId> others;
    for (std::size_t i = 0; i < target.tensors.size(); ++i)
        others.emplace(keyOf(target.tensors[ValueTensorId(i)]), ValueTensorId(i));
    const auto add = [&](const ValueTensor& tensor, ValueTensorId a, ValueTensorId b) {
        ComparedTensor row{a, b, tensor.name, tensor.place, tensor.kind, {}, {}, {}};
        if (a.valid())
            row.before = totalsOf(samplesOf(source, a));
        if (b.valid())
            row.after = totalsOf(samplesOf(target, b));
        if (a.valid() && b.valid())
            row.moved = distanceOf(row.before, row.after);
        compared.tensors.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < source.tensors.size(); ++i) {
        const ValueTensor& tensor = source.tensors[ValueTensorId(i)];
        const auto other = others.find(keyOf(tensor));
        add(tensor, ValueTensorId(i), other == others.end() ? ValueTensorId() : other->second);
        if (other != others.end())
            others.erase(other);
    }
    for (const auto& [key, id] : others)
        add(target.tensors[id], {}, id);
    std::stable_sort(compared.tensors.begin(), compared.tensors.end(),
                     [](const ComparedTensor& a, const ComparedTensor& b) {
                         return a.moved.value_or(0) + std::fabs(a.lostChange()) >
                                b.moved.value_or(0) + std::fabs(b.lostChange());
                     });
    return compared;
}

} // namespace tilescope
