// Elementwise functions against the C++ library's, element by element.
#include <QtTest>
#include <algorithm>
#include <array>
#include <set>

#include "compute/one_op.h"
#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/shape_rules.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace elementwise_kernels_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using enum ElementwiseFunction;

namespace {

struct UnaryCase {
    ElementwiseAttributes attributes;
    std::function<double(double)> reference;
    double from = -4, to = 4;
};

double reference01(double x) {
    return std::min(1.0, std::max(0.0, x));
}

std::vector<UnaryCase> unaryCases() {
    const auto tanhGelu = [](double x) {
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    };
    return {
        {{Relu}, [](double x) { return std::max(x, 0.0); }},
        {{LeakyRelu, 0.1}, [](double x) { return x < 0 ? 0.1 * x : x; }},
        {{Sigmoid}, [](double x) { return 1 / (1 + std::exp(-x)); }, -100, 100},
        {{Tanh}, [](double x) { return std::tanh(x); }, -20, 20},
        {{Gelu}, tanhGelu},
        {{Gelu, 1}, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
        {{Erf}, [](double x) { return std::erf(x); }, -6, 6},
        {{Exp}, [](double x) { return std::exp(x); }, -110, 10},
        {{Log}, [](double x) { return std::log(x); }, 1e-6, 100},
        {{VarianceToInverseStdDeviation, 1e-3},
         [](double x) { return 1 / std::sqrt(x + 1e-3); },
         0,
         3},
        {{Sqrt}, [](double x) { return std::sqrt(x); }, 0, 9},
        {{Rsqrt}, [](double x) { return 1 / std::sqrt(x); }, 0.1, 9},
        {{Inverse}, [](double x) { return 1 / x; }, 0.1, 9},
        {{Abs}, [](double x) { return std::fabs(x); }},
        {{Negate}, [](double x) { return -x; }},
        {{Square}, [](double x) { return x * x; }},
        {{Sin}, [](double x) { return std::sin(x); }},
        {{Cos}, [](double x) { return std::cos(x); }},
        {{Tan}, [](double x) { return std::tan(x); }, -1, 1},
        {{Floor}, [](double x) { return std::floor(x); }},
        {{Ceil}, [](double x) { return std::ceil(x); }},
        {{Round}, [](double x) { return std::nearbyint(x); }},
        {{Sign}, [](double x) { return x > 0   ? 1.0
                                       : x < 0 ? -1.0
                                               : 0.0; }},
        {{Clip, -1, 2}, [](double x) { return std::min(2.0, std::max(-1.0, x)); }},
        {{Elu, 1.5}, [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }},
        {{Softplus}, [](double x) { return std::log1p(std::exp(x)); }, -30, 30},
        {{HardSigmoid, 0.2, 0.5}, [](double x) { return reference01(0.2 * x + 0.5); }},
        {{HardSwish}, [](double x) { return x * reference01(x / 6 + 0.5); }},
        {{Asin}, [](double x) { return std::asin(x); }, -1, 1},
        {{Acos}, [](double x) { return std::acos(x); }, -1, 1},
        {{Atan}, [](double x) { return std::atan(x); }},
        {{Sinh}, [](double x) { return std::sinh(x); }},
        {{Cosh}, [](double x) { return std::cosh(x); }},
        {{Asinh}, [](double x) { return std::asinh(x); }},
        {{Acosh}, [](double x) { return std::acosh(x); }, 1, 5},
        {{Atanh}, [](double x) { return std::atanh(x); }, -0.9, 0.9},
        {{Expm1}, [](double x) { return std::expm1(x); }},
        {{Log1p}, [](double x) { return std::log1p(x); }, -0.9, 5},
        {{Swish}, [](double x) { return x / (1 + std::exp(-x)); }},
        {{Copy}, [](double x) { return x; }},
        {{Detach}, [](double x) { return x; }},
        {{Cast}, [](double x) { return x; }},
    };
}

struct BinaryCase {
    ElementwiseAttributes attributes;
    std::function<double(double, double)> reference;
    double from = -4, to = 4;
};

double pythonRemainder(double a, double b) {
    return a - std::floor(a / b) * b;
}

std::vector<BinaryCase> binaryCases() {
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    return {
        {{Add}, [](double a, double b) { return a + b; }},
        {{Subtract}, [](double a, double b) { return a - b; }},
        {{Multiply}, [](double a, double b) { return a * b; }},
        {{Divide}, [](double a, double b) { return a / b; }, 0.5, 3},
        {{Power}, [](double a, double b) { return std::pow(a, b); }, 0.1, 3},
        {{Max}, [](double a, double b) { return std::max(a, b); }},
        {{Min}, [](double a, double b) { return std::min(a, b); }},
        {{Remainder}, pythonRemainder, 0.3, 9},
        {{Remainder, 1}, [](double a, double b) { return std::fmod(a, b); }, 0.3, 9},
        {{Atan2}, [](double a, double b) { return std::atan2(a, b); }},
        {{PRelu}, [](double a, double b) { return a < 0 ? a * b : a; }},
        {{ReluGrad}, [](double g, double y) { return y > 0 ? g : 0; }},
        {{ReluGrad, 0.1, 0, 0, 0, false, 0, LeakyRelu},
         [](double g, double y) { return y > 0 ? g : 0.1 * g; }},
        {{ReluGrad, -1, 2, 0, 0, false, 0, Clip},
         [](double g, double y) { return y > -1 && y < 2 ? g : 0; }},
        {{ReluGrad, 0.2, 0.5, 0, 0, false, 0, HardSigmoid},
         [](double g, double y) { return y > 0 && y < 1 ? 0.2 * g : 0; }},
        {{SigmoidGrad}, [](double g, double y) { return g * y * (1 - y); }},
        {{TanhGrad}, [](double g, double y) { return g * (1 - y * y); }},
        {{SwishGrad},
         [sigmoid](double g, double x) { return g * sigmoid(x) * (1 + x * (1 - sigmoid(x))); }},
        {{CrossEntropy}, [](double p, double t) { return -t * std::log(p); }, 0.01, 1},
        {{TrustRatio, 2, 0.5}, [](double a, double b) { return 2 * std::sqrt(a / b); }, 0.1, 4},
    };
}

TensorData scaled(TensorData data, double from, double to) {
    for (float& value : data.reals())
        value = static_cast<float>(from + (to - from) * (static_cast<double>(value) + 1) / 2);
    return data;
}

/// Two shapes that broadcast to a third.
struct Broadcasts {
    Shape a, b, result;
};
Broadcasts anyBroadcast() {
    Broadcasts all;
    for (std::int64_t d = anyFrom(1, 4); d > 0; --d) {
        const std::int64_t size = anyFrom(1, 7);
        const std::int64_t kind = anyFrom(0, 3);
        all.a.push_back(kind == 1 ? 1 : size);
        all.b.push_back(kind == 2 ? 1 : size);
    }
    for (std::int64_t drop = anyFrom(0, 2); drop > 0 && all.b.size() > 1; --drop)
        all.b.erase(all.b.begin());
    all.result = broadcastShapes(all.a, all.b);
    return all;
}

double referenceAt(const BinaryCase& one, const TensorData& a, const TensorData& b,
                   const Shape& shape, std::int64_t i) {
    const auto index = indexOf(shape, i);
    return one.reference(a.number(elementAt(a.shape(), index)),
                         b.number(elementAt(b.shape(), index)));
}

} // namespace

class ElementwiseKernelsTest : public QObject {
    Q_OBJECT

private slots:
    void unaryFunctions() {
        for (const UnaryCase& one : unaryCases()) {
            const TensorData x = scaled(someReals({3, 1000}), one.from, one.to);
            const TensorData y = op_.run(one.attributes, {x}, x.shape());
            TensorData expected(DataType::Float, x.shape());
            for (std::int64_t i = 0; i < x.elements(); ++i)
                expected.setNumber(i, one.reference(x.number(i)));
            const std::string name(traitsOf(one.attributes.function).name);
            QVERIFY2(difference(y, expected) < 2e-6, name.c_str());
        }
    }

    /// No row of elementwise.def was forgotten.
    void everyFunctionHasAKernel() {
        constexpr auto all = std::to_array<ElementwiseFunction>({
#define ELEMENTWISE(function, traits) function,
#include "simulator/graph/elementwise.def"
#undef ELEMENTWISE
        });
        for (const ElementwiseFunction function : all)
            QVERIFY2(isComputed(function), std::string(traitsOf(function).name).c_str());
    }

    void specialValues() {
        const double infinity = INFINITY;
        const TensorData x = realsOfList({5}, {0.0, infinity, -infinity, NAN, 1e-40});
        const auto run = [&](ElementwiseFunction f) {
            return op_.run(ElementwiseAttributes{f}, {x}, {5});
        };
        QVERIFY(difference(run(Exp), realsOfList({5}, {1, infinity, 0, NAN, 1})) == 0);
        QVERIFY(difference(run(Log), realsOfList({5}, {-infinity, infinity, NAN, NAN,
                                                       std::log(1e-40)})) < 1e-6);
        QVERIFY(difference(run(Tanh), realsOfList({5}, {0, 1, -1, NAN, 1e-40})) == 0);
        QVERIFY(difference(run(Sigmoid), realsOfList({5}, {0.5, 1, 0, NAN, 0.5})) == 0);
        QVERIFY(difference(run(Erf), realsOfList({5}, {0, 1, -1, NAN, 1e-40})) < 1e-30);
        QVERIFY(difference(run(Relu), realsOfList({5}, {0, infinity, 0, NAN, 1e-40})) == 0);
        const TensorData isNan = op_.run(ElementwiseAttributes{IsNan}, {x}, {5}, DataType::Bool);
        QVERIFY(difference(isNan, intsOfList({5}, {0, 0, 0, 1, 0})) == 0);
        const TensorData above = op_.run(ElementwiseAttributes{IsInf, 1}, {x}, {5}, DataType::Bool);
        QVERIFY(difference(above, intsOfList({5}, {0, 1, 0, 0, 0})) == 0);
        // A class of probability zero is not expected and adds no loss.
        const TensorData loss = op_.run(ElementwiseAttributes{CrossEntropy},
                                        {realsOfList({2}, {0, 1}), realsOfList({2}, {0, 1})}, {2});
        QVERIFY(difference(loss, realsOfList({2}, {0, 0})) == 0);
        QVERIFY(difference(op_.run(ElementwiseAttributes{Round},
                                   {realsOfList({4}, {0.5, 1.5, -2.5, 2.4})}, {4}),
                           realsOfList({4}, {0, 2, -2, 2})) == 0);
    }

    void binaryFunctionsBroadcast() {
        for (const BinaryCase& one : binaryCases()) {
            const std::string name(traitsOf(one.attributes.function).name);
            QVERIFY2(holds(name, 30,
                           [&] {
                               const Broadcasts shapes = anyBroadcast();
                               const TensorData a =
                                   scaled(someReals(shapes.a, 2), one.from, one.to);
                               const TensorData b =
                                   scaled(someReals(shapes.b, 3), one.from, one.to);
                               const TensorData y = op_.run(one.attributes, {a, b}, shapes.result);
                               for (std::int64_t i = 0; i < y.elements(); ++i) {
                                   const double expected = referenceAt(one, a, b, shapes.result, i);
                                   RC_ASSERT(std::fabs(y.number(i) - expected) <=
                                             4e-6 * std::max(1.0, std::fabs(expected)));
                               }
                           }),
                     name.c_str());
        }
    }

    void longOperandsAreComputedInParts() {
        const Shape shape{3, 20, 1500};
        const TensorData x = someReals(shape, 4);
        const TensorData perChannel = someReals({20, 1}, 5);
        const TensorData y = op_.run(ElementwiseAttributes{Multiply}, {x, perChannel}, shape);
        for (std::int64_t i = 0; i < y.elements(); ++i)
            QCOMPARE(y.reals()[static_cast<std::size_t>(i)],
                     static_cast<float>(x.number(i)) *
                         static_cast<float>(perChannel.number(i / 1500 % 20)));
    }

    void onlyAnOperandThatNothingElseHasIsOverwritten() {
        const Shape shape{3, 20'000};
        const TensorData perColumn = someReals({20'000}, 7);
        const TensorData kept = someReals(shape, 6);
        const TensorData before = kept.copy();
        const ElementwiseAttributes subtract{Subtract};
        const TensorData wanted = op_.run(subtract, {kept, perColumn}, shape);
        QVERIFY(std::ranges::equal(kept.reals(), before.reals()));

        std::vector<TensorData> given;
        given.push_back(kept.copy());
        given.push_back(perColumn);
        const float* const place = given[0].reals().data();
        const TensorData over = op_.run(subtract, std::move(given), shape);
        QVERIFY(std::as_const(over).reals().data() == place);
        QVERIFY(std::ranges::equal(over.reals(), wanted.reals()));

        // Both operands are the same: their elements belong to two.
        std::vector<TensorData> twice(2, kept.copy());
        QCOMPARE(op_.run(subtract, std::move(twice), shape).number(5), 0.0);
    }

    void severalOperands() {
        const TensorData a = someReals({2, 3}, 1);
        const TensorData b = someReals({3}, 2);
        const TensorData c = someReals({2, 1}, 3);
        const TensorData sum = op_.run(ElementwiseAttributes{Add}, {a, b, c}, {2, 3});
        for (std::int64_t i = 0; i < 6; ++i)
            QVERIFY(std::fabs(sum.number(i) - a.number(i) - b.number(i % 3) - c.number(i / 3)) <
                    1e-6);
        const TensorData condition = intsOfList({2, 1}, {1, 0}, DataType::Bool);
        const TensorData chosen = op_.run(ElementwiseAttributes{Select}, {condition, a, b}, {2, 3});
        for (std::int64_t i = 0; i < 6; ++i)
            QCOMPARE(chosen.number(i), i < 3 ? a.number(i) : b.number(i % 3));
        const TensorData rest = op_.run(ElementwiseAttributes{SubtractProduct}, {a, b, c}, {2, 3});
        for (std::int64_t i = 0; i < 6; ++i)
            QVERIFY(std::fabs(rest.number(i) - a.number(i) + b.number(i % 3) * c.number(i / 3)) <
                    1e-6);
    }

    void wholeNumbers() {
        const TensorData a = intsOfList({4}, {7, -7, 2147483647, -8});
        const TensorData b = intsOfList({4}, {3, 3, 1, 2});
        const auto run = [&](ElementwiseFunction f, double alpha = 0) {
            return op_.run(ElementwiseAttributes{f, alpha}, {a, b}, {4}, DataType::Int32);
        };
        QVERIFY(difference(run(Add), intsOfList({4}, {10, -4, -2147483648.0, -6})) == 0);
        QVERIFY(difference(run(Divide), intsOfList({4}, {2, -2, 2147483647, -4})) == 0);
        QVERIFY(difference(run(Remainder), intsOfList({4}, {1, 2, 0, 0})) == 0);
        QVERIFY(difference(run(Remainder, 1), intsOfList({4}, {1, -1, 0, 0})) == 0);
        QVERIFY(difference(run(ShiftRight), intsOfList({4}, {0, -1, 1073741823, -2})) == 0);
        QVERIFY(difference(run(BitwiseXnor), intsOfList({4}, {~4, ~(-6), ~2147483646, ~(-6)})) ==
                0);
        QVERIFY(difference(run(Power), intsOfList({4}, {343, -343, 2147483647, 64})) == 0);
        const TensorData large = intsOfList({1}, {4294967295.0}, DataType::UInt32);
        const TensorData one = intsOfList({1}, {1}, DataType::UInt32);
        QCOMPARE(op_.run(ElementwiseAttributes{ShiftRight}, {large, one}, {1}, DataType::UInt32)
                     .number(0),
                 2147483647.0);
        QCOMPARE(
            op_.run(ElementwiseAttributes{Greater}, {large, one}, {1}, DataType::Bool).number(0),
            1.0);
        const TensorData bytes = intsOfList({2}, {200, 100}, DataType::UInt8);
        QVERIFY(
            difference(op_.run(ElementwiseAttributes{Add}, {bytes, bytes}, {2}, DataType::UInt8),
                       intsOfList({2}, {144, 200})) == 0);
    }

    void conversions() {
        const TensorData x = realsOfList({4}, {1.9, -1.9, 300, 0});
        const auto cast = [&](DataType type) {
            return op_.run(ElementwiseAttributes{Cast}, {x}, {4}, type);
        };
        QVERIFY(difference(cast(DataType::Int32), intsOfList({4}, {1, -1, 300, 0})) == 0);
        QVERIFY(difference(cast(DataType::UInt8), intsOfList({4}, {1, 255, 44, 0})) == 0);
        QVERIFY(difference(cast(DataType::Bool), intsOfList({4}, {1, 1, 1, 0})) == 0);
        QCOMPARE(cast(DataType::Half).number(0), static_cast<double>(roundedToHalf(1.9F)));
        const TensorData hot =
            op_.run(ElementwiseAttributes{OneHot}, {intsOfList({3, 1}, {2, 0, -1})}, {3, 3});
        QVERIFY(difference(hot, realsOfList({3, 3}, {0, 0, 1, 1, 0, 0, 0, 0, 1})) == 0);
    }

    void updatesInPlace() {
        const auto update = [&](const ElementwiseAttributes& e, TensorData& a,
                                const TensorData& b) {
            const TensorData y = op_.runAll(e, {a, b}, {a.shape()}, a.type(), {}, 0.5).at(0);
            QVERIFY(y.sharesWith(a));
        };
        TensorData a = realsOfList({2}, {1, 2});
        const TensorData b = realsOfList({2}, {10, 20});
        update({ScaledAdd, -0.1}, a, b);
        QVERIFY(difference(a, realsOfList({2}, {0, 0})) < 1e-6);
        ElementwiseAttributes byRate{ScaledAdd, -1, 0.5};
        byRate.byLearningRate = true;
        a = realsOfList({2}, {1, 2});
        update(byRate, a, b);
        QVERIFY(difference(a, realsOfList({2}, {0.75 - 5, 1.5 - 10})) < 1e-6);
        update({MovingAverage, 0.5, 2}, a, b);
        QVERIFY(difference(a, realsOfList({2}, {-2.125 + 20, -4.25 + 40})) < 1e-6);
        a = realsOfList({2}, {1, 2});
        update({MovingSquare, 0.9, 0.1}, a, b);
        QVERIFY(difference(a, realsOfList({2}, {10.9, 41.8})) < 1e-6);
        TensorData steps = realsOfList({}, {3});
        update({ScaledAdd, 1}, steps, realsOfList({}, {1}));
        QCOMPARE(steps.number(0), 4.0);
        op_.run(ElementwiseAttributes{Zero}, {a}, {2});
        QVERIFY(difference(a, realsOfList({2}, {0, 0})) == 0);
    }

    void randomNumbersFollowFromTheirPlace() {
        const TensorData ones = TensorData::filled(DataType::Float, {40000}, 1);
        const auto drop = [&](const ComputePlace& place) {
            return op_.run(ElementwiseAttributes{Dropout, 0.25}, {ones}, {40000}, DataType::Float,
                           place);
        };
        const TensorData kept = drop({1, 2, 3, 0, 7});
        QVERIFY(difference(kept, drop({1, 2, 3, 0, 7})) == 0);
        std::set<std::int64_t> different;
        double sum = 0;
        for (std::int64_t i = 0; i < kept.elements(); ++i) {
            QVERIFY(kept.number(i) == 0 || std::fabs(kept.number(i) - 4.0 / 3) < 1e-6);
            sum += kept.number(i);
        }
        QVERIFY(std::fabs(sum / 40000 - 1) < 0.02);
        for (const ComputePlace& other :
             {ComputePlace{2, 2, 3, 0, 7}, ComputePlace{1, 3, 3, 0, 7}, ComputePlace{1, 2, 4, 0, 7},
              ComputePlace{1, 2, 3, 1, 7}, ComputePlace{1, 2, 3, 0, 8}})
            QVERIFY(difference(kept, drop(other)) > 0.1);
        const TensorData normal =
            op_.run(ElementwiseAttributes{RandomNormal, 3, 2}, {ones}, {40000});
        double mean = 0;
        double square = 0;
        for (const float x : normal.reals()) {
            mean += static_cast<double>(x) / 40000;
            square += static_cast<double>(x) * static_cast<double>(x) / 40000;
        }
        QVERIFY(std::fabs(mean - 3) < 0.05 && std::fabs(square - 13) < 0.3);
        const TensorData uniform = op_.run(ElementwiseAttributes{RandomUniform}, {ones}, {40000});
        double half = 0;
        for (const float x : uniform.reals()) {
            QVERIFY(x >= 0 && x < 1);
            half += static_cast<double>(x) / 40000;
        }
        QVERIFY(std::fabs(half - 0.5) < 0.01);
    }

private:
    /// On reals, or on whole numbers.
    bool isComputed(ElementwiseFunction function) {
        const std::size_t count = traitsOf(function).leastOperands;
        const auto computes = [&](const TensorData& operand, DataType type) {
            try {
                op_.run(ElementwiseAttributes{function},
                        std::vector<TensorData>(count, operand.copy()), operand.shape(), type);
                return true;
            } catch (const InternalError&) {
                return false;
            }
        };
        const bool asked = traitsOf(function).makesBool;
        return computes(realsOfList({2, 1}, {0.5, 1}), asked ? DataType::Bool : DataType::Float) ||
               computes(intsOfList({2, 1}, {0, 1}), asked ? DataType::Bool : DataType::Int32);
    }

    OneOp op_;
};

TILESCOPE_TEST(ElementwiseKernelsTest)

} // namespace elementwise_kernels_test

#include "elementwise_kernels_test.moc"
