// The user's code in the operations report.
#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>

#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"

namespace source_pane_test {
using namespace tilescope;
using namespace tilescope::views;
using test::text;

namespace {

/// The sample with lines: each operation at one of `lines` lines of the first file.
Profile withLines(const std::string& code, int lines) {
    Profile profile = test::sampleProfile();
    const SourceFileId mine = profile.source.files.add({"/home/me/net.py", {}, code});
    const SourceFileId other = profile.source.files.add({"/home/me/loss.py", {}, {}});
    std::int32_t line = 0;
    for (ModelNode& node : profile.modelGraph.nodes) {
        const SourceFileId file = node.name == "prob" ? other : mine;
        node.source.frame = profile.source.frames.add({{}, file, 1 + line++ % lines, "forward"});
    }
    return profile;
}

} // namespace

class SourcePaneTest : public test::ReportAlone {
    Q_OBJECT

    std::unique_ptr<OperationsView> showCode(const Profile& profile) {
        auto view = show<OperationsView>({files_.writeProfile("lines.pop", profile)});
        QTest::mouseClick(&test::button(*view, "Source"), Qt::LeftButton);
        settle();
        return view;
    }

private slots:
    void init() { newContext(); }

    void filesAreSortedByCost() {
        const auto view = showCode(withLines("a\nb\nc\nd\n", 4));
        QComboBox& files = view->code().files();
        QCOMPARE(files.count(), 2);
        QCOMPARE(files.itemText(0), "net.py");
        QCOMPARE(files.itemText(1), "loss.py");
    }

    void aLineShowsItsOperations() {
        const auto view = showCode(withLines("a\nb\nc\nd\n", 4));
        CodeView& code = view->code().code();
        QSignalSpy chosen(&view->code(), &SourcePane::chosen);
        QTest::keyClick(&code, Qt::Key_F8);
        settle();
        QCOMPARE(chosen.count(), 1);
        QVERIFY(chosen.at(0).at(0).toInt() >= 0);
        QVERIFY(code.current() >= 0);
        const int first = code.current();
        QTest::keyClick(&code, Qt::Key_F8);
        QVERIFY(code.current() > first || code.nextHot(1) < 0);
        QTest::keyClick(&code, Qt::Key_F8, Qt::ShiftModifier);
        QCOMPARE(code.current(), first);
    }

    void aSelectedOperationMarksItsLine() {
        const auto view = showCode(withLines("a\nb\nc\nd\n", 4));
        QCOMPARE(view->code().code().current(), -1);
        context_->selection.update([](Selected& s) { s.operation = OperationId(1); });
        settle();
        QCOMPARE(view->code().code().current(), 1);
    }

    void everyLineHasItsCyclesOnce() {
        const Profile profile = withLines("a\nb\nc\nd\n", 4);
        const auto made = ProfileView::of(profile);
        const auto accounting = accountingOf(*made);
        const auto rows = costRows(*made, *accounting, CostLayer::Line);
        std::int64_t ofRows = 0;
        for (const CostRow& row : rows)
            ofRows += row.source.valid() ? row.measuredCycles : 0;
        std::int64_t ofLines = 0;
        for (const CodeFile& file : codeFiles(SourceNames(*made), rows, true))
            for (const CodeLine& line : file.lines)
                ofLines += line.cycles;
        QVERIFY(ofRows > 0);
        QCOMPARE(ofLines, ofRows);
    }

    void withoutLinesItSaysSo() {
        const auto view = showCode(test::sampleProfile());
        QVERIFY(!view->code().code().isVisible());
        QCOMPARE(view->code().files().count(), 0);
    }

    void hiddenCharactersAreShown() {
        QCOMPARE(plainCode(QStringLiteral("a\u202eb\x01")), "a<U+202E>b<U+0001>");
        QCOMPARE(plainCode(QStringLiteral("a\tb")), "a   b");
        QCOMPARE(plainCode(QString(10000, 'x')).size(), 4097);
    }

    void aLargeFileIsOnlyPaintedWhereItIsSeen() {
        std::string code;
        for (int i = 0; i < 200000; ++i)
            code += "x = " + std::to_string(i) + "\n";
        const auto view = showCode(withLines(code, 150000));
        CodeView& lines = view->code().code();
        lines.setFocus();
        QTest::keyClick(&lines, Qt::Key_End);
        QCOMPARE(lines.current(), 200000); // the last one is empty
        QVERIFY(!lines.grab().isNull());
    }

    void linesBeyondTheTextAreKept() {
        const Profile profile = withLines("a\n", 4); // the file has changed since
        const auto made = ProfileView::of(profile);
        const auto rows = costRows(*made, *accountingOf(*made), CostLayer::Line);
        const auto files = codeFiles(SourceNames(*made), rows, true);
        QVERIFY(files.at(0).lines.back().number > 2);
    }
};

TILESCOPE_TEST(SourcePaneTest, QApplication)

} // namespace source_pane_test

#include "source_pane_test.moc"
