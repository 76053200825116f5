// What leads from a step to others: flows, all of its executions; and tracks from graphs and
// queries.
#include <QLabel>
#include <QMenu>
#include <QTabWidget>
#include <QtTest>
#include <numeric>

#include "tests/support/sample_pipeline.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/track_dialog.h"
#include "views/sql/sql_editor.h"

namespace timeline_test {
using namespace tilescope;
using namespace tilescope::gui;

class TimelineTest : public test::TraceWindow {
    Q_OBJECT
    const QLabel& labelled(const QString& name) const {
        for (const QLabel* label : trace_->findChildren<QLabel*>())
            if (label->accessibleName() == name)
                return *label;
        qFatal("no label is called '%s'", qPrintable(name));
    }
    ProfileViewPtr source() const { return window_->context().reports.source(); }
    /// Selects the first step of a stage for a micro-batch and returns the way of that.
    std::vector<MicroBatchRun> selectStage(std::size_t at) {
        const auto trace = source()->trace({});
        auto way = microBatchesOf(*source(), {})->runsOf(3, *trace, {0, trace->totalCycles()}, 1);
        std::int64_t step = trace->stepAtCycle(way[at].ipu, way[at].range.begin);
        while (!trace->stepAt(step).program.valid()) // a sync
            ++step;
        trace_->selection().showStep(step, false);
        settle();
        return way;
    }
    void showTab(QWidget& page) {
        trace_->findChild<QTabWidget*>()->setCurrentWidget(&page);
        settle();
    }
    views::TrackPlot* track(const QString& name) const {
        for (views::TrackPlot* plot : trace_->tracks().plots())
            if (plot->track().name() == name)
                return plot;
        return nullptr;
    }
    // As a user opens the menu, which is filled then.
    void removeInTheMenu(const QString& name) {
        for (QMenu* menu : trace_->findChildren<QMenu*>()) {
            if (menu->title() != "Graphs and queries")
                continue;
            emit menu->aboutToShow();
            for (QAction* action : menu->actions())
                if (action->text() == QStringLiteral("Remove '%1'").arg(name)) {
                    action->trigger();
                    return settle();
                }
        }
        qFatal("the menu does not remove '%s'", qPrintable(name));
    }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void arrowsLeadFromStageToStage() {
        open({files_.writeProfile("pipeline.pop", test::samplePipelineRun())});
        const auto way = selectStage(0);
        const std::vector<views::LaneFlow>& flows = trace_->plot().flows();
        QCOMPARE(flows.size(), std::size_t(2)); // to the next stage, and to its own backward pass
        QCOMPARE(flows[0].from.range, way[0].range);
        QCOMPARE(flows[0].to.range, way[1].range);
        QCOMPARE(flows[0].to.label, QString("F3 B3"));
        QCOMPARE(QString::fromStdString(flows[0].to.key), QString("source ipu 1"));
        // The same as links: the first leads to the next stage.
        const QLabel& links = labelled("Where data comes from and goes to");
        QVERIFY2(links.text().contains("F3 B3 of stage 1 on IPU 1</a>"), qPrintable(links.text()));
        const std::int64_t next = source()->trace({})->stepAtCycle(way[1].ipu, way[1].range.begin);
        emit const_cast<QLabel&>(links).linkActivated(QStringLiteral("step:%1").arg(next));
        settle();
        QCOMPARE(trace_->selection().step(), next);
        QCOMPARE(trace_->plot().flows().front().from.label, QString("F3"));
        // Nothing selected, no arrows.
        key(Qt::Key_Escape);
        QVERIFY(trace_->plot().flows().empty());
    }

    void aBoxOfSeveralStepsIsAPartOfAStage() {
        open({files_.writeProfile("pipeline.pop", test::samplePipelineRun())});
        const auto trace = source()->trace({});
        const auto way =
            microBatchesOf(*source(), {})->runsOf(2, *trace, {0, trace->totalCycles()}, 1);
        trace_->selection().showBox(
            way[1].range, trace->stepAtCycle(way[1].ipu, way[1].range.begin), false, "it");
        settle();
        QVERIFY(trace_->selection().range().has_value());
        QVERIFY(!trace_->plot().flows().empty());
        trace_->selection().dropRange();
    }

    void executionsAreCountedAndTheLongestAreLinks() {
        open({files_.writeProfile("pipeline.pop", test::samplePipelineRun(40))});
        selectStage(0);
        views::ExecutionsPanel& panel = trace_->tabs().executions();
        showTab(panel);
        const ExecutedStep step = source()->trace({})->stepAt(trace_->selection().step());
        const auto all = source()->executions({});
        const std::int64_t count = (*all)[step.program.index()].count;
        QVERIFY(count > 1);
        const std::vector<std::int64_t>& columns = panel.histogram().columns(0);
        QCOMPARE(std::accumulate(columns.begin(), columns.end(), std::int64_t{0}), count);
        QVERIFY2(panel.figures().text().contains(QStringLiteral("executions: %1").arg(count)),
                 qPrintable(panel.figures().text()));
        QVERIFY2(panel.links().text().contains("href=\"step:"), qPrintable(panel.links().text()));
        emit panel.links().linkActivated("step:0");
        settle();
        QCOMPARE(trace_->selection().step(), std::int64_t{0});
        QCOMPARE(trace_->findChild<QTabWidget*>()->currentWidget(), &panel); // stays in front
    }

    void twoRunsAreInOnePlot() {
        open({files_.writeProfile("a.pop", test::samplePipelineRun(4)),
              files_.writeProfile("b.pop", test::samplePipelineRun(9))});
        selectStage(0);
        views::ExecutionsPanel& panel = trace_->tabs().executions();
        showTab(panel);
        const auto sum = [&](std::size_t of) {
            const auto& columns = panel.histogram().columns(of);
            return std::accumulate(columns.begin(), columns.end(), std::int64_t{0});
        };
        QVERIFY(sum(0) > 0 && sum(1) > sum(0));
        QVERIFY(panel.figures().text().contains("Source") &&
                panel.figures().text().contains("Target"));
        QVERIFY(!panel.grab().isNull());
    }

    void aQueryIsATrackThatIsKept() {
        const QString file = files_.write("queried.pop");
        QFile::remove(views::MarksModel::marksFile(file.toStdString()));
        open({file});
        const double end = zoom().last();
        const QString sql =
            QStringLiteral("SELECT 0 AS cycles, 5 AS value UNION ALL SELECT %1, -7").arg(end / 2);
        emit trace_->tracks().queryWanted();
        auto* dialog = trace_->findChild<views::TrackDialog*>();
        QVERIFY(dialog != nullptr);
        dialog->name().setText("Mine");
        dialog->editor().setPlainText(sql);
        test::button<QPushButton>(*dialog, "Add").click();
        settle();
        QVERIFY(track("Mine"));
        QVERIFY(track("Mine")->isVisible());
        const views::TrackCurve& curve = *track("Mine")->curve().sides()[0].overview;
        QCOMPARE(curve.top(0), 5.0);
        QCOMPARE(curve.bottom(curve.columns.count() - 1), -7.0);
        QVERIFY(track("Mine")->yAxis->range().lower < -7);
        open({files_.write("other.pop")});
        QVERIFY(!track("Mine"));
        open({file}); // with its marks
        QVERIFY(track("Mine"));
        trace_->marks().removeTrack("Mine");
        settle();
        QVERIFY(!track("Mine"));
        QVERIFY(trace_->marks().tracks().empty());
    }

    void hostileQueriesDoNoHarm() {
        const QString file = files_.write("hostile.pop");
        QFile marks(views::MarksModel::marksFile(file.toStdString()));
        QVERIFY(marks.open(QIODevice::WriteOnly));
        marks.write(R"({"marks":[],"tracks":[{"name":"drops","sql":"DROP TABLE info"},
                        {"name":"text","sql":"SELECT 1, 'x'"},{"name":"one","sql":"SELECT 1"},
                        {"name":3},{"name":"drops","sql":"SELECT 1, 2"}]})");
        marks.close();
        QStringList said;
        trace_ = &static_cast<views::TraceView&>(window_->view(Report::Trace));
        connect(&trace_->queries(), &views::SqlTracks::status, this,
                [&said](const QString& text) { said << text; });
        open({file});
        settle();
        QCOMPARE(trace_->marks().tracks().size(), std::size_t(3));
        QVERIFY(trace_->queries().tracks().empty());
        for (const char* name : {"'drops'", "'text'", "'one'"})
            QVERIFY2(said.join('|').contains(name), qPrintable(said.join('|')));
        QVERIFY(source()->info().hasExecution); // as it was
        // What has no answer can be removed, too.
        removeInTheMenu("one");
        QCOMPARE(trace_->marks().tracks().size(), std::size_t(2));
        trace_->marks().addTrack({"a & <b>", "SELECT 0, 1"});
        settle();
        removeInTheMenu("a && <b>");
        QCOMPARE(trace_->marks().tracks().size(), std::size_t(2));
        // One without an end is stopped when it is left.
        trace_->marks().addTrack(
            {"endless", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
                        "sum(i), 1 FROM n"});
        QVERIFY(trace_->queries().running());
        trace_->marks().removeTrack("endless");
        QVERIFY(!trace_->queries().running());
        settle();
    }

    void graphsOfTheProgramAreTracks() {
        open({files_.write("record.pop", {.withRecord = true})});
        views::TrackPlot* loss = track("Loss: training");
        QVERIFY(loss);
        QVERIFY(!loss->isVisible()); // until it is wanted
        trace_->tracks().setShown("Loss: training", true);
        settle();
        QVERIFY(loss->isVisible());
        QCOMPARE(loss->curve().sides()[0].overview->columns.range().begin, std::int64_t{0});
        QVERIFY(!loss->grab().isNull());
        open({files_.write("plain.pop")});
        QVERIFY(!track("Loss: training"));
    }

    void pointsHoldUntilTheNext() {
        const views::ValueTrack track("t", "nats", {}, {{500, 3}, {100, 1}, {550, 9}}, 0);
        const views::TrackCurve curve = track.curve(CycleColumns({0, 1000}, 10));
        QCOMPARE(curve.top(0), 0.0);
        QCOMPARE(curve.top(1), 1.0);
        QCOMPARE(curve.bottom(1), 1.0);
        QCOMPARE(curve.top(4), 1.0);
        QCOMPARE(curve.bottom(5), 3.0);
        QCOMPARE(curve.top(5), 9.0);
        QCOMPARE(curve.bottom(9), 9.0);
        QCOMPARE(track.curve(CycleColumns({520, 540}, 2)).top(0), 3.0);
    }
};

TILESCOPE_TEST(TimelineTest, QApplication)

} // namespace timeline_test

#include "timeline_test.moc"
