#include "core/analysis/values/heat_maps.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::size_t columnAt(const std::vector<std::int64_t>& iterations, std::int64_t iteration) {
    return static_cast<std::size_t>(
        std::lower_bound(iterations.begin(), iterations.end(), iteration) - iterations.begin());
}

double measured(const ValueTensor& tensor, const ValueSample& sample, ValueMeasure measure) {
    const ValueTotals totals = totalsOf({&sample, 1});
    switch (measure) {
    case ValueMeasure::Underflow:
        return underflowShare(tensor, totals);
    case ValueMeasure::Zeros:
        return totals.share(sample.zeros);
    case ValueMeasure::Subnormals:
        return totals.share(sample.subnormals);
    case ValueMeasure::NotFinite:
        return totals.share(sample.nans + sample.infinities + sample.atLimit);
    case ValueMeasure::Exponent: {
        const double rms = std::hypot(sample.mean, sample.deviation);
        return rms > 0 ? std::log2(rms) : nothing;
    }
    case ValueMeasure::Largest:
        break;
    }
    const double most = std::max(std::fabs(sample.minimum), std::fabs(sample.maximum));
    return most > 0 ? std::floor(std::log2(most)) : nothing;
}

} // namespace

ValueMatrix exponentMap(const ProfileValues& values, std::span<const ValueTensorId> tensors) {
    ValueMatrix matrix{sampledIterationsOf(values), {}};
    const std::size_t columns = matrix.iterations.size();
    matrix.rows.assign(exponents::bins, std::vector<double>(columns, 0));
    std::vector<double> elements(columns);
    for (const ValueTensorId tensor : tensors)
        for (const ValueSample& sample : samplesOf(values, tensor)) {
            const std::size_t column = columnAt(matrix.iterations, sample.iteration);
            elements[column] += static_cast<double>(sample.elements);
            for (std::size_t bin = 0; bin < exponents::bins; ++bin)
                matrix.rows[bin][column] += sample.exponents[bin];
        }
    for (std::vector<double>& row : matrix.rows)
        for (std::size_t column = 0; column < columns; ++column)
            row[column] = elements[column] > 0 ? row[column] / elements[column] : nothing;
    return matrix;
}

ValueMatrix tensorMap(const ProfileValues& values, std::span<const ValueTensorId> tensors,
                      ValueMeasure measure) {
    ValueMatrix matrix{sampledIterationsOf(values), {}};
    for (const ValueTensorId tensor : tensors) {
        auto& row = matrix.rows.emplace_back(matrix.iterations.size(), nothing);
        for (const ValueSample& sample : samplesOf(values, tensor))
            row[columnAt(matrix.iterations, sample.iteration)] =
                measured(values.tensors[tensor], sample, measure);
    }
    return matrix;
}

} // namespace tilescope
