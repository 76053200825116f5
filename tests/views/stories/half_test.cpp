// Why half precision is faster, step by step: the waterfall says of what, the trace of both runs
// where, and a step leads to its counterpart.
#include <algorithm>

#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/execution/trace_view.h"

namespace half_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class HalfStory : public QObject {
    Q_OBJECT

    /// Cycles of a lane's single steps, by whether the target takes fewer or more.
    struct Changed {
        std::int64_t fewer = 0;
        std::int64_t more = 0;
    };
    static Changed changedOn(TraceView& trace, const std::string& key) {
        Changed changed;
        for (const TraceLane& lane : *trace.plot().trace().overview())
            for (const TraceRow& row : lane.rows)
                for (const TraceBox& box : row.boxes)
                    if (lane.key == key && box.tint.amount >= 0)
                        (box.tint.amount < 0.5F ? changed.fewer : changed.more) += box.cycles();
        return changed;
    }

private slots:
    void halfIsExplainedStepByStep() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Model"),
                    Story::job("tutorial_pipelined.json"));
        story.run("single");
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text().startsWith("Run again with &other"))
                action->trigger();
        QTRY_VERIFY(window.findChild<gui::RunDialog*>()->isVisible());
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Search options"), "precision");
        gui::OptionEditor& precision =
            *test::child<gui::OptionForm>(story.dialog()).editor("precision");
        precision.editor().setFocus();
        QTest::keyClick(&precision.editor(), Qt::Key_H);
        story.run("half");

        // Of what: the steps of the waterfall lead from one run to the other.
        auto& compare = story.view<CompareView>(Report::Compare);
        compare.showPage(CompareView::Page::CycleCauses);
        story.waitUntilIdle();
        const std::vector<WaterfallChart::Bar>& bars = compare.waterfall().bars();
        QVERIFY(bars.size() > 4);
        for (std::size_t i = 1; i + 1 < bars.size(); ++i)
            QVERIFY(i == 1 || bars[i].from == bars[i - 1].to);
        QVERIFY2(bars[1].name.contains("Host"), qPrintable(bars[1].name));
        QVERIFY2(bars[2].name.contains("Exchange between IPUs"), qPrintable(bars[2].name));
        story.picture("half-waterfall");

        // Where: both runs over one another, a box tinted by the cycles of its counterpart.
        story.openReport(Report::Trace);
        auto& trace = story.view<TraceView>(Report::Trace);
        test::choose(trace, "Colour by", "Change");
        story.waitUntilIdle();
        for (const char* lane : {"source ipu 0", "target ipu 0"}) {
            const Changed changed = changedOn(trace, lane);
            QVERIFY2(changed.fewer > 2 * changed.more, lane);
        }
        // Folded, all pairs are in sight.
        trace.plot().setFocus();
        QTest::keyClick(&trace.plot(), Qt::Key_Space, Qt::ShiftModifier);
        story.waitUntilIdle();
        story.picture("half-trace");

        // The copy between the IPUs: its counterpart takes about half of its cycles.
        SearchBox& search = trace.search();
        search.focus();
        search.setText("ipuCopy");
        QTest::keyClick(search.findChild<QLineEdit*>(), Qt::Key_Return);
        story.waitUntilIdle();
        QVERIFY(trace.selection().step() >= 0);
        const auto cyclesOfStep = [&](bool target) {
            const ProfileViewPtr& profile =
                target ? window.context().reports.target() : window.context().reports.source();
            return profile->trace()->stepAt(trace.selection().step()).ipus.front().cycles;
        };
        const std::int64_t single = cyclesOfStep(false);
        trace.plot().setFocus();
        QTest::keyClick(&trace.plot(), Qt::Key_C);
        story.waitUntilIdle();
        QVERIFY(trace.selection().inTarget());
        const std::int64_t half = cyclesOfStep(true);
        QVERIFY2(half * 10 > single * 4 && half * 10 < single * 6,
                 qPrintable(QStringLiteral("%1, %2").arg(single).arg(half)));
    }
};

TILESCOPE_TEST(HalfStory, QApplication)

} // namespace half_test

#include "half_test.moc"
