// The user's code in the operations report.
#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>
#include <limits>

#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"
#include "views/widgets/thing_places.h"

namespace source_pane_test {
using namespace tilescope;
using namespace tilescope::views;
using test::sampleWithLines;
using test::text;

class SourcePaneTest : public test::ReportAlone {
    Q_OBJECT

    std::unique_ptr<OperationsView> showCode(const Profile& profile) {
        auto view = show<OperationsView>({files_.writeProfile("lines.pop", profile)});
        QTest::mouseClick(&test::button(*view, "Source"), Qt::LeftButton);
        settle();
        return view;
    }

    static OperationsReport reportOf(const ProfilePair& profiles, bool waitsByCause = false) {
        GroupChoice choice{CostLayer::Line};
        choice.waitsByCause = waitsByCause;
        return readOperations(profiles, choice, {});
    }
    static ProfilePair pairOf(const ProfileViewPtr& source, const ProfileViewPtr& target) {
        return ProfilePair(source, target);
    }

    const Profile before_ = sampleWithLines("aaaa\nbbbb\ncccc\ndddd", 4);
    const Profile after_ = sampleWithLines("bbbb\nmore\ncccc\naaaa\ndddd", 5);

private slots:
    void init() { newContext(); }

    void filesAreSortedByCost() {
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n", 4));
        QComboBox& files = view->code().files();
        QCOMPARE(files.count(), 2);
        QCOMPARE(files.itemText(0), "net.py");
        QCOMPARE(files.itemText(1), "loss.py");
    }

    void aLineShowsItsOperations() {
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n", 4));
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
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n", 4));
        QCOMPARE(view->code().code().current(), -1);
        context_->selection.update([](Selected& s) { s.operation = OperationId(1); });
        settle();
        QCOMPARE(view->code().code().current(), 1);
    }

    void everyLineHasItsCyclesOnce() {
        const Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const auto made = ProfileView::of(profile);
        const auto accounting = accountingOf(*made);
        const auto rows = costRows(*made, *accounting, CostLayer::Line);
        std::int64_t ofRows = 0;
        for (const CostRow& row : rows)
            ofRows += row.source.valid() ? row.measuredCycles : 0;
        std::int64_t ofLines = 0;
        const CodeFiles all = codeFiles(reportOf(ProfilePair(made)));
        for (const CodeFile& file : all.files)
            for (const CodeLine& line : file.lines)
                ofLines += line.cycles;
        QVERIFY(ofRows > 0);
        QCOMPARE(ofLines, ofRows);
        QCOMPARE(ofLines + all.noLine, all.total);
    }

    void withoutLinesItSaysSo() {
        const auto view = showCode(test::sampleProfile());
        QVERIFY(!view->code().code().isVisible());
        QCOMPARE(view->code().files().count(), 0);
    }

    // The sums stay those of Operations: waits go from "no line" to lines.
    void waitsGoToWhatCausesThem() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const SourceFileId script = profile.source.files.add({"/home/me/train.py", {}, "x\ny\n"});
        for (const SourceAnchorKind kind : {SourceAnchorKind::Model, SourceAnchorKind::Call})
            profile.source.anchors.push_back(
                {kind, profile.source.frames.add(
                           {{}, script, kind == SourceAnchorKind::Model ? 1 : 2, "<module>"})});
        const auto made = ProfileView::of(profile);
        const CodeFiles apart = codeFiles(reportOf(ProfilePair(made)));
        const CodeFiles caused = codeFiles(reportOf(ProfilePair(made), true));
        QVERIFY(apart.noLine > 0);
        QCOMPARE(caused.noLine, std::int64_t{0});
        QCOMPARE(caused.total, apart.total);
        std::int64_t waits = 0;
        for (const CodeFile& file : caused.files) {
            QCOMPARE(file.columns.back(), CodeColumn::Waits);
            for (const CodeLine& line : file.lines)
                waits += line.figure(file.columns.size() - 1);
        }
        QCOMPARE(waits, apart.noLine);
    }

    void twoVersionsAreOnOneAxis() {
        const auto before = ProfileView::of(before_);
        const auto after = ProfileView::of(after_);
        const CodeFiles all = codeFiles(reportOf(pairOf(before, after)));
        const auto net = std::find_if(all.files.begin(), all.files.end(),
                                      [](const CodeFile& file) { return file.name == "net.py"; });
        QVERIFY(net != all.files.end() && net->comparing());
        QStringList shown;
        for (const CodeLine& line : net->lines)
            shown << QStringLiteral("%1|%2|%3")
                         .arg(line.number)
                         .arg(line.targetNumber)
                         .arg(line.text);
        QCOMPARE(shown, QStringList({"1|0|aaaa", "2|1|bbbb", "0|2|more", "3|3|cccc", "0|4|aaaa",
                                     "4|5|dddd"}));
        std::int64_t changes = 0;
        for (const CodeFile& file : all.files)
            for (const CodeLine& line : file.lines)
                changes += line.figure(2);
        const CodeFiles one = codeFiles(reportOf(ProfilePair(before)));
        const CodeFiles two = codeFiles(reportOf(ProfilePair(after)));
        QCOMPARE(changes, (two.total - two.noLine) - (one.total - one.noLine));
    }

    void theTwoVersionsAreShown() {
        const auto view = show<OperationsView>(
            {files_.writeProfile("before.pop", before_), files_.writeProfile("after.pop", after_)});
        QTest::mouseClick(&test::button(*view, "Source"), Qt::LeftButton);
        settle();
        CodeView& code = view->code().code();
        QVERIFY(code.isVisible() && code.file()->comparing());
        QVERIFY(!view->code().waits().isVisible());
        QVERIFY(!code.grab().isNull());
    }

    void linesOfLibrariesAreShownOnRequest() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const SourceFileId library =
            profile.source.files.add({"torch/nn/linear.py", SourceOrigin::Library, {}});
        for (ModelNode& node : profile.modelGraph.nodes)
            node.source.frame =
                profile.source.frames.add({node.source.frame, library, 114, "forward"});
        const auto view = showCode(profile);
        QComboBox& files = view->code().files();
        QCOMPARE(files.findText("torch/nn/linear.py"), -1);
        QTest::mouseClick(&view->code().libraries(), Qt::LeftButton);
        settle();
        QCOMPARE(files.count(), 1);
        QCOMPARE(files.itemText(0), "torch/nn/linear.py");
        QTest::mouseClick(&view->code().libraries(), Qt::LeftButton);
        settle();
        QCOMPARE(files.findText("torch/nn/linear.py"), -1);
    }

    void thingsLeadToTheirLine() {
        const Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const auto made = ProfileView::of(profile);
        QVERIFY(mayHaveSourceLine(*made, Selected(ProgramId(0))));
        QVERIFY(!mayHaveSourceLine(*made, Selected(TileId(0))));
        const Profile without = test::sampleProfile();
        QVERIFY(!mayHaveSourceLine(*ProfileView::of(without), Selected(OperationId(0))));
        const auto view = showCode(profile);
        QSignalSpy wanted(view.get(), &ReportView::reportWanted);
        QSignalSpy told(view.get(), &ReportView::status);
        showSourceLine(*view, *context_, Selected(OperationId(2)));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.at(0).at(0).toString(), "operations:Source");
        settle();
        QCOMPARE(view->code().code().current(), 2);
        showSourceLine(*view, *context_, Selected(TileId(1)));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(told.count(), 1);
    }

    // Names, texts, functions and numbers as no program has them, all in one profile.
    void anySourceIsHarmless() {
        struct Source {
            std::string name;
            std::string code;
            std::int32_t line = 1;
        };
        const std::string plain = "a\nb\n";
        const std::vector<Source> sources{
            {"bytes.py", std::string(64, '\xff')},
            {"zeros.py", std::string(4096, '\0')},
            {"long.py", std::string(1 << 20, 'x')},
            {"ends.py", std::string(1 << 17, '\n'), 70000},
            {"C:\\net.py", "a\r\nb\r\n", 2},
            {"\u202enet.py", "\u202e\u2066if admin:\u2069\n"},
            {"a\nb\tc.py", plain},
            {std::string(5000, 'n'), plain},
            {"", plain},
            {"<b>&amp;</b>.py", "<img src=x>\n"},
            {"beyond.py", plain, std::numeric_limits<std::int32_t>::max()},
            {"before.py", plain, 0}};
        Profile profile = test::sampleProfile();
        std::size_t at = 0;
        std::vector<SourceFrameId> frames;
        for (const Source& each : sources)
            frames.push_back(profile.source.frames.add(
                {{}, profile.source.files.add({each.name, {}, each.code}), each.line, each.name}));
        for (ModelNode& node : profile.modelGraph.nodes)
            node.source.frame = frames[at++ % frames.size()];
        for (SourceFrameId frame : frames) // all have costs, in the stack of others
            if (frame != frames.front())
                profile.source.frames[frame].parent = SourceFrameId(frame.index() - 1);
        const QString one = files_.writeProfile("one.pop", profile);
        for (SourceFile& file : profile.source.files)
            file.text = "b\na\n";
        const QString two = files_.writeProfile("two.pop", profile);
        for (const QStringList& open : {QStringList{one}, QStringList{one, two}}) {
            const auto view = show<OperationsView>(open);
            for (const char* page : {"Flame graph", "Source"}) {
                QTest::mouseClick(&test::button(*view, page), Qt::LeftButton);
                settle();
                QVERIFY(!view->grab().isNull());
            }
            QComboBox& files = view->code().files();
            for (int file = 0; file < files.count(); ++file) {
                files.setCurrentIndex(file);
                emit files.activated(file);
                CodeView& lines = view->code().code();
                for (const Qt::Key key : {Qt::Key_End, Qt::Key_F8, Qt::Key_Home, Qt::Key_PageDown})
                    QTest::keyClick(&lines, key);
                for (int line = -1; line <= 3; ++line)
                    static_cast<void>(lines.textOf(line));
                QVERIFY(!lines.grab().isNull());
            }
        }
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
        const auto view = showCode(sampleWithLines(code, 150000));
        CodeView& lines = view->code().code();
        lines.setFocus();
        QTest::keyClick(&lines, Qt::Key_End);
        QCOMPARE(lines.current(), 200000); // the last one is empty
        QVERIFY(!lines.grab().isNull());
    }

    void linesBeyondTheTextAreKept() {
        const Profile profile = sampleWithLines("a\n", 4); // the file has changed since
        const auto made = ProfileView::of(profile);
        const CodeFiles all = codeFiles(reportOf(ProfilePair(made)));
        QVERIFY(all.files.at(0).lines.back().number > 2);
    }
};

TILESCOPE_TEST(SourcePaneTest, QApplication)

} // namespace source_pane_test

#include "source_pane_test.moc"
