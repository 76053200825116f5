// The pipeline report: geometry of slots, and the widgets as a user handles them.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QtTest>

#include "tests/support/sample_pipeline.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/insights/insights_view.h"
#include "views/memory/memory_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/programs/programs_view.h"

#include <QTableView>
#include <QTreeView>

namespace pipeline_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::SlotWork;

namespace {

// The piece under a position, or -1.
int pieceAt(const views::SlotLayout& layout, std::int32_t stage, double position) {
    for (std::size_t i = 0; i < layout.pieces.size(); ++i) {
        const views::SlotPiece& piece = layout.pieces[i];
        if (piece.stage == stage && position >= piece.from && position < piece.to)
            return static_cast<int>(i);
    }
    return -1;
}

} // namespace

class PipelineViewTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    QString pipeline_;

    views::PipelineView& openPipeline(const QStringList& files) {
        return test::openView<views::PipelineView>(*window_, files, Report::Pipeline);
    }
    static QPoint middleOf(const views::SlotDiagram& diagram, int piece) {
        return diagram.rectOf(piece).center().toPoint();
    }
    static int pieceOf(const views::SlotDiagram& diagram, std::size_t column, int stage,
                       SlotWork work) {
        const auto& pieces = diagram.schedule().pieces;
        for (std::size_t i = 0; i < pieces.size(); ++i)
            if (pieces[i].column == column && pieces[i].stage == stage && pieces[i].work == work)
                return static_cast<int>(i);
        return -1;
    }
    static QStringList textsOf(const QWidget& widget) {
        QStringList texts;
        for (const QLabel* label : widget.findChildren<QLabel*>())
            if (label->isVisible())
                texts << test::labelText(*label);
        return texts;
    }
    static QToolButton* button(QWidget& widget, const QString& text) {
        for (QToolButton* button : widget.findChildren<QToolButton*>())
            if (button->text() == text)
                return button;
        return nullptr;
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        pipeline_ = files_.writeProfile("pipeline.pop", test::samplePipelineRun());
    }
    void init() { window_ = test::shownWindow(); }
    void cleanup() { window_.reset(); }

    void equalSlotsFoldTheMainPart() {
        const views::SlotLayout layout =
            views::slotLayout(pipelineReport(test::samplePipelineRun()), views::SlotWidths::Equal);
        QCOMPARE(layout.columns.size(), std::size_t(6)); // five slots and the update
        QCOMPARE(layout.width, 6.0);
        QCOMPARE(layout.groups.size(), std::size_t(4));
        QCOMPARE(layout.groups[1].repeats, 2);
        QCOMPARE(layout.groups[1].slotCount, 1);
        QVERIFY(layout.groups[3].isUpdate);
        const int piece = pieceAt(layout, 0, 2.75);
        QVERIFY(piece >= 0);
        QCOMPARE(layout.pieces[static_cast<std::size_t>(piece)].work, SlotWork::Backward);
        QCOMPARE(pieceAt(layout, 1, 0.5), -1);
    }

    void cyclesGiveTheWidths() {
        const views::SlotLayout layout =
            views::slotLayout(pipelineReport(test::samplePipelineRun()), views::SlotWidths::Cycles);
        // Slots of 100, 700, 700, 700 and 200, an update of 80.
        QCOMPARE(layout.width, 100.0 + 3 * 700 + 200 + 80);
        const auto& f0 = layout.pieces[static_cast<std::size_t>(pieceAt(layout, 0, 850))];
        QCOMPARE(f0.to - f0.from, 100.0);
        QCOMPARE(pieceAt(layout, 0, 1250), -1); // done early
    }

    void everySlotHasItsMicroBatches() {
        const PipelineReport report = pipelineReport(test::samplePipelineRun());
        QCOMPARE(views::slotCount(report), std::int64_t{6});
        const auto labels = [&](views::SlotWindow window) {
            QStringList all;
            for (const auto& piece :
                 views::slotLayout(report, views::SlotWidths::Equal, window).pieces)
                all << QString::fromStdString(piece.label());
            return all.join(' ');
        };
        QCOMPARE(labels({0, 6}), "F1 F2 F1 B1 F3 B1 F2 B2 F4 B2 F3 B3 B3 F4 B4 B4 U U");
        QCOMPARE(labels({3, 1}), "F4 B2 F3 B3"); // the second main slot
        QCOMPARE(views::slotsOf(report, 2), (std::optional(views::SlotWindow{1, 3})));
        QVERIFY(!views::slotsOf(report, 0) && !views::slotsOf(report, 5));
    }

    /// A window costs what it shows, however many slots there are.
    void aMillionSlotsAreAWindowOfSome() {
        Profile many = test::samplePipelineRun();
        many.pipeline.slotList[2].repeats = 1'000'000'000'000;
        const PipelineReport report = pipelineReport(many);
        const auto layout = views::slotLayout(report, views::SlotWidths::Cycles,
                                              views::SlotWindow{500'000'000'000, 30});
        QCOMPARE(layout.columns.size(), std::size_t{30});
        QCOMPARE(layout.pieces.front().microBatch, std::int64_t{500'000'000'001});
    }

    void aReportWithoutCyclesHasEqualSlots() {
        Profile p = test::samplePipelineRun();
        p.trace = {};
        p.info.hasExecution = false;
        const views::SlotLayout layout =
            views::slotLayout(pipelineReport(p), views::SlotWidths::Cycles);
        QCOMPARE(layout.width, 5.0);
        QVERIFY(pieceAt(layout, 1, 2.25) >= 0);
    }

    void aClickLeadsToTraceAndTree() {
        views::PipelineView& view = openPipeline({pipeline_});
        views::SlotDiagram& diagram = view.diagram();
        QVERIFY(!button(view, "Show in Execution Trace")->isEnabled());
        const int piece = pieceOf(diagram, 1, 1, SlotWork::Forward);
        QVERIFY(piece >= 0);
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, middleOf(diagram, piece));
        QCOMPARE(diagram.chosen(), piece);
        const ProgramId call = diagram.schedule().pieces[static_cast<std::size_t>(piece)].call;
        QCOMPARE(window_->context().selection.current().program, call);
        QVERIFY(textsOf(view).join('|').contains("Ramp-up, slot 2 of 6"));

        QTest::mouseClick(button(view, "Show in Program Tree"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(window_->currentReport() == Report::Programs);
        auto& programs = static_cast<views::ProgramsView&>(window_->view(Report::Programs));
        QCOMPARE(programs.model().programAt(programs.tree().currentIndex()), call);

        window_->showReport(Report::Pipeline);
        QTest::mouseDClick(&diagram, Qt::LeftButton, {}, middleOf(diagram, piece));
        test::waitUntilIdle(*window_);
        QVERIFY(window_->currentReport() == Report::Trace);
        const double start = static_cast<double>(test::samplePipelineRun().trace.runs.back().start);
        const views::ZoomRange& zoom = window_->context().timeZoom;
        QVERIFY(zoom.from() <= start + 100 && zoom.to() >= start + 800);
        QVERIFY(zoom.span() < 4 * 700.0 + 1);
    }

    void durationsFollowThePreferredUnits() {
        views::PipelineView& view = openPipeline({pipeline_});
        views::SlotDiagram& diagram = view.diagram();
        const int piece = pieceOf(diagram, 1, 1, SlotWork::Forward);
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, middleOf(diagram, piece));
        // "34 cycles (26 ns)", and not "34 cycles (stages: ...".
        static const QRegularExpression both("cycles \\([0-9]");
        QVERIFY(textsOf(view).join('|').contains(both));
        const auto prefer = [&](ClockUnits units) {
            window_->context().preferences.setClockUnits(units);
            // Labels that were replaced are still there.
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        };
        prefer(ClockUnits::Cycles);
        QVERIFY(!textsOf(view).join('|').contains(both));
        QVERIFY(textsOf(view).join('|').contains("cycles"));
        prefer(ClockUnits::Time);
        QVERIFY(!textsOf(view).join('|').contains(" cycles"));
        QCOMPARE(diagram.chosen(), piece);
    }

    void aMicroBatchIsFollowed() {
        views::PipelineView& view = openPipeline({pipeline_});
        views::SlotDiagram& diagram = view.diagram();
        views::Selection& selection = window_->context().selection;
        QSpinBox& follow = test::child<QSpinBox>(view);
        QCOMPARE(follow.maximum(), 4);
        follow.setValue(3);
        QCOMPARE(selection.current().microBatch, MicroBatchId(3));
        QStringList way;
        for (const int piece : diagram.way())
            way << QString::fromStdString(
                diagram.schedule().pieces[static_cast<std::size_t>(piece)].label());
        QCOMPARE(way.join(' '), "F3 F3 B3 B3");
        QVERIFY(!view.grab().isNull());
        // Main slots that are drawn once have no numbers.
        selection.clear();
        QCOMPARE(follow.value(), 0);
        view.setNumbers(views::SlotNumbers::Stages);
        QVERIFY(diagram.way().empty());
        selection.update([](views::Selected& s) { s.microBatch = MicroBatchId(2); });
        QCOMPARE(diagram.way().size(), std::size_t{4});
        // A click follows, Escape ends it.
        const int piece = pieceOf(diagram, 0, 0, SlotWork::Forward);
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, middleOf(diagram, piece));
        QCOMPARE(selection.current().microBatch, MicroBatchId(1));
        diagram.setFocus();
        QTest::keyClick(&diagram, Qt::Key_Escape);
        QVERIFY(!selection.current().microBatch.valid());
    }

    void theTraceFollowsTheSameMicroBatch() {
        openPipeline({pipeline_});
        views::Selection& selection = window_->context().selection;
        selection.update([](views::Selected& s) { s.microBatch = MicroBatchId(3); });
        window_->showReport(Report::Trace);
        test::waitUntilIdle(*window_);
        auto& trace = static_cast<views::TraceView&>(window_->view(Report::Trace));
        QCOMPARE(trace.plot().followed().size(), std::size_t{1});
        const views::LaneWay& way = trace.plot().followed().front();
        QCOMPARE(way.size(), std::size_t{3}); // one function has F3 and B3 of the last stage
        QCOMPARE(way[1].label, "F3 B3");
        QCOMPARE(QString::fromStdString(way[1].key), "source ipu 1");
        QVERIFY(window_->context().timeZoom.from() <= static_cast<double>(way[0].range.begin));
        QVERIFY(!trace.grab().isNull());
        trace.plot().setFocus();
        QTest::keyClick(&trace.plot(), Qt::Key_Escape);
        QVERIFY(!selection.current().microBatch.valid());
        QVERIFY(trace.plot().followed().empty());
        // Of the selected step, by a key.
        const ProgramId backward = test::samplePipelineRun().pipeline.stages[1].backwardFrom;
        selection.update([&](views::Selected& s) { s.program = backward; });
        test::waitUntilIdle(*window_);
        QVERIFY(trace.selection().step() >= 0);
        QTest::keyClick(&trace.plot(), Qt::Key_B);
        test::waitUntilIdle(*window_);
        QCOMPARE(selection.current().microBatch, MicroBatchId(1));
        for (const auto colours : {views::ColourBy::Pass, views::ColourBy::MicroBatch}) {
            trace.tabs().setColours(colours);
            test::waitUntilIdle(*window_);
            QVERIFY(!trace.grab().isNull());
        }
    }

    void keysWalkOverTheSlots() {
        views::SlotDiagram& diagram = openPipeline({pipeline_}).diagram();
        diagram.setFocus();
        QTest::keyClick(&diagram, Qt::Key_Right);
        QCOMPARE(diagram.chosen(), pieceOf(diagram, 0, 0, SlotWork::Forward));
        QTest::keyClick(&diagram, Qt::Key_Right);
        QCOMPARE(diagram.chosen(), pieceOf(diagram, 1, 0, SlotWork::Forward));
        QTest::keyClick(&diagram, Qt::Key_Down);
        QCOMPARE(diagram.schedule().pieces[static_cast<std::size_t>(diagram.chosen())].stage, 1);
        QTest::keyClick(&diagram, Qt::Key_Up);
        QTest::keyClick(&diagram, Qt::Key_Left);
        QCOMPARE(diagram.chosen(), pieceOf(diagram, 0, 0, SlotWork::Forward));
        QTest::keyClick(&diagram, Qt::Key_Escape);
        QCOMPARE(diagram.chosen(), -1);
        QTest::keyClick(&diagram, Qt::Key_Right);
        QTest::keyClick(&diagram, Qt::Key_Return);
        QVERIFY(window_->currentReport() == Report::Trace);
        test::waitUntilIdle(*window_);
    }

    void theBetterSplitIsCopied() {
        views::PipelineView& view = openPipeline({pipeline_});
        QPushButton* copy = nullptr;
        for (QPushButton* button : view.findChildren<QPushButton*>())
            if (button->text() == "Copy option" && button->isVisible())
                copy = button;
        QVERIFY(copy != nullptr);
        QTest::mouseClick(copy, Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), "--split c");
        QVERIFY(textsOf(view).join('|').contains("500 cycles"));
    }

    void optionsAreQuotedForTheShell() {
        PipelineReport report;
        report.better.split = {"a b", "it's"};
        QCOMPARE(views::splitOption(report), "--split 'a b,it'\\''s'");
        report.better.split = {"B2/conv:0", "B3"};
        QCOMPARE(views::splitOption(report), "--split B2/conv:0,B3");
    }

    void stagesAreATable() {
        views::PipelineView& view = openPipeline({pipeline_});
        const QAbstractItemModelTester tester(&test::child<views::TablePanel>(view).model());
        QCOMPARE(test::child<views::TablePanel>(view).model().rowCount(), 2);
        const auto cell = [&](int row, int column) {
            return test::child<views::TablePanel>(view)
                .model()
                .data(test::child<views::TablePanel>(view).model().index(row, column),
                      Qt::DisplayRole)
                .toString();
        };
        QCOMPARE(cell(0, 1), "100");
        QVERIFY(cell(1, 0).contains("longest"));
        // The losses are visible at once.
        QCOMPARE(view.findChild<QComboBox*>()->currentText(), "Cycles");
        QVERIFY(!view.grab().isNull());
        view.setWidths(views::SlotWidths::Equal);
        QVERIFY(!view.grab().isNull());
        QCOMPARE(view.findChild<QComboBox*>()->currentText(), "Equal");
    }

    void twoPipelinesStandSideBySide() {
        Profile other = test::samplePipelineRun();
        other.pipeline.microBatches = 6;
        other.pipeline.slotList[2].repeats = 4;
        window_->resize(1280, 720);
        views::PipelineView& view =
            openPipeline({pipeline_, files_.writeProfile("other.pop", other)});
        const QAbstractItemModelTester tester(&test::child<views::TablePanel>(view).model());
        // Both in sight without scrolling.
        QVERIFY(view.diagram().isVisible() && view.targetDiagram().isVisible());
        for (const views::SlotDiagram* diagram : {&view.diagram(), &view.targetDiagram()})
            QTRY_COMPARE(diagram->visibleRegion().boundingRect(), diagram->rect());
        view.setNumbers(views::SlotNumbers::Stages);
        QCOMPARE(view.targetDiagram().schedule().groups[1].repeats, 4);
        QVERIFY(view.diagram().side().title != view.targetDiagram().side().title);
        QVERIFY(view.diagram().accessibleName() != view.targetDiagram().accessibleName());
        QStringList titles;
        for (int i = 0; i < test::child<views::TablePanel>(view).model().columnCount(); ++i)
            titles << test::child<views::TablePanel>(view)
                          .model()
                          .headerData(i, Qt::Horizontal, Qt::DisplayRole)
                          .toString();
        QVERIFY(titles.contains("Forward, source") && titles.contains("Difference"));
    }

    /// A cycle is equally wide in both, however long their schedules are.
    void twoPipelinesHaveOneScale() {
        Profile other = test::samplePipelineRun();
        auto& list = other.pipeline.slotList;
        list.insert(list.begin() + 2, 3, list[1]); // three more slots of ramp-up
        views::PipelineView& view =
            openPipeline({pipeline_, files_.writeProfile("longer.pop", other)});
        const auto pixelsOfUnit = [](const views::SlotDiagram& diagram) {
            const auto& pieces = diagram.schedule().pieces;
            const auto longest =
                std::max_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
                    return a.to - a.from < b.to - b.from;
                });
            const auto piece = static_cast<int>(longest - pieces.begin());
            return diagram.rectOf(piece).width() / (longest->to - longest->from);
        };
        for (const auto widths : {views::SlotWidths::Cycles, views::SlotWidths::Equal}) {
            view.setWidths(widths);
            QVERIFY(view.diagram().schedule().width < view.targetDiagram().schedule().width);
            QVERIFY(std::abs(pixelsOfUnit(view.diagram()) / pixelsOfUnit(view.targetDiagram()) -
                             1) < 1e-6);
        }
    }

    void onePipelineOfTwo() {
        views::PipelineView& view = openPipeline({pipeline_, files_.write("single.pop")});
        QVERIFY(view.diagram().isVisible() && !view.targetDiagram().isVisible());
        QVERIFY(textsOf(view).join('|').contains("--execution pipelined"));
    }

    void withoutAPipelineTheOptionIsNamed() {
        openPipeline({files_.write("single.pop")});
        QString message;
        for (const auto* panel : window_->findChildren<views::LoadingPanel*>())
            if (panel->isVisible() && panel->showsMessage())
                message += test::messageText(*panel);
        QVERIFY2(message.contains("not pipelined") && message.contains("--execution pipelined"),
                 qPrintable(message));
    }

    void insightsLeadToTheRowOfATable() {
        window_->openProfiles({files_.write("a.pop", {.withCopy = true})});
        QTRY_VERIFY(window_->context().reports.source());
        window_->showReport(Report::Insights);
        test::waitUntilIdle(*window_);
        QPushButton* go = nullptr;
        for (QPushButton* button : window_->view(Report::Insights).findChildren<QPushButton*>())
            if (button->text() == "Show in Memory: vertices")
                go = button;
        QVERIFY(go != nullptr);
        QTest::mouseClick(go, Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(window_->currentReport() == Report::Memory);
        const VertexTypeId wanted = window_->context().selection.current().vertexType;
        QVERIFY(wanted.valid());
        bool selected = false;
        for (auto* table : window_->view(Report::Memory).findChildren<views::TablePanel*>())
            if (table->isVisible())
                selected =
                    table->model().idAt(table->view().currentIndex().row()) == wanted.value();
        QVERIFY(selected);
    }

    void ipusAreMarkedOnTheTileAxis() {
        window_->openProfiles({pipeline_});
        QTRY_VERIFY(window_->context().reports.source());
        window_->showReport(Report::Memory);
        test::waitUntilIdle(*window_);
        auto& memory = static_cast<views::MemoryView&>(window_->view(Report::Memory));
        const auto& sections = memory.plot().plot().sections();
        QCOMPARE(sections.size(), std::size_t(2));
        QCOMPARE(sections[1].name, "IPU 1");
        QCOMPARE(sections[1].from, sections[0].to);
    }
};

TILESCOPE_TEST(PipelineViewTest, QApplication)

} // namespace pipeline_test

#include "pipeline_test.moc"
