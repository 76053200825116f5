// How halves are rounded and summed, and which exceptions stop a run.
#include <QtTest>
#include <bit>
#include <cmath>
#include <random>

#include "compute/one_op.h"
#include "core/base/error.h"
#include "simulator/compute/kernels/half_rounding.h"
#include "simulator/compute/kernels/partial_sums.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace half_arithmetic_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

std::vector<float> stored(std::vector<float> values, HalfRounding rounding = {},
                          std::uint64_t key = 1) {
    storeAsHalves(values, {rounding, key});
    return values;
}

constexpr HalfRounding atRandom{true, false};

/// A product that rounds after each group, element by element: what PopLibs' codelets write.
float chained(const std::vector<float>& a, const std::vector<float>& b, std::size_t begin,
              std::size_t end, std::size_t group) {
    float sum = 0;
    for (std::size_t first = begin; first < end; first += group) {
        double pass = sum;
        for (std::size_t k = first; k < std::min(first + group, end); ++k)
            pass += static_cast<double>(a[k]) * static_cast<double>(b[k]);
        sum = roundedToHalf(static_cast<float>(pass));
    }
    return sum;
}

TensorData halves(Shape shape, unsigned seed, bool small = false) {
    const TensorData numbers = someReals(shape, seed);
    TensorData data(DataType::Half, std::move(shape));
    for (std::int64_t i = 0; i < data.elements(); ++i)
        data.setNumber(i, small ? std::round(numbers.number(i) * 2) : numbers.number(i));
    return data;
}

/// A kernel whose products are summed in halves.
class InHalves {
public:
    HalfRounding rounding;
    FpExceptions exceptions;
    PartialSums sums;
    bool isInParts = true;

    TensorData run(const Attributes& attributes, const std::vector<TensorData>& inputs, Shape shape,
                   DataType type = DataType::Half, std::int64_t execution = 0) const {
        Graph graph;
        graph.name = "model";
        Op op;
        op.name = "layer";
        op.type = "Op";
        op.attributes = attributes;
        for (const TensorData& input : inputs)
            op.inputs.push_back(graph.tensors.add({"in", input.shape(), input.type()}));
        op.outputs.push_back(graph.tensors.add({"result", std::move(shape), type}));
        ComputeContext context;
        context.rounding = rounding;
        context.exceptions = exceptions;
        KernelCall call{graph, op, context, inputs, {}, {}, 0, isInParts ? &sums : nullptr};
        call.place.execution = execution;
        call.outputs.resize(1);
        runKernel(call);
        return call.outputs[0];
    }
};

/// Convolutions with every kind of window, and the shapes of their gradients.
struct ConvCase {
    ConvAttributes conv;
    Shape input, weights, output;
};
ConvCase convCase(std::int64_t batch, std::int64_t in, std::int64_t out, Shape field, Shape kernel,
                  std::int64_t stride, std::int64_t dilation, std::int64_t pad,
                  std::int64_t groups) {
    ConvCase made;
    made.conv.groups = groups;
    made.conv.kernel = kernel;
    made.input = {batch, in};
    made.weights = {out, in / groups};
    made.output = {batch, out};
    for (std::size_t d = 0; d < field.size(); ++d) {
        made.conv.strides.push_back(stride);
        made.conv.dilations.push_back(dilation);
        made.conv.padsBegin.push_back(pad);
        made.conv.padsEnd.push_back(pad);
        made.input.push_back(field[d]);
        made.weights.push_back(kernel[d]);
        made.output.push_back((field[d] + 2 * pad - dilation * (kernel[d] - 1) - 1) / stride + 1);
    }
    return made;
}

QString messageOf(const InHalves& kernel, const Attributes& attributes,
                  const std::vector<TensorData>& inputs, Shape shape,
                  DataType type = DataType::Half) {
    try {
        kernel.run(attributes, inputs, std::move(shape), type);
    } catch (const UserError& error) {
        return QString::fromStdString(error.what()).section(QStringLiteral("; change"), 0, 0);
    }
    return QStringLiteral("no error");
}

} // namespace

class HalfArithmeticTest : public QObject {
    Q_OBJECT

private slots:
    void theNearestHalfIsThatOfTheConversion() {
        std::vector<float> values;
        for (std::uint32_t bits = 0; bits < 0x47800000U; bits += 4099U) {
            values.push_back(std::bit_cast<float>(bits));
            values.push_back(-values.back());
        }
        const std::vector<float> rounded = stored(values);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::fabs(values[i]) < 65520.0F)
                QCOMPARE(std::bit_cast<std::uint32_t>(rounded[i]),
                         std::bit_cast<std::uint32_t>(roundedToHalf(values[i])));
    }

    /// Alone, and within what vector instructions round at once.
    void whatIsTooLargeIsClippedOrNoNumber() {
        const std::vector<float> large{65519.0F, 65520.0F, -1e30F, INFINITY, NAN};
        for (const std::size_t before : {0U, 3U, 8U}) {
            std::vector<float> values(before, 1.0F);
            values.insert(values.end(), large.begin(), large.end());
            values.resize(before + 19, 2.0F);
            const std::vector<float> clipped = stored(values);
            QCOMPARE(clipped[before], 65504.0F);
            QCOMPARE(clipped[before + 1], 65504.0F);
            QCOMPARE(clipped[before + 2], -65504.0F);
            QVERIFY(std::isinf(clipped[before + 3]) && std::isnan(clipped[before + 4]));
            QCOMPARE(clipped.back(), 2.0F);
            for (const bool random : {false, true}) {
                const std::vector<float> none = stored(values, {random, true});
                QVERIFY(random || none[before] == 65504.0F);
                QVERIFY(std::isnan(none[before + 1]) || (random && none[before + 1] == 65504.0F));
                QVERIFY(std::isnan(none[before + 2]));
                QVERIFY(std::isinf(none[before + 3]) && std::isnan(none[before + 4]));
            }
        }
    }

    /// Rounded up with probability equal to the distance: normal numbers and subnormal ones.
    void stochasticRoundingIsRightOnAverage() {
        constexpr std::size_t count = 100'000;
        for (const auto& [value, below, above] :
             {std::tuple(1.0F + 0x1p-12F, 1.0F, 1.0F + 0x1p-10F),
              std::tuple(-3.0F - 0x1.8p-10F, -3.0F, -3.0F - 0x1p-9F),
              std::tuple(2.3F * 0x1p-24F, 0x1p-23F, 3 * 0x1p-24F),
              std::tuple(0.1F * 0x1p-24F, 0.0F, 0x1p-24F)}) {
            const std::vector<float> rounded = stored(std::vector<float>(count, value), atRandom);
            double ups = 0;
            for (const float x : rounded) {
                QVERIFY2(x == below || x == above, qPrintable(QString::number(x)));
                ups += x == above ? 1 : 0;
            }
            const double share = (static_cast<double>(value) - below) / (above - below);
            const double deviation = std::sqrt(share * (1 - share) / count);
            QVERIFY(std::fabs(ups / count - share) < 5 * deviation + 1.0 / 8192);
        }
    }

    void stochasticRoundingFollowsFromItsKey() {
        const std::vector<float> values(70'000, 1.0F + 0x1p-12F);
        QVERIFY(stored(values, atRandom, 5) == stored(values, atRandom, 5));
        QVERIFY(stored(values, atRandom, 5) != stored(values, atRandom, 6));
        // Halves are unchanged, so that a tensor may be rounded twice.
        const std::vector<float> once = stored(values, atRandom, 5);
        QVERIFY(stored(once, atRandom, 9) == once);
    }

    void operationsRoundAtRandomByTheirPlace() {
        InHalves kernel;
        kernel.isInParts = false;
        kernel.rounding = atRandom;
        const TensorData a = halves({1000}, 1);
        const TensorData b = halves({1000}, 2);
        const auto product = [&](std::int64_t execution) {
            return kernel.run(ElementwiseAttributes{ElementwiseFunction::Multiply}, {a, b}, {1000},
                              DataType::Half, execution);
        };
        QCOMPARE(difference(product(1), product(1)), 0.0);
        QVERIFY(difference(product(1), product(2)) > 0);
    }

    /// Blocks are rounded as soon as they are computed; where exceptions stop a run, the whole is.
    void blocksAreRoundedAsTheWhole() {
        const Shape shape{4, 11'000};
        const TensorData a = halves(shape, 1);
        const TensorData b = halves({11'000}, 2);
        std::vector<float> products;
        for (std::int64_t i = 0; i < a.elements(); ++i)
            products.push_back(static_cast<float>(a.number(i)) *
                               static_cast<float>(b.number(i % 11'000)));
        for (const HalfRounding& rounding : {HalfRounding{}, atRandom})
            for (const bool stops : {false, true}) {
                InHalves kernel;
                kernel.isInParts = false;
                kernel.rounding = rounding;
                kernel.exceptions.overflow = stops;
                const TensorData got =
                    kernel.run(ElementwiseAttributes{ElementwiseFunction::Multiply}, {a, b}, shape);
                const std::vector<float> wanted =
                    stored(products, rounding, roundingKey(ComputePlace{}) + 1);
                QVERIFY(std::equal(wanted.begin(), wanted.end(), got.reals().begin()));
            }
    }

    void aProductIsRoundedAfterEachPass() {
        constexpr std::size_t depth = 70;
        const TensorData a = halves({3, depth}, 1);
        const TensorData b = halves({depth, 40}, 2);
        for (const std::int64_t group : {16, 8, 100}) {
            InHalves kernel;
            kernel.sums.group = group;
            const TensorData made = kernel.run(MatMulAttributes{}, {a, b}, {3, 40});
            for (std::int64_t m = 0; m < 3; ++m)
                for (std::int64_t n = 0; n < 40; ++n) {
                    std::vector<float> row;
                    std::vector<float> column;
                    for (std::int64_t k = 0; k < static_cast<std::int64_t>(depth); ++k) {
                        row.push_back(static_cast<float>(a.number(m * 70 + k)));
                        column.push_back(static_cast<float>(b.number(k * 40 + n)));
                    }
                    // Sums in single precision may lie on the other side of a half.
                    const double wanted =
                        chained(row, column, 0, depth, static_cast<std::size_t>(group));
                    QVERIFY(std::fabs(made.number(m * 40 + n) - wanted) <= 0x1p-8);
                }
        }
    }

    /// 2048 is the first whole number after which a half has a gap.
    void smallTermsAreLostInHalvesOnly() {
        TensorData ones = TensorData::filled(DataType::Half, {1, 4100}, 1);
        TensorData factors = TensorData::filled(DataType::Half, {4100, 1}, 1);
        factors.setNumber(0, 2048);
        factors.setNumber(1, 2048);
        InHalves kernel;
        kernel.sums.group = 1;
        QCOMPARE(kernel.run(MatMulAttributes{}, {ones, factors}, {1, 1}).number(0), 4096.0);
        kernel.sums.group = 2; // 4096 + 2: halfway, to the even one
        QCOMPARE(kernel.run(MatMulAttributes{}, {ones, factors}, {1, 1}).number(0), 4096.0);
        kernel.sums.group = 4;
        QCOMPARE(kernel.run(MatMulAttributes{}, {ones, factors}, {1, 1}).number(0), 8192.0);
        kernel.isInParts = false;
        QCOMPARE(kernel.run(MatMulAttributes{}, {ones, factors}, {1, 1}).number(0), 8192.0);
        // On average random rounding keeps the lost terms.
        kernel.isInParts = true;
        kernel.sums.group = 1;
        kernel.rounding = atRandom;
        QVERIFY(std::fabs(kernel.run(MatMulAttributes{}, {ones, factors}, {1, 1}).number(0) -
                          8194) < 800);
    }

    void partsAreReducedInStages() {
        // Four parts of 16: 2048 and three times 0.75 (each a half).
        TensorData a = TensorData::filled(DataType::Half, {1, 64}, 1);
        TensorData b = TensorData::filled(DataType::Half, {64, 1}, 0);
        b.setNumber(0, 2048);
        for (const std::int64_t k : {16, 32, 48})
            b.setNumber(k, 0.75);
        InHalves kernel;
        kernel.sums.channelParts = 4;
        kernel.sums.stages = {4}; // 2050.25 in one sum
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}).number(0), 2050.0);
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}, DataType::Float).number(0),
                 2050.25);
        kernel.sums.stages = {2, 2}; // 2048 + 1.5
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}, DataType::Float).number(0), 2049.5);
        kernel.sums.channelParts = 1; // one after the other, none is kept
        kernel.sums.stages = {};
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}).number(0), 2048.0);
        kernel.sums.serialParts = 2; // 2048 and 1.5, in time
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}).number(0), 2050.0);
    }

    void termsHaveTheOrderOfThePlan() {
        PartialSums sums;
        sums.group = 2;
        sums.kernelParts = {1, 2};
        const auto text = [&](const SumOrder& order) {
            QString made;
            std::size_t pass = 0;
            std::size_t part = 0;
            for (std::size_t i = 0; i < order.terms.size(); ++i) {
                made += QStringLiteral("%1.%2").arg(order.terms[i].channel).arg(order.terms[i].tap);
                const bool passEnds = order.passEnds[pass] == i + 1;
                made += passEnds && order.partEnds[part] == pass + 1 ? QStringLiteral(" | ")
                        : passEnds                                   ? QStringLiteral(", ")
                                                                     : QStringLiteral(" ");
                part += passEnds && order.partEnds[part] == pass + 1 ? 1 : 0;
                pass += passEnds ? 1 : 0;
            }
            return made.trimmed();
        };
        QCOMPARE(text(sumOrder(sums, 3, {1, 3})), "0.0 1.0, 0.1 1.1, 2.0, 2.1 | 0.2 1.2, 2.2 |");
        sums.kernelParts = {};
        sums.passColumns = 2;
        sums.group = 3;
        QCOMPARE(text(sumOrder(sums, 1, {3})), "0.0 0.1, 0.2 |");
        sums.passColumns = 1;
        sums.expanded = {1};
        QCOMPARE(text(sumOrder(sums, 2, {2, 2})), "0.0 1.0 0.1, 0.2 1.2 0.3, 1.1, 1.3 |");
    }

    /// Of small whole numbers every partial sum is a half: all kinds of convolutions are then those
    /// in single precision.
    void convolutionsMeetTheSameElements_data() {
        QTest::addColumn<int>("number");
        for (int i = 0; i < 8; ++i)
            QTest::newRow(qPrintable(QString::number(i))) << i;
    }
    void convolutionsMeetTheSameElements() {
        const std::vector<ConvCase> cases{
            convCase(2, 3, 5, {9, 7}, {3, 3}, 1, 1, 1, 1),
            convCase(1, 4, 16, {10, 11}, {3, 2}, 2, 1, 0, 1),
            convCase(2, 20, 12, {6, 6}, {1, 1}, 1, 1, 0, 1),
            convCase(3, 6, 4, {12, 9}, {3, 3}, 1, 2, 2, 2),
            convCase(2, 8, 8, {8, 8}, {3, 3}, 2, 1, 1, 8),
            convCase(1, 2, 3, {40}, {5}, 3, 1, 2, 1),
            convCase(1, 2, 70, {5, 6, 4}, {2, 3, 2}, 1, 1, 1, 1),
            convCase(2, 3, 4, {9, 9}, {3, 3}, 2, 1, -1, 1),
        };
        QFETCH(int, number);
        const ConvCase& one = cases[static_cast<std::size_t>(number)];
        const TensorData input = halves(one.input, 1, true);
        const TensorData weights = halves(one.weights, 2, true);
        const TensorData gradient = halves(one.output, 3, true);
        InHalves kernel;
        InHalves whole;
        whole.isInParts = false;
        for (const int variant : {0, 1, 2}) {
            kernel.sums = {};
            if (variant == 1) {
                kernel.sums.group = 4;
                kernel.sums.passRows = 2;
                kernel.sums.channelParts = 2;
                kernel.sums.stages = {2};
            } else if (variant == 2) {
                kernel.sums.expanded = {static_cast<int>(one.conv.kernel.size()) - 1};
                kernel.sums.kernelParts.assign(one.conv.kernel.size(), 1);
                kernel.sums.kernelParts[0] = 2;
                kernel.sums.stages = {2};
            }
            QCOMPARE(difference(kernel.run(one.conv, {input, weights}, one.output),
                                whole.run(one.conv, {input, weights}, one.output)),
                     0.0);
            const ConvGradInputAttributes ofInput{one.conv};
            QCOMPARE(difference(kernel.run(ofInput, {gradient, weights}, one.input),
                                whole.run(ofInput, {gradient, weights}, one.input)),
                     0.0);
            const ConvGradWeightsAttributes ofWeights{one.conv};
            QCOMPARE(difference(kernel.run(ofWeights, {input, gradient}, one.weights),
                                whole.run(ofWeights, {input, gradient}, one.weights)),
                     0.0);
        }
    }

    void stacksOfMatricesAreTheSame() {
        InHalves kernel;
        InHalves whole;
        whole.isInParts = false;
        const TensorData a = halves({2, 3, 5, 20}, 1, true);
        const TensorData b = halves({2, 3, 33, 20}, 2, true);
        MatMulAttributes turned;
        turned.transposeB = true;
        QCOMPARE(difference(kernel.run(turned, {a, b}, {2, 3, 5, 33}),
                            whole.run(turned, {a, b}, {2, 3, 5, 33})),
                 0.0);
        const TensorData one = halves({20, 7}, 3, true);
        QCOMPARE(difference(kernel.run(MatMulAttributes{}, {a, one}, {2, 3, 5, 7}),
                            whole.run(MatMulAttributes{}, {a, one}, {2, 3, 5, 7})),
                 0.0);
    }

    void exceptionsNameOperationTensorAndValue() {
        InHalves kernel;
        kernel.isInParts = false;
        const auto of = [&](ElementwiseFunction function, std::vector<double> a,
                            std::vector<double> b, DataType type = DataType::Float) {
            std::vector<TensorData> inputs{realsOfList({2}, a)};
            if (!b.empty())
                inputs.push_back(realsOfList({2}, b));
            return messageOf(kernel, ElementwiseAttributes{function}, inputs, {2}, type);
        };
        using enum ElementwiseFunction;
        QCOMPARE(of(Divide, {1, 0}, {0, 0}), "no error");
        kernel.exceptions.invalid = true;
        QCOMPARE(of(Divide, {1, 0}, {0, 0}), "model: 'layer' (Elementwise): invalid in tensor "
                                             "'result': element [1] is nan");
        QCOMPARE(of(Divide, {1, NAN}, {0, 0}), "no error"); // comes from elsewhere
        QCOMPARE(of(Sqrt, {4, -1}, {}), "model: 'layer' (Elementwise): invalid in tensor 'result': "
                                        "element [1] is nan");
        kernel.exceptions = {};
        kernel.exceptions.division = true;
        QCOMPARE(of(Divide, {1, -1}, {2, 0}), "model: 'layer' (Elementwise): division in tensor "
                                              "'result': element [1] is -inf");
        QCOMPARE(of(Log, {0, 1}, {}), "model: 'layer' (Elementwise): division in tensor 'result': "
                                      "element [0] is -inf");
        QCOMPARE(of(Multiply, {1, 1e30}, {2, 1e30}), "no error");
        kernel.exceptions = {};
        kernel.exceptions.overflow = true;
        QCOMPARE(of(Multiply, {1, 1e30}, {2, 1e30}), "model: 'layer' (Elementwise): overflow in "
                                                     "tensor 'result': element [1] is inf");
        QCOMPARE(of(Multiply, {1, 1000}, {2, 70}, DataType::Half),
                 "model: 'layer' (Elementwise): overflow in tensor 'result': element [1] is 70000, "
                 "which is beyond the largest half, 65504");
        QCOMPARE(of(Multiply, {1, INFINITY}, {2, 2}), "no error");
        QCOMPARE(of(Divide, {1, -1}, {2, 0}), "no error");
    }

    void partialSumsOverflowToo() {
        InHalves kernel;
        const TensorData a = TensorData::filled(DataType::Half, {1, 32}, 200);
        TensorData b = TensorData::filled(DataType::Half, {32, 1}, 50);
        for (std::int64_t k = 16; k < 32; ++k)
            b.setNumber(k, -50);
        // 16 times 10,000 are clipped, and the rest is subtracted from that.
        QCOMPARE(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}).number(0), -65504.0);
        kernel.rounding.nanOnOverflow = true;
        QVERIFY(std::isnan(kernel.run(MatMulAttributes{}, {a, b}, {1, 1}).number(0)));
        kernel.rounding = {};
        kernel.exceptions.overflow = true;
        QCOMPARE(messageOf(kernel, MatMulAttributes{}, {a, b}, {1, 1}),
                 "model: 'layer' (MatMul): overflow in tensor 'result': element [0,0] is nan: a "
                 "partial sum was beyond the largest half, 65504");
        kernel.isInParts = false;
        QCOMPARE(messageOf(kernel, MatMulAttributes{}, {a, b}, {1, 1}), "no error");
    }
};

TILESCOPE_TEST(HalfArithmeticTest)

} // namespace half_arithmetic_test

#include "half_arithmetic_test.moc"
