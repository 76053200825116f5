// Statistics of elements against counting them one by one.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "simulator/graph/tensor_data.h"
#include "simulator/values/statistics.h"
#include "tests/support/test_main.h"

namespace statistics_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

constexpr float noNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

ValueSample counted(const std::vector<float>& values, DataType type) {
    const bool half = type == DataType::Half;
    const double leastNormal = half ? 0x1p-14 : 0x1p-126;
    const double limit = half ? 65504 : double{std::numeric_limits<float>::max()};
    ValueSample sample;
    sample.elements = static_cast<std::int64_t>(values.size());
    std::vector<double> finite;
    for (const double value : values) {
        if (std::isnan(value)) {
            ++sample.nans;
        } else if (std::isinf(value)) {
            ++sample.infinities;
        } else {
            finite.push_back(value);
            sample.atLimit += std::fabs(value) == limit ? 1 : 0;
            if (value == 0) {
                ++sample.zeros;
                continue;
            }
            sample.subnormals += std::fabs(value) < leastNormal ? 1 : 0;
            ++sample.exponents[exponents::binOf(std::ilogb(value))];
        }
    }
    if (finite.empty())
        return sample;
    sample.minimum = *std::min_element(finite.begin(), finite.end());
    sample.maximum = *std::max_element(finite.begin(), finite.end());
    for (const double value : finite)
        sample.mean += value / static_cast<double>(finite.size());
    for (const double value : finite)
        sample.deviation +=
            (value - sample.mean) * (value - sample.mean) / static_cast<double>(finite.size());
    sample.deviation = std::sqrt(sample.deviation);
    return sample;
}

ValueSample gathered(const std::vector<float>& values, DataType type) {
    ElementStatistics statistics(type);
    statistics.add(values);
    return statistics.sample({}, 0);
}

/// Normal numbers times powers of two from 2^-60 to 2^30, with what is no number in between.
std::vector<float> mixed(std::size_t count, DataType type, bool withOdd) {
    std::mt19937 engine(static_cast<unsigned>(count));
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> exponent(-60, 30);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = std::ldexp(normal(engine), exponent(engine));
        if (i % 7 == 3)
            values[i] = 0;
        if (withOdd && i % 11 == 5)
            values[i] = i % 2 == 0 ? noNumber : -infinite;
        if (i % 13 == 1)
            values[i] = type == DataType::Half ? -65504.F : std::numeric_limits<float>::max();
    }
    if (type == DataType::Half)
        roundToHalf(values);
    return values;
}

} // namespace

class StatisticsTest : public QObject {
    Q_OBJECT

private slots:
    void countsWhatThereIs_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("half");
        QTest::addColumn<bool>("odd");
        for (const int count : {1, 7, 64, 1003, 65'536, 200'001})
            for (const bool half : {false, true})
                for (const bool odd : {false, true})
                    QTest::addRow("%d %d %d", count, half, odd) << count << half << odd;
    }
    void countsWhatThereIs() {
        QFETCH(int, count);
        QFETCH(bool, half);
        QFETCH(bool, odd);
        const DataType type = half ? DataType::Half : DataType::Float;
        const std::vector<float> values = mixed(static_cast<std::size_t>(count), type, odd);
        ValueSample expected = counted(values, type);
        ValueSample actual = gathered(values, type);
        const double scale = std::max({1e-300, std::fabs(expected.minimum), expected.maximum});
        QVERIFY(std::fabs(actual.mean - expected.mean) <= 1e-12 * scale);
        QVERIFY(std::fabs(actual.deviation - expected.deviation) <= 1e-9 * scale);
        expected.mean = actual.mean;
        expected.deviation = actual.deviation;
        QVERIFY(actual == expected);
    }

    void withoutFiniteElementsThereAreNoMoments() {
        const ValueSample sample = gathered({noNumber, infinite, -infinite}, DataType::Float);
        QCOMPARE(sample.nans, 1);
        QCOMPARE(sample.infinities, 2);
        QCOMPARE(sample.minimum, 0.0);
        QCOMPARE(sample.deviation, 0.0);
        QCOMPARE(gathered({}, DataType::Half).elements, 0);
    }

    void subnormalsAreThoseOfTheType() {
        const std::vector<float> values{0x1p-15F, 0x1p-24F, 0x1p-14F, 0x1p-130F};
        QCOMPARE(gathered(values, DataType::Half).subnormals, 3);
        QCOMPARE(gathered(values, DataType::Float).subnormals, 1);
        QCOMPARE(gathered({0x1p-130F}, DataType::Float).exponents[0], 1U);
    }

    // Threads take blocks in any order; the sums are those of one block after the other.
    void threadsChangeNothing() {
        constexpr std::size_t block = std::size_t{1} << 16;
        const std::vector<float> values = mixed(9 * block + 17, DataType::Float, false);
        ElementStatistics one(DataType::Float);
        for (std::size_t first = 0; first < values.size(); first += block)
            one.add(std::span(values).subspan(first, std::min(block, values.size() - first)));
        for (int i = 0; i < 5; ++i)
            QVERIFY(gathered(values, DataType::Float) == one.sample({}, 0));
    }
};

TILESCOPE_TEST(StatisticsTest)

} // namespace statistics_test

#include "statistics_test.moc"
