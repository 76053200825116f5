#include "app/gui/window/menus.h"

#include <QMenuBar>
#include <QTableView>
#include <utility>

#include "app/gui/candidates/candidates_panel.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/side_menu.h"
#include "views/plot/plot_widget.h"

namespace tilescope::gui {

Menus::Menus(MainWindow& window)
    : QObject(&window)
    , window_(window) {
    makeFileMenu();
    makeViewMenu();
    makeGoMenu();
    makeRunMenu();
    makeHelpMenu();
    connect(&window.context().history, &views::History::changed, this, &Menus::update);
}

void Menus::update() {
    const views::ViewContext& context = window_.context();
    for (const ForProfile& command : needProfile_)
        command.action->setEnabled(
            context.reports.source() != nullptr ||
            (command.forSweep && (window_.sweepInFront() || window_.severalInFront())));
    // Of an imported profile it is not known what was run.
    const ProfileViewPtr& source = context.reports.source();
    for (QAction* action : needRun_)
        action->setEnabled(source != nullptr && source->info().has(ProfilePart::Options));
    for (QAction* action : needTarget_)
        action->setEnabled(context.reports.target() != nullptr);
    showSweep_->setEnabled(window_.sweep() != nullptr);
    showSeveral_->setEnabled(window_.several() != nullptr);
    undo_->setEnabled(context.history.canUndo());
    redo_->setEnabled(context.history.canRedo());
    back_->setEnabled(context.history.canGoBack());
    forward_->setEnabled(context.history.canGoForward());
}

QAction* Menus::add(QMenu* menu, const QString& text, const QKeySequence& keys,
                    std::function<void()> run) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return action;
}

QAction* Menus::addForProfile(QMenu* menu, const QString& text, const QKeySequence& keys,
                              std::function<void()> run, bool forSweep) {
    needProfile_.push_back({add(menu, text, keys, std::move(run)), forSweep});
    return needProfile_.back().action;
}

void Menus::makeFileMenu() {
    QMenu* menu = window_.menuBar()->addMenu(tr("&File"));
    WindowDialogs& dialogs = window_.dialogs();
    views::ReportPair& profiles = window_.context().reports;
    add(menu, tr("&New window"), QKeySequence::New, [this] { emit window_.newWindowWanted(); });
    add(menu, tr("&Open…"), QKeySequence::Open, [&dialogs] { dialogs.openProfile(); });
    add(menu, tr("Open on &another machine…"), {},
        [this, &dialogs] { dialogs.openRemote(window_.recent().hosts()); });
    QMenu* recent = menu->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentMenu(recent); });
    add(menu, tr("&Compare with…"), QKeySequence(tr("Ctrl+Shift+O")),
        [&dialogs] { dialogs.compareWith(); });
    menu->addSeparator();
    addForProfile(
        menu, tr("Re&load"), QKeySequence::Refresh, [this] { window_.reload(); }, true);
    needTarget_.push_back(add(menu, tr("&Swap source and target"), QKeySequence(tr("Ctrl+Shift+X")),
                              [&profiles] { profiles.swap(); }));
    needTarget_.push_back(
        add(menu, tr("Stop co&mparing"), {}, [&profiles] { profiles.closeTarget(); }));
    addForProfile(
        menu, tr("&Close"), QKeySequence::Close, [this] { window_.closeInFront(); }, true);
    menu->addSeparator();
    addForProfile(menu, tr("Add a &trace of the host…"), {},
                  [&dialogs] { dialogs.chooseHostTraces(); });
    addForProfile(menu, tr("Save &picture of the report…"), QKeySequence(tr("Ctrl+Shift+S")),
                  [&dialogs] { dialogs.savePicture(); });
    addForProfile(menu, tr("Copy lin&k to this view"), QKeySequence(tr("Ctrl+Shift+L")),
                  [this] { window_.session().copyLink(); });
    addForProfile(menu, tr("&Export the execution trace…"), {},
                  [&dialogs] { dialogs.exportTrace(false); });
    addForProfile(menu, tr("Export the &visible part of the trace…"), {},
                  [&dialogs] { dialogs.exportTrace(true); });
    add(menu, tr("Pre&ferences…"), QKeySequence(tr("Ctrl+,")),
        [&dialogs] { dialogs.showPreferences(); });
    menu->addSeparator();
    add(menu, tr("Close &window"), QKeySequence(tr("Ctrl+Shift+W")), [this] { window_.close(); });
    add(menu, tr("&Quit"), QKeySequence::Quit, [this] { emit window_.quitWanted(); });
}

void Menus::fillRecentMenu(QMenu* menu) {
    RecentFiles& recent = window_.recent();
    menu->clear();
    for (const QString& entry : recent.entries())
        add(menu, RecentFiles::filesOf(entry).join(tr("  compared with  ")), {},
            [this, entry] { window_.compareProfiles(RecentFiles::filesOf(entry)); });
    menu->addSeparator();
    QAction* clear = add(menu, tr("Clear the list"), {}, [&recent] { recent.clear(); });
    clear->setEnabled(!recent.entries().isEmpty());
}

void Menus::makeViewMenu() {
    QMenu* menu = window_.menuBar()->addMenu(tr("&View"));
    for (const Report report : reports)
        addForProfile(menu, reportTitle(report), QKeySequence(reportKeys(report)),
                      [this, report] { window_.reports().goTo(report); });
    menu->addSeparator();
    add(menu, tr("Switch light and dark"), QKeySequence(tr("Ctrl+Shift+T")), [this] {
        views::ViewContext& context = window_.context();
        context.preferences.setTheme(context.theme.current().dark ? views::ThemeChoice::Light
                                                                  : views::ThemeChoice::Dark);
    });
    menu->addSeparator();
    QAction* candidates = window_.candidates().toggleViewAction();
    candidates->setShortcut(QKeySequence(tr("Ctrl+K")));
    connect(candidates, &QAction::triggered, this, [this](bool shown) {
        if (shown)
            window_.candidates().table().view().setFocus();
    });
    menu->addAction(candidates);
    needProfile_.push_back({candidates, false});
    add(menu, tr("Side menu names"), QKeySequence(tr("Ctrl+B")),
        [this] { window_.reports().sideMenu().toggle(); });
    add(menu, tr("Full screen"), QKeySequence(Qt::Key_F11),
        [this] { window_.isFullScreen() ? window_.showNormal() : window_.showFullScreen(); });
    QAction* frameTimes = menu->addAction(tr("Painting times"));
    frameTimes->setCheckable(true);
    frameTimes->setShortcut(QKeySequence(Qt::Key_F12));
    connect(frameTimes, &QAction::toggled, this, [this](bool shown) {
        window_.setProperty(views::showFrameTimesProperty, shown);
        window_.context().frameTimes.reset();
        for (QWidget* child : window_.findChildren<QWidget*>())
            child->update();
    });
}

void Menus::makeGoMenu() {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Go"));
    views::ViewContext& context = window_.context();
    undo_ = add(menu, tr("Undo zoom or selection"), QKeySequence(tr("Ctrl+Z")),
                [&context] { context.history.undo(); });
    redo_ = add(menu, tr("Redo zoom or selection"), {}, [&context] { context.history.redo(); });
    redo_->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    back_ = add(menu, tr("Back to the selection before"), QKeySequence::Back,
                [&context] { context.history.back(); });
    forward_ =
        add(menu, tr("Forward"), QKeySequence::Forward, [&context] { context.history.forward(); });
    addForProfile(menu, tr("Clear selection"), {}, [&context] { context.selection.clear(); });
    menu->addSeparator();
    QAction* find = addForProfile(menu, tr("Search in this report"), {}, [this] {
        if (window_.context().reports.source())
            window_.view(window_.currentReport()).focusSearch();
    });
    find->setShortcuts({QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)});
    addForProfile(menu, tr("Show the whole execution"), {}, [&context] { context.timeZoom.fit(); });
    showSweep_ = add(menu, tr("Results of the sweep"), QKeySequence(tr("Ctrl+Alt+W")),
                     [this] { window_.showSweep(); });
    showSeveral_ = add(menu, tr("Table of several profiles"), QKeySequence(tr("Ctrl+Alt+P")),
                       [this] { window_.showSeveral(); });
    menu->addSeparator();
    add(menu, tr("Find anything…"), QKeySequence(tr("Ctrl+P")),
        [this] { (new CommandPalette(window_))->open(); });
}

void Menus::makeRunMenu() {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Run"));
    WindowDialogs& dialogs = window_.dialogs();
    const views::ReportPair& profiles = window_.context().reports;
    add(menu, tr("&Run a model…"), QKeySequence(tr("Ctrl+Shift+R")),
        [&dialogs] { dialogs.openRun({}); });
    needRun_.push_back(
        add(menu, tr("Run again with &other options…"), QKeySequence(tr("Ctrl+Alt+R")),
            [&dialogs, &profiles] { dialogs.openRun(runAgain(*profiles.source())); }));
    needRun_.push_back(add(menu, tr("&Sweep an option…"), {}, [this, &dialogs, &profiles] {
        window_.candidates().setVisible(true);
        dialogs.sweep(profiles.source());
    }));
    needRun_.push_back(add(menu, tr("&Try all suggestions…"), {},
                           [&dialogs, &profiles] { dialogs.tryAll(profiles.source()); }));
}

void Menus::makeHelpMenu() {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Help"));
    WindowDialogs& dialogs = window_.dialogs();
    QAction* help = add(menu, tr("&Help on this report"), {}, [this, &dialogs] {
        dialogs.showHelp(window_.context().reports.source() ? reportName(window_.currentReport())
                                                            : QString());
    });
    help->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    add(menu, tr("&Terms and abbreviations"), {},
        [&dialogs] { dialogs.showHelp(QStringLiteral("glossary")); });
    add(menu, tr("&Keyboard and mouse"), QKeySequence(tr("Ctrl+F1")),
        [&dialogs] { dialogs.showHelp(QStringLiteral("keys")); });
    add(menu, tr("&About TileScope"), {}, [&dialogs] { dialogs.showAbout(); });
}

} // namespace tilescope::gui
