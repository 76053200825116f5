// The geometry of painters, without painting.
#include <QtTest>
#include <random>

#include "tests/support/test_main.h"
#include "views/liveness/liveness_content.h"
#include "views/memory/address_map.h"
#include "views/memory/tile_list.h"
#include "views/memory/tile_map_layout.h"
#include "views/plot/series/step_columns.h"
#include "views/summary/bars.h"
#include "views/summary/summary_content.h"
#include "views/theme/colour_scale.h"

namespace geometry_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

std::vector<std::int64_t> randomValues(std::size_t size) {
    std::mt19937 random(7);
    std::vector<std::int64_t> values(size);
    for (std::int64_t& value : values)
        value = static_cast<std::int64_t>(random() % 1000);
    return values;
}

} // namespace

class GeometryTest : public QObject {
    Q_OBJECT
private slots:
    void pyramidEqualsBruteForce_data() {
        QTest::addColumn<int>("size");
        for (const int size : {1, 2, 3, 7, 64, 100, 1472})
            QTest::addRow("%d", size) << size;
    }
    void pyramidEqualsBruteForce() {
        QFETCH(int, size);
        const auto values = randomValues(static_cast<std::size_t>(size));
        const MinMaxPyramid pyramid(values);
        std::mt19937 random(3);
        for (int i = 0; i < 200; ++i) {
            const std::size_t first = random() % values.size();
            const std::size_t end = first + 1 + random() % (values.size() - first);
            const auto [low, high] =
                std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                    values.begin() + static_cast<std::ptrdiff_t>(end));
            QCOMPARE(pyramid.over(first, end).min, *low);
            QCOMPARE(pyramid.over(first, end).max, *high);
        }
    }

    void emptyPyramid() {
        QVERIFY(MinMaxPyramid().empty());
        QCOMPARE(MinMaxPyramid().all().max, 0);
        QVERIFY(stepColumns(MinMaxPyramid(), 0, 10, 100).empty());
    }

    void placesWithoutAValueAreLeftOut() {
        constexpr std::int64_t none = MinMaxPyramid::none;
        const MinMaxPyramid values({none, 5, none, none, 9});
        QVERIFY(!values.has(0) && values.has(1) && !values.has(3) && !values.has(5));
        QCOMPARE(values.over(0, 5), (MinMax{5, 9}));
        QVERIFY(values.over(2, 4).empty());
        QCOMPARE(values.all().min, 5);
        QCOMPARE(MinMaxPyramid({none, none}).all(), MinMax{});
        const std::vector<StepColumn> wide{{10, 20, {5, 5}}, {40, 50, {9, 9}}};
        QVERIFY(stepColumns(values, 0, 5, 50) == wide);
        const std::vector<StepColumn> narrow{{0, 1, {5, 5}}, {1, 2, {9, 9}}};
        QVERIFY(stepColumns(values, 0, 5, 2) == narrow);
    }

    void fewValuesGetTheirOwnColumns() {
        const MinMaxPyramid values({5, 7, 7, 1});
        const auto columns = stepColumns(values, 0, 4, 40);
        const std::vector<StepColumn> expected{{0, 10, {5, 5}}, {10, 30, {7, 7}}, {30, 40, {1, 1}}};
        QVERIFY(columns == expected);
    }

    void columnsOutsideTheValuesAreLeftOut() {
        const auto columns = stepColumns(MinMaxPyramid({5, 7}), -2, 4, 60);
        QCOMPARE(columns.front().x0, 20);
        QCOMPARE(columns.back().x1, 40);
    }

    void narrowPeaksSurvive_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("peak");
        QTest::newRow("tiles of an IPU") << 1472 << 701;
        QTest::newRow("tiles of 16 IPUs") << 23552 << 23551;
        QTest::newRow("many steps") << 100000 << 0;
    }
    void narrowPeaksSurvive() {
        QFETCH(int, size);
        QFETCH(int, peak);
        std::vector<std::int64_t> values(static_cast<std::size_t>(size), 10);
        values[static_cast<std::size_t>(peak)] = 1000;
        const auto columns = stepColumns(MinMaxPyramid(values), 0, size, 900);
        QVERIFY(columns.size() <= 900);
        const auto isPeak = [](const StepColumn& c) { return c.value.max == 1000; };
        QVERIFY(std::any_of(columns.begin(), columns.end(), isPeak));
        int next = columns.front().x0;
        for (const StepColumn& column : columns) {
            QCOMPARE(column.x0, next);
            next = column.x1;
        }
        QCOMPARE(next, 900);
    }

    void blocksBreakAtRowsOfTheMap() {
        const std::vector<MapBlock> blocks{
            {50, 250, VariableId(0), MemoryCategory::Variable, "v", false, {}}};
        const auto pieces = mapPieces(blocks, 100, 10);
        QCOMPARE(pieces.size(), std::size_t(3));
        QCOMPARE(pieces[0].row, 0);
        QCOMPARE(pieces[0].x0, 5.0);
        QCOMPARE(pieces[1].x0, 0.0);
        QCOMPARE(pieces[1].x1, 10.0);
        QCOMPARE(pieces[2].row, 2);
        QCOMPARE(pieces[2].x1, 5.0);
    }

    void tilesAreFoundWhereTheyAreDrawn_data() {
        QTest::addColumn<int>("tiles");
        QTest::addColumn<int>("chips");
        QTest::newRow("chip") << 1472 << 1;
        QTest::newRow("chips") << 1472 << 5;
        QTest::newRow("grid") << 100 << 2;
        QTest::newRow("few") << 3 << 1;
    }
    void tilesAreFoundWhereTheyAreDrawn() {
        QFETCH(int, tiles);
        QFETCH(int, chips);
        Target machine = targetPreset("mk2");
        machine.tilesPerIpu = tiles;
        const QRectF room(20, 30, 1100, 360);
        const TileMapLayout layout(FloorPlan(machine), chips, 0, room);
        for (int chip = 0; chip < chips; ++chip) {
            QVERIFY(room.contains(layout.chipRect(chip).adjusted(0.01, 0.01, -0.01, -0.01)));
            QVERIFY(room.contains(layout.titleRect(chip)));
            for (int tile = 0; tile < tiles; ++tile) {
                const auto hit = layout.hit(layout.tileRect(chip, tile).center());
                QVERIFY(hit.has_value());
                QCOMPARE(hit->chip, chip);
                QCOMPARE(hit->tileOnIpu, tile);
            }
        }
        QVERIFY(!layout.hit({1, 1}).has_value());
    }

    void gapsBetweenExchangeColumnsAreNoTile() {
        const TileMapLayout layout(FloorPlan(targetPreset("mk2")), 1, 1, {0, 0, 1000, 400});
        // Islands follow each other along a row: tiles 0 to 3 in column 0, 4 to 7 in column 1.
        const QRectF last = layout.tileRect(0, 3);
        const QRectF next = layout.tileRect(0, 4);
        QVERIFY(next.left() > last.right() + 1);
        QVERIFY(!layout.hit({(last.right() + next.left()) / 2, last.center().y()}).has_value());
    }

    /// However many there are, all chips are in the room if it has half a pixel for each tile.
    void manyChipsStayInTheirRoom() {
        const FloorPlan plan(targetPreset("mk2"));
        for (const int chips : {1, 4, 16, 64})
            for (const QSizeF size : {QSizeF(1080, 230), QSizeF(2300, 600), QSizeF(700, 420)}) {
                const QRectF room(QPointF(10, 10), size);
                const TileMapLayout layout(plan, chips, 0, room);
                for (int chip = 0; chip < chips; ++chip)
                    QVERIFY(room.adjusted(-1, -1, 1, 1).contains(layout.chipRect(chip)));
            }
    }

    void filteredStepsKeepTheirPlaces() {
        const StepList steps{{}, {StepId(2), StepId(5), StepId(6), StepId(9)}, {}};
        QCOMPARE(steps.placeOf(StepId(5)), 1);
        QCOMPARE(steps.placeOf(StepId(4)), -1);
        QCOMPARE(steps.at(3.9), StepId(9));
        QVERIFY(!steps.at(4).valid());
        QVERIFY(!steps.at(-0.1).valid());
        QCOMPARE(steps.placesOf({StepId(3), StepId(7)}), (Lifetime::Span{1, 3}));
        QCOMPARE(steps.placesOf({StepId(7), StepId(9)}), (Lifetime::Span{3, 3}));
    }

    void scalesGrowInLightness() {
        for (const Theme& theme : {lightTheme(), darkTheme()})
            for (const ColourScale scale : colourScales) {
                double before = -1;
                for (int i = 0; i <= 20; ++i) {
                    const double share = i / 20.0;
                    // Greys begin at the paper, which is light in the light theme.
                    const bool turned = scale == ColourScale::Greys && !theme.dark;
                    const double grey =
                        qGray(scaleColour(scale, turned ? 1 - share : share, theme).rgb());
                    QVERIFY(grey >= before);
                    before = grey;
                }
            }
        QVERIFY(changeScaleColour(-1, lightTheme()) != changeScaleColour(1, lightTheme()));
        QCOMPARE(changeScaleColour(0, lightTheme()), changeScaleColour(-0.0, lightTheme()));
    }

    void histogramCountsEveryTile() {
        const auto counts = histogramOf({0, 49, 50, 99, 100, 101}, 100, 2);
        const std::vector<std::int64_t> expected{2, 3, 1};
        QCOMPARE(counts, expected);
    }

    void tileLists_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("result");
        QTest::newRow("one") << "5"
                             << "5";
        QTest::newRow("several") << "1, 5"
                                 << "1, 5";
        QTest::newRow("range") << "0-3,8"
                               << "0-3, 8";
        QTest::newRow("twice") << "2,2"
                               << "2";
        QTest::newRow("empty") << ""
                               << "";
        QTest::newRow("too high") << "100"
                                  << "refused";
        QTest::newRow("word") << "tile 5"
                              << "refused";
        QTest::newRow("backwards") << "5-2"
                                   << "refused";
        QTest::newRow("negative") << "-1"
                                  << "refused";
        QTest::newRow("many dashes") << "1-2-3"
                                     << "refused";
    }
    void tileLists() {
        QFETCH(QString, text);
        QFETCH(QString, result);
        const auto tiles = parseTileList(text, 100);
        QCOMPARE(tiles ? tileListText(*tiles) : QStringLiteral("refused"), result);
    }
};

TILESCOPE_TEST(GeometryTest, QCoreApplication)

} // namespace geometry_test

#include "geometry_test.moc"
