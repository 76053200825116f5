// A sum that spends its time on putting an operand in order: seen, named, removed, compared.
#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/execution/step_panel.h"
#include "views/execution/trace_view.h"

namespace strided_copies_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class StridedCopiesStory : public QObject {
    Q_OBJECT

    // The step that takes most of the screen, as the pointer finds it along the rows.
    static QPoint widestStep(TracePlot& plot) {
        const QRect area = plot.axisRect()->rect();
        QPoint widest;
        std::int64_t most = 0;
        for (int y = area.top() + 4; y < area.bottom(); y += TracePlot::lowestRow)
            for (int x = area.left() + 1; x < area.right(); x += 3) {
                const TracePlottable::Hit hit =
                    plot.trace().hit(plot.xAxis->pixelToCoord(x), plot.yAxis->pixelToCoord(y));
                if (hit.box == nullptr || hit.box->look != TraceBox::Look::Step ||
                    hit.box->kind != ProgramKind::OnTileExecute || hit.box->cycles() <= most)
                    continue;
                most = hit.box->cycles();
                widest = {x, y};
            }
        return widest;
    }
    static QString detail(const TraceView& trace, const QString& name) {
        const ValueTreeModel& model =
            test::child<ValueTreeView>(test::child<StepPanel>(trace)).values();
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0, {}).data().toString() == name)
                return model.index(row, 1, {}).data().toString();
        return {};
    }

private slots:
    void aSumIsWrittenTheOtherWayRound() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Model"),
                    Story::job("plain_plus_transposed.json"));
        story.run("plain");

        // The trace: most of the time is one box.
        story.openReport(Report::Trace);
        auto& trace = story.view<TraceView>(Report::Trace);
        TracePlot& plot = trace.plot();
        const QPoint box = widestStep(plot);
        QVERIFY(!box.isNull());
        QTest::mouseClick(&plot, Qt::LeftButton, {}, box);
        story.waitUntilIdle();
        const QString copy = detail(trace, "Name");
        QVERIFY2(copy.contains("PreArrange"), qPrintable(copy));
        QCOMPARE(plot.markers().size(), std::size_t(1));
        const PlotWidget::Marker place = plot.markers().front();
        const double before = window.context().timeZoom.span();
        Story::wheel(plot, box, 240);
        QVERIFY(window.context().timeZoom.span() < before);
        QVERIFY(plot.xAxis->range().contains((place.from + place.to) / 2));
        QTest::keyClick(&plot, Qt::Key_F);
        QTest::keyClick(&plot, Qt::Key_Escape);

        // Insights names it, with both orders and the remedy.
        story.openReport(Report::Insights);
        QWidget& card = Story::cardWith(window.view(Report::Insights), "of its cycles on strided");
        for (const char* text :
             {"Swap the operands of ", "order it has", "order it needs", "estimated gain, at most"})
            Story::verifyReads(card, text);
        Story::press(*Story::find<QPushButton>(card, "Show in Execution Trace"));
        story.waitUntilIdle();
        QVERIFY(trace.isVisible());
        QTRY_COMPARE(plot.markers().size(), std::size_t(1));
        QCOMPARE(plot.markers().front().from, place.from);
        QCOMPARE(plot.markers().front().to, place.to);
        QTRY_COMPARE(detail(trace, "Name"), copy);
        // Nearer, until the copy can be read beside the addition.
        for (int notch = 0; notch < 12; ++notch)
            Story::wheel(plot, {plot.xAxis->coordToPixel(place.to), plot.height() / 2.0}, 120);
        QVERIFY(plot.xAxis->coordToPixel(place.to) - plot.xAxis->coordToPixel(place.from) > 100);
        story.picture("strided-trace");

        // The same sum the other way round, from the card.
        story.openReport(Report::Insights);
        Story::press(*Story::named<QPushButton>(
            Story::cardWith(window.view(Report::Insights), "of its cycles on strided"),
            "Run again with another model \u2026"));
        auto* model = Story::named<QLineEdit>(story.dialog(), "Model");
        QTRY_VERIFY(model->hasFocus());
        Story::type(*model, Story::job("transposed_plus_plain.json"));
        story.run("transposed");

        // Compared: the time went to the copies.
        auto& compare = story.view<CompareView>(Report::Compare);
        QVERIFY(compare.isVisible());
        const auto& verdict = compare.overview().verdict().figures();
        QVERIFY(verdict[0].detail.startsWith("Both fit"));
        QVERIFY2(verdict[1].detail.contains(" less time"), qPrintable(verdict[1].detail));
        QTableView& causes = compare.overview().cycles().view();
        const int cause = Story::rowWith(causes, "Strided copies", 1);
        QCOMPARE(cause, 0);
        QVERIFY2(Story::cell(causes, cause, 2).contains(QStringLiteral("\u2212100.0 %")),
                 qPrintable(Story::cell(causes, cause, 2)));

        // Its place in both executions.
        Story::clickRow(causes, cause);
        Story::press(*Story::find<QToolButton>(compare, "Source in trace"));
        story.waitUntilIdle();
        QVERIFY(trace.isVisible());
        QTRY_COMPARE(detail(trace, "Name"), copy);
        story.openReport(Report::Compare);
        Story::clickRow(causes, cause);
        Story::press(*Story::find<QToolButton>(compare, "Target in trace"));
        story.waitUntilIdle();
        QVERIFY(trace.isVisible());
        QTRY_COMPARE(detail(trace, "Name"), "add/Op/Add");
        story.picture("strided-compare");
        // No card of the target speaks of copies any more.
        story.openReport(Report::Insights);
        const QStringList texts = Story::textsOf(window.view(Report::Insights));
        QCOMPARE(texts.filter("of its cycles on strided").size(), 1);
    }
};

TILESCOPE_TEST(StridedCopiesStory, QApplication)

} // namespace strided_copies_test

#include "strided_copies_test.moc"
