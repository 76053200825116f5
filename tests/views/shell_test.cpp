// The window as an application: home screen, sessions, files that change, commands, preferences.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QToolButton>
#include <QtTest>

#include "app/gui/find/fuzzy.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/message_bar.h"
#include "app/gui/window/preferences_dialog.h"
#include "app/gui/window/side_menu.h"
#include "app/gui/window/window_list.h"
#include "core/view/thing.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/widgets/control_states.h"
#include "views/widgets/report_view.h"

namespace shell_test {
using namespace tilescope;
using namespace tilescope::gui;

class ShellTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;

    static void open(MainWindow& window, const QStringList& files) {
        test::openProfiles(window, files);
    }
    // Keys go to the window that is active.
    static void show(MainWindow& window) {
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    static QPushButton* visibleButton(QWidget& in, const QString& text) {
        for (QPushButton* each : in.findChildren<QPushButton*>())
            if (each->isVisible() && each->text() == text)
                return each;
        return nullptr;
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    }
    void init() { QSettings().clear(); }

    void recentProfilesOpenWithAClick() {
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        MainWindow window(Memory::Persistent);
        show(window);
        open(window, {a});
        open(window, {a, b});
        window.context().reports.close();
        auto& home = *window.findChild<HomeScreen*>();
        QVERIFY(home.isVisible());
        QCOMPARE(home.profiles().count(), 1);
        QCOMPARE(home.comparisons().count(), 1);
        const QRect row = home.profiles().visualItemRect(home.profiles().item(0));
        QTest::mouseClick(home.profiles().viewport(), Qt::LeftButton, {}, row.center());
        QTRY_VERIFY(window.context().reports.source());
        QCOMPARE(window.session().files(), QStringList{a});
        test::waitUntilIdle(window);
    }

    void recentEntriesCanBeRemoved() {
        MainWindow window(Memory::Persistent);
        show(window);
        for (const QString name : {"1", "2", "3"})
            window.recent().add("/tmp/" + name + ".pop");
        QListWidget& list = window.findChild<HomeScreen*>()->profiles();
        QCOMPARE(list.count(), 3);
        QTRY_VERIFY(list.item(0)->text().contains("(missing)"));
        list.itemWidget(list.item(0))->findChild<QToolButton*>()->click();
        QCOMPARE(list.count(), 2);
        list.setFocus();
        list.setCurrentRow(0);
        list.actions().front()->trigger();
        QCOMPARE(window.recent().entries(), QStringList{"/tmp/1.pop"});
    }

    void aMissingFileCanBeRemovedFromTheList() {
        MainWindow window(Memory::Persistent);
        show(window);
        window.recent().add(files_.path("gone.pop"));
        window.openProfiles({files_.path("gone.pop")});
        QTRY_VERIFY(test::shownMessage(window).contains("no such file"));
        QPushButton* remove = visibleButton(window, "Remove from recent");
        QVERIFY(remove);
        remove->click();
        QVERIFY(window.recent().entries().isEmpty());
        QVERIFY(!test::child<gui::MessageBar>(window).isVisible());
    }

    void aSessionIsRestored() {
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        SessionState before;
        {
            WindowList windows(Memory::Persistent);
            MainWindow& one = windows.add();
            one.show();
            open(one, {a, b});
            one.showReport(Report::Trace);
            test::waitUntilIdle(one);
            views::ViewContext& context = one.context();
            context.timeZoom.setRange(context.timeZoom.last() * 0.25,
                                      context.timeZoom.last() * 0.5);
            context.selection.update([](views::Selected& s) {
                s.tiles = {TileId(3), TileId(5)};
                s.step = StepId(1);
            });
            test::waitUntilIdle(one);
            before = one.session().state();
            windows.add().show();
            windows.quit();
            QVERIFY(windows.windows().empty());
        }
        WindowList windows(Memory::Persistent);
        QVERIFY(windows.restoreSession());
        QCOMPARE(windows.windows().size(), std::size_t(2));
        MainWindow& again = *windows.windows().front();
        QTRY_COMPARE(again.session().files(), (QStringList{a, b}));
        test::waitUntilIdle(again);
        QCOMPARE(again.currentReport(), Report::Trace);
        QVERIFY(again.context().selection.current() == before.selected);
        QCOMPARE(again.context().timeZoom.from(), before.zoom.from);
        QCOMPARE(again.context().timeZoom.to(), before.zoom.to);
    }

    void tabsFiltersAndChoicesAreRestored() {
        const QString a = files_.write("a.pop");
        const auto graphOf = [](MainWindow& window) {
            for (QComboBox* box : window.view(Report::Memory).findChildren<QComboBox*>())
                if (box->accessibleName() == "Graph")
                    return box;
            return static_cast<QComboBox*>(nullptr);
        };
        const auto fieldOf = [](MainWindow& window) {
            for (QLineEdit* field : window.view(Report::Operations).findChildren<QLineEdit*>())
                if (field->isVisible())
                    return field;
            return static_cast<QLineEdit*>(nullptr);
        };
        const auto optionsFilter = [](MainWindow& window) {
            for (QLineEdit* field : window.view(Report::Summary).findChildren<QLineEdit*>())
                if (field->placeholderText() == "Filter options")
                    return field;
            return static_cast<QLineEdit*>(nullptr);
        };
        {
            WindowList windows(Memory::Persistent);
            MainWindow& one = windows.add();
            one.show();
            open(one, {a});
            one.showReport(Report::Operations);
            test::waitUntilIdle(one);
            fieldOf(one)->setText("conv1");
            one.showReport(Report::Summary);
            test::waitUntilIdle(one);
            optionsFilter(one)->setText("batch");
            one.showReport(Report::Memory);
            test::waitUntilIdle(one);
            QVERIFY(views::chooseByText(one.view(Report::Memory), "tile map"));
            QVERIFY(views::chooseByText(one.view(Report::Memory), "vertices"));
            test::waitUntilIdle(one);
            windows.quit();
        }
        WindowList windows(Memory::Persistent);
        QVERIFY(windows.restoreSession());
        MainWindow& again = *windows.windows().front();
        QTRY_COMPARE(again.session().files(), QStringList{a});
        test::waitUntilIdle(again);
        QCOMPARE(again.currentReport(), Report::Memory);
        QTRY_COMPARE(graphOf(again)->currentText(), "Tile map");
        auto* tabs = again.view(Report::Memory).findChild<QTabWidget*>();
        QCOMPARE(tabs->tabText(tabs->currentIndex()), "Vertices");
        // Reports that were not visited again keep theirs, too.
        QVERIFY(again.session().state().controls.contains("operations"));
        again.showReport(Report::Operations);
        test::waitUntilIdle(again);
        QTRY_COMPARE(fieldOf(again)->text(), "conv1");
        again.showReport(Report::Summary);
        test::waitUntilIdle(again);
        QTRY_COMPARE(optionsFilter(again)->text(), "batch");
    }

    void noSessionIsRestoredUnlessWanted() {
        const QString a = files_.write("a.pop");
        {
            WindowList windows(Memory::Persistent);
            MainWindow& window = windows.add();
            window.context().preferences.setRestoresSession(false);
            show(window);
            open(window, {a});
            window.close();
        }
        WindowList windows(Memory::Persistent);
        QVERIFY(!windows.restoreSession());
        QVERIFY(windows.windows().empty());
    }

    void theSideMenuStaysAsItWas() {
        {
            MainWindow window(Memory::Persistent);
            show(window);
            QVERIFY(!window.findChild<SideMenu*>()->collapsed());
            QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
            QVERIFY(window.findChild<SideMenu*>()->collapsed());
            window.close();
        }
        const MainWindow window(Memory::Persistent);
        QVERIFY(window.findChild<SideMenu*>()->collapsed());
    }

    void everyKindOfThingIsRemembered() {
        SessionState state;
        for (const ThingKind& kind : thingKinds())
            state.selected.add(kind.thing(3));
        state.selected.add(TileId(5));
        const auto kinds = std::size(thingKinds());
        QCOMPARE(state.selected.all().size(), kinds + 1);
        QVERIFY(sessionFrom(toJson(state)).selected == state.selected);
    }

    // Settings may come from another version, or from a text editor.
    void damagedSessionsAreIgnored() {
        for (const QByteArray text : {"[{\"files\": 3, \"zoom\": {}, \"selected\": []}]", "[", "7",
                                      "[{\"report\": \"nothing\", \"files\": [\"\", 5]}]"}) {
            QSettings().setValue("session/windows", text);
            for (const SessionState& state : storedSession()) {
                QVERIFY(state.files.isEmpty());
                QCOMPARE(state.report, Report::Summary);
                QVERIFY(state.selected == views::Selected{});
            }
        }
    }

    void severalWindowsShareThePreferences() {
        WindowList windows(Memory::None);
        MainWindow& one = windows.add();
        const QSize screen = one.screen()->availableSize(); // smaller than a window prefers
        QVERIFY(one.width() <= screen.width() && one.height() <= screen.height());
        show(one);
        QTest::keyClick(&one, Qt::Key_N, Qt::ControlModifier);
        QCOMPARE(windows.windows().size(), std::size_t(2));
        MainWindow& two = *windows.windows().back();
        QVERIFY(two.isVisible());
        show(two);
        open(two, {files_.write("a.pop")});
        QVERIFY(!one.context().reports.source());
        two.context().preferences.setByteUnits(ByteUnits::Si);
        QCOMPARE(one.context().preferences.byteUnits(), ByteUnits::Si);
        QTest::keyClick(&two, Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(windows.windows().size(), std::size_t(1));
    }

    void aProfileWrittenAnewIsReadAgain() {
        const QString a = files_.write("again.pop");
        MainWindow window(Memory::None);
        show(window);
        open(window, {a});
        window.showReport(Report::Liveness);
        QSignalSpy changed(&window.context().reports, &views::ReportPair::changed);
        files_.write("again.pop", {.changed = true}); // a new file takes its name
        QTRY_COMPARE(changed.count(), 1);
        QTRY_VERIFY(test::shownMessage(window).contains("was rewritten and has been read again"));
        QVERIFY(window.windowTitle().contains("sample-changed"));
        QCOMPARE(window.currentReport(), Report::Liveness);
        test::waitUntilIdle(window);
    }

    // As cp does: the same file, in pieces.
    void aProfileWrittenOverIsReadAgain() {
        const QString a = files_.write("over.pop");
        const QString b = files_.write("other.pop", {.changed = true});
        MainWindow window(Memory::None);
        show(window);
        open(window, {a});
        QFile from(b);
        QVERIFY(from.open(QIODevice::ReadOnly));
        const QByteArray bytes = from.readAll();
        QFile over(a);
        QVERIFY(over.open(QIODevice::WriteOnly | QIODevice::Truncate));
        for (qsizetype at = 0; at < bytes.size(); at += 65536) {
            over.write(bytes.mid(at, 65536));
            over.flush();
            QCoreApplication::processEvents();
        }
        over.close();
        QTRY_VERIFY(window.windowTitle().contains("sample-changed"));
        QTRY_VERIFY(test::shownMessage(window).contains("was rewritten and has been read again"));
        test::waitUntilIdle(window);
    }

    void aProfileWrittenAnewIsOfferedIfThatIsWanted() {
        const QString a = files_.write("offer.pop");
        MainWindow window(Memory::None);
        window.context().preferences.setReloadsByItself(false);
        show(window);
        open(window, {a});
        files_.write("offer.pop", {.changed = true});
        QTRY_VERIFY(visibleButton(window, "Reload"));
        QVERIFY(!window.windowTitle().contains("sample-changed"));
        visibleButton(window, "Reload")->click();
        QTRY_VERIFY(window.windowTitle().contains("sample-changed"));
        test::waitUntilIdle(window);
    }

    void changesOfOtherFilesAreNoChange() {
        const QString a = files_.writeBytes("watched.bin", "one");
        views::FileWatch watch;
        QSignalSpy changed(&watch, &views::FileWatch::changed);
        watch.setFiles({a});
        files_.writeBytes("beside.bin", "two");
        QVERIFY(QFile::remove(a)); // may return
        files_.writeBytes("watched.bin", "three");
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toString(), a);
        // A replaced file is still watched.
        files_.writeBytes("watched.bin", "three more");
        QTRY_COMPARE(changed.count(), 2);
        files_.writeBytes("new.bin", "three more again");
        QVERIFY(QFile::remove(a) && QFile::rename(files_.path("new.bin"), a));
        QTRY_COMPARE(changed.count(), 3);
    }

    void thePaletteHasAllCommands() {
        MainWindow window(Memory::None);
        show(window);
        open(window, {files_.write("a.pop")});
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        auto* palette = window.findChild<CommandPalette*>();
        QVERIFY(palette && palette->isVisible());
        auto* list = palette->findChild<QListWidget*>();
        QStringList texts;
        for (int row = 0; row < list->count(); ++row)
            texts << list->item(row)->text();
        for (const QAction* menu : window.menuBar()->actions())
            for (const QAction* action : menu->menu()->actions()) {
                if (action->isSeparator() || action->menu() != nullptr || !action->isEnabled())
                    continue;
                const QString name = action->text().remove('&');
                QVERIFY2(!texts.filter(name).isEmpty(), qPrintable(name));
            }
        auto* field = palette->findChild<QLineEdit*>();
        QTest::keyClicks(field, "vlive");
        QCOMPARE(list->currentItem()->text(), "View: Liveness   (Ctrl+4)");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(window.currentReport(), Report::Liveness);
        test::waitUntilIdle(window);
    }

    void thePaletteIsWalkedByArrowKeys() {
        MainWindow window(Memory::None);
        show(window);
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        auto* palette = window.findChild<CommandPalette*>();
        auto* list = palette->findChild<QListWidget*>();
        auto* field = palette->findChild<QLineEdit*>();
        QCOMPARE(list->currentRow(), 0);
        QTest::keyClick(field, Qt::Key_Up);
        QCOMPARE(list->currentRow(), 0);
        QTest::keyClick(field, Qt::Key_Down);
        QCOMPARE(list->currentRow(), 1);
        QTest::keyClicks(field, "qqqq");
        QCOMPARE(list->count(), 0);
        QTest::keyClick(field, Qt::Key_Return); // nothing to run
        QTest::keyClick(palette, Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
    }

    void lettersOfACommandAreFound() {
        QVERIFY(fuzzyScore("", "anything"));
        QVERIFY(fuzzyScore("mem", "View: Memory"));
        QVERIFY(fuzzyScore("M E M", "View: Memory"));
        QVERIFY(!fuzzyScore("mme", "View: Memory y"));
        QVERIFY(!fuzzyScore("a", ""));
        QVERIFY(!fuzzyScore("viewmemoryx", "View: Memory"));
        // Beginnings of words before letters within, letters in a row before others.
        QVERIFY(*fuzzyScore("sp", "File: Save picture") > *fuzzyScore("sp", "Lisp"));
        QVERIFY(*fuzzyScore("live", "View: Liveness") > *fuzzyScore("live", "Like it, view it"));
    }

    void preferencesAreFollowedAtOnce() {
        MainWindow window(Memory::Persistent);
        show(window);
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        auto* dialog = window.findChild<PreferencesDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        const auto choose = [&](const QString& name, int row) {
            for (QComboBox* box : dialog->findChildren<QComboBox*>())
                if (box->accessibleName() == name) {
                    box->setFocus();
                    box->setCurrentIndex(row);
                    emit box->activated(row);
                }
        };
        views::Preferences& now = window.context().preferences;
        choose("Memory units", 2);
        QCOMPARE(now.byteUnits(), ByteUnits::Plain);
        QCOMPARE(now.bytes(2048), "2,048 B");
        choose("Durations", 1);
        QCOMPARE(now.cycles(1330, 1.33e9), "1,330 cycles");
        choose("Durations", 2);
        QVERIFY(now.cycles(1330, 1.33e9).contains("µs"));
        QVERIFY(now.cycles(1330, 0).contains("cycles"));
        choose("Colours of data", 1);
        QCOMPARE(window.context().theme.current().source,
                 views::dataPalette(views::DataColours::Tableau).blue);
        choose("Theme", 2);
        QVERIFY(window.context().theme.current().dark);
        for (QCheckBox* box : dialog->findChildren<QCheckBox*>())
            box->click();
        QVERIFY(!now.reloadsByItself());
        QVERIFY(!now.restoresSession());
        window.close();
        // The next program begins with them.
        const MainWindow next(Memory::Persistent);
        views::Preferences kept;
        kept.load();
        QCOMPARE(kept.byteUnits(), ByteUnits::Plain);
        QCOMPARE(kept.clockUnits(), ClockUnits::Time);
        QCOMPARE(kept.theme(), views::ThemeChoice::Dark);
        QCOMPARE(kept.dataColours(), views::DataColours::Tableau);
        QVERIFY(!kept.restoresSession());
    }
};

TILESCOPE_TEST(ShellTest, QApplication)

} // namespace shell_test

#include "shell_test.moc"
