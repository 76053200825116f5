// A stage that has nothing to run: the micro-batch that it waits for is followed, and more
// micro-batches a step make the wait weigh less.
#include <QSpinBox>

#include "app/gui/candidates/candidates_panel.h"
#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/execution/trace_view.h"
#include "views/pipeline/pipeline_view.h"

namespace bubbles_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class BubblesStory : public QObject {
    Q_OBJECT

    static double bubblesOf(const SlotDiagram& diagram) {
        return diagram.side().report.bubbleShare;
    }
    static std::vector<SlotPiece> wayIn(const SlotDiagram& diagram) {
        std::vector<SlotPiece> pieces;
        for (const int piece : diagram.way())
            pieces.push_back(diagram.schedule().pieces[static_cast<std::size_t>(piece)]);
        return pieces;
    }

private slots:
    void aBubbleIsFollowedThroughAMicroBatch() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Model"),
                    Story::job("tutorial_pipelined.json"));
        story.run("ten");

        // The last stage has nothing to run in the first three slots.
        story.openReport(Report::Pipeline);
        auto& pipeline = story.view<PipelineView>(Report::Pipeline);
        SlotDiagram& diagram = pipeline.diagram();
        const auto firstOf = [&](int stage) {
            for (const SlotPiece& piece : diagram.schedule().pieces)
                if (piece.stage == stage && piece.microBatch > 0)
                    return static_cast<int>(piece.column);
            return -1;
        };
        QCOMPARE(firstOf(3), 3);
        // Which it waits for: the first micro-batch, which passes the stages before it.
        auto* follow = Story::named<QSpinBox>(pipeline, "Follow");
        follow->setFocus();
        QTest::keyClick(follow, Qt::Key_Up);
        story.waitUntilIdle();
        const std::vector<SlotPiece> way = wayIn(diagram);
        QCOMPARE(way.size(), std::size_t{8}); // F1 and B1 in four stages
        for (int stage = 0; stage < 4; ++stage) {
            QCOMPARE(way[static_cast<std::size_t>(stage)].stage, stage);
            QCOMPARE(way[static_cast<std::size_t>(stage)].label(), std::string("F1"));
            QCOMPARE(way[static_cast<std::size_t>(stage)].column, static_cast<std::size_t>(stage));
        }
        QCOMPARE(way.back().label(), std::string("B1"));
        QCOMPARE(way.back().stage, 0);
        QCOMPARE(way.back().column, std::size_t{6});
        story.picture("micro-batch");

        // The same way over the IPUs in the trace.
        story.openReport(Report::Trace);
        auto& trace = story.view<TraceView>(Report::Trace);
        QTRY_VERIFY(!trace.plot().followed().empty()); // the step in sight, and the next one
        const LaneWay stops = trace.plot().followed().front();
        QCOMPARE(stops.size(), std::size_t{7}); // F1 and B1 of the last stage are one function
        for (std::size_t i = 0; i + 1 < stops.size(); ++i)
            QVERIFY(stops[i].range.end <= stops[i + 1].range.begin);
        QCOMPARE(stops[3].label, "F1 B1");
        // Folded, all IPUs are in sight.
        trace.plot().setFocus();
        QTest::keyClick(&trace.plot(), Qt::Key_Space, Qt::ShiftModifier);
        story.waitUntilIdle();
        story.picture("micro-batch-trace");

        // Four times as many micro-batches between two weight updates.
        const double before = bubblesOf(diagram);
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text().startsWith("Run again with &other"))
                action->trigger();
        QTRY_VERIFY(window.findChild<gui::RunDialog*>()->isVisible());
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Search options"), "accumulation");
        gui::OptionEditor& accumulation =
            *test::child<gui::OptionForm>(story.dialog()).editor("gradientAccumulation");
        Story::type(static_cast<QLineEdit&>(accumulation.editor()), "40");
        story.run("forty");
        auto& compare = story.view<CompareView>(Report::Compare);
        QVERIFY(compare.isVisible());
        story.openReport(Report::Pipeline);
        const double after = bubblesOf(pipeline.targetDiagram());
        QVERIFY2(after > 0 && after < 0.35 * before,
                 qPrintable(QStringLiteral("%1 of %2").arg(after).arg(before)));
        follow->setFocus();
        QTest::keyClick(follow, Qt::Key_Up);
        story.waitUntilIdle();
        QCOMPARE(wayIn(pipeline.targetDiagram()).size(), way.size()); // in both
        QCOMPARE(wayIn(diagram).size(), way.size());
        story.picture("micro-batch-compare");

        // Both runs are candidates: the arrow keys show one, or both.
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text() == "Candidates")
                action->trigger();
        story.waitUntilIdle();
        QTableView& runs = window.candidates().table().view();
        QTRY_COMPARE(runs.model()->rowCount(), 2);
        QVERIFY(Story::rowWith(runs, "source") >= 0);
        story.picture("candidates");
    }
};

TILESCOPE_TEST(BubblesStory, QApplication)

} // namespace bubbles_test

#include "bubbles_test.moc"
