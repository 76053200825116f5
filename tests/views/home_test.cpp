// What a run leaves on the home screen, and where what is opened begins.
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QtTest>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/theme/theme.h"

namespace home_test {
using namespace tilescope;
using namespace tilescope::gui;

class HomeTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;

    static void open(MainWindow& window, const QStringList& files) {
        test::openProfiles(window, files);
    }
    static void show(MainWindow& window) {
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    }
    void init() { QSettings().clear(); }

    // What is above the list stays where it was when the first profile was opened.
    void theHomeScreenDoesNotJump() {
        MainWindow window(Memory::Persistent);
        show(window);
        auto& home = *window.findChild<HomeScreen*>();
        const QPushButton* button = &test::button<QPushButton>(home, "Open a profile");
        const QPoint before = button->mapTo(&window, QPoint());
        open(window, {files_.write("a.pop")});
        window.context().reports.close();
        QTRY_VERIFY(home.isVisible());
        QTRY_VERIFY(home.profiles().isVisible());
        QCoreApplication::processEvents();
        QCOMPARE(button->mapTo(&window, QPoint()), before);
    }

    // A run that is compared at once is a recent profile as well, not only half of a comparison.
    void aRunThatIsComparedIsRecent() {
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        MainWindow window(Memory::Persistent);
        show(window);
        open(window, {a});
        RunDialog& dialog = window.dialogs().openRun({});
        QSignalSpy changed(&window.context().reports, &views::ReportPair::changed);
        emit dialog.resultReady(b, a);
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(window.recent().profiles(), (QStringList{b, a}));
        QCOMPARE(window.recent().comparisons().size(), 1);
        test::waitUntilIdle(window);
    }

    // "Open the result" of a run, while two profiles were compared.
    void oneProfileAfterTwoDoesNotOpenInCompare() {
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        MainWindow window(Memory::None);
        show(window);
        window.compareProfiles({a, b});
        QTRY_VERIFY(window.context().reports.target());
        QCOMPARE(window.currentReport(), Report::Compare);
        RunDialog& dialog = window.dialogs().openRun({});
        emit dialog.resultReady(b, {});
        QTRY_VERIFY(!window.context().reports.target());
        QCOMPARE(window.currentReport(), Report::Summary);
        test::waitUntilIdle(window);
    }

    // A hint in a field that cannot be used is as pale as everything else in it.
    void hintsArePaleInDisabledFields() {
        for (const views::Theme& theme : {views::lightTheme({}), views::darkTheme({})}) {
            const QPalette palette = theme.palette();
            QCOMPARE(palette.color(QPalette::Disabled, QPalette::PlaceholderText),
                     palette.color(QPalette::Disabled, QPalette::Text));
        }
    }
};

TILESCOPE_TEST(HomeTest, QApplication)

} // namespace home_test

#include "home_test.moc"
