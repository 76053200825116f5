// The memory and liveness reports through their widgets: mouse, keys and what the tables then say.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QTreeView>
#include <QtTest>

#include "tests/views/sample_files.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"

using namespace tilescope;
using namespace tilescope::views;

class MemoryViewsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<ViewContext> context_;

    void waitUntilIdle() {
        QCoreApplication::processEvents();
        QTRY_VERIFY(context_->workers.idle());
        QCoreApplication::processEvents();
    }
    void open(const QStringList& files) {
        QSignalSpy changed(&context_->reports, &ReportPair::changed);
        context_->reports.open(files[0].toStdString(),
                               files.size() > 1 ? files[1].toStdString() : std::string());
        QTRY_COMPARE(changed.count(), 1);
    }
    QStringList one() { return {files_.write("a.pop")}; }
    QStringList two() {
        return {files_.write("a.pop"), files_.write("b.pop", {.ipus = 2, .changed = true})};
    }
    template <class View> std::unique_ptr<View> show(const QStringList& files) {
        auto view = std::make_unique<View>(*context_);
        view->resize(1200, 760);
        view->show();
        open(files);
        waitUntilIdle();
        return view;
    }
    const Selected& selected() const { return context_->selection.current(); }
    void select(std::vector<TileId> tiles) {
        context_->selection.update([&](Selected& s) { s.tiles = std::move(tiles); });
        waitUntilIdle();
    }
    void click(PlotWidget& plot, double x, Qt::KeyboardModifiers modifiers = {}) {
        const QRect area = plot.axisRect()->rect();
        QTest::mouseClick(&plot, Qt::LeftButton, modifiers,
                          {static_cast<int>(plot.xAxis->coordToPixel(x)), area.center().y()});
        waitUntilIdle();
    }
    static QStringList titles(const QAbstractItemModel& model) {
        QStringList titles;
        for (int i = 0; i < model.columnCount(); ++i)
            titles << model.headerData(i, Qt::Horizontal).toString();
        return titles;
    }
    static QString cell(const QAbstractItemModel& model, int row, int column) {
        return model.index(row, column).data().toString();
    }
    // The step of the sample with most live bytes, and another one.
    StepId peak(LivenessView& view) {
        for (QToolButton* button : view.findChildren<QToolButton*>())
            if (button->text() == "Go to peak")
                button->click();
        waitUntilIdle();
        return selected().step;
    }

private slots:
    void init() { context_ = std::make_unique<ViewContext>(); }

    void theTileMapSelectsTiles() {
        const auto view = show<MemoryView>(one());
        view->setGraph(MemoryView::Map);
        waitUntilIdle();
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
        waitUntilIdle();
    }

    void arrowKeysWalkOverTheChip() {
        const auto view = show<MemoryView>(one());
        view->setGraph(MemoryView::Map);
        waitUntilIdle();
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
        waitUntilIdle();
    }

    void coloursOfTheMapFollowScaleAndQuantity() {
        const auto view = show<MemoryView>(one());
        view->setGraph(MemoryView::Map);
        waitUntilIdle();
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
        view->setQuantity(TileQuantity::AlwaysLive);
        waitUntilIdle();
        const auto tiles = context_->reports.source()->tileMemory({});
        QCOMPARE(map.content().sides.front().values[77], (*tiles)[TileId(77)].alwaysLive);
        view->setQuantity(TileQuantity::Gaps);
        waitUntilIdle();
        QCOMPARE(map.content().sides.front().values[77],
                 (*tiles)[TileId(77)].includingGaps - (*tiles)[TileId(77)].excludingGaps);
        view->setQuantity(TileQuantity::LiveAtStep);
        waitUntilIdle();
        QVERIFY(!map.isVisible()); // no step is selected
        context_->selection.update([](Selected& s) { s.step = StepId(5); });
        waitUntilIdle();
        QVERIFY(map.isVisible());
        QCOMPARE(map.content().quantity, QStringLiteral("Live at step 5"));
    }

    void theMapOfTwoProfilesHasTheirDifference() {
        const auto view = show<MemoryView>(two());
        view->setGraph(MemoryView::Map);
        waitUntilIdle();
        const TileMapContent& content = view->map().content();
        QCOMPARE(content.sides.size(), std::size_t(3));
        QVERIFY(content.sides[2].difference);
        QCOMPARE(content.sides[2].values[0],
                 content.sides[1].values[0] - content.sides[0].values[0]);
        QVERIFY(!view->map().grab().isNull());
        // A tile of the target's second IPU is none of the source.
        QTest::mouseClick(&view->map(), Qt::LeftButton, {},
                          view->map().tileRect(1, TileId(2000)).center().toPoint());
        QVERIFY(selected().tiles.empty());
    }

    void breakdownsOfTwoProfilesStandBelowEachOther() {
        const auto view = show<MemoryView>(two());
        QVERIFY(!view->plots().showsTwo());
        view->setBreakdown(MemoryBreakdown::Category);
        waitUntilIdle();
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
        view->setBreakdown(MemoryBreakdown::None);
        waitUntilIdle();
        QVERIFY(!second.isVisible());
        QCOMPARE(first.areas().areas().size(), std::size_t(2));
    }

    void severalVariablesAreDrawnTogether() {
        const auto view = show<MemoryView>(one());
        view->tabs().showSection("variables");
        waitUntilIdle();
        view->setGraph(MemoryView::SelectedVariables);
        waitUntilIdle();
        QVERIFY(!view->plots().isVisible()); // a hint
        QTableView& table = view->tabs().table(MemoryTabs::Variables).view();
        const auto clickRow = [&](int row, Qt::KeyboardModifiers modifiers) {
            QTest::mouseClick(table.viewport(), Qt::LeftButton, modifiers,
                              table.visualRect(table.model()->index(row, 0)).center());
            waitUntilIdle();
        };
        clickRow(1, {});
        QVERIFY(selected().variable.valid());
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(1));
        clickRow(3, Qt::ControlModifier);
        QCOMPARE(view->tabs().variables().size(), std::size_t(2));
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(2));
        // A variable that is chosen elsewhere stands alone.
        const VariableId first = view->tabs().variables().front();
        context_->selection.update(
            [&](Selected& s) { s.variable = first.value() == 0 ? VariableId(1) : VariableId(0); });
        waitUntilIdle();
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(1));
    }

    void everySelectedTileIsAColumn() {
        const auto view = show<MemoryView>(one());
        select({TileId(0), TileId(1471)});
        for (const MemoryTabs::Tab tab : {MemoryTabs::Variables, MemoryTabs::Vertices,
                                          MemoryTabs::ComputeSets, MemoryTabs::Exchanges}) {
            view->tabs().setCurrentIndex(tab);
            waitUntilIdle();
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
        view->tabs().showSection("variables");
        waitUntilIdle();
        QCOMPARE(view->tabs().table(MemoryTabs::Variables).model().columnCount(), 1 + 2 * 3);
    }

    void theFilterFindsComputeSetsByTheirVertices() {
        const auto view = show<MemoryView>(one());
        view->tabs().showSection("compute sets");
        waitUntilIdle();
        view->focusSearch();
        TablePanel& table = view->tabs().table(MemoryTabs::ComputeSets);
        QTest::keyClicks(table.findChild<QLineEdit*>(), "NonLinearity1D");
        QCOMPARE(table.model().shownRows(), 1);
        QCOMPARE(cell(table.model(), 1, 0), QStringLiteral("relu1/Op/NonLinearity"));
    }

    void theAddressMapShowsGapsAndSteps() {
        const auto view = show<MemoryView>(one());
        view->tabs().showSection("address map");
        select({TileId(0)});
        AddressMap& map = view->tabs().addresses().source();
        QVERIFY(!map.content().gaps.empty());
        const auto block =
            std::find_if(map.content().blocks.begin(), map.content().blocks.end(),
                         [](const MapBlock& b) { return b.name == "layer1/conv/partials"; });
        QVERIFY(block != map.content().blocks.end());
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(block->variable));
        QVERIFY(selected().variable.valid());
        QVERIFY(!view->tabs().addresses().onlyStep().isEnabled());
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
        view->tabs().addresses().onlyStep().click();
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(block->variable));
        QVERIFY(selected().variable != block->variable);
        waitUntilIdle();
    }

    void addressesOverTimeSelectVariableAndStep() {
        const auto view = show<MemoryView>(one());
        select({TileId(0)});
        view->tabs().showSection("addresses over time");
        waitUntilIdle();
        AddressHistory& plot = view->tabs().history().source();
        QVERIFY(plot.isVisible());
        const AddressHistoryContent& content = plot.areas().content();
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
        waitUntilIdle();
    }

    void addressesOfTwoProfilesStandSideBySide() {
        const auto view = show<MemoryView>(two());
        view->tabs().showSection("address map");
        waitUntilIdle();
        QVERIFY(view->tabs().addresses().target().isVisible());
        view->tabs().showSection("addresses over time");
        waitUntilIdle();
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
        waitUntilIdle();
    }

    void shiftClickPutsStepsBesideEachOther() {
        const auto view = show<LivenessView>(one());
        const StepId top = peak(*view);
        QCOMPARE(view->tabs().currentIndex(), int{LivenessTabs::NotAlwaysLive});
        PlotWidget& plot = view->plot().plot();
        const double other = top.value() == 4 ? 5.5 : 4.5;
        click(plot, other, Qt::ShiftModifier);
        QCOMPARE(view->steps(), (std::vector<StepId>{top, StepId(static_cast<int>(other))}));
        QCOMPARE(selected().step, StepId(static_cast<int>(other)));
        TableModel& model = view->tabs().table(LivenessTabs::NotAlwaysLive).model();
        QCOMPARE(titles(model).mid(1),
                 (QStringList{QStringLiteral("Step %1").arg(top.value()),
                              QStringLiteral("Step %1").arg(static_cast<int>(other)),
                              QStringLiteral("Difference")}));
        QCOMPARE(cell(model, 0, 0), QStringLiteral("Total"));
        view->tabs().setCurrentIndex(LivenessTabs::Cycles);
        waitUntilIdle();
        QCOMPARE(view->tabs().table(LivenessTabs::Cycles).model().columnCount(), 4);
        view->tabs().setCurrentIndex(LivenessTabs::Vertices);
        waitUntilIdle();
        QCOMPARE(view->tabs().table(LivenessTabs::Vertices).model().columnCount(), 4);
        // A plain click, and a step that another report selects, stand alone.
        click(plot, other);
        QCOMPARE(view->steps().size(), std::size_t(1));
        context_->selection.update([&](Selected& s) { s.step = top; });
        QCOMPARE(view->steps(), std::vector<StepId>{top});
        waitUntilIdle();
    }

    void theTotalIsTheHeightOfTheCurve() {
        const auto view = show<LivenessView>(one());
        const StepId top = peak(*view);
        const auto curve = context_->reports.source()->livenessCurve({});
        TableModel& model = view->tabs().table(LivenessTabs::NotAlwaysLive).model();
        QCOMPARE(cell(model, 0, 2), context_->preferences.bytes(curve->notAlwaysLive[top.index()]));
    }

    void theFilterLeavesMatchingSteps() {
        const auto view = show<LivenessView>(one());
        const double all = view->plot().zoom().last();
        view->focusSearch();
        QTest::keyClicks(&view->filter(), "convolve");
        waitUntilIdle();
        QVERIFY(view->plot().zoom().last() < all);
        QTest::keyClick(&view->filter(), Qt::Key_Return);
        waitUntilIdle();
        const auto names = namesOfSteps(*context_->reports.source(), {});
        QVERIFY(names[selected().step.index()].find("Convolve") != std::string::npos);
        const StepId first = selected().step;
        QTest::keyClick(&view->filter(), Qt::Key_Return);
        QVERIFY(selected().step != first);
        click(view->plot().plot(), 0.5);
        QCOMPARE(selected().step, first);
        QTest::keyClicks(&view->filter(), " no such step");
        waitUntilIdle();
        QVERIFY(!view->plot().isVisible());
        view->filter().clear();
        waitUntilIdle();
        QCOMPARE(view->plot().zoom().last(), all);
    }

    void twoProfilesMergeOrStandApart() {
        const auto view = show<LivenessView>(two());
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(4));
        view->setApart(true);
        waitUntilIdle();
        QVERIFY(view->plots().showsTwo());
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(2));
        QCOMPARE(view->plots().second().areas().areas().size(), std::size_t(2));
        peak(*view);
        QCOMPARE(titles(view->tabs().table(LivenessTabs::NotAlwaysLive).model()).size(), 4);
    }

    void lifetimesAreInLineWithThePlot() {
        const auto view = show<LivenessView>(one());
        QVERIFY(!view->lifetimes().isVisible());
        const auto variables = context_->reports.source()->variables({});
        VariableId partials;
        for (std::size_t i = 0; i < variables->size(); ++i)
            if ((*variables)[VariableId(i)].name == "conv1/out")
                partials = VariableId(i);
        context_->selection.update([&](Selected& s) { s.variable = partials; });
        waitUntilIdle();
        QVERIFY(view->lifetimes().isVisible());
        const auto classes = context_->reports.source()->livenessClasses({});
        const auto& intervals = (*classes)[(*variables)[partials].liveness].intervals;
        const Lifetime shown = view->lifetimes().lifetimes().front();
        QCOMPARE(shown.name, QStringLiteral("conv1/out"));
        QCOMPARE(shown.spans.size(), intervals.size());
        QCOMPARE(shown.spans[0].from, static_cast<double>(intervals[0].first.value()));
        QCOMPARE(shown.spans[0].to, static_cast<double>(intervals[0].end.value()));
        context_->selection.clear();
        waitUntilIdle();
        QVERIFY(!view->lifetimes().isVisible());
    }

    void statisticsOfTiles() {
        const auto view = show<LivenessView>(one());
        select({TileId(3), TileId(1471)});
        peak(*view);
        view->tabs().setCurrentIndex(LivenessTabs::Tiles);
        waitUntilIdle();
        const TableModel& model = view->tabs().table(LivenessTabs::Tiles).model();
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.rowCount(), 6);
        const auto tiles = context_->reports.source()->tileMemory({});
        QCOMPARE(cell(model, 4, 0), QStringLiteral("Tile 3"));
        QCOMPARE(cell(model, 4, 1), context_->preferences.bytes((*tiles)[TileId(3)].alwaysLive));
        QCOMPARE(cell(model, 4, 2),
                 context_->preferences.bytes((*tiles)[TileId(3)].maxNotAlwaysLive));
    }

    void aVariableTellsWhoUsesIt() {
        const auto view = show<LivenessView>(two());
        const QAbstractItemModelTester tester(
            &view->tabs().variableInfo(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        view->tabs().showSection("variable");
        waitUntilIdle();
        QCOMPARE(view->tabs().variableInfo().rowCount(), 0); // a hint
        context_->selection.update([](Selected& s) { s.variable = VariableId(0); });
        waitUntilIdle();
        const ValueTreeModel& info = view->tabs().variableInfo();
        QCOMPARE(info.columnCount(), 3);
        QCOMPARE(cell(info, 0, 1), QStringLiteral("conv1/weights"));
        QCOMPARE(cell(info, 0, 2), QStringLiteral("conv1/weights"));
        const int read = info.rowCount() - 1;
        QCOMPARE(cell(info, read, 0), QStringLiteral("Read by"));
        QCOMPARE(info.rowCount(info.index(read, 0, {})), 1);
    }

    void themesAndUnitsChangeEverything() {
        const auto memory = show<MemoryView>(two());
        LivenessView liveness(*context_);
        liveness.resize(1000, 600);
        liveness.show();
        waitUntilIdle();
        memory->setGraph(MemoryView::Map);
        memory->tabs().showSection("address map");
        waitUntilIdle();
        context_->theme.set(darkTheme());
        context_->preferences.setByteUnits(ByteUnits::Plain);
        waitUntilIdle();
        QVERIFY(!memory->grab().isNull());
        QVERIFY(!liveness.grab().isNull());
    }
};

QTEST_MAIN(MemoryViewsTest)
#include "memory_views_test.moc"
