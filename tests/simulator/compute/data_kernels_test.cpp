// Reductions, normalisations and moves of elements, against loops over elements.
#include <QtTest>

#include "compute/one_op.h"
#include "core/base/error.h"
#include "simulator/graph/shape_rules.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace data_kernels_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Shape anyShape(std::int64_t leastRank = 1) {
    Shape shape;
    for (std::int64_t d = anyFrom(leastRank, 4); d > 0; --d)
        shape.push_back(anyFrom(1, 6));
    return shape;
}

std::vector<std::int64_t> anyAxes(const Shape& shape) {
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (anyFrom(0, 1) == 1)
            axes.push_back(static_cast<std::int64_t>(d));
    return axes;
}

Shape reducedShape(Shape shape, const std::vector<std::int64_t>& axes) {
    for (const std::int64_t axis : axes)
        shape[static_cast<std::size_t>(axis)] = 1;
    return shape;
}

double joined(ReduceFunction function, double a, double x) {
    switch (function) {
    case ReduceFunction::Max:
        return std::max(a, x);
    case ReduceFunction::Min:
        return std::min(a, x);
    case ReduceFunction::Multiply:
        return a * x;
    case ReduceFunction::SquareAdd:
        return a + x * x;
    case ReduceFunction::LogAdd:
        return a + std::exp(x);
    default:
        return a + x;
    }
}

/// A reduction that keeps dimensions, element by element.
TensorData reduced(const TensorData& x, ReduceFunction function,
                   const std::vector<std::int64_t>& axes) {
    const Shape shape = reducedShape(x.shape(), axes);
    std::vector<double> sums(static_cast<std::size_t>(elementsOf(shape)));
    std::vector<bool> begun(sums.size());
    const bool sumsUp = function != ReduceFunction::Max && function != ReduceFunction::Min;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        const auto at = static_cast<std::size_t>(elementAt(shape, indexOf(x.shape(), i)));
        const double start = function == ReduceFunction::Multiply ? 1 : 0;
        const double before = begun[at] ? sums[at] : sumsUp ? start : x.number(i);
        sums[at] = joined(function, before, x.number(i));
        begun[at] = true;
    }
    TensorData result(DataType::Float, shape);
    const double count = static_cast<double>(x.elements()) / static_cast<double>(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        result.setNumber(static_cast<std::int64_t>(i),
                         function == ReduceFunction::Mean     ? sums[i] / count
                         : function == ReduceFunction::LogAdd ? std::log(sums[i])
                                                              : sums[i]);
    return result;
}

} // namespace

class DataKernelsTest : public QObject {
    Q_OBJECT

private slots:
    void reductions() {
        QVERIFY(holds("reduction", 150, [&] {
            const Shape shape = anyShape();
            const auto axes = anyAxes(shape);
            const auto function = static_cast<ReduceFunction>(anyFrom(0, 6));
            const TensorData x = someReals(shape, 6);
            const ReduceAttributes reduce{function, axes, true};
            RC_ASSERT(difference(op_.run(reduce, {x}, reducedShape(shape, axes)),
                                 reduced(x, function, axes)) < 1e-5);
        }));
    }

    void largeReductionsAreSummedInParts() {
        const std::vector<std::pair<Shape, std::vector<std::int64_t>>> cases{
            {{100000}, {0}},         {{7, 30000}, {1}},       {{30000, 7}, {0}},
            {{4, 16, 3000}, {0, 2}}, {{40, 2000, 3}, {0, 1}}, {{300, 5, 200}, {0}}};
        for (const auto& [shape, axes] : cases)
            for (const auto function :
                 {ReduceFunction::Add, ReduceFunction::Max, ReduceFunction::SquareAdd}) {
                const TensorData x = someReals(shape, 7);
                const TensorData y = op_.run(ReduceAttributes{function, axes, true, 0.5}, {x},
                                             reducedShape(shape, axes));
                TensorData expected = reduced(x, function, axes);
                for (float& value : expected.reals())
                    value *= 0.5F;
                QVERIFY(difference(y, expected) < 1e-5);
            }
    }

    void indicesOfExtremes() {
        const TensorData x = realsOfList({2, 3}, {1, 5, 5, 2, -1, -1});
        const auto run = [&](ReduceFunction function, std::int64_t axis, Shape shape) {
            return op_.run(ReduceAttributes{function, {axis}, false}, {x}, std::move(shape),
                           DataType::Int32);
        };
        QVERIFY(difference(run(ReduceFunction::ArgMax, 1, {2}), intsOfList({2}, {1, 0})) == 0);
        QVERIFY(difference(run(ReduceFunction::ArgMin, 1, {2}), intsOfList({2}, {0, 1})) == 0);
        QVERIFY(difference(run(ReduceFunction::ArgMax, 0, {3}), intsOfList({3}, {1, 0, 0})) == 0);
        const TensorData whole = intsOfList({2}, {16777217, 16777216});
        QCOMPARE(
            op_.run(ReduceAttributes{ReduceFunction::Add, {0}, false}, {whole}, {}, DataType::Int32)
                .number(0),
            33554433.0);
    }

    void severalReductionsAtOnce() {
        const TensorData x = someReals({4, 3, 5}, 8);
        const JointReduceAttributes joint{
            {ReduceFunction::Mean, ReduceFunction::SquareAdd}, {0, 2}, {1, 0.05}};
        const auto both = op_.runAll(joint, {x, x}, {{1, 3, 1}, {1, 3, 1}});
        QVERIFY(difference(both[0], reduced(x, ReduceFunction::Mean, {0, 2})) < 1e-6);
        TensorData squares = reduced(x, ReduceFunction::SquareAdd, {0, 2});
        for (float& value : squares.reals())
            value *= 0.05F;
        QVERIFY(difference(both[1], squares) < 1e-6);
    }

    void views() {
        QVERIFY(holds("views", 100, [&] {
            const Shape shape = anyShape();
            const TensorData x = someReals(shape, 9);
            std::vector<std::int64_t> order(shape.size());
            for (std::size_t d = 0; d < order.size(); ++d)
                order[d] = static_cast<std::int64_t>(d);
            for (std::size_t d = order.size(); d-- > 1;)
                std::swap(
                    order[d],
                    order[static_cast<std::size_t>(anyFrom(0, static_cast<std::int64_t>(d)))]);
            const TransposeAttributes transpose{order};
            const Shape permuted = *outputShape(transpose, {shape});
            const TensorData t = op_.run(transpose, {x}, permuted);
            SliceAttributes slice;
            Shape cut;
            PadAttributes pad;
            pad.value = 3;
            Shape widened;
            for (const std::int64_t size : shape) {
                slice.steps.push_back(anyFrom(1, 2) * (anyFrom(0, 1) == 1 ? 1 : -1));
                slice.starts.push_back(anyFrom(0, size - 1));
                const std::int64_t room =
                    slice.steps.back() > 0 ? size - 1 - slice.starts.back() : slice.starts.back();
                cut.push_back(anyFrom(0, room / std::abs(slice.steps.back())) + 1);
                pad.padsBegin.push_back(anyFrom(size > 1 ? -1 : 0, 2));
                pad.padsEnd.push_back(anyFrom(size > 2 ? -1 : 0, 2));
                widened.push_back(size + pad.padsBegin.back() + pad.padsEnd.back());
            }
            const TensorData s = op_.run(slice, {x}, cut);
            const TensorData p = op_.run(pad, {x}, widened);
            for (std::int64_t i = 0; i < t.elements(); ++i) {
                const auto index = indexOf(permuted, i);
                std::vector<std::int64_t> from(index.size());
                for (std::size_t d = 0; d < index.size(); ++d)
                    from[static_cast<std::size_t>(order[d])] = index[d];
                RC_ASSERT(t.number(i) == x.number(elementAt(shape, from)));
            }
            for (std::int64_t i = 0; i < s.elements(); ++i) {
                auto index = indexOf(cut, i);
                for (std::size_t d = 0; d < index.size(); ++d)
                    index[d] = slice.starts[d] + index[d] * slice.steps[d];
                RC_ASSERT(s.number(i) == x.number(elementAt(shape, index)));
            }
            for (std::int64_t i = 0; i < p.elements(); ++i) {
                auto index = indexOf(widened, i);
                bool inside = true;
                for (std::size_t d = 0; d < index.size(); ++d) {
                    index[d] -= pad.padsBegin[d];
                    inside = inside && index[d] >= 0 && index[d] < shape[d];
                }
                RC_ASSERT(p.number(i) == (inside ? x.number(elementAt(shape, index)) : 3));
            }
        }));
    }

    void largeTransposes() {
        const Shape shape{5, 130, 170};
        const TensorData x = someReals(shape, 10);
        for (const auto& order :
             {std::vector<std::int64_t>{0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}}) {
            const TransposeAttributes transpose{order};
            const Shape permuted = *outputShape(transpose, {shape});
            const TensorData t = op_.run(transpose, {x}, permuted);
            for (std::int64_t i = 0; i < t.elements(); i += 7) {
                const auto index = indexOf(permuted, i);
                std::vector<std::int64_t> from(3);
                for (std::size_t d = 0; d < 3; ++d)
                    from[static_cast<std::size_t>(order[d])] = index[d];
                QCOMPARE(t.number(i), x.number(elementAt(shape, from)));
            }
        }
    }

    void concatAndExpand() {
        const TensorData a = someReals({2, 1, 3}, 1);
        const TensorData b = someReals({2, 2, 3}, 2);
        const TensorData y = op_.run(ConcatAttributes{1}, {a, b}, {2, 3, 3});
        for (std::int64_t i = 0; i < y.elements(); ++i) {
            const auto index = indexOf({2, 3, 3}, i);
            QCOMPARE(y.number(i), index[1] == 0
                                      ? a.number(index[0] * 3 + index[2])
                                      : b.number((index[0] * 2 + index[1] - 1) * 3 + index[2]));
        }
        const TensorData e = op_.run(ExpandAttributes{}, {a}, {4, 2, 5, 3});
        for (std::int64_t i = 0; i < e.elements(); ++i)
            QCOMPARE(e.number(i), a.number(elementAt(a.shape(), indexOf({4, 2, 5, 3}, i))));
        QCOMPARE(difference(op_.run(FillAttributes{}, {}, {3}), realsOfList({3}, {0, 0, 0})), 0.0);
        const TensorData flat = op_.run(ReshapeAttributes{}, {a}, {6});
        QVERIFY(flat.sharesWith(a));
    }

    void rows() {
        const TensorData table = someReals({2, 5, 3}, 1);
        const TensorData indices = intsOfList({2, 2}, {4, 0, -1, 2});
        const TensorData y = op_.run(GatherAttributes{1}, {table, indices}, {2, 2, 2, 3});
        const std::int64_t chosen[] = {4, 0, 4, 2};
        for (std::int64_t i = 0; i < y.elements(); ++i)
            QCOMPARE(y.number(i), table.number(i / 12 * 15 + chosen[i / 3 % 4] * 3 + i % 3));
        TensorData sum = realsOfList({3, 2}, {1, 2, 3, 4, 5, 6});
        const TensorData twice = intsOfList({3}, {2, 0, 2});
        const TensorData given = realsOfList({3, 2}, {1, 1, 2, 2, 4, 4});
        const TensorData added = op_.run(MultiUpdateAttributes{0}, {sum, twice, given}, {3, 2});
        QVERIFY(added.sharesWith(sum));
        QVERIFY(difference(sum, realsOfList({3, 2}, {3, 4, 3, 4, 10, 11})) == 0);
        op_.run(MultiUpdateAttributes{0, UpdateFunction::Set}, {sum, twice, given}, {3, 2});
        QVERIFY(difference(sum, realsOfList({3, 2}, {2, 2, 3, 4, 4, 4})) == 0);
        op_.run(MultiUpdateAttributes{0, UpdateFunction::Multiply}, {sum, twice, given}, {3, 2});
        QVERIFY(difference(sum, realsOfList({3, 2}, {4, 4, 3, 4, 16, 16})) == 0);
        op_.run(MultiUpdateAttributes{0, UpdateFunction::Max}, {sum, twice, given}, {3, 2});
        QVERIFY(difference(sum, realsOfList({3, 2}, {4, 4, 3, 4, 16, 16})) == 0);
        QVERIFY_EXCEPTION_THROWN(op_.run(GatherAttributes{0}, {sum, intsOfList({1}, {3})}, {1, 2}),
                                 UserError);
    }

    void softmax() {
        QVERIFY(holds("softmax", 60, [&] {
            const Shape shape = anyShape(2);
            const auto rank = static_cast<std::int64_t>(shape.size());
            SoftmaxAttributes softmax;
            softmax.firstAxis = anyFrom(0, rank - 1);
            softmax.endAxis = anyFrom(softmax.firstAxis + 1, rank);
            softmax.logarithm = anyFrom(0, 1) == 1;
            std::vector<std::int64_t> axes;
            for (std::int64_t axis = softmax.firstAxis; axis < softmax.endAxis; ++axis)
                axes.push_back(axis);
            const TensorData x = someReals(shape, 11);
            const TensorData y = op_.run(softmax, {x}, shape);
            const TensorData sum = reduced(x, ReduceFunction::LogAdd, axes);
            for (std::int64_t i = 0; i < y.elements(); ++i) {
                const double logarithm =
                    x.number(i) - sum.number(elementAt(sum.shape(), indexOf(shape, i)));
                RC_ASSERT(std::fabs(y.number(i) -
                                    (softmax.logarithm ? logarithm : std::exp(logarithm))) < 1e-5);
            }
        }));
    }

    void softmaxOfLargeScoresStaysFinite() {
        const TensorData y = op_.run(SoftmaxAttributes{0, 1}, {realsOfList({2}, {1e4, 0})}, {2});
        QVERIFY(difference(y, realsOfList({2}, {1, 0})) == 0);
    }

    void normalisation() {
        const Shape shape{4, 3, 5};
        const TensorData x = someReals(shape, 12);
        const TensorData scale = someReals({3, 1}, 13);
        const TensorData shift = someReals({3, 1}, 14);
        TensorData runningMean = realsOfList({3}, {1, 1, 1});
        TensorData runningVariance = realsOfList({3}, {2, 2, 2});
        NormAttributes norm{{0, 2}, true};
        norm.epsilon = 1e-2;
        norm.momentum = 0.75;
        const auto all = op_.runAll(norm, {x, scale, shift, runningMean, runningVariance},
                                    {shape, {1, 3, 1}, {1, 3, 1}});
        const TensorData mean = reduced(x, ReduceFunction::Mean, {0, 2});
        const TensorData squares = reduced(x, ReduceFunction::SquareAdd, {0, 2});
        for (std::int64_t c = 0; c < 3; ++c) {
            const double variance = squares.number(c) / 20 - mean.number(c) * mean.number(c);
            const double inverse = 1 / std::sqrt(variance + 1e-2);
            QVERIFY(std::fabs(all[1].number(c) - mean.number(c)) < 1e-6);
            QVERIFY(std::fabs(all[2].number(c) - inverse) < 1e-4);
            QVERIFY(std::fabs(runningMean.number(c) - 0.75 - 0.25 * mean.number(c)) < 1e-5);
            QVERIFY(std::fabs(runningVariance.number(c) - 1.5 - 0.25 * variance) < 1e-5);
            for (std::int64_t n = 0; n < 4; ++n)
                for (std::int64_t i = 0; i < 5; ++i) {
                    const std::int64_t at = (n * 3 + c) * 5 + i;
                    const double expected =
                        (x.number(at) - mean.number(c)) * inverse * scale.number(c) +
                        shift.number(c);
                    QVERIFY(std::fabs(all[0].number(at) - expected) < 1e-4);
                }
        }
    }

    void localResponse() {
        const Shape shape{2, 6, 2};
        const TensorData x = someReals(shape, 15);
        LrnAttributes lrn{4, 0.5, 0.75, 2};
        const TensorData y = op_.run(lrn, {x}, shape);
        for (std::int64_t i = 0; i < y.elements(); ++i) {
            const auto index = indexOf(shape, i);
            double sum = 0;
            for (std::int64_t c = std::max<std::int64_t>(0, index[1] - 1);
                 c <= std::min<std::int64_t>(5, index[1] + 2); ++c)
                sum += std::pow(x.number(elementAt(shape, {index[0], c, index[2]})), 2);
            QVERIFY(std::fabs(y.number(i) - x.number(i) * std::pow(2 + 0.125 * sum, -0.75)) < 1e-6);
        }
    }

private:
    OneOp op_;
};

TILESCOPE_TEST(DataKernelsTest)

} // namespace data_kernels_test

#include "data_kernels_test.moc"
