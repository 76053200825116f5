// The menus of the main window.
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <utility>

#include "app/gui/window/command_palette.h"
#include "app/gui/window/content_focus.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/menu_marks.h"
#include "app/gui/window/side_menu.h"
#include "views/sweep/sweep_view.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {

QAction* MainWindow::add(QMenu* menu, const QString& text, const QKeySequence& keys,
                         std::function<void()> run) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return action;
}

void MainWindow::makeMenus() {
    makeFileMenu();
    makeViewMenu();
    makeGoMenu();
    makeRunMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    add(menu, tr("&New window"), QKeySequence::New, [this] { emit newWindowWanted(); });
    add(menu, tr("&Open…"), QKeySequence::Open, [this] { openDialog(); });
    recentMenu_ = menu->addMenu(tr("Open &recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    add(menu, tr("&Compare with…"), QKeySequence(tr("Ctrl+Shift+O")), [this] { compareDialog(); });
    menu->addSeparator();
    const auto inFront = [this] { return sweep_ != nullptr && pages_->currentWidget() == sweep_; };
    needProfile_.push_back(add(menu, tr("Re&load"), QKeySequence::Refresh, [this, inFront] {
        inFront() ? sweep_->reload() : context_.reports.reload();
    }));
    needProfile_.back()->setProperty(sweepHasItToo, true);
    needTarget_.push_back(add(menu, tr("&Swap source and target"), QKeySequence(tr("Ctrl+Shift+X")),
                              [this] { context_.reports.swap(); }));
    needTarget_.push_back(
        add(menu, tr("Stop co&mparing"), {}, [this] { context_.reports.closeTarget(); }));
    needProfile_.push_back(add(menu, tr("&Close"), QKeySequence::Close, [this, inFront] {
        if (!inFront())
            return context_.reports.close();
        pages_->removeWidget(sweep_);
        std::exchange(sweep_, nullptr)->deleteLater();
        profilesChanged(); // the profile that is open, or the home screen
    }));
    needProfile_.back()->setProperty(sweepHasItToo, true);
    menu->addSeparator();
    needProfile_.push_back(add(menu, tr("Save &picture of the report…"),
                               QKeySequence(tr("Ctrl+Shift+S")), [this] { savePicture(); }));
    needProfile_.push_back(add(menu, tr("Copy lin&k to this view"),
                               QKeySequence(tr("Ctrl+Shift+L")), [this] { copyLink(); }));
    needProfile_.push_back(
        add(menu, tr("&Export the execution trace…"), {}, [this] { exportTrace(false); }));
    needProfile_.push_back(
        add(menu, tr("Export the &visible part of the trace…"), {}, [this] { exportTrace(true); }));
    add(menu, tr("Pre&ferences…"), QKeySequence(tr("Ctrl+,")), [this] { showPreferences(); });
    menu->addSeparator();
    add(menu, tr("Close &window"), QKeySequence(tr("Ctrl+Shift+W")), [this] { close(); });
    add(menu, tr("&Quit"), QKeySequence::Quit, [this] { emit quitWanted(); });
}

void MainWindow::fillRecentMenu() {
    recentMenu_->clear();
    for (const QString& entry : recent_.entries())
        add(recentMenu_, RecentFiles::filesOf(entry).join(tr("  compared with  ")), {},
            [this, entry] { compareProfiles(RecentFiles::filesOf(entry)); });
    recentMenu_->addSeparator();
    QAction* clear = add(recentMenu_, tr("Clear the list"), {}, [this] { recent_.clear(); });
    clear->setEnabled(!recent_.entries().isEmpty());
}

void MainWindow::makeViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    for (const Report report : reports)
        needProfile_.push_back(
            add(menu, reportTitle(report), QKeySequence(reportKeys(report)), [this, report] {
                showReport(report);
                ContentFocus::of(*this).want(*reportStack_);
            }));
    menu->addSeparator();
    add(menu, tr("Switch light and dark"), QKeySequence(tr("Ctrl+Shift+T")), [this] {
        context_.preferences.setTheme(context_.theme.current().dark ? views::ThemeChoice::Light
                                                                    : views::ThemeChoice::Dark);
    });
    menu->addSeparator();
    add(menu, tr("Side menu names"), QKeySequence(tr("Ctrl+B")), [this] { sideMenu_->toggle(); });
    add(menu, tr("Full screen"), QKeySequence(Qt::Key_F11),
        [this] { isFullScreen() ? showNormal() : showFullScreen(); });
    frameTimes_ = menu->addAction(tr("Painting times"));
    frameTimes_->setCheckable(true);
    frameTimes_->setShortcut(QKeySequence(Qt::Key_F12));
    connect(frameTimes_, &QAction::toggled, this, &MainWindow::setShowsFrameTimes);
}

void MainWindow::makeGoMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Go"));
    undo_ = add(menu, tr("Undo zoom or selection"), QKeySequence(tr("Ctrl+Z")),
                [this] { context_.history.undo(); });
    redo_ = add(menu, tr("Redo zoom or selection"), {}, [this] { context_.history.redo(); });
    redo_->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    back_ = add(menu, tr("Back to the selection before"), QKeySequence::Back,
                [this] { context_.history.back(); });
    forward_ =
        add(menu, tr("Forward"), QKeySequence::Forward, [this] { context_.history.forward(); });
    add(menu, tr("Clear selection"), {}, [this] { context_.selection.clear(); });
    menu->addSeparator();
    QAction* find = add(menu, tr("Search in this report"), {}, [this] {
        if (context_.reports.source())
            view(current_).focusSearch();
    });
    find->setShortcuts({QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)});
    needProfile_.push_back(find);
    needProfile_.push_back(
        add(menu, tr("Show the whole execution"), {}, [this] { context_.timeZoom.fit(); }));
    showSweep_ = add(menu, tr("Results of the sweep"), QKeySequence(tr("Ctrl+Alt+W")),
                     [this] { showSweep(); });
    menu->addSeparator();
    add(menu, tr("Find anything…"), QKeySequence(tr("Ctrl+P")),
        [this] { (new CommandPalette(*this))->open(); });
}

void MainWindow::makeRunMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    add(menu, tr("&Run a model…"), QKeySequence(tr("Ctrl+Shift+R")), [this] { openRunDialog({}); });
    needProfile_.push_back(add(menu, tr("Run again with &other options…"),
                               QKeySequence(tr("Ctrl+Alt+R")),
                               [this] { openRunDialog(runAgain(*context_.reports.source())); }));
    needProfile_.push_back(add(menu, tr("&Try all suggestions…"), {},
                               [this] { openTryAll(context_.reports.source()); }));
}

void MainWindow::makeHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    QAction* help = add(menu, tr("&Help on this report"), {}, [this] {
        showHelp(context_.reports.source() ? reportName(current_) : QString());
    });
    help->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    add(menu, tr("&Terms and abbreviations"), {}, [this] { showHelp(QStringLiteral("glossary")); });
    add(menu, tr("&Keyboard and mouse"), QKeySequence(tr("Ctrl+F1")),
        [this] { showHelp(QStringLiteral("keys")); });
    add(menu, tr("&About TileScope"), {}, [this] { showAbout(); });
}

} // namespace tilescope::gui
