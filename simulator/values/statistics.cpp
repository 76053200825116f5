#include "simulator/values/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/base/parallel_for.h"
#include "simulator/compute/kernels/row_loops.h"

namespace tilescope::sim {
namespace {

constexpr std::size_t blockElements = std::size_t{1} << 16;
constexpr std::uint32_t magnitudeBits = 0x7FFF'FFFF;
constexpr std::uint32_t infinityBits = 0x7F80'0000;
constexpr unsigned mantissaBits = 23;
constexpr int exponentBias = 127;
constexpr std::size_t notFinite = 255; ///< exponent field of infinities and NaN

std::uint32_t magnitudeOf(float value) {
    return std::bit_cast<std::uint32_t>(value) & magnitudeBits;
}

/// Counts of exponent fields, in several lists so that equal neighbours do not wait for each other.
class FieldCounts {
public:
    static constexpr std::size_t fields = 256;

    void add(std::span<const float> values) {
        std::size_t i = 0;
        for (; i + lists <= values.size(); i += lists)
            for (std::size_t j = 0; j < lists; ++j)
                ++counts_[j][magnitudeOf(values[i + j]) >> mantissaBits];
        for (; i < values.size(); ++i)
            ++counts_[0][magnitudeOf(values[i]) >> mantissaBits];
    }
    [[nodiscard]] std::uint32_t of(std::size_t field) const {
        std::uint32_t count = 0;
        for (const auto& list : counts_)
            count += list[field];
        return count;
    }

private:
    static constexpr std::size_t lists = 4;
    std::array<std::array<std::uint32_t, fields>, lists> counts_{};
};

/// A float's bits as an integer of the same order.
TILESCOPE_INLINE std::int32_t ordered(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? bits ^ std::numeric_limits<std::int32_t>::max() : bits;
}
/// The float of such an integer; zero has no sign.
float unordered(std::int32_t number) {
    const std::int32_t max = std::numeric_limits<std::int32_t>::max();
    return std::bit_cast<float>(number < 0 ? number ^ max : number) + 0.0F;
}

/// Sums and extremes of finite values. Sums are in lanes, as many as vector registers take: one sum
/// would wait for each addition. Squares are exact in double precision, so that they are the same
/// with and without fused additions.
struct FiniteSums {
    static constexpr std::size_t lanes = 8;
    std::array<double, lanes> sum{}, squares{};
    std::int32_t least = ordered(std::numeric_limits<float>::infinity());
    std::int32_t most = ordered(-std::numeric_limits<float>::infinity());
    std::uint32_t zeros = 0, atLimit = 0;

    TILESCOPE_INLINE void body(const float* values, std::size_t count, std::uint32_t limit) {
        std::array<double, lanes> sums = sum;
        std::array<double, lanes> squareSums = squares;
        for (std::size_t i = 0; i + lanes <= count; i += lanes)
            for (std::size_t j = 0; j < lanes; ++j) {
                const double value = values[i + j];
                sums[j] += value;
                squareSums[j] += value * value;
            }
        for (std::size_t i = count / lanes * lanes, j = 0; i < count; ++i, ++j) {
            sums[j] += values[i];
            squareSums[j] += double{values[i]} * values[i];
        }
        sum = sums;
        squares = squareSums;
        std::int32_t low = least;
        std::int32_t high = most;
        std::uint32_t none = 0;
        std::uint32_t full = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t number = ordered(values[i]);
            const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(values[i]) & magnitudeBits;
            low = number < low ? number : low;
            high = number > high ? number : high;
            none += magnitude == 0 ? 1U : 0U;
            full += magnitude == limit ? 1U : 0U;
        }
        least = low;
        most = high;
        zeros += none;
        atLimit += full;
    }
#if defined(__x86_64__)
    __attribute__((target("avx2,fma"))) void wide(const float* values, std::size_t count,
                                                  std::uint32_t limit) {
        body(values, count, limit);
    }
#endif
    void add(std::span<const float> values, std::uint32_t limit) {
#if defined(__x86_64__)
        if (hasWideVectors())
            return wide(values.data(), values.size(), limit);
#endif
        body(values.data(), values.size(), limit);
    }
};

std::uint32_t saturated(std::uint64_t count) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

/// In chunks that stay in the nearest cache while they are read twice.
ElementStatistics::Sums ElementStatistics::sumsOf(std::span<const float> block) const {
    constexpr std::size_t chunkElements = 2048;
    const std::uint32_t limit =
        magnitudeOf(type_ == DataType::Half ? static_cast<float>(half_range::limit)
                                            : std::numeric_limits<float>::max());
    Sums sums;
    sums.elements = static_cast<std::int64_t>(block.size());
    FieldCounts counts;
    FiniteSums finite;
    for (std::size_t first = 0; first < block.size(); first += chunkElements) {
        const auto chunk = block.subspan(first, std::min(chunkElements, block.size() - first));
        const std::uint32_t oddBefore = counts.of(notFinite);
        counts.add(chunk);
        if (counts.of(notFinite) == oddBefore) {
            finite.add(chunk, limit);
            continue;
        }
        for (const float value : chunk)
            if (std::isfinite(value))
                finite.add({&value, 1}, limit);
            else
                sums.infinities += magnitudeOf(value) == infinityBits ? 1 : 0;
    }
    for (std::size_t e = 0; e < fields; ++e)
        sums.exponents[e] = counts.of(e);
    for (std::size_t j = 0; j < FiniteSums::lanes; ++j) {
        sums.sum += finite.sum[j];
        sums.squares += finite.squares[j];
    }
    sums.minimum = unordered(finite.least);
    sums.maximum = unordered(finite.most);
    sums.zeros = finite.zeros;
    sums.atLimit = finite.atLimit;
    return sums;
}

void ElementStatistics::add(const Sums& sums) {
    for (std::size_t e = 0; e < fields; ++e)
        all_.exponents[e] = saturated(std::uint64_t{all_.exponents[e]} + sums.exponents[e]);
    all_.elements += sums.elements;
    all_.zeros += sums.zeros;
    all_.infinities += sums.infinities;
    all_.atLimit += sums.atLimit;
    all_.sum += sums.sum;
    all_.squares += sums.squares;
    all_.minimum = std::min(all_.minimum, sums.minimum);
    all_.maximum = std::max(all_.maximum, sums.maximum);
}

void ElementStatistics::add(std::span<const float> values) {
    const std::size_t blocks = (values.size() + blockElements - 1) / blockElements;
    if (blocks <= 1) {
        add(sumsOf(values));
        return;
    }
    std::vector<Sums> parts(blocks);
    parallelFor(blocks, [&](std::size_t i) {
        const std::size_t first = i * blockElements;
        parts[i] = sumsOf(values.subspan(first, std::min(blockElements, values.size() - first)));
    });
    for (const Sums& part : parts)
        add(part);
}

ValueSample ElementStatistics::sample(ValueTensorId tensor, std::int64_t iteration) const {
    ValueSample sample;
    sample.tensor = tensor;
    sample.iteration = iteration;
    sample.elements = all_.elements;
    sample.zeros = all_.zeros;
    sample.infinities = all_.infinities;
    sample.nans = std::int64_t{all_.exponents[notFinite]} - all_.infinities;
    sample.atLimit = all_.atLimit;
    const int leastNormal = type_ == DataType::Half ? half_range::leastNormal : 1 - exponentBias;
    for (std::size_t field = 0; field < notFinite; ++field) {
        const int exponent = static_cast<int>(field) - exponentBias;
        const std::int64_t count =
            std::int64_t{all_.exponents[field]} - (field == 0 ? all_.zeros : 0);
        sample.exponents[exponents::binOf(exponent)] += static_cast<std::uint32_t>(count);
        if (exponent < leastNormal)
            sample.subnormals += count;
    }
    const std::int64_t finite = sample.elements - sample.nans - sample.infinities;
    if (finite == 0)
        return sample;
    const auto count = static_cast<double>(finite);
    sample.minimum = all_.minimum;
    sample.maximum = all_.maximum;
    sample.mean = all_.sum / count;
    sample.deviation = std::sqrt(std::max(0.0, all_.squares / count - sample.mean * sample.mean));
    return sample;
}

} // namespace tilescope::sim
