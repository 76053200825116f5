// The row of controls above a report: those that do not fit are in its menu.
#include <QtTest>

#include "tests/support/test_main.h"
#include "views/theme/style.h"
#include "views/widgets/tool_row.h"

namespace tool_row_test {
using tilescope::views::ToolRow;

class ToolRowTest : public QObject {
    Q_OBJECT
    struct Row {
        QWidget window; // that is narrower than its row would like
        ToolRow row{&window};
        QComboBox* choice = row.addChoice(QStringLiteral("Tiles"), {QStringLiteral("All")});
        QToolButton* first = row.addButton(QStringLiteral("First"), {});
        QToolButton* toggle = row.addToggle(QStringLiteral("Toggle"), {}, true);
        QLineEdit* field = row.addField(QStringLiteral("Find"), {}, 120);
        QToolButton* last = row.addButton(QStringLiteral("Last"), {});

        Row() {
            window.resize(1000, 100);
            window.show();
            resize(row.sizeHint().width());
        }
        void resize(int width) {
            row.resize(width, row.sizeHint().height());
            QCoreApplication::sendPostedEvents();
        }
        /// Until a control is in the menu.
        void shrinkUntil(const QWidget* control) {
            for (int width = row.width(); width > 0 && !row.isInMenu(control); --width)
                resize(width);
        }
    };

private slots:
    void initTestCase() { QApplication::setStyle(new tilescope::views::WindowStyle); }

    void whatFitsIsInTheRow() {
        Row r;
        for (const QWidget* control :
             {static_cast<QWidget*>(r.choice), static_cast<QWidget*>(r.first),
              static_cast<QWidget*>(r.toggle), static_cast<QWidget*>(r.field),
              static_cast<QWidget*>(r.last)})
            QVERIFY(control->isVisible() && !r.row.isInMenu(control));
        QVERIFY(!r.row.menuButton().isVisible());
    }

    void controlsLeaveByPriority() {
        Row r;
        r.shrinkUntil(r.last);
        QVERIFY(r.row.menuButton().isVisible());
        QVERIFY(!r.row.isInMenu(r.toggle));
        r.shrinkUntil(r.first);
        QVERIFY(r.row.isInMenu(r.toggle) && r.row.isInMenu(r.last) && !r.row.isInMenu(r.choice));
        r.resize(r.row.minimumSizeHint().width());
        QVERIFY(r.row.isInMenu(r.choice));
        QVERIFY(r.field->isVisible() && !r.row.isInMenu(r.field));
        // Nothing is beyond the row's end.
        QVERIFY(r.row.rect().contains(r.field->geometry()));
        QVERIFY(r.row.rect().contains(r.row.menuButton().geometry()));
        r.resize(r.row.sizeHint().width());
        QVERIFY(!r.row.isInMenu(r.choice) && r.choice->isVisible() && r.last->isVisible());
        QVERIFY(!r.row.menuButton().isVisible());
    }

    void theMenuHasTheRest() {
        Row r;
        QSignalSpy clicked(r.last, &QToolButton::clicked);
        r.resize(r.row.minimumSizeHint().width());
        QTest::mouseClick(&r.row.menuButton(), Qt::LeftButton);
        QVERIFY(r.last->isVisible() && r.choice->isVisible());
        QTest::mouseClick(r.last, Qt::LeftButton);
        QCOMPARE(clicked.count(), 1);
        QVERIFY(r.toggle->isChecked());
    }

    void hiddenControlsNeedNoRoom() {
        Row r;
        const int all = r.row.sizeHint().width();
        r.row.setShown(r.choice, false);
        QVERIFY(r.row.sizeHint().width() < all);
        r.resize(r.row.sizeHint().width());
        QVERIFY(!r.row.menuButton().isVisible());
        // In the menu it stays hidden, and comes back when it is shown.
        r.resize(r.row.minimumSizeHint().width());
        QVERIFY(r.choice->isHidden());
        r.row.setShown(r.choice, true);
        QCoreApplication::sendPostedEvents();
        QVERIFY(r.row.isInMenu(r.choice) && !r.choice->isHidden());
    }
};

TILESCOPE_TEST(ToolRowTest, QApplication)

} // namespace tool_row_test

#include "tool_row_test.moc"
