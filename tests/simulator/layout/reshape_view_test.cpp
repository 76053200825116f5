// Reshapes as views: the same elements in the same order, other views untouched.
#include <algorithm>
#include <numeric>

#include <QtTest>

#include "support/element_sets.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace reshape_view_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A storage on one tile; its only dimension keeps track of how its atoms are split.
Storage storageOf(const Shape& shape) {
    Storage storage = linearStorage(shape, 4, 1);
    return storage;
}

const std::vector<int>& identityOf(const Storage& storage) {
    return storage.layout.blocking.dims[0].atoms;
}

Shape shapeOf(const ViewDims& view, const Storage& storage) {
    Shape shape;
    for (const std::vector<int>& atoms : view)
        shape.push_back(sizeOf(atoms, storage));
    return shape;
}

ViewDims anyPermutation(std::size_t rank) {
    ViewDims view = identityView(rank);
    for (std::size_t i = rank; i > 1; --i)
        std::swap(view[i - 1],
                  view[static_cast<std::size_t>(anyFrom(0, static_cast<std::int64_t>(i) - 1))]);
    return view;
}

/// A random shape of as many elements.
Shape anyFactors(std::int64_t elements) {
    Shape shape;
    while (elements > 1) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t d = 1; d <= elements; ++d)
            if (elements % d == 0)
                divisors.push_back(d);
        shape.push_back(*rc::gen::elementOf(divisors));
        elements /= shape.back();
    }
    if (shape.empty())
        shape.push_back(1);
    return shape;
}

} // namespace

class ReshapeViewTest : public QObject {
    Q_OBJECT

private slots:
    void splitsAndJoins() {
        Storage storage = storageOf({6, 4});
        ViewDims transposed{{1}, {0}};
        const auto view = reshapeView(identityView(2), {2, 3, 2, 2}, storage, {&transposed});
        QVERIFY(view.has_value());
        QCOMPARE(shapeOf(*view, storage), (Shape{2, 3, 2, 2}));
        QCOMPARE(shapeOf(transposed, storage), (Shape{4, 6}));
        const auto joined = reshapeView(*view, {6, 2, 2}, storage, {&transposed});
        QVERIFY(joined.has_value());
        QCOMPARE(storage.atomSizes.size(), std::size_t(4));
        QCOMPARE((*joined)[0].size(), std::size_t(2));
    }

    void aCutAcrossIsRefusedWithoutATrace() {
        Storage storage = storageOf({2, 3});
        ViewDims other = identityView(2);
        // [3,2] transposed and read as [2,3] again: 3 and 2 do not nest.
        const auto view = reshapeView({{1}, {0}}, {2, 3}, storage, {&other});
        QVERIFY(!view.has_value());
        QCOMPARE(storage.atomSizes, (std::vector<std::int64_t>{2, 3}));
        QVERIFY(other == identityView(2));
        QCOMPARE(identityOf(storage), (std::vector<int>{0, 1}));
    }

    void anyReshapeKeepsTheElements() {
        int nested = 0;
        QVERIFY(holds("reshape", 500, [&] {
            const Shape shape{anyFrom(1, 6), anyFrom(1, 6), anyFrom(1, 4)};
            Storage storage = storageOf(shape);
            const ViewDims before = anyPermutation(3);
            ViewDims other = anyPermutation(3);
            const auto elements = enumerate(before, storage, identityOf(storage));
            const auto otherElements = enumerate(other, storage, identityOf(storage));
            const Shape otherShape = shapeOf(other, storage);
            const auto order = enumerate(storage.layout.order, storage, identityOf(storage));
            const Shape wanted = anyFactors(static_cast<std::int64_t>(elements.size()));
            const auto after = reshapeView(before, wanted, storage, {&other});
            RC_ASSERT(enumerate(other, storage, identityOf(storage)) == otherElements);
            RC_ASSERT(shapeOf(other, storage) == otherShape);
            RC_ASSERT(enumerate(storage.layout.order, storage, identityOf(storage)) == order);
            if (!after)
                return;
            ++nested;
            RC_ASSERT(shapeOf(*after, storage) == wanted);
            RC_ASSERT(enumerate(*after, storage, identityOf(storage)) == elements);
        }));
        QVERIFY(nested > 200);
    }

    /// A split of a dimension that lies in groups leaves every element where it was.
    void channelGroupsSurviveASplit() {
        QVERIFY(holds("grouped order", 200, [&] {
            const std::int64_t group = *rc::gen::element<std::int64_t>(2, 4, 8);
            const std::int64_t channels = group * *rc::gen::element<std::int64_t>(1, 2, 4);
            Storage storage = storageOf({channels, 3});
            storage.layout.order = {{0, 0}, {1, 0}, {0, group}};
            const auto before = enumerate(storage.layout.order, storage, identityOf(storage));
            const std::int64_t inner = *rc::gen::element<std::int64_t>(1, 2, 4, 8, 16, 32);
            RC_PRE(channels % inner == 0);
            RC_ASSERT(reshapeView(identityView(2), {channels / inner, inner, 3}, storage, {}));
            RC_ASSERT(enumerate(storage.layout.order, storage, identityOf(storage)) == before);
        }));
    }
};

TILESCOPE_TEST(ReshapeViewTest)

} // namespace reshape_view_test

#include "reshape_view_test.moc"
