// Names in a profile are text, whatever they look like: nothing in the window takes them for HTML.
#include <QLabel>
#include <QToolTip>
#include <QtTest>

#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/theme/style.h"

namespace hostile_names_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

const char* const hostile = "<img src='/dev/zero'><b>bold</b>";

Profile hostileProfile() {
    Profile profile = test::sampleProfile({});
    profile.info.model = hostile;
    for (Operation& operation : profile.operations)
        operation.name += hostile;
    for (Variable& variable : profile.variables)
        variable.name += hostile;
    for (Program& program : profile.programs)
        program.name += hostile;
    for (ModelNode& node : profile.modelGraph.nodes)
        node.name += hostile;
    for (Message& message : profile.messages)
        message.text += hostile;
    return profile;
}

} // namespace

class HostileNamesTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    /// Labels that would read a name as HTML.
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
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setStyle(new views::WindowStyle);
    }

    void labelsShowNamesAsTheyAre_data() {
        QTest::addColumn<bool>("two");
        QTest::newRow("one profile") << false;
        QTest::newRow("compared") << true;
    }

    void labelsShowNamesAsTheyAre() {
        QFETCH(bool, two);
        window_ = std::make_unique<MainWindow>(Memory::None);
        window_->resize(1200, 800);
        window_->show();
        QStringList files{files_.writeProfile("a.pop", hostileProfile())};
        if (two)
            files << files_.write("b.pop");
        test::openProfiles(*window_, files);
        window_->context().selection.update([](auto& selected) {
            selected.tiles = {TileId(0)};
            selected.operation = OperationId(0);
            selected.variable = VariableId(0);
            selected.program = ProgramId(1);
        });
        int seen = 0;
        for (const Report report :
             {Report::Summary, Report::Insights, Report::Memory, Report::Liveness, Report::Programs,
              Report::Operations, Report::Trace, Report::Compare, Report::Query}) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
            QCOMPARE(misled(), QStringList());
            for (const QLabel* label : window_->findChildren<QLabel*>())
                seen += label->text().contains("<img") ? 1 : 0;
        }
        QVERIFY(seen > 0);
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
