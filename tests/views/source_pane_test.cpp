// The user's code in the operations report.
#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <QToolButton>
#include <array>
#include <cmath>
#include <limits>

#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/open_in_editor.h"
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

    // A window may restore a page while its profile is still being opened.
    void pagesWaitForAProfile() {
        OperationsView view(*context_);
        view.resize(1200, 760);
        view.show();
        for (const char* page : {"Graph", "Roofline", "Flame", "Source", "Table", "Source"}) {
            QTest::mouseClick(&test::button(view, page), Qt::LeftButton);
            settle();
        }
        view.code().libraries().toggle();
        settle();
        QCOMPARE(view.code().files().count(), 0);
        open({files_.writeProfile("lines.pop", sampleWithLines("a\nb\nc\nd\n", 4))});
        settle();
        QVERIFY(view.code().files().count() >= 2);
        QTest::mouseClick(&test::button(view, "Flame"), Qt::LeftButton);
        settle();
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

    void aLineWithoutCostsHasNoDetails() {
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n\n\n", 4));
        CodeView& code = view->code().code();
        QTest::keyClick(&code, Qt::Key_Home);
        settle();
        QVERIFY(view->tabs().isVisible());
        QTest::keyClick(&code, Qt::Key_End);
        settle();
        QVERIFY(!view->tabs().isVisible());
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
                ofLines += line.cost;
        QVERIFY(ofRows > 0);
        QCOMPARE(ofLines, ofRows);
        QCOMPARE(ofLines + all.noLine, all.total);
    }

    void everyMetricIsThatOfOperations_data() {
        QTest::addColumn<bool>("executed");
        QTest::newRow("of a run") << true;
        QTest::newRow("of one execution") << false;
    }
    void everyMetricIsThatOfOperations() {
        QFETCH(bool, executed);
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        if (!executed)
            profile.trace = {};
        const auto made = ProfileView::of(profile);
        const auto rows = costRows(*made, *accountingOf(*made), CostLayer::Place);
        const OperationsReport report = reportOf(ProfilePair(made));
        std::array<std::int64_t, codeMetrics> wanted{};
        for (const CostRow& row : rows) {
            wanted[0] += executed ? row.measuredCycles : row.cyclesOnce();
            wanted[1] += std::llround(executed ? row.flops : row.flopsOnce);
            wanted[2] += executed ? row.bytesExchanged : row.bytesOnce;
            wanted[3] += row.memory.code();
            wanted[4] += row.memory.alwaysLive;
        }
        for (std::size_t i = 0; i < codeMetrics; ++i) {
            const CodeFiles all = codeFiles(report, static_cast<CodeMetric>(i));
            std::int64_t ofLines = all.noLine;
            for (const CodeFile& file : all.files)
                for (const CodeLine& line : file.lines)
                    ofLines += line.cost;
            QVERIFY(wanted[i] > 0);
            QCOMPARE(ofLines, wanted[i]);
            QCOMPARE(all.total, wanted[i]);
        }
    }

    // A line that calls itself has its cycles once; one that only calls is there.
    void callersHaveWhatTheyCall() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const SourceFileId script = profile.source.files.add({"/home/me/train.py", {}, "x\ny\n"});
        const SourceFrameId outer = profile.source.frames.add({{}, script, 2, "<module>"});
        const SourceFrameId first = profile.source.frames.add({outer, script, 1, "again"});
        const SourceFrameId again = profile.source.frames.add({first, script, 1, "again"});
        for (ModelNode& node : profile.modelGraph.nodes)
            node.source.frame = again;
        const auto made = ProfileView::of(profile);
        const CodeFiles all = codeFiles(reportOf(ProfilePair(made)));
        const CodeFile& file = all.files.at(0);
        QCOMPARE(file.name, QString("train.py"));
        QCOMPARE(file.columns.at(3), CodeColumn::Called);
        QVERIFY(file.lines[0].cost > 0 && file.lines[1].cost == 0);
        QCOMPARE(file.lines[0].figure(3), file.lines[0].cost);
        QCOMPARE(file.lines[1].figure(3), file.lines[0].cost);
    }

    // Figures of any size: a file may have them.
    void endlessFlopsStayANumber() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        for (Operation& operation : profile.operations)
            operation.flops = 1e300;
        const CodeFiles all =
            codeFiles(reportOf(ProfilePair(ProfileView::of(profile))), CodeMetric::Flops);
        QCOMPARE(all.total, std::numeric_limits<std::int64_t>::max());
        for (const CodeFile& file : all.files)
            for (const CodeLine& line : file.lines)
                QVERIFY(line.cost >= 0);
    }

    // Thousands of frames, each with an operation: their stacks together have millions.
    void deepStacksHaveWhatTheyCall() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        constexpr int depth = 20'000;
        const SourceFileId script = profile.source.files.add({"/home/me/deep.py", {}, {}});
        SourceFrameId inner;
        for (int line = 1; line <= depth; ++line)
            inner = profile.source.frames.add({inner, script, line, "deep"});
        for (ModelNode& node : profile.modelGraph.nodes)
            node.source.frame = inner;
        const auto made = ProfileView::of(profile);
        const CodeFile file = codeFiles(reportOf(ProfilePair(made))).files.at(0);
        QCOMPARE(file.lines.size(), static_cast<std::size_t>(depth));
        for (const CodeLine& line : file.lines)
            QCOMPARE(line.figure(3), file.lines.back().cost);
    }

    void theMetricIsChosen() {
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n", 4));
        SourcePane& pane = view->code();
        const auto choose = [&](CodeMetric metric) {
            pane.metric().setCurrentIndex(static_cast<int>(metric));
            emit pane.metric().activated(static_cast<int>(metric));
        };
        QVERIFY(pane.waits().isVisibleTo(&pane));
        choose(CodeMetric::AlwaysLive);
        QCOMPARE(pane.code().file()->columns, std::vector{CodeColumn::Amount});
        QVERIFY(!pane.waits().isVisibleTo(&pane));
        const int hot = pane.code().nextHot(1);
        QVERIFY(hot >= 0);
        QVERIFY2(pane.code().textOf(hot).contains("Always-live bytes: "),
                 qPrintable(pane.code().textOf(hot)));
        QVERIFY(!pane.code().grab().isNull());
        pane.code().setCurrent(hot);
        choose(CodeMetric::Cycles);
        QCOMPARE(pane.code().file()->columns.front(), CodeColumn::Forward);
        QCOMPARE(pane.code().current(), hot);
    }

    void anEditorIsStartedWithoutAShell() {
        QCOMPARE(editorWords("code --goto {file}:{line}", "/a b/$(x).py", 7),
                 QStringList({"code", "--goto", "/a b/$(x).py:7"}));
        QCOMPARE(editorWords("vim +{line}", "/a.py", 7), QStringList({"vim", "+7", "/a.py"}));
        QCOMPARE(editorWords("\"my editor\" -n", "/{line}.py", 7),
                 QStringList({"my editor", "-n", "/{line}.py"}));
        QCOMPARE(editorWords("code {file}", "/{line}.py", 7), QStringList({"code", "/{line}.py"}));
        QVERIFY(openInEditor({}, "/a.py", 1).contains("Preferences"));
        for (const char* file : {"net.py", "/nowhere/net.py", "<ipython-input-3>", ""})
            QVERIFY(openInEditor("true", file, 1).contains("not on this machine"));
        QVERIFY(openInEditor("true", "/dev/null", 1).contains("not a file"));
        const QString file = files_.writeBytes("edited.py", "x\n");
        QVERIFY(openInEditor("/nowhere/editor", file, 1).contains("cannot be started"));
        const QString seen = files_.path("seen");
        QCOMPARE(openInEditor("cp {file} \"" + seen + "\"", file, 1), QString());
        QTRY_VERIFY(QFile::exists(seen));
    }

    void theLineIsOpenedInTheEditor() {
        const auto view = showCode(sampleWithLines("a\nb\nc\nd\n", 4));
        QSignalSpy told(&view->code(), &SourcePane::status);
        QTest::keyClick(&view->code().code(), Qt::Key_F8);
        QTest::keyClick(&view->code().code(), Qt::Key_E);
        QCOMPARE(told.count(), 1);
        context_->preferences.setEditor("true {file}");
        QTest::keyClick(&view->code().code(), Qt::Key_E);
        QCOMPARE(told.count(), 2);
        QVERIFY(told.at(1).at(0).toString().contains("/home/me/net.py"));
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
        QCOMPARE(files.count(), 3); // also those that call it
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
