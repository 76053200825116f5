// Names in a profile are plain text, whatever they look like: the window never treats them as HTML.
#include <QAbstractItemView>
#include <QLabel>
#include <QPointer>
#include <QTabBar>
#include <QToolTip>
#include <QtTest>
#include <array>
#include <functional>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/tables/item_export.h"
#include "views/theme/text.h"

namespace hostile_names_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

const char* const hostile = "<img src='/dev/zero'><b>bold</b>";

Profile profileWithNames(const std::string& hostile) {
    Profile profile = test::sampleProfile({.withValues = true});
    profile.info.model = hostile;
    for (Operation& operation : profile.operations)
        operation.name += hostile;
    for (Variable& variable : profile.variables)
        variable.name += hostile;
    for (ComputeSet& set : profile.computeSets)
        set.name += hostile;
    for (VertexType& type : profile.vertexTypes)
        type.name += hostile;
    for (Program& program : profile.programs)
        program.name += hostile;
    for (ModelNode& node : profile.modelGraph.nodes)
        node.name += hostile;
    for (ModelTensor& tensor : profile.modelGraph.tensors)
        tensor.name += hostile;
    for (ValueTensor& tensor : profile.values.tensors)
        tensor.name += hostile;
    for (Message& message : profile.messages)
        message.text += hostile;
    return profile;
}

const std::array namedReports{
    Report::Summary,    Report::Insights, Report::Memory, Report::Liveness, Report::Programs,
    Report::Operations, Report::Trace,    Report::Values, Report::Compare,  Report::Query};

void selectFirst(MainWindow& window) {
    window.context().selection.update([](auto& selected) {
        selected.tiles = {TileId(0)};
        selected.operation = OperationId(0);
        selected.variable = VariableId(0);
        selected.program = ProgramId(1);
    });
}

void visitItems(const QAbstractItemModel& model, const QModelIndex& parent,
                const std::function<void(const QModelIndex&)>& visit) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column)
            visit(model.index(row, column, parent));
        visitItems(model, model.index(row, 0, parent), visit);
    }
}

/// Visits all tabs of the current report.
void eachTab(MainWindow& window, const std::function<void()>& look) {
    look();
    for (const QPointer<QTabBar> tabs : window.findChildren<QTabBar*>())
        for (int tab = 0; tabs && tabs->isVisible() && tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            test::waitUntilIdle(window);
            look();
        }
}

} // namespace

class HostileNamesTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    /// Labels that would interpret a name as HTML.
    [[nodiscard]] QStringList misled() const {
        QStringList found;
        for (const QWidget* top : QApplication::topLevelWidgets())
            for (const QLabel* label : top->findChildren<QLabel*>())
                if (label->isVisible() &&
                    (label->textFormat() == Qt::AutoText ||
                     (label->textFormat() != Qt::PlainText && label->text().contains("<img"))))
                    found << label->text();
        return found;
    }

private slots:
    void initTestCase() { test::prepareWindows(); }

    void labelsShowNamesAsTheyAre_data() {
        QTest::addColumn<bool>("two");
        QTest::newRow("one profile") << false;
        QTest::newRow("compared") << true;
    }

    void labelsShowNamesAsTheyAre() {
        QFETCH(bool, two);
        window_ = test::shownWindow({1200, 800});
        QStringList files{files_.writeProfile("a.pop", profileWithNames(hostile))};
        if (two)
            files << files_.write("b.pop");
        test::openProfiles(*window_, files);
        selectFirst(*window_);
        int seen = 0;
        for (const Report report : namedReports) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
            QCOMPARE(misled(), QStringList());
            for (const QLabel* label : window_->findChildren<QLabel*>())
                seen += label->text().contains("<img") ? 1 : 0;
        }
        QVERIFY(seen > 0);
        window_.reset();
    }

    void veryLongNamesAreShortenedWhereTheyAreShown_data() { labelsShowNamesAsTheyAre_data(); }

    /// Laying out so many letters takes a second; a copied table has them all.
    void veryLongNamesAreShortenedWhereTheyAreShown() {
        QFETCH(bool, two);
        constexpr std::size_t letters = 60'000;
        const std::string name(letters, 'n');
        window_ = test::shownWindow({1200, 800});
        QStringList files{files_.writeProfile("long.pop", profileWithNames(name))};
        if (two)
            files << files_.writeProfile("longer.pop", profileWithNames(name + "m"));
        test::openProfiles(*window_, files);
        selectFirst(*window_);
        constexpr qsizetype most = views::mostOfParagraph;
        int copied = 0;
        const auto look = [&] {
            window_->grab();
            for (const QWidget* widget : window_->findChildren<QWidget*>()) {
                QVERIFY2(widget->toolTip().size() <= most, widget->metaObject()->className());
                if (const auto* label = qobject_cast<const QLabel*>(widget))
                    QVERIFY2(test::labelText(*label).size() <= most,
                             qPrintable(label->text().left(80)));
            }
            for (QAbstractItemView* view : window_->findChildren<QAbstractItemView*>()) {
                if (!view->isVisible() || view->model() == nullptr)
                    continue;
                visitItems(*view->model(), {}, [&](const QModelIndex& index) {
                    for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
                        QVERIFY2(index.data(role).toString().size() <= most,
                                 view->metaObject()->className());
                });
                const bool whole =
                    views::tabbedText(*view, false).contains(QString::fromStdString(name));
                copied += whole ? 1 : 0;
            }
        };
        for (const Report report : namedReports) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
            eachTab(*window_, look);
        }
        QVERIFY(window_->windowTitle().size() <= most);
        QVERIFY(copied > 3);
        window_.reset();
    }

    void toolTipsShowNamesAsTheyAre() {
        QWidget widget;
        widget.show();
        QToolTip::showText(widget.mapToGlobal(QPoint(1, 1)), hostile, &widget);
        const auto tops = QApplication::topLevelWidgets();
        const auto tip = std::find_if(tops.begin(), tops.end(), [](const QWidget* each) {
            return each->inherits("QTipLabel");
        });
        QVERIFY(tip != tops.end());
        QCOMPARE(qobject_cast<const QLabel*>(*tip)->textFormat(), Qt::PlainText);
        QToolTip::hideText();
    }
};

TILESCOPE_TEST(HostileNamesTest, QApplication)

} // namespace hostile_names_test

#include "hostile_names_test.moc"
