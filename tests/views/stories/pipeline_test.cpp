// A pipeline whose stages are not equally long: seen, split anew, compared.
#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/execution/trace_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/tables/table_panel.h"

namespace pipeline_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class PipelineStory : public QObject {
    Q_OBJECT

private slots:
    void thePipelineIsSplitAnew() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        gui::RunDialog& dialog = story.dialog();
        Story::type(*Story::named<QLineEdit>(dialog, "Model"),
                    Story::job("resnet50_pipelined.json"));
        Story::type(*Story::named<QLineEdit>(dialog, "Search options"), "split");
        Story::type(
            static_cast<QLineEdit&>(test::child<gui::OptionForm>(dialog).editor("split")->editor()),
            "layer2,layer3,layer4");
        story.run("by-layers");

        // Pipeline: the loss, and the stage that causes it.
        story.openReport(Report::Pipeline);
        auto& pipeline = story.view<PipelineView>(Report::Pipeline);
        for (const char* text : {"Another split would shorten the run by ", "--split "})
            Story::verifyReads(pipeline, text);
        // The bar paints its words itself.
        const auto shareOf = [&](const QString& name) {
            for (const ShareBar::Part& part : pipeline.findChild<ShareBar*>()->parts())
                if (part.name == name)
                    return part.share;
            return 0.0;
        };
        QVERIFY(shareOf("Bubbles: no stage to run") > 0.01);
        QVERIFY(shareOf("Waits for a longer stage") > 0.1);
        QTableView& stages = pipeline.findChild<TablePanel*>()->view();
        const int longest = Story::rowWith(stages, "longest");
        QVERIFY(longest >= 0);

        story.picture("pipeline");

        // The longest stage has its place in the trace.
        SlotDiagram& diagram = pipeline.diagram();
        QComboBox* widths = Story::named<QComboBox>(pipeline, "Slot widths");
        widths->setFocus();
        QTest::keyClick(widths, Qt::Key_Down);
        story.waitUntilIdle();
        const auto& pieces = diagram.schedule().pieces;
        const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const SlotPiece& p) {
            return p.stage == longest && p.call.valid();
        });
        QVERIFY(piece != pieces.end());
        const QPoint at =
            diagram.rectOf(static_cast<int>(piece - pieces.begin())).center().toPoint();
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, at);
        Story::verifyReads(pipeline, QStringLiteral("of stage %1 on IPU %1").arg(longest));
        Story::press(*Story::find<QToolButton>(pipeline, "Show in Execution Trace"));
        story.waitUntilIdle();
        auto& trace = story.view<TraceView>(Report::Trace);
        QVERIFY(trace.isVisible());
        QTRY_COMPARE(trace.plot().markers().size(), std::size_t(1));

        // Insights say the same in words.
        story.openReport(Report::Insights);
        QWidget& card = Story::cardWith(window.view(Report::Insights), "Stages wait for stage ");
        Story::verifyReads(card, QStringLiteral("Stages wait for stage %1").arg(longest));

        // The better split, run from the page that names it.
        story.openReport(Report::Pipeline);
        Story::press(*Story::find<QPushButton>(pipeline, "Run again with it \u2026"));
        const QString split = QString::fromStdString(
            test::child<gui::OptionForm>(story.dialog()).editor("split")->value());
        QVERIFY(!split.isEmpty() && split != "layer2,layer3,layer4");
        Story::verifyReads(pipeline, "--split " + split);
        QVERIFY2(story.dialog().commandLine().contains(split),
                 qPrintable(story.dialog().commandLine()));
        story.run("better");

        // Compared: less time, and the longest stage is shorter.
        auto& compare = story.view<CompareView>(Report::Compare);
        QVERIFY(compare.isVisible());
        const views::VerdictFigure& time = compare.overview().verdict().figures()[1];
        QVERIFY2(time.level == views::VerdictFigure::Level::Good &&
                     time.detail.contains(" less time"),
                 qPrintable(time.detail));
        const QString changed = Story::differences(story.window());
        QVERIFY2(changed.startsWith("split layer2,layer3,layer4 \u2192 "), qPrintable(changed));
        story.openReport(Report::Pipeline);
        story.waitUntilIdle();
        Story::verifyReads(pipeline, "Target: resnet50 on mk2");
        story.picture("pipeline-compare");
        QVERIFY(pipeline.diagram().isVisible() && pipeline.targetDiagram().isVisible());
        // Cycles of the stage that was longest: source, target, difference.
        QVERIFY2(Story::cell(stages, longest, 3).startsWith(QChar(0x2212)),
                 qPrintable(Story::cell(stages, longest, 3)));
    }
};

TILESCOPE_TEST(PipelineStory, QApplication)

} // namespace pipeline_test

#include "pipeline_test.moc"
