// The memory report through its widgets: mouse, keys and the resulting tables.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QTreeView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"

namespace memory_view_test {
using namespace tilescope;
using namespace tilescope::views;

class MemoryViewTest : public test::ReportAlone {
    Q_OBJECT
private slots:
    void init() { newContext(); }

    void theTileMapSelectsTiles() {
        const auto view = show<MemoryView>(one());
        view->showSection("tile map");
        settle();
        TileMap& map = view->map();
        QVERIFY(map.isVisible());
        QTest::mouseClick(&map, Qt::LeftButton, {},
                          map.tileRect(0, TileId(700)).center().toPoint());
        QCOMPARE(selected().tiles, std::vector<TileId>{TileId(700)});
        QTest::mouseClick(&map, Qt::LeftButton, Qt::ShiftModifier,
                          map.tileRect(0, TileId(9)).center().toPoint());
        QCOMPARE(selected().tiles, (std::vector<TileId>{TileId(700), TileId(9)}));
        QSignalSpy hovered(&map, &TileMap::hovered);
        QTest::mouseMove(&map, map.tileRect(0, TileId(33)).center().toPoint());
        QTRY_VERIFY(!hovered.isEmpty());
        QVERIFY2(hovered.last()[0].toString().startsWith("Tile 33 (IPU 0"),
                 qPrintable(hovered.last()[0].toString()));
        settle();
    }

    void arrowKeysWalkOverTheChip() {
        const auto view = show<MemoryView>(one());
        view->showSection("tile map");
        settle();
        TileMap& map = view->map();
        map.setFocus();
        map.activateWindow();
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.tileRect(0, TileId(0)).center().toPoint());
        QTest::keyClick(&map, Qt::Key_Up); // the border stops it
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Down);
        QTest::keyClick(&map, Qt::Key_Return);
        const FloorPlan plan(context_->reports.source()->machine());
        QCOMPARE(selected().tiles, std::vector<TileId>{TileId(plan.tileAt({1, 1}))});
        settle();
    }

    void coloursOfTheMapFollowScaleAndQuantity() {
        const auto view = show<MemoryView>(one());
        view->showSection("tile map");
        settle();
        TileMap& map = view->map();
        const TileMapSide side = map.content().sides.front();
        QCOMPARE(side.values.size(), std::size_t(1472));
        const QColor toLimit = map.colourOf(side, side.values[0]);
        map.setRange(TileMap::Range::ZeroToLargest);
        QVERIFY(map.colourOf(side, side.values[0]) != toLimit);
        QCOMPARE(map.colourOf(side, map.content().largest),
                 scaleColour(ColourScale::Viridis, 1, context_->theme.current()));
        map.setScale(ColourScale::Cividis);
        QCOMPARE(map.colourOf(side, 0),
                 scaleColour(ColourScale::Cividis, 0, context_->theme.current()));
        test::choose(*view, "Colour by", "Always live");
        settle();
        const auto tiles = context_->reports.source()->tileMemory({});
        QCOMPARE(map.content().sides.front().values[77], (*tiles)[TileId(77)].alwaysLive);
        test::choose(*view, "Colour by", "Gaps");
        settle();
        QCOMPARE(map.content().sides.front().values[77],
                 (*tiles)[TileId(77)].includingGaps - (*tiles)[TileId(77)].excludingGaps);
        test::choose(*view, "Colour by", "Live at the selected step");
        settle();
        QVERIFY(!map.isVisible()); // no step is selected
        context_->selection.update([](Selected& s) { s.step = StepId(5); });
        settle();
        QVERIFY(map.isVisible());
        QCOMPARE(map.content().quantity, QStringLiteral("Live at step 5"));
    }

    void theMapOfTwoProfilesHasTheirDifference() {
        const auto view = show<MemoryView>(two());
        view->showSection("tile map");
        settle();
        const TileMapContent& content = view->map().content();
        QCOMPARE(content.sides.size(), std::size_t(3));
        QVERIFY(content.sides[2].difference);
        QCOMPARE(content.sides[2].values[0],
                 content.sides[1].values[0] - content.sides[0].values[0]);
        QVERIFY(!view->map().grab().isNull());
        // The source has no such tile as one of the target's second IPU.
        QTest::mouseClick(&view->map(), Qt::LeftButton, {},
                          view->map().tileRect(1, TileId(2000)).center().toPoint());
        QVERIFY(selected().tiles.empty());
    }

    void breakdownsOfTwoProfilesStandBelowEachOther() {
        const auto view = show<MemoryView>(two());
        QVERIFY(!view->plots().showsTwo());
        view->showSection("By category");
        settle();
        QVERIFY(view->plots().showsTwo());
        StepPlot& first = view->plots().first();
        StepPlot& second = view->plots().second();
        QVERIFY(second.isVisible());
        QCOMPARE(first.areas().mode(), StepAreaPlottable::Mode::Stacked);
        QCOMPARE(first.plot().yAxis->range(), second.plot().yAxis->range());
        QCOMPARE(first.zoom().last(), 2944.0);
        QCOMPARE(second.zoom().last(), 2944.0);
        QTest::keyClick(&second.plot(), Qt::Key_W);
        QVERIFY(!first.zoom().showsAll());
        QCOMPARE(first.zoom().from(), second.zoom().from());
        QCOMPARE(first.zoom().to(), second.zoom().to());
        QTest::keyClick(&first.plot(), Qt::Key_F);
        QVERIFY(second.zoom().showsAll());
        test::choose(*view, "Breakdown", "None");
        settle();
        QVERIFY(!second.isVisible());
        QCOMPARE(first.areas().areas().size(), std::size_t(2));
    }

    void addressesOverTimeAreEquallyHigh() {
        const auto view = show<MemoryView>(two());
        view->showSection("addresses over time");
        settle();
        for (const QSize size : {QSize(1200, 760), QSize(1000, 901)}) {
            view->resize(size);
            const auto heights = test::plotHeights(view->tabs().history());
            QCOMPARE(heights.size(), std::size_t(2));
            QCOMPARE(heights[0], heights[1]);
        }
    }

    void severalVariablesAreDrawnTogether() {
        const auto view = show<MemoryView>(one());
        view->showSection("variables");
        settle();
        test::choose(*view, "Graph", "Variables");
        settle();
        QVERIFY(!view->plots().isVisible()); // a hint
        QTableView& table = view->tabs().table(MemoryTabs::Variables).view();
        const auto clickRow = [&](int row, Qt::KeyboardModifiers modifiers) {
            QTest::mouseClick(table.viewport(), Qt::LeftButton, modifiers,
                              table.visualRect(table.model()->index(row, 0)).center());
            settle();
        };
        clickRow(1, {});
        QVERIFY(selected().variable.valid());
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(1));
        clickRow(3, Qt::ControlModifier);
        QCOMPARE(view->tabs().variables().size(), std::size_t(2));
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(2));
        // A variable that is chosen elsewhere is shown alone.
        const VariableId first = view->tabs().variables().front();
        context_->selection.update(
            [&](Selected& s) { s.variable = first.value() == 0 ? VariableId(1) : VariableId(0); });
        settle();
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(1));
    }

    void everySelectedTileIsAColumn() {
        const auto view = show<MemoryView>(one());
        select({TileId(0), TileId(1471)});
        for (const MemoryTabs::Tab tab : {MemoryTabs::Variables, MemoryTabs::Vertices,
                                          MemoryTabs::ComputeSets, MemoryTabs::Exchanges}) {
            view->tabs().setCurrentIndex(tab);
            settle();
            const QStringList heads = titles(view->tabs().table(tab).model());
            QCOMPARE(heads.mid(1), (QStringList{"Tile 0", "Tile 1471", "Difference"}));
            QCOMPARE(cell(view->tabs().table(tab).model(), 0, 0), QStringLiteral("Total"));
        }
        select({TileId(0), TileId(1), TileId(2)});
        QCOMPARE(view->tabs().table(MemoryTabs::Exchanges).model().columnCount(), 4);
        select({TileId(0)});
        QCOMPARE(titles(view->tabs().table(MemoryTabs::Exchanges).model()).mid(1, 2),
                 (QStringList{"Operation", "Received"}));
    }

    void tilesOfTwoProfilesHaveThreeColumns() {
        const auto view = show<MemoryView>(two());
        select({TileId(0), TileId(3)});
        QCOMPARE(view->findChild<QTreeView*>()->model()->columnCount(), 1 + 3 * 3);
        view->showSection("variables");
        settle();
        QCOMPARE(view->tabs().table(MemoryTabs::Variables).model().columnCount(), 1 + 2 * 3);
    }

    void theFilterFindsComputeSetsByTheirVertices() {
        const auto view = show<MemoryView>(one());
        view->showSection("compute sets");
        settle();
        view->focusSearch();
        TablePanel& table = view->tabs().table(MemoryTabs::ComputeSets);
        QTest::keyClicks(table.findChild<QLineEdit*>(), "NonLinearity1D");
        QCOMPARE(table.model().shownRows(), 1);
        QCOMPARE(cell(table.model(), 1, 0), QStringLiteral("relu1/Op/NonLinearity"));
    }

    void theAddressMapShowsGapsAndSteps() {
        const auto view = show<MemoryView>(one());
        view->showSection("address map");
        select({TileId(0)});
        AddressMap& map = view->tabs().addresses().source();
        QVERIFY(!map.content().gaps.empty());
        const auto block =
            std::find_if(map.content().blocks.begin(), map.content().blocks.end(),
                         [](const MapBlock& b) { return b.name == "layer1/conv/partials"; });
        QVERIFY(block != map.content().blocks.end());
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(block->variable));
        QVERIFY(selected().variable.valid());
        QVERIFY(!test::button<QCheckBox>(*view, "Only what is live").isEnabled());
        // Arrow keys walk by address.
        const auto beginOf = [&](VariableId id) {
            for (const MapBlock& b : map.content().blocks)
                if (b.variable == id)
                    return b.begin;
            return std::int64_t{-1};
        };
        const std::int64_t before = beginOf(selected().variable);
        QTest::keyClick(&map, Qt::Key_Left);
        QVERIFY(beginOf(selected().variable) <= before);
        // At step 0 nothing but always-live variables can be clicked.
        context_->selection.update([](Selected& s) {
            s.step = StepId(0);
            s.variable = VariableId();
        });
        test::button<QCheckBox>(*view, "Only what is live").click();
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(block->variable));
        QVERIFY(selected().variable != block->variable);
        settle();
    }

    void addressesOverTimeSelectVariableAndStep() {
        const auto view = show<MemoryView>(one());
        select({TileId(0)});
        view->showSection("addresses over time");
        settle();
        AddressHistory& plot = view->tabs().history().source();
        QVERIFY(plot.isVisible());
        const TileAddresses& content = plot.areas().content();
        const auto span =
            std::find_if(content.spans.begin(), content.spans.end(), [&](const AddressSpan& s) {
                return content.blocks[s.block].name == "layer1/conv/partials";
            });
        QVERIFY(span != content.spans.end());
        const MapBlock& block = content.blocks[span->block];
        const double middle = static_cast<double>(block.begin + block.end) / 2;
        QTest::mouseClick(
            &plot, Qt::LeftButton, {},
            {static_cast<int>(plot.xAxis->coordToPixel(span->steps.first.value() + 0.5)),
             static_cast<int>(plot.yAxis->coordToPixel(middle))});
        QCOMPARE(selected().variable, block.variable);
        QCOMPARE(selected().step, span->steps.first);
        const double height = plot.yAxis->range().size();
        QWheelEvent wheel({600, 60}, plot.mapToGlobal(QPointF(600, 60)), {}, {0, 240}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        QVERIFY(plot.yAxis->range().size() < height);
        QVERIFY(plot.zoom().showsAll());
        settle();
    }

    void addressesOfTwoProfilesStandSideBySide() {
        const auto view = show<MemoryView>(two());
        view->showSection("address map");
        settle();
        QVERIFY(view->tabs().addresses().target().isVisible());
        view->showSection("addresses over time");
        settle();
        QVERIFY(view->tabs().history().target().isVisible());
        QCOMPARE(view->tabs().history().source().zoom().last(),
                 static_cast<double>(
                     view->tabs().history().target().areas().content().stepNames.size()));
    }

    void aChosenIpuIsZoomedTo() {
        const auto view = show<MemoryView>({files_.write("two-ipus.pop", {.ipus = 2})});
        for (QComboBox* box : view->findChildren<QComboBox*>())
            if (box->accessibleName() == "IPU") {
                box->setFocus();
                QTest::keyClick(box, Qt::Key_Down);
                QTest::keyClick(box, Qt::Key_Down);
            }
        QCOMPARE(selected().ipu, IpuId(1));
        QCOMPARE(view->plot().zoom().from(), 1472.0);
        QCOMPARE(view->plot().zoom().to(), 2944.0);
        settle();
    }

    void themesAndUnitsChangeEverything() {
        const auto memory = show<MemoryView>(two());
        LivenessView liveness(*context_);
        liveness.resize(1000, 600);
        liveness.show();
        settle();
        memory->showSection("tile map");
        memory->showSection("address map");
        settle();
        context_->theme.set(darkTheme());
        context_->preferences.setByteUnits(ByteUnits::Plain);
        settle();
        QVERIFY(!memory->grab().isNull());
        QVERIFY(!liveness.grab().isNull());
    }
};

TILESCOPE_TEST(MemoryViewTest, QApplication)

} // namespace memory_view_test

#include "memory_view_test.moc"
