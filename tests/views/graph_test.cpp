// The graph of the operations report, as a user handles it: mouse, wheel, keys, search, two
// profiles.
#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include "tests/support/qt_text.h"
#include "tests/support/random_model.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/operations/graph/graph_colours.h"
#include "views/operations/operations_view.h"

namespace graph_test {
using namespace tilescope;
using namespace tilescope::gui;
using namespace tilescope::views;

class GraphTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    OperationsView& openView(const QStringList& files) {
        test::openProfiles(*window_, files);
        window_->showReport(Report::Operations);
        test::waitUntilIdle(*window_);
        auto& view = static_cast<OperationsView&>(window_->view(Report::Operations));
        QTest::mouseClick(&test::button(view, "Graph"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        return view;
    }
    /// The scopes that the chosen item is in.
    static QLabel& way(const QWidget& view) {
        for (QLabel* each : view.findChildren<QLabel*>())
            if (each->accessibleName() == "Scopes that the chosen item is in")
                return *each;
        qFatal("there is no way to the chosen item");
    }
    static QString label(GraphCanvas& canvas, const GraphItem& item) {
        return test::text(canvas.scene()->model->tree.labelOf(item));
    }
    static QStringList labels(GraphCanvas& canvas) {
        QStringList texts;
        for (const GraphItem& item : canvas.scene()->visible.items)
            texts << label(canvas, item);
        return texts;
    }
    /// A box or a frame by its label.
    static GraphItem item(GraphCanvas& canvas, const QString& wanted) {
        for (const PlacedBox& box : canvas.scene()->layout.boxes)
            if (label(canvas, box.item) == wanted)
                return box.item;
        return {};
    }
    static QPoint place(GraphCanvas& canvas, const QString& wanted) {
        const GraphItem found = item(canvas, wanted);
        const QRectF box = canvas.screenRect(found);
        // The name of a frame, the middle of a box.
        return (found.isScope() && canvas.scene()->expansion.isExpanded(found.scope)
                    ? box.topLeft() + QPointF(12, 8)
                    : box.center())
            .toPoint();
    }
    void click(GraphCanvas& canvas, const QString& wanted) {
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, place(canvas, wanted));
        test::waitUntilIdle(*window_);
    }
    void doubleClick(GraphCanvas& canvas, const QString& wanted) {
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, place(canvas, wanted));
        test::waitUntilIdle(*window_);
    }
    static void wheel(GraphCanvas& canvas, const QPoint& at, int delta) {
        QWheelEvent event(at, canvas.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas, &event);
    }
    QString longModel(const QString& name, std::size_t operations) {
        Profile profile = test::sampleProfile();
        profile.modelGraph = test::randomModel(7, operations);
        return files_.writeProfile(name, profile);
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1200, 800}); }
    void cleanup() { window_.reset(); }

    void smallModelsShowAllTheyHave() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        QVERIFY(canvas.isVisible() && !view.table().isVisible());
        QCOMPARE(labels(canvas),
                 QStringList({"input", "conv1", "relu1", "conv", "again/conv", "prob", "out"}));
        QVERIFY(canvas.screenRect(item(canvas, "layer1"))
                    .contains(canvas.screenRect(item(canvas, "conv"))));
        QVERIFY(canvas.rect().contains(canvas.screenRect(item(canvas, "prob")).toRect()));
        QTest::mouseClick(&test::button(view, "Table"), Qt::LeftButton);
        QVERIFY(view.table().isVisible() && !canvas.isVisible());
    }

    void aDoubleClickCollapsesAndExpandsInPlace() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        const GraphItem scope = item(canvas, "layer1");
        const QPointF before = canvas.screenRect(scope).topLeft();
        doubleClick(canvas, "layer1");
        QCOMPARE(labels(canvas), QStringList({"input", "conv1", "relu1", "layer1", "prob", "out"}));
        QCOMPARE(canvas.screenRect(scope).topLeft(), before);
        doubleClick(canvas, "layer1");
        QVERIFY(labels(canvas).contains("again/conv"));
        QCOMPARE(canvas.screenRect(scope).topLeft(), before);
    }

    void wheelZoomsAtThePointer() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        const QRectF before = canvas.screenRect(item(canvas, "relu1"));
        const double scale = canvas.scale();
        wheel(canvas, before.topLeft().toPoint(), 240);
        QVERIFY(canvas.scale() > 1.2 * scale);
        const QRectF after = canvas.screenRect(item(canvas, "relu1"));
        const QPointF moved = after.topLeft() - before.topLeft();
        QVERIFY(std::abs(moved.x()) < 2 && std::abs(moved.y()) < 2);
        QVERIFY(after.width() > 1.2 * before.width());
    }

    void dragPansAndFFits() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        const QRectF before = canvas.screenRect(item(canvas, "conv1"));
        const QPoint from = canvas.rect().topLeft() + QPoint(30, 200);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(&canvas, from + QPoint(40, 15));
        QTest::mouseMove(&canvas, from + QPoint(60, 30));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, from + QPoint(60, 30));
        QCOMPARE(canvas.screenRect(item(canvas, "conv1")), before.translated(60, 30));
        QVERIFY(!canvas.chosen().valid()); // a drag chooses nothing
        wheel(canvas, from, 480);
        QTest::keyClick(&canvas, Qt::Key_F);
        QCOMPARE(canvas.screenRect(item(canvas, "conv1")), before);
    }

    void keysWalkExpandAndCollapse() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_Home);
        QCOMPARE(label(canvas, canvas.chosen()), "input");
        QTest::keyClick(&canvas, Qt::Key_Down);
        QTest::keyClick(&canvas, Qt::Key_Down);
        QCOMPARE(label(canvas, canvas.chosen()), "relu1");
        QTest::keyClick(&canvas, Qt::Key_Down);
        QCOMPARE(label(canvas, canvas.chosen()), "conv");
        QTest::keyClick(&canvas, Qt::Key_Minus);
        test::waitUntilIdle(*window_);
        QCOMPARE(label(canvas, canvas.chosen()), "layer1");
        QVERIFY(!labels(canvas).contains("conv"));
        QTest::keyClick(&canvas, Qt::Key_Up);
        QCOMPARE(label(canvas, canvas.chosen()), "relu1");
        QTest::keyClick(&canvas, Qt::Key_Down);
        QTest::keyClick(&canvas, Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QVERIFY(labels(canvas).contains("conv"));
        QTest::keyClick(&canvas, Qt::Key_Escape);
        QVERIFY(!canvas.chosen().valid());
    }

    void aClickSelectsEverywhere() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        click(canvas, "relu1");
        QCOMPARE(window_->context().selection.current().operation, OperationId(1));
        QCOMPARE(view.tabs().steps().model().rowCount(), 1);
        QVERIFY(way(view).text().contains("relu1"));
        // A second place of layer1's function is the function's operation.
        click(canvas, "again/conv");
        QCOMPARE(window_->context().selection.current().operation, OperationId(2));
        QVERIFY(canvas.describe(canvas.chosen()).contains("2 places"));
        QTest::mouseClick(&test::button(view, "Table"), Qt::LeftButton);
        QCOMPARE(view.table().view().currentIndex().data().toString(), "layer1/again/conv");
    }

    void selectionsOfOtherReportsAreMarked() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(3); });
        test::waitUntilIdle(*window_);
        QCOMPARE(label(canvas, canvas.chosen()), "prob");
        // In a collapsed scope the scope is marked.
        doubleClick(canvas, "layer1");
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(2); });
        test::waitUntilIdle(*window_);
        QCOMPARE(label(canvas, canvas.chosen()), "layer1");
    }

    void whatWasSelectedBeforeIsMarkedAtTheStart() {
        window_->openProfiles({files_.write("a.pop")});
        QTRY_VERIFY(window_->context().reports.source());
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(1); });
        window_->showReport(Report::Operations);
        test::waitUntilIdle(*window_);
        auto& view = static_cast<OperationsView&>(window_->view(Report::Operations));
        QTest::mouseClick(&test::button(view, "Graph"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(!test::child<LoadingPanel>(view.graph()).showsMessage());
        QCOMPARE(label(test::child<GraphCanvas>(view.graph()),
                       test::child<GraphCanvas>(view.graph()).chosen()),
                 "relu1");
    }

    void scopesHaveTheirSums() {
        OperationsView& view = openView({files_.write("a.pop")});
        click(test::child<GraphCanvas>(view.graph()), "layer1");
        const auto& model = view.graph().model();
        const GraphScopeId scope = model->tree.find("layer1");
        QAbstractItemModel& summary = test::child<ValueTreeView>(view).values();
        QStringList lines;
        for (int row = 0; row < summary.rowCount({}); ++row)
            lines << summary.index(row, 0, {}).data().toString() + ": " +
                         summary.index(row, 1, {}).data().toString();
        QVERIFY2(lines.contains("Operations: 2"), qPrintable(lines.join('\n')));
        std::int64_t parts = 0;
        for (const ModelNodeId node : model->tree.operationsIn(scope))
            parts += model->source[node].cycles;
        QVERIFY(parts > 0);
        QCOMPARE(model->sourceSums[scope].cycles, parts);
    }

    void searchFindsInCollapsedScopes() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        QTest::mouseClick(&test::button(view, "Collapse"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(!labels(canvas).contains("again/conv"));
        view.focusSearch();
        QTest::keyClicks(&test::child<SearchBox>(view.graph()).field(), "AGAIN");
        QVERIFY(test::child<SearchBox>(view.graph()).findChild<QLabel*>()->text().contains('1'));
        QTest::keyClick(&test::child<SearchBox>(view.graph()).field(), Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QCOMPARE(label(canvas, canvas.chosen()), "again/conv");
        QVERIFY(canvas.rect().contains(canvas.screenRect(canvas.chosen()).toRect()));
        QCOMPARE(test::child<SearchBox>(view.graph()).findChild<QLabel*>()->text(), "1 of 1");
        test::child<SearchBox>(view.graph()).setText("nothing like it");
        QCOMPARE(test::child<SearchBox>(view.graph()).findChild<QLabel*>()->text(), "no match");
    }

    void theWayLeadsToScopes() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        click(canvas, "again/conv");
        QLabel& path = way(view);
        QVERIFY2(path.text().contains("layer1</a>"), qPrintable(path.text()));
        const GraphScopeId scope = view.graph().model()->tree.find("layer1");
        emit path.linkActivated(QString::number(scope.value()));
        test::waitUntilIdle(*window_);
        QCOMPARE(label(canvas, canvas.chosen()), "layer1");
    }

    // "0 cycles" in a box would be taken for the operation's time.
    void whatDidNotChangeSaysSo() {
        QCOMPARE(views::metricText(GraphMetric::Cycles, 0, ByteUnits::Binary, true),
                 QStringLiteral("no change"));
        QCOMPARE(views::metricText(GraphMetric::Cycles, 0, ByteUnits::Binary),
                 QStringLiteral("0 cycles"));
    }

    void coloursFollowTheMetric() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphPane& pane = view.graph();
        const auto chooseMetric = [&](GraphMetric metric) {
            const int at = test::choiceOf(pane, "Colour").findData(static_cast<int>(metric));
            QVERIFY(at >= 0);
            test::choiceOf(pane, "Colour").setCurrentIndex(at);
            emit test::choiceOf(pane, "Colour").activated(at);
        };
        chooseMetric(GraphMetric::Cycles);
        const auto& model = *pane.model();
        const GraphItem conv1 = item(test::child<GraphCanvas>(pane), "conv1");
        QCOMPARE(test::child<GraphCanvas>(pane).colours()->most(),
                 double(model.sourceCosts(conv1).cycles));
        QCOMPARE(test::child<GraphLegend>(pane).texts(),
                 QStringList({"Estimated cycles", "0 cycles", "13,024 cycles"}));
        const QColor hot = test::child<GraphCanvas>(pane).grab().toImage().pixelColor(
            test::child<GraphCanvas>(pane).screenRect(conv1).topLeft().toPoint() + QPoint(4, 12));
        chooseMetric(GraphMetric::Code);
        QVERIFY(test::child<GraphLegend>(pane).texts()[0] == "Code" &&
                test::child<GraphLegend>(pane).texts()[2].contains("iB"));
        chooseMetric(GraphMetric::Temporary);
        chooseMetric(GraphMetric::Cycles);
        const QColor cool = test::child<GraphCanvas>(pane).grab().toImage().pixelColor(
            test::child<GraphCanvas>(pane)
                .screenRect(item(test::child<GraphCanvas>(pane), "prob"))
                .topLeft()
                .toPoint() +
            QPoint(4, 12));
        QVERIFY(hot != cool);
    }

    void twoProfilesShowTheDifference() {
        OperationsView& view =
            openView({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        GraphPane& pane = view.graph();
        GraphCanvas& canvas = test::child<GraphCanvas>(pane);
        QVERIFY(labels(canvas).contains("layer2/conv"));
        const GraphItem added = item(canvas, "layer2/conv");
        QVERIFY(pane.model()->presenceOf(added) == Presence::TargetOnly);
        QVERIFY(canvas.describe(added).contains("only in the target"));
        QVERIFY(test::child<GraphLegend>(pane).texts()[0].contains("target less source"));
        QVERIFY(canvas.colours()->comparing());
        QVERIFY(canvas.colours()->valueOf(*pane.model(), added) > 0);
        // It selects nothing of the source; its figures are still shown.
        click(canvas, "layer2/conv");
        QVERIFY(!window_->context().selection.current().operation.valid());
        click(canvas, "layer1");
        QCOMPARE(test::child<ValueTreeView>(view).values().columnCount(), 3);
    }

    void edgesHaveLabels() {
        OperationsView& view = openView({files_.write("a.pop")});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        const QStringList texts(canvas.scene()->wireLabels.begin(),
                                canvas.scene()->wireLabels.end());
        QVERIFY(texts.contains("[1,64,112,112] half"));
        const QImage without = canvas.grab().toImage();
        QTest::mouseClick(&test::button(view, "Shapes"), Qt::LeftButton);
        QVERIFY(test::button(view, "Shapes").isChecked());
        QVERIFY(canvas.grab().toImage() != without);
    }

    void passesAndStagesStandApart() {
        Profile profile = test::sampleProfile();
        profile.modelGraph.nodes[ModelNodeId(2)].stage = 1;
        profile.modelGraph.nodes[ModelNodeId(3)].phase = ModelPhase::Backward;
        OperationsView& view = openView({files_.writeProfile("stages.pop", profile)});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        QVERIFY(item(canvas, "forward").isScope() && item(canvas, "stage 0").isScope());
        QTest::mouseClick(&test::button(view, "Stages"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(!item(canvas, "stage 0").valid() && item(canvas, "forward").isScope());
        QTest::mouseClick(&test::button(view, "Passes"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(!item(canvas, "forward").valid());
        QVERIFY(item(canvas, "layer1").isScope());
    }

    void olderProfilesSayWhatIsMissing() {
        OperationsView& view = openView({files_.write("old.pop", {.withGraph = false})});
        QVERIFY(test::child<LoadingPanel>(view.graph()).showsMessage());
        QVERIFY(test::messageText(test::child<LoadingPanel>(view.graph()))
                    .contains("schema version 5"));
        window_->openProfiles(
            {files_.write("a.pop"), files_.write("old.pop", {.withGraph = false})});
        test::waitUntilIdle(*window_);
        QVERIFY2(test::messageText(test::child<LoadingPanel>(view.graph())).contains("The target"),
                 qPrintable(test::messageText(test::child<LoadingPanel>(view.graph()))));
    }

    void largeModelsBeginCollapsedAndReadable() {
        OperationsView& view = openView({longModel("long.pop", 3000)});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        QVERIFY(canvas.scale() > 0.5);
        QVERIFY(canvas.rect().intersects(
            canvas.screenRect(canvas.scene()->visible.items.front()).toRect()));
        QTest::mouseClick(&test::button(view, "Expand all"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QCOMPARE(canvas.scene()->visible.items.size(), std::size_t{3002}); // with the input
        QTest::keyClick(&canvas, Qt::Key_F);
        QVERIFY(!canvas.grab().isNull());
    }

    void theMapMovesTheDrawing() {
        OperationsView& view = openView({longModel("long.pop", 600)});
        GraphCanvas& canvas = test::child<GraphCanvas>(view.graph());
        QTest::mouseClick(&test::button(view, "Expand all"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        const QRectF before = canvas.screenRect(canvas.scene()->visible.items.front());
        QTest::mouseClick(&canvas, Qt::LeftButton, {},
                          canvas.rect().bottomRight() - QPoint(16, 16));
        QVERIFY(canvas.screenRect(canvas.scene()->visible.items.front()).top() < before.top() - 50);
    }

    void pagesSwitchByName() {
        OperationsView& view = openView({files_.write("a.pop")});
        QVERIFY(view.showSection("table") && view.table().isVisible());
        QVERIFY(view.showSection("graph") && view.graph().isVisible());
        QVERIFY(!view.showSection("moon"));
        QCOMPARE(test::child<GraphCanvas>(view.graph()).accessibleName(), "Graph of the model");
        QVERIFY(test::child<GraphCanvas>(view.graph()).focusPolicy() == Qt::StrongFocus);
    }
};

TILESCOPE_TEST(GraphTest, QApplication)

} // namespace graph_test

#include "graph_test.moc"
