// The linear mapping against PopLibs' rule (poputil/TileMapping.cpp): grains of a vector, at least
// 128 bytes a tile, as many tiles as that leaves at equal grains a tile.
#include <algorithm>

#include <QtTest>

#include "core/base/ceil_div.h"
#include "simulator/layout/layout.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace linear_storage_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Elements on each tile by the rule.
std::vector<std::int64_t> byRule(std::int64_t n, std::int64_t elementBytes, std::int64_t tiles) {
    const std::int64_t grain = 8 / elementBytes;
    const std::int64_t grains = ceilDiv(n, grain);
    const std::int64_t perMin = 128 / elementBytes / grain;
    const std::int64_t parts = std::max<std::int64_t>(1, grains / perMin);
    const std::int64_t perTile = std::max(ceilDiv(grains, tiles), ceilDiv(grains, parts));
    const std::int64_t used = perTile == 0 ? 1 : ceilDiv(grains, perTile);
    std::vector<std::int64_t> elements(static_cast<std::size_t>(tiles), 0);
    for (std::int64_t t = 0; t < used; ++t)
        elements[static_cast<std::size_t>(t)] =
            std::min(n, (t + 1) * grains / used * grain) - std::min(n, t * grains / used * grain);
    return elements;
}

} // namespace

class LinearStorageTest : public QObject {
    Q_OBJECT

private slots:
    void published() {
        // 1000 halves: 250 grains, 15 tiles of 17 grains at most.
        const TileSeries halves = linearStorage({1000}, 2, 1472).layout.blocking.elements();
        QCOMPARE(halves.tilesUsed(), 15);
        QCOMPARE(halves.max().value, 17 * 4);
        QCOMPARE(linearStorage({10}, 4, 1472).layout.blocking.elements().tilesUsed(), 1);
        QCOMPARE(linearStorage({1'000'000}, 4, 1472).layout.blocking.elements().tilesUsed(), 1471);
    }

    void anySize() {
        QVERIFY(holds("linear mapping", 500, [] {
            const std::int64_t bytes = *rc::gen::element<std::int64_t>(1, 2, 4);
            const auto tiles = static_cast<std::int32_t>(anyFrom(1, 300));
            const Shape shape{anyFrom(1, 100), anyFrom(1, 400)};
            const TileSeries made = linearStorage(shape, bytes, tiles).layout.blocking.elements();
            RC_ASSERT(made.toDense(tiles) == byRule(shape[0] * shape[1], bytes, tiles));
        }));
    }

    void fromAnotherTileOn() {
        const TileSeries made = linearStorage({64}, 4, 1472, 7).layout.blocking.elements();
        QCOMPARE(made.at(TileId(6)), 0);
        QCOMPARE(made.at(TileId(7)), 32);
        QCOMPARE(made.at(TileId(8)), 32);
    }

    void emptyTensors() {
        const Storage none = linearStorage({0, 3}, 4, 1472);
        QVERIFY(none.layout.blocking.elements().empty());
        const Storage scalar = linearStorage({}, 4, 1472);
        QCOMPARE(scalar.layout.blocking.elements().toDense(2), (std::vector<std::int64_t>{1, 0}));
    }
};

TILESCOPE_TEST(LinearStorageTest)

} // namespace linear_storage_test

#include "linear_storage_test.moc"
