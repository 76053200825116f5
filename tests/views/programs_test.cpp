// The program tree through its real widgets: costs, details of every kind, search, two trees.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTreeView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/programs/program_details.h"
#include "views/programs/programs_view.h"
#include "views/session/time_texts.h"

namespace programs_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::ProgramModel;

namespace {

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

/// All names of a tree of details.
QStringList namesOf(const std::vector<views::ValueNode>& nodes) {
    QStringList names;
    for (const views::ValueNode& node : nodes)
        names << node.name << namesOf(node.children);
    return names;
}

} // namespace

class ProgramsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    views::ProgramsView* programs_ = nullptr;

    void open(const QStringList& files) {
        programs_ = &test::openView<views::ProgramsView>(*window_, files, Report::Programs);
    }
    ProgramId select(const QString& text) {
        const ProgramId program = programs_->model().find(text, {}, true);
        programs_->tree().setCurrentIndex(programs_->model().indexOf(program));
        test::waitUntilIdle(*window_);
        return program;
    }
    QString cell(const ProgramModel& model, ProgramId program, int column) {
        return model.indexOf(program).siblingAtColumn(column).data().toString();
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow(); }
    void cleanup() { window_.reset(); }

    void costsStandInTheTree() {
        open({files_.write("a.pop")});
        const ProgramModel& model = programs_->model();
        const ProgramId convolve = model.find("OnTileExecute (conv1/Convolve", {}, true);
        QCOMPARE(cell(model, convolve, ProgramModel::Cycles), QStringLiteral("12,000"));
        QCOMPARE(cell(model, convolve, ProgramModel::Executions), QStringLiteral("10"));
        const ProgramId main = model.find("Control program 1", {}, true);
        QCOMPARE(cell(model, main, ProgramModel::Share), QStringLiteral("100.0 %"));
        const double share = cell(model, convolve, ProgramModel::Share).chopped(2).toDouble();
        QVERIFY(share > 0 && share < 100);
    }

    // Long runs have thousands of millions of cycles.
    void largeNumbersHaveTheirRoom() {
        open({files_.write("long.pop", {.repeats = 1'000'000})});
        const ProgramModel& model = programs_->model();
        const QString cycles =
            cell(model, model.find("Control program 1", {}, true), ProgramModel::Cycles);
        QVERIFY2(cycles.size() > 12, qPrintable(cycles));
        const QTreeView& tree = programs_->tree();
        QVERIFY(tree.columnWidth(ProgramModel::Cycles) >
                tree.fontMetrics().horizontalAdvance(cycles));
    }

    // If only one of two profiles was executed that is not a difference: estimates are compared.
    void aRunIsNotComparedWithAnEstimate() {
        open({files_.write("a.pop", {.tooLarge = true}), files_.write("b.pop")});
        const ProgramModel& model = programs_->model();
        const ProgramId convolve = model.find("OnTileExecute (conv1/Convolve", {}, true);
        const QString difference = cell(model, convolve, ProgramModel::Difference);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
        QCOMPARE(model.headerData(ProgramModel::Cycles, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Estimated"));
        open({files_.write("b.pop")});
        QCOMPARE(programs_->model()
                     .headerData(ProgramModel::Cycles, Qt::Horizontal, Qt::DisplayRole)
                     .toString(),
                 QStringLiteral("Cycles"));
    }

    void theListGoesToEachProgram() {
        open({files_.write("a.pop")});
        views::ProgramList& list = programs_->list();
        QCOMPARE(list.count(), 5); // two headings, two control programs, a function
        list.setCurrentRow(4);
        test::waitUntilIdle(*window_);
        QVERIFY(programs_->tree().currentIndex().data().toString().startsWith("Function 0"));
        select("conv1/Convolve");
        QCOMPARE(list.currentRow(), 2);
    }

    void detailsOfEachKind_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("lines");
        QTest::newRow("OnTileExecute") << "OnTileExecute (conv1/Convolve"
                                       << QStringList{"Compute set",
                                                      "Cycles, slowest tile (estimated)",
                                                      "Active tiles",
                                                      "Cycles of one execution, as executed",
                                                      "Executions in all runs",
                                                      "Edges a vertex",
                                                      "Operation"};
        QTest::newRow("DoExchange")
            << "DoExchange"
            << QStringList{"Exchange", "Received", "Tiles receiving", "Tiles sending"};
        QTest::newRow("Call") << "Call" << QStringList{"Runs function", "Executions in all runs"};
        QTest::newRow("Repeat") << "Repeat" << QStringList{"Repetitions"};
        QTest::newRow("StreamCopyMid")
            << "StreamCopyMid" << QStringList{"Stream", "Direction", "Data", "Tiles"};
        QTest::newRow("Function") << "Function 0" << QStringList{"Called by"};
    }
    void detailsOfEachKind() {
        QFETCH(QString, program);
        QFETCH(QStringList, lines);
        open({files_.write("a.pop")});
        const ProgramId id = select(program);
        QVERIFY(id.valid());
        QVERIFY(test::child<views::ValueTreeView>(*programs_).values().rowCount() > 1);
        const QStringList names =
            namesOf(views::programDetails(*window_->context().reports.source(), id, {}).roots);
        for (const QString& line : lines)
            QVERIFY2(names.contains(line), qPrintable(line + " not in " + names.join(", ")));
    }

    void optionsAndPlanOfTheOperation() {
        Profile profile = test::sampleProfile();
        profile.operations[OperationId(0)].options = R"({"availableMemoryProportion":0.6})";
        profile.operations[OperationId(0)].plan = R"({"method":"AMP","partition":{"field":[2,3]}})";
        open({files_.writeProfile("plan.pop", profile)});
        const ProgramId convolve = select("conv1/Convolve");
        const auto tree = views::programDetails(*window_->context().reports.source(), convolve, {});
        const QStringList names = namesOf(tree.roots);
        QVERIFY(names.contains("availableMemoryProportion"));
        QVERIFY(names.contains("field"));
    }

    void enterOnACallGoesToItsFunction() {
        open({files_.write("a.pop")});
        select("Call");
        QTest::keyClick(&programs_->tree(), Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QVERIFY(programs_->tree().currentIndex().data().toString().startsWith("Function 0"));
    }

    void searchCounts() {
        open({files_.write("a.pop")});
        programs_->search().setText("Convolve");
        QVERIFY(programs_->search().findChild<QLabel*>()->text().startsWith("matches: "));
        QTest::keyClick(&programs_->search().field(), Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QVERIFY(programs_->search().findChild<QLabel*>()->text().startsWith("1 of "));
        // The text is still there after a visit to another report.
        window_->showReport(Report::Memory);
        window_->showReport(Report::Programs);
        test::waitUntilIdle(*window_);
        QCOMPARE(programs_->search().text(), QStringLiteral("Convolve"));
    }

    void searchFindsWhatOperationsAre() {
        open({files_.write("a.pop")});
        const ProgramModel& model = programs_->model();
        const auto operationOf = [&](const QString& text) {
            const ProgramId found = model.find(text, {}, true);
            return found.valid() ? (*model.tree().programs)[found].operation : OperationId();
        };
        for (const QString& text : {QStringLiteral("convolution"), QStringLiteral("Conv")}) {
            const OperationId operation = operationOf(text);
            QVERIFY2(operation.valid(), qPrintable(text));
            QCOMPARE((*model.tree().operations)[operation].type, std::string("Conv"));
        }
        QVERIFY(!model.find("no such thing", {}, true).valid());
    }

    void theSearchHasOptions() {
        open({files_.write("a.pop")});
        views::SearchBox& box = programs_->search();
        const auto switchOn = [&](const QString& name) {
            for (QAction* action : box.findChildren<QAction*>())
                if (action->text() == name)
                    action->trigger();
        };
        QTest::keyClicks(&box.field(), "CONVOLVE");
        QVERIFY(box.findChild<QLabel*>()->text().startsWith("matches: "));
        switchOn("Match case");
        QCOMPARE(box.findChild<QLabel*>()->text(), QStringLiteral("no match"));
        box.field().clear();
        switchOn("Regular expression");
        QTest::keyClicks(&box.field(), "conv1/.*olve");
        QVERIFY(box.findChild<QLabel*>()->text().startsWith("matches: "));
        QTest::keyClicks(&box.field(), "(");
        QCOMPARE(box.findChild<QLabel*>()->text(), QStringLiteral("not a pattern"));
        QTest::keyClick(&box.field(), Qt::Key_Return);
        QCOMPARE(box.findChild<QLabel*>()->text(), QStringLiteral("not a pattern"));
    }

    void stepsOfOneOperationAreMarkedTogether() {
        open({files_.write("a.pop")});
        const ProgramId convolve = select("conv1/Convolve");
        const ProgramModel& model = programs_->model();
        const OperationId operation = (*model.tree().programs)[convolve].operation;
        for (const ProgramId program : model.tree().order)
            QCOMPARE(model.indexOf(program).data(Qt::BackgroundRole).isValid(),
                     (*model.tree().programs)[program].operation == operation);
    }

    void twoTreesStandSideBySide() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QVERIFY(programs_->targetTree().isVisible());
        const QAbstractItemModelTester source(&programs_->model(), fatal);
        const QAbstractItemModelTester target(&programs_->targetModel(), fatal);
        const ProgramId different = programs_->model().findDifference({}, true);
        QVERIFY(different.valid());
        QVERIFY(!cell(programs_->model(), different, ProgramModel::Difference).isEmpty());
        QTest::keyClick(&programs_->tree(), Qt::Key_Down, Qt::ControlModifier);
        test::waitUntilIdle(*window_);
        const ProgramId current = programs_->model().programAt(programs_->tree().currentIndex());
        QVERIFY(current.valid());
        QCOMPARE(programs_->targetModel().programAt(programs_->targetTree().currentIndex()),
                 programs_->model().counterpart(current));
        QCOMPARE(test::child<views::ValueTreeView>(*programs_).values().columnCount(), 3);
    }

    // The target's cycles less the source's, as in every other table, in both trees.
    void bothTreesSayTheSameDifference() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        const ProgramModel& source = programs_->model();
        const ProgramModel& target = programs_->targetModel();
        int differences = 0;
        for (const ProgramId program : source.tree().order) {
            const ProgramId other = source.counterpart(program);
            if (!other.valid())
                continue;
            const std::int64_t change = target.tree().costs[other.index()].cycles -
                                        source.tree().costs[program.index()].cycles;
            const QString text = cell(source, program, ProgramModel::Difference);
            QCOMPARE(text, cell(target, other, ProgramModel::Difference));
            if (change == 0)
                continue;
            ++differences;
            QCOMPARE(text, (change > 0 ? "+" : "") + views::countText(change));
        }
        QVERIFY(differences > 0);
    }

    void whatOnlyOneHasSaysSo() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        const auto only = [&](const ProgramModel& model) {
            for (const ProgramId program : model.tree().order)
                if (!model.counterpart(program).valid())
                    return program;
            return ProgramId();
        };
        const ProgramModel& source = programs_->model();
        const ProgramModel& target = programs_->targetModel();
        const bool inSource = only(source).valid();
        QVERIFY(inSource || only(target).valid());
        QCOMPARE(cell(inSource ? source : target, inSource ? only(source) : only(target),
                      ProgramModel::Difference),
                 QStringLiteral("only here"));
    }

    void branchesOpenTogether() {
        open({files_.write("a.pop"), files_.write("b.pop")});
        const QModelIndex main =
            programs_->model().indexOf(programs_->model().find("Control program 1", {}, true));
        programs_->tree().collapse(main);
        const QModelIndex there = programs_->targetModel().indexOf(
            programs_->model().counterpart(programs_->model().programAt(main)));
        QVERIFY(!programs_->targetTree().isExpanded(there));
        programs_->targetTree().expand(there);
        QVERIFY(programs_->tree().isExpanded(main));
    }
};

TILESCOPE_TEST(ProgramsTest, QApplication)

} // namespace programs_test

#include "programs_test.moc"
