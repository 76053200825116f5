#include "core/analysis/values/tensor_values.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilescope {

std::span<const ValueSample> samplesOf(const ProfileValues& values, ValueTensorId tensor) {
    const auto [first, end] = std::equal_range(
        values.samples.begin(), values.samples.end(), ValueSample{.tensor = tensor},
        [](const ValueSample& a, const ValueSample& b) { return a.tensor < b.tensor; });
    return {first, end};
}

std::vector<std::int64_t> sampledIterationsOf(const ProfileValues& values) {
    std::set<std::int64_t> iterations;
    for (const ValueSample& sample : values.samples)
        iterations.insert(sample.iteration);
    return {iterations.begin(), iterations.end()};
}

double ValueTotals::share(std::int64_t count) const {
    return elements > 0 ? static_cast<double>(count) / static_cast<double>(elements) : 0;
}

std::int64_t ValueTotals::nonZero() const {
    return elements - zeros - nans - infinities;
}

std::optional<int> ValueTotals::leastExponent() const {
    for (std::size_t bin = 0; bin < exponents.size(); ++bin)
        if (exponents[bin] > 0)
            return exponents::of(bin);
    return std::nullopt;
}

std::optional<int> ValueTotals::greatestExponent() const {
    for (std::size_t bin = exponents.size(); bin-- > 0;)
        if (exponents[bin] > 0)
            return exponents::of(bin);
    return std::nullopt;
}

ValueTotals totalsOf(std::span<const ValueSample> samples) {
    ValueTotals totals;
    double finite = 0;
    double sum = 0;
    double squares = 0;
    for (const ValueSample& s : samples) {
        const auto count = static_cast<double>(s.elements - s.nans - s.infinities);
        if (count > 0) {
            totals.minimum = finite > 0 ? std::min(totals.minimum, s.minimum) : s.minimum;
            totals.maximum = finite > 0 ? std::max(totals.maximum, s.maximum) : s.maximum;
        }
        finite += count;
        sum += count * s.mean;
        squares += count * (s.deviation * s.deviation + s.mean * s.mean);
        ++totals.samples;
        totals.elements += s.elements;
        totals.zeros += s.zeros;
        totals.subnormals += s.subnormals;
        totals.nans += s.nans;
        totals.infinities += s.infinities;
        totals.atLimit += s.atLimit;
        for (std::size_t bin = 0; bin < totals.exponents.size(); ++bin)
            totals.exponents[bin] += s.exponents[bin];
        if (s.partialsError)
            totals.partialsError = std::max(totals.partialsError.value_or(0), *s.partialsError);
    }
    if (finite > 0) {
        totals.mean = sum / finite;
        totals.deviation = std::sqrt(std::max(0.0, squares / finite - totals.mean * totals.mean));
    }
    return totals;
}

bool isHalfTensor(const ValueTensor& tensor) {
    return tensor.type == "half";
}

double lostZeros(const ValueTensor& tensor, const ValueTotals& totals) {
    const auto zeros = static_cast<double>(totals.zeros);
    if (!isHalfTensor(tensor))
        return 0;
    if (totals.nonZero() == 0)
        return zeros;
    constexpr int together = 4;
    const auto countFrom = [&](int first) {
        std::int64_t count = 0;
        for (int e = first; e < first + together; ++e)
            count += totals.exponents[exponents::binOf(e)];
        return static_cast<double>(count);
    };
    const double atEnd = countFrom(half_range::leastSubnormal);
    const double before = countFrom(half_range::leastSubnormal + together);
    if (atEnd == 0)
        return 0;
    if (atEnd >= before)
        return zeros;
    const double ratio = atEnd / before;
    return std::min(zeros, atEnd * ratio / (1 - ratio));
}

double underflowShare(const ValueTensor& tensor, const ValueTotals& totals) {
    if (!isHalfTensor(tensor) || totals.elements == 0)
        return 0;
    return (static_cast<double>(totals.subnormals) + lostZeros(tensor, totals)) /
           static_cast<double>(totals.elements);
}

} // namespace tilescope
