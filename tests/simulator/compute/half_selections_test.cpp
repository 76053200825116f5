// Results that are elements of operands stay halves without being rounded.
#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>

#include "compute/one_op.h"
#include "simulator/compute/kernels/half_rounding.h"
#include "tests/support/test_main.h"

namespace half_selections_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// The number of a half's bits: IEEE 754's binary16.
float halfOf(std::uint32_t bits) {
    const auto fraction = static_cast<float>(bits & 0x3ffU);
    const int exponent = static_cast<int>(bits >> 10U & 0x1fU);
    float size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
        size = fraction == 0 ? std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN();
    return (bits & 0x8000U) != 0 ? -size : size;
}

constexpr std::uint32_t halves = 1U << 16U;

/// All halves there are, from one on.
TensorData allHalves(std::uint32_t first) {
    TensorData data(DataType::Half, {1, 1, 256, 256});
    for (std::uint32_t i = 0; i < halves; ++i)
        data.reals()[i] = halfOf((first + i * 40'503U) % halves);
    return data;
}

bool isSame(float a, float b) {
    return std::isnan(a) ? std::isnan(b)
                         : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

} // namespace

class HalfSelectionsTest : public QObject {
    Q_OBJECT
    OneOp op_;

    /// However they are rounded, nothing changes.
    static void verifyHalves(const TensorData& result) {
        QVERIFY(result.type() == DataType::Half);
        for (const HalfRounding rounding : {HalfRounding{}, {true, false}, {false, true}}) {
            TensorData rounded = result.copy();
            storeAsHalves(rounded.reals(), rounding, 7);
            for (std::size_t i = 0; i < halves; ++i)
                QVERIFY(isSame(rounded.reals()[i], result.reals()[i]));
        }
    }

private slots:
    void functionsThatSelect_data() {
        QTest::addColumn<int>("function");
        for (const ElementwiseFunction function :
             {ElementwiseFunction::Relu, ElementwiseFunction::Abs, ElementwiseFunction::Negate,
              ElementwiseFunction::Max, ElementwiseFunction::Min})
            QTest::addRow("%d", static_cast<int>(function)) << static_cast<int>(function);
    }
    void functionsThatSelect() {
        QFETCH(int, function);
        ElementwiseAttributes attributes;
        attributes.function = static_cast<ElementwiseFunction>(function);
        std::vector<TensorData> inputs{allHalves(0)};
        if (attributes.function == ElementwiseFunction::Max ||
            attributes.function == ElementwiseFunction::Min)
            inputs.push_back(allHalves(12'345));
        verifyHalves(op_.run(attributes, inputs, {1, 1, 256, 256}, DataType::Half));
    }

    void theLargestOfWindows() {
        PoolAttributes pool;
        pool.kernel = {3, 3};
        pool.strides = pool.dilations = {1, 1};
        pool.padsBegin = pool.padsEnd = {1, 1};
        verifyHalves(op_.run(pool, {allHalves(0)}, {1, 1, 256, 256}, DataType::Half));
    }

    // Single precision is rounded on its way to halves, whatever the function.
    void operandsInSinglePrecisionAreRounded() {
        ElementwiseAttributes relu;
        relu.function = ElementwiseFunction::Relu;
        const TensorData result =
            op_.run(relu, {realsOfList({2}, {0.1, 70'000})}, {2}, DataType::Half);
        QCOMPARE(result.reals()[0], roundedToHalf(0.1F));
        QCOMPARE(result.reals()[1], vec::largestHalf);
    }

    // What computes is rounded.
    void sumsAreRounded() {
        ElementwiseAttributes add;
        add.function = ElementwiseFunction::Add;
        TensorData one(DataType::Half, {1});
        one.reals()[0] = 1;
        TensorData small(DataType::Half, {1});
        small.reals()[0] = 0x1p-12F;
        QCOMPARE(op_.run(add, {one, small}, {1}, DataType::Half).reals()[0], 1.0F);
    }
};

TILESCOPE_TEST(HalfSelectionsTest)

} // namespace half_selections_test

#include "half_selections_test.moc"
