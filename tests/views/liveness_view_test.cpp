// The liveness report through its widgets: mouse, keys and what the tables then say.
#include <QCheckBox>
#include <QTreeView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/liveness/liveness_view.h"

namespace liveness_view_test {
using namespace tilescope;
using namespace tilescope::views;

class LivenessViewTest : public test::ReportAlone {
    Q_OBJECT
    // The step of the sample with most live bytes, and another one.
    StepId peak(LivenessView& view) {
        for (QToolButton* button : view.findChildren<QToolButton*>())
            if (button->text() == "Go to peak")
                button->click();
        settle();
        return selected().step;
    }

private slots:
    void init() { newContext(); }

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
        settle();
        QCOMPARE(view->tabs().table(LivenessTabs::Cycles).model().columnCount(), 4);
        view->tabs().setCurrentIndex(LivenessTabs::Vertices);
        settle();
        QCOMPARE(view->tabs().table(LivenessTabs::Vertices).model().columnCount(), 4);
        // A plain click, and a step that another report selects, are shown alone.
        click(plot, other);
        QCOMPARE(view->steps().size(), std::size_t(1));
        context_->selection.update([&](Selected& s) { s.step = top; });
        QCOMPARE(view->steps(), std::vector<StepId>{top});
        settle();
    }

    void theTotalIsTheHeightOfTheCurve() {
        const auto view = show<LivenessView>(one());
        const StepId top = peak(*view);
        const auto curve = context_->reports.source()->livenessCurve({});
        TableModel& model = view->tabs().table(LivenessTabs::NotAlwaysLive).model();
        QCOMPARE(cell(model, 0, 2), context_->preferences.bytes(curve->notAlwaysLive[top.index()]));
    }

    /// A line at the tiles' memory, with room above the curve unless that would flatten it.
    void theMaximumIsALine() {
        const auto view = show<LivenessView>(one());
        const Target& machine = context_->reports.source()->machine();
        const double limit = view->plot().plot().limit()->value;
        QCOMPARE(limit, static_cast<double>(machine.bytesPerTile) * machine.totalTiles());
        const auto top = static_cast<double>(view->plot().areas().largest());
        QCOMPARE(view->plot().plot().yAxis->range().upper >= limit, limit <= 4 * top);
        test::choose(*view, "Tiles", "IPU 0");
        settle();
        QCOMPARE(view->plot().plot().limit()->value,
                 static_cast<double>(machine.bytesPerTile) * machine.tilesPerIpu);
        test::button(*view, "Max memory").setChecked(false);
        settle();
        QVERIFY(!view->plot().plot().limit());
        QVERIFY(view->plot().plot().yAxis->range().upper < limit);
    }

    void aPairIsAlignedByStepsOrOperations() {
        const auto view = show<LivenessView>(two());
        auto* align = view->findChild<QComboBox*>(QStringLiteral("align"));
        QVERIFY(align && !align->isHidden());
        QCOMPARE(align->currentText(), QStringLiteral("Operations"));
        const auto& legend = view->plot().legend().entries();
        QCOMPARE(legend.front().mark, LegendBar::Mark::Square);
        QVERIFY(legend.front().name.endsWith("(source)"));
        QCOMPARE(legend.back().mark, LegendBar::Mark::Line);
        QVERIFY(legend.back().name.endsWith("(target)"));
        QSignalSpy hovered(&view->plot().plot(), &PlotWidget::hovered);
        PlotWidget& plot = view->plot().plot();
        QTest::mouseMove(&plot, {static_cast<int>(plot.xAxis->coordToPixel(0.5)),
                                 plot.axisRect()->rect().center().y()});
        QTRY_VERIFY(!hovered.isEmpty());
        QVERIFY2(hovered.last()[0].toString().contains("Source's step") &&
                     hovered.last()[0].toString().contains("Target's step"),
                 qPrintable(hovered.last()[0].toString()));
        const double aligned = view->plot().zoom().last();
        align->setCurrentIndex(0);
        settle();
        QVERIFY(view->plot().zoom().last() <= aligned);
        QCOMPARE(align->currentText(), QStringLiteral("Steps")); // the user's choice is kept
    }

    void separatePlotsAreEquallyHigh() {
        const auto view = show<LivenessView>(two());
        test::button(*view, "Separate").setChecked(true);
        settle();
        for (const QSize size : {QSize(1200, 760), QSize(900, 520), QSize(1600, 1101)}) {
            view->resize(size);
            const auto heights = test::plotHeights(*view);
            QCOMPARE(heights.size(), std::size_t(2));
            QCOMPARE(heights[0], heights[1]);
        }
    }

    void theFilterLeavesMatchingSteps() {
        const auto view = show<LivenessView>(one());
        const double all = view->plot().zoom().last();
        view->focusSearch();
        QTest::keyClicks(&view->filter(), "convolve");
        settle();
        QVERIFY(view->plot().zoom().last() < all);
        QTest::keyClick(&view->filter(), Qt::Key_Return);
        settle();
        const auto names = namesOfSteps(*context_->reports.source(), {});
        QVERIFY(names[selected().step.index()].find("Convolve") != std::string::npos);
        const StepId first = selected().step;
        QTest::keyClick(&view->filter(), Qt::Key_Return);
        QVERIFY(selected().step != first);
        click(view->plot().plot(), 0.5);
        QCOMPARE(selected().step, first);
        QTest::keyClicks(&view->filter(), " no such step");
        settle();
        QVERIFY(!view->plot().isVisible());
        view->filter().clear();
        settle();
        QCOMPARE(view->plot().zoom().last(), all);
    }

    void twoProfilesMergeOrStandApart() {
        const auto view = show<LivenessView>(two());
        QCOMPARE(view->plot().areas().areas().size(), std::size_t(4));
        // The read-out has what is above the always live alone, as the table below has.
        test::choose(*view, "Align", "Steps");
        settle();
        const auto bytes = context_->reports.target()->livenessCurve({})->notAlwaysLive;
        const auto top = std::max_element(bytes.begin(), bytes.end());
        const QString values = view->plot().valuesAt(static_cast<std::size_t>(top - bytes.begin()));
        QVERIFY2(values.contains(
                     readOutLine("Not always live (target)", context_->preferences.bytes(*top))),
                 qPrintable(values));
        test::button(*view, "Separate").setChecked(true);
        settle();
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
        settle();
        QVERIFY(view->lifetimes().isVisible());
        const auto classes = context_->reports.source()->livenessClasses({});
        const auto& intervals = (*classes)[(*variables)[partials].liveness].intervals;
        const Lifetime shown = view->lifetimes().lifetimes().front();
        QCOMPARE(shown.name, QStringLiteral("conv1/out"));
        QCOMPARE(shown.spans.size(), intervals.size());
        QCOMPARE(shown.spans[0].from, static_cast<double>(intervals[0].first.value()));
        QCOMPARE(shown.spans[0].to, static_cast<double>(intervals[0].end.value()));
        context_->selection.clear();
        settle();
        QVERIFY(!view->lifetimes().isVisible());
    }

    void statisticsOfTiles() {
        const auto view = show<LivenessView>(one());
        select({TileId(3), TileId(1471)});
        peak(*view);
        view->tabs().setCurrentIndex(LivenessTabs::Tiles);
        settle();
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
            &test::child<views::ValueTreeView>(view->tabs()).values(),
            QAbstractItemModelTester::FailureReportingMode::Fatal);
        view->showSection("variable");
        settle();
        QCOMPARE(test::child<views::ValueTreeView>(view->tabs()).values().rowCount(), 0); // a hint
        context_->selection.update([](Selected& s) { s.variable = VariableId(0); });
        settle();
        const ValueTreeModel& info = test::child<views::ValueTreeView>(view->tabs()).values();
        QCOMPARE(info.columnCount(), 3);
        QCOMPARE(cell(info, 0, 1), QStringLiteral("conv1/weights"));
        QCOMPARE(cell(info, 0, 2), QStringLiteral("conv1/weights"));
        const int read = info.rowCount() - 1;
        QCOMPARE(cell(info, read, 0), QStringLiteral("Read by"));
        QCOMPARE(info.rowCount(info.index(read, 0, {})), 1);
    }
};

TILESCOPE_TEST(LivenessViewTest, QApplication)

} // namespace liveness_view_test

#include "liveness_view_test.moc"
