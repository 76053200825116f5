// A PyTorch user finds the line that costs too much, edits it, and sees what that changed.
#include "tests/support/test_main.h"
#include "tests/views/stories/scripts.h"
#include "tests/views/stories/story.h"
#include "views/operations/operations_view.h"

namespace source_lines_story_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class SourceLinesStory : public QObject {
    Q_OBJECT

    test::Scripts scripts_;

    static CodeLine line(const CodeView& code, const QString& text) {
        for (const CodeLine& line : code.file()->lines)
            if (line.text.contains(text))
                return line;
        qFatal("no line has %s", qPrintable(text));
    }
    static OperationsView& showSource(Story& story) {
        story.openReport(Report::Operations);
        auto& view = story.view<OperationsView>(Report::Operations);
        Story::press(*Story::find<QToolButton>(view, "Source"));
        story.waitUntilIdle();
        test::choose(view, "File", "model.py");
        return view;
    }

private slots:
    void theCostlyLineIsFoundAndMended() {
        const QStringList code = test::Scripts::codeOf("source_lines.md");
        QCOMPARE(code.size(), 4);
        scripts_.write("model.py", code[0]);
        scripts_.write("train.py", code[1]);
        const QString before = scripts_.profileOf("before");
        if (before.isEmpty())
            QSKIP("PyTorch or the Python packages are not there");
        const QString norm = QStringLiteral("self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)");
        scripts_.write("model.py",
                       QString(code[0])
                           .replace("self.norm = nn.LayerNorm(channels)", code[2].trimmed())
                           .replace("x = " + norm, code[3].trimmed()));
        const QString after = scripts_.profileOf("after");

        // The norm costs as much as the convolution, forward and backward.
        Story story;
        test::openProfiles(story.window(), {before});
        OperationsView& view = showSource(story);
        CodeView& lines = view.code().code();
        const CodeLine costly = line(lines, norm);
        const CodeLine convolution = line(lines, "x = self.mix(x)");
        QCOMPARE(costly.number, 13);
        QVERIFY(costly.cost > 9 * convolution.cost / 10);
        QVERIFY(costly.figure(0) > 0 && costly.figure(1) > costly.figure(0));
        lines.setFocus();
        while (lines.current() != costly.number - 1) {
            const int at = lines.current();
            QTest::keyClick(&lines, Qt::Key_F8);
            QVERIFY(lines.current() > at); // one hot line after the other
        }
        story.waitUntilIdle();
        QVERIFY(story.window().context().selection.current().operation.valid());
        story.picture("source-lines");

        // Its steps put operands in order.
        QVERIFY(view.tabs().isVisible());
        const TableModel& steps = view.tabs().steps().model();
        QStringList names;
        for (int row = 0; row < steps.rowCount(); ++row)
            names << steps.index(row, 0).data().toString();
        QVERIFY2(names.join('\n').contains("PreArrange"), qPrintable(names.join('\n')));

        // The flame graph has the same.
        Story::press(*Story::find<QToolButton>(view, "Flame graph"));
        story.waitUntilIdle();
        view.flame().search().setText("model.py:13");
        QCOMPARE(view.flame().flame().markedWeight(), costly.cost);
        story.picture("source-flame");

        // After the edit: the change of each line.
        const std::int64_t cycles = costly.cost;
        test::openProfiles(story.window(), {before, after});
        showSource(story);
        const CodeLine edited = line(lines, "x = self.norm(x)");
        QVERIFY(lines.file()->comparing());
        QVERIFY(edited.number == 0 && edited.targetNumber == 13);
        QCOMPARE(edited.edited, 13);
        QCOMPARE(edited.figure(0), cycles); // of the line that it was
        QVERIFY(edited.figure(1) < 6 * cycles / 10);
        QCOMPARE(edited.figure(2), edited.figure(1) - cycles);
        const CodeLine same = line(lines, "x = self.mix(x)");
        QVERIFY(same.number > 0 && same.targetNumber > 0);
        QVERIFY(std::abs(same.figure(2)) < same.figure(0) / 20);
        story.picture("source-compare");
    }
};

TILESCOPE_TEST(SourceLinesStory, QApplication)

} // namespace source_lines_story_test

#include "source_lines_test.moc"
