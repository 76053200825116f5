// The flame graph of the operations report.
#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>

#include "core/analysis/accounting/cost_rows.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"

namespace flame_pane_test {
using namespace tilescope;
using namespace tilescope::views;
using test::text;

namespace {

/// The sample; each operation at a line of its own, called from the same line.
Profile withLines() {
    Profile profile = test::sampleProfile();
    const SourceFileId file = profile.source.files.add({"/home/me/net.py", {}, {}});
    const SourceFrameId outer = profile.source.frames.add({{}, file, 90, "<module>"});
    std::int32_t line = 0;
    for (ModelNode& node : profile.modelGraph.nodes)
        node.source.frame = profile.source.frames.add({outer, file, ++line, "forward"});
    return profile;
}

} // namespace

class FlamePaneTest : public test::ReportAlone {
    Q_OBJECT

    std::unique_ptr<OperationsView> showFlame(const Profile& profile) {
        auto view = show<OperationsView>({files_.writeProfile("flame.pop", profile)});
        QTest::mouseClick(&test::button(*view, "Flame graph"), Qt::LeftButton);
        settle();
        return view;
    }
    static FlameNodeId named(const FlameView& flame, const QString& part) {
        for (std::size_t i = 0; i < flame.tree()->nodes.size(); ++i)
            if (text(flame.tree()->nodes[FlameNodeId(i)].name).contains(part))
                return FlameNodeId(i);
        qFatal("no box %s", qPrintable(part));
    }
    static void click(FlameView& flame, FlameNodeId node) {
        QTest::mouseClick(flame.viewport(), Qt::LeftButton, {},
                          flame.boxOf(node).center().toPoint());
    }

private slots:
    void init() { newContext(); }

    void aClickZoomsAndEscapeGoesBack() {
        const auto view = showFlame(withLines());
        FlameView& flame = view->flame().flame();
        QCOMPARE(flame.zoomed(), FlameNodeId(0));
        const FlameNodeId outer = named(flame, "net.py:90");
        const FlameNodeId line = named(flame, "net.py:1)");
        QVERIFY(flame.boxOf(line).width() < flame.viewport()->width());
        click(flame, outer);
        QCOMPARE(flame.zoomed(), outer);
        click(flame, line);
        QCOMPARE(flame.zoomed(), line);
        QCOMPARE(qRound(flame.boxOf(line).width()), flame.viewport()->width());
        // What is around it stays in sight.
        QCOMPARE(qRound(flame.boxOf(outer).width()), flame.viewport()->width());
        QTest::keyClick(&flame, Qt::Key_Escape);
        QCOMPARE(flame.zoomed(), outer);
        QTest::keyClick(&flame, Qt::Key_Escape);
        QCOMPARE(flame.zoomed(), FlameNodeId(0));
    }

    void theKeyboardGoesThroughTheBoxes() {
        const auto view = showFlame(withLines());
        FlameView& flame = view->flame().flame();
        flame.setFocus();
        QTest::keyClick(&flame, Qt::Key_Down);
        QCOMPARE(flame.chosen(), FlameNodeId(0));
        QTest::keyClick(&flame, Qt::Key_Down);
        const FlameNodeId first = flame.chosen();
        QCOMPARE(flame.tree()->nodes[first].parent, FlameNodeId(0));
        QTest::keyClick(&flame, Qt::Key_Right);
        QVERIFY(flame.chosen() != first);
        QTest::keyClick(&flame, Qt::Key_Left);
        QCOMPARE(flame.chosen(), first);
        QTest::keyClick(&flame, Qt::Key_Return);
        QCOMPARE(flame.zoomed(), first);
        QTest::keyClick(&flame, Qt::Key_Home);
        QCOMPARE(flame.zoomed(), FlameNodeId(0));
        QTest::keyClick(&flame, Qt::Key_Up);
        QCOMPARE(flame.chosen(), FlameNodeId(0));
    }

    void selectionGoesBothWays() {
        const auto view = showFlame(withLines());
        FlameView& flame = view->flame().flame();
        click(flame, named(flame, "net.py:1)"));
        settle();
        const OperationId chosen = selected().operation;
        QVERIFY(chosen.valid());
        QCOMPARE(flame.tree()->nodes[flame.chosen()].operation, chosen);
        QVERIFY(view->tabs().isVisible()); // the details are those of the operation
        const QImage before = flame.grab().toImage();
        context_->selection.update(
            [chosen](Selected& s) { s.operation = OperationId(chosen.value() + 1); });
        settle();
        flame.zoomTo(FlameNodeId(0));
        QVERIFY(flame.grab().toImage() != before);
    }

    void ofTwoProfilesOneIsChosen() {
        Profile after = withLines();
        after.info.model = "after";
        auto view = show<OperationsView>(
            {files_.writeProfile("flame.pop", withLines()), files_.writeProfile("b.pop", after)});
        QTest::mouseClick(&test::button(*view, "Flame graph"), Qt::LeftButton);
        settle();
        FlamePane& pane = view->flame();
        QVERIFY(pane.profileChoice().isVisible());
        QVERIFY(text(pane.flame().tree()->nodes[FlameNodeId(0)].name) != "after");
        pane.profileChoice().setCurrentIndex(1);
        emit pane.profileChoice().activated(1);
        settle();
        QCOMPARE(text(pane.flame().tree()->nodes[FlameNodeId(0)].name), "after");
        // What is selected is the source's counterpart, and comes back to the box.
        const FlameNodeId line = named(pane.flame(), "net.py:1)");
        click(pane.flame(), line);
        settle();
        QVERIFY(selected().operation.valid());
        QCOMPARE(pane.flame().chosen(), line);
        // Its items are no names of pages.
        QVERIFY(view->showSection("Source"));
        QVERIFY(!pane.isVisible());
        open({files_.write("one.pop")});
        settle();
        QVERIFY(view->showSection("Flame graph"));
        QVERIFY(pane.isVisible() && !pane.profileChoice().isVisible());
    }

    void aSearchMarksAndCountsEachPartOnce() {
        const auto view = showFlame(withLines());
        FlamePane& pane = view->flame();
        pane.search().setText(QStringLiteral("net.py"));
        const FlameView& flame = pane.flame();
        QVERIFY(flame.matches() > 2);
        std::int64_t lines = 0;
        for (const FlameNode& node : flame.tree()->nodes)
            lines += text(node.name).contains("net.py:90") ? node.weight : 0;
        QCOMPARE(flame.markedWeight(), lines);
        emit pane.search().stepWanted(true);
        QCOMPARE(flame.matchNumber(), 1);
        pane.search().setText(QStringLiteral("nothing of the kind"));
        QCOMPARE(flame.matches(), 0);
        QCOMPARE(flame.markedWeight(), 0);
    }

    void everyWeightIsShownAndSaid() {
        const auto view = showFlame(test::sampleProfile());
        FlamePane& pane = view->flame();
        for (int i = 0; i < pane.weights().count(); ++i) {
            pane.weights().setCurrentIndex(i);
            emit pane.weights().activated(i);
            settle();
            QVERIFY(pane.flame().tree() != nullptr && pane.flame().tree()->total() > 0);
            const QString tip = pane.flame().textOf(FlameNodeId(0));
            QVERIFY2(tip.contains("100"), qPrintable(tip));
            QVERIFY(!pane.flame().grab().isNull());
        }
    }

    void namesOfAnyLengthAndDepthAreHarmless() {
        Profile profile = test::sampleProfile();
        std::string deep;
        for (int i = 0; i < 100000; ++i)
            deep += "a/";
        std::int32_t i = 0;
        for (ModelNode& node : profile.modelGraph.nodes)
            node.name = ++i % 2 == 0 ? deep : "\u202e" + std::string(5000, 'x');
        for (Operation& operation : profile.operations)
            operation.name = ++i % 2 == 0 ? deep : "<b>" + std::string(5000, '/');
        const auto view = showFlame(profile);
        FlameView& flame = view->flame().flame();
        QVERIFY(flame.tree() != nullptr);
        for (std::size_t each = 0; each < flame.tree()->nodes.size(); ++each)
            QVERIFY(flame.tree()->nodes[FlameNodeId(each)].depth < 100);
        QVERIFY(!flame.grab().isNull());
    }
};

TILESCOPE_TEST(FlamePaneTest, QApplication)

} // namespace flame_pane_test

#include "flame_pane_test.moc"
