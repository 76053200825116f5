// Figures of tiles: where they are, what they hold, and at which addresses.
#include <QTest>
#include <cmath>
#include <set>

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/address_map.h"
#include "core/analysis/memory/floor_plan.h"
#include "core/analysis/memory/tile_quantity.h"
#include "core/store/placement_codec.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace tile_quantity_test {
using namespace tilescope;
using namespace tilescope::test;

class TileQuantityTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile({.ipus = 2});
    const IdVector<PlacementId, Placement> placements_ = unpackedPlacements(p_.placements);

    [[nodiscard]] std::vector<AddressBlock> blocksOf(TileId tile) const {
        const auto placement = static_cast<std::size_t>(p_.placementOfTile.at(tile) - 1);
        return addressBlocks(placements_[PlacementId(placement)], p_.variables, tile);
    }

private slots:
    void everyTileHasAPlaceOfItsOwn_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("tiles");
        QTest::addColumn<bool>("columns");
        QTest::addColumn<int>("rows");
        QTest::newRow("mk1") << "mk1" << 1216 << true << 19;
        QTest::newRow("mk2") << "mk2" << 1472 << true << 23;
        QTest::newRow("uneven") << "mk2" << 100 << false << 2;
        QTest::newRow("one") << "mk2" << 1 << false << 1;
    }
    void everyTileHasAPlaceOfItsOwn() {
        QFETCH(QString, target);
        QFETCH(int, tiles);
        Target machine = targetPreset(target.toStdString());
        machine.tilesPerIpu = tiles;
        const FloorPlan plan(machine);
        QTEST(plan.hasExchangeColumns(), "columns");
        QTEST(int{plan.rows()}, "rows");
        std::set<std::pair<int, int>> places;
        for (std::int32_t tile = 0; tile < tiles; ++tile) {
            const TilePlace place = plan.place(tile);
            places.emplace(place.column, place.row);
            QCOMPARE(plan.tileAt(place), tile);
        }
        QCOMPARE(places.size(), static_cast<std::size_t>(tiles));
        QCOMPARE(plan.tileAt({-1, 0}), -1);
        QCOMPARE(plan.tileAt({0, plan.rows()}), -1);
    }

    void physicalNeighboursStandInOneColumn() {
        const Target& machine = p_.info.target;
        const FloorPlan plan(machine);
        for (std::int32_t tile = 0; tile < machine.tilesPerIpu; ++tile) {
            const std::int32_t id = physicalTileId(machine, tile);
            const std::int32_t perColumn = plan.rows() * tilesPerIsland;
            QCOMPARE(plan.place(tile).column / tilesPerIsland, id / perColumn);
            QCOMPARE(plan.place(tile).row, id % perColumn / tilesPerIsland);
        }
    }

    void bytesByTileAreThoseOfTheCurve() {
        const std::size_t steps = p_.steps.size();
        const TileSeries always = alwaysLiveBytesByTile(p_.variables);
        for (const std::int32_t tile : {0, 63, 64, 800, 1471, 1472, 2943}) {
            const LivenessSeries one = livenessOf(p_.info.target, p_.variables, p_.livenessClasses,
                                                  steps, TileSelection::ofTile(TileId(tile)));
            QCOMPARE(always.at(TileId(tile)), one.alwaysLive);
            for (std::size_t step = 0; step < steps; ++step)
                QCOMPARE(liveBytesByTile(p_.variables, p_.livenessClasses, steps, StepId(step))
                             .at(TileId(tile)),
                         one.notAlwaysLive[step]);
        }
        QCOMPARE(userError([&] {
                     (void)liveBytesByTile(p_.variables, p_.livenessClasses, steps, StepId(steps));
                 }),
                 "there is no step " + QString::number(steps) + ": steps are 0 to " +
                     QString::number(steps - 1));
        QVERIFY(liveBytesByTile({}, {}, 1, StepId(0)).empty());
    }

    void categoriesAndVariablesAddUp() {
        std::int64_t all = 0;
        for (const MemoryCategory category : memoryCategories)
            all += categoryBytesByTile(p_.categoryMemory, category).at(TileId(5));
        QCOMPARE(all, p_.tileMemory[TileId(5)].excludingGaps);
        const std::vector<VariableId> two{VariableId(0), VariableId(1), VariableId()};
        QCOMPARE(variableBytesByTile(p_.variables, two),
                 p_.variables[VariableId(0)].bytes + p_.variables[VariableId(1)].bytes);
    }

    void statisticsCountTilesWithoutAValue() {
        TileSeries series(TileId(2), 2, 10);
        series.append(6, 7, 40);
        const TileStatistics all = tileStatistics(series, {0, 8});
        QCOMPARE(all.least, std::int64_t{0});
        QCOMPARE(all.leastTile, TileId(0));
        QCOMPARE(all.most, std::int64_t{40});
        QCOMPARE(all.mostTile, TileId(6));
        QCOMPARE(all.mean, 7.5);
        // Squares: 100 + 100 + 1600 over 8 tiles are 225; less 7.5 squared are 168.75.
        QVERIFY(std::abs(all.deviation - std::sqrt(168.75)) < 1e-9);
        const TileStatistics part = tileStatistics(series, {2, 4});
        QCOMPARE(part.least, std::int64_t{10});
        QCOMPARE(part.deviation, 0.0);
        QVERIFY(!tileStatistics(series, {3, 3}).leastTile.valid());
        TileSeries debts(TileId(0), 2, -5);
        QCOMPARE(tileStatistics(debts, {0, 2}).most, std::int64_t{-5});
    }

    void fullestTilesComeFirst() {
        const auto tiles = tilesByMemory(p_.tileMemory, {0, 1472}, 3);
        QCOMPARE(tiles.size(), std::size_t(3));
        for (const TileId tile : tiles)
            for (std::int32_t other = 0; other < 1472; ++other)
                if (std::find(tiles.begin(), tiles.end(), TileId(other)) == tiles.end())
                    QVERIFY(p_.tileMemory[tile].includingGaps >=
                            p_.tileMemory[TileId(other)].includingGaps);
        QVERIFY(tiles[0] < tiles[1] ||
                p_.tileMemory[tiles[0]].includingGaps > p_.tileMemory[tiles[1]].includingGaps);
        QCOMPARE(tilesByMemory(p_.tileMemory, {0, 2}, 9).size(), std::size_t(2));
    }

    void gapsAreWhatNoBlockCovers() {
        const std::vector<AddressBlock> blocks{{16, 40, VariableId(0)},
                                               {20, 30, VariableId(1)},
                                               {48, 50, VariableId(2)},
                                               {50, 60, VariableId(3)}};
        QCOMPARE(addressGaps(blocks), (std::vector<AddressRange>{{0, 16}, {40, 48}}));
        QVERIFY(addressGaps({}).empty());
        const AddressSharing sharing = addressSharing(blocks);
        QCOMPARE(sharing.variableBytes, std::int64_t{46});
        QCOMPARE(sharing.addressBytes, std::int64_t{36});
        QCOMPARE(sharing.sharing, std::int64_t{2});
        QCOMPARE(
            sharing.text(),
            std::string("46 B of variables at 36 B of addresses: 2 share addresses at different "
                        "times"));
        QVERIFY(addressSharing({}).text().empty());
    }

    void gapsOfATileAreThoseOfItsTotals() {
        for (const std::int32_t tile : {0, 100, 1471}) {
            const auto blocks = blocksOf(TileId(tile));
            std::int64_t highest = 0;
            for (const AddressBlock& block : blocks)
                highest = std::max(highest, block.end);
            std::int64_t gaps = 0;
            for (const AddressRange& gap : addressGaps(blocks))
                gaps += gap.bytes();
            const TileMemory& memory = p_.tileMemory[TileId(tile)];
            QCOMPARE(addressSharing(blocks).addressBytes, memory.excludingGaps);
            QCOMPARE(gaps, memory.includingGaps - memory.excludingGaps);
        }
    }

    void spansNeverShareAddressesAtOneStep() {
        const auto blocks = blocksOf(TileId(0));
        const std::size_t steps = p_.steps.size();
        const auto spans = addressSpans(blocks, p_.variables, p_.livenessClasses, steps);
        QVERIFY(spans.size() >= blocks.size());
        for (std::size_t i = 0; i < spans.size(); ++i)
            for (std::size_t j = i + 1; j < spans.size(); ++j) {
                const AddressBlock& a = blocks[spans[i].block];
                const AddressBlock& b = blocks[spans[j].block];
                const bool sameTime = spans[i].steps.first < spans[j].steps.end &&
                                      spans[j].steps.first < spans[i].steps.end;
                QVERIFY(!sameTime || a.end <= b.begin || b.end <= a.begin);
            }
        for (const AddressSpan& span : addressSpans(blocks, p_.variables, p_.livenessClasses, 2))
            QVERIFY(span.steps.end <= StepId(2));
    }

    void aDamagedPlacementIsRefused() {
        const Placement damaged{{{VariableId(9999), 0}}};
        QCOMPARE(userError([&] { (void)addressBlocks(damaged, p_.variables, TileId(4)); }),
                 "damaged profile: tile 4 holds a variable that does not exist");
    }
};

TILESCOPE_TEST(TileQuantityTest)

} // namespace tile_quantity_test

#include "tile_quantity_test.moc"
