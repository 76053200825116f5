#include "app/gui/window/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>

#include "app/gui/window/choice_manners.h"
#include "app/gui/window/content_focus.h"
#include "app/gui/window/focus_ring.h"
#include "app/gui/window/header_strip.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/menu_marks.h"
#include "app/gui/window/message_bar.h"
#include "app/gui/window/side_menu.h"
#include "app/gui/window/standard_actions.h"
#include "app/gui/window/trace_export.h"
#include "core/sweep/sweep_store.h"
#include "views/summary/summary_view.h"
#include "views/sweep/sweep_view.h"
#include "views/theme/icons.h"
#include "views/widgets/parts.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {

using views::ReportPair;
using views::ThemeChoice;

namespace {

void keepCollapsed(views::SummaryView& summary) {
    const QString key = QStringLiteral("summary/collapsed");
    summary.setCollapsed(QSettings().value(key).toStringList());
    QObject::connect(&summary, &views::SummaryView::collapsedChanged, &summary,
                     [key](const QStringList& names) { QSettings().setValue(key, names); });
}

// Two runs of one model are distinguished by their folders.
QString namesOf(const ProfilePair& open) {
    if (!open.comparing())
        return views::profileTitle(*open.source);
    const auto name = [same = views::profileTitle(*open.source) ==
                              views::profileTitle(*open.target)](const ProfileView& profile) {
        const std::string folder = profile.file().parent_path().filename().string();
        return same && !folder.empty()
                   ? MainWindow::tr("%1 (%2)").arg(views::profileTitle(profile),
                                                   QString::fromStdString(folder))
                   : views::profileTitle(profile);
    };
    return MainWindow::tr("%1  \u2192  %2").arg(name(*open.source), name(*open.target));
}

} // namespace

MainWindow::MainWindow(Memory memory, QWidget* parent)
    : QMainWindow(parent)
    , memory_(memory) {
    if (memory_ == Memory::Persistent) {
        context_.preferences.load();
        context_.queries.keep();
    }
    setAcceptDrops(true);
    resize(1500, 900);
    setMinimumSize(720, 480);
    applyTheme();
    makeCentral();
    makeMenus();
    restore();
    connect(&context_.preferences, &views::Preferences::themeChanged, this,
            &MainWindow::applyTheme);
    connect(&context_.reports, &ReportPair::changed, this, &MainWindow::profilesChanged);
    connect(&context_.reports, &ReportPair::failed, this, &MainWindow::openingFailed);
    connect(&context_.workers, &views::Workers::failed, this, &MainWindow::showError);
    connect(&context_.reports, &ReportPair::openingIsSlow, this, [this](const QString& file) {
        messageBar_->show(MessageBar::Kind::Progress, tr("Opening %1…").arg(file), tr("Cancel"),
                          [this] {
                              wanted_.reset();
                              link_.reset();
                              context_.reports.cancelOpening();
                          });
    });
    connect(&context_.reports, &ReportPair::openingEnded, this, &MainWindow::openingEnded);
    connect(&context_.history, &views::History::changed, this, &MainWindow::updateActions);
    connect(&context_.history, &views::History::pageWanted, this, [this](int page) {
        showReport(static_cast<Report>(page));
        ContentFocus::of(*this).want(*reportStack_);
    });
    connect(&watch_, &views::FileWatch::changed, this, &MainWindow::fileChanged);
    connect(&context_.timeZoom, &views::ZoomRange::changed, this, &MainWindow::restoreZoom);
    connect(&context_.workers, &views::Workers::becameIdle, this, &MainWindow::restoreControls,
            Qt::QueuedConnection);
    connect(&context_.workers, &views::Workers::becameIdle, this, &MainWindow::showLinkedRange,
            Qt::QueuedConnection);
    profilesChanged();
}

// Views, dialogs and their queries refer to the context, a member, and must be destroyed before it.
MainWindow::~MainWindow() {
    delete findChild<FocusRing*>();
    qDeleteAll(findChildren<QDialog*>(Qt::FindDirectChildrenOnly));
    delete traceExport_;
    delete takeCentralWidget();
}

void MainWindow::makeCentral() {
    messageBar_ = new MessageBar(context_);
    home_ = new HomeScreen(context_, recent_);
    sideMenu_ = new SideMenu(context_);
    reportStack_ = new QStackedWidget;
    reportPage_ = new QWidget;
    auto* page = new QHBoxLayout(reportPage_);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(sideMenu_);
    auto* header = new HeaderStrip(context_);
    auto* right = new QWidget;
    views::inColumn(right, {header, reportStack_});
    page->addWidget(right, 1);
    pages_ = new QStackedWidget;
    pages_->addWidget(home_);
    pages_->addWidget(reportPage_);
    auto* central = new QWidget;
    views::inColumn(central, {messageBar_, pages_});
    new StandardActions(*reportStack_, context_);
    new ChoiceManners(*reportStack_);
    new FocusRing(*this, context_.theme);
    new ContentFocus(*this, context_.workers);
    setCentralWidget(central);
    status_ = new QLabel;
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(status_, 1);
    statusBar()->setContentsMargins(10, 0, 12, 0);
    connect(sideMenu_, &SideMenu::chosen, this, [this](Report report) {
        showReport(report);
        // The focus stays on a menu entry that was activated from the keyboard.
        const auto* entry = qobject_cast<QAbstractButton*>(focusWidget());
        if (entry == nullptr || !entry->isChecked() || !sideMenu_->isAncestorOf(entry))
            ContentFocus::of(*this).want(*reportStack_);
    });
    connect(header, &HeaderStrip::compareWanted, this, [this] {
        showReport(Report::Compare);
        ContentFocus::of(*this).want(*reportStack_);
    });
    connect(home_, &HomeScreen::openWanted, this, &MainWindow::openDialog);
    connect(home_, &HomeScreen::compareWanted, this, &MainWindow::compareDialog);
    connect(home_, &HomeScreen::recentWanted, this,
            [this](const QString& entry) { compareProfiles(RecentFiles::filesOf(entry)); });
    connect(home_, &HomeScreen::demoReady, this,
            [this](const QString& profile) { openProfiles({profile}); });
    connect(home_, &HomeScreen::runWanted, this, [this] { openRunDialog({}); });
}

void MainWindow::openProfiles(const QStringList& files) {
    if (files.isEmpty())
        return;
    if (pending_ && pending_->files != files)
        pending_.reset();
    wanted_.reset();
    link_.reset();
    messageBar_->hide();
    // The demo must not replace these profiles when it is ready.
    home_->demo().cancel();
    if (files.size() == 1 && isSweep(files[0].toStdString()))
        return openSweep(files[0]);
    // A single profile does not open in the report that compares two.
    if (files.size() == 1 && current_ == Report::Compare && context_.reports.source())
        wanted_ = Report::Summary;
    context_.reports.open(files[0].toStdString(), files.value(1).toStdString());
}

void MainWindow::compareProfiles(const QStringList& files) {
    openProfiles(files);
    if (files.size() == 2)
        wanted_ = Report::Compare;
}

void MainWindow::openSweep(const QString& file) {
    if (sweep_ == nullptr) {
        sweep_ = new views::SweepView(context_);
        pages_->addWidget(sweep_);
        connect(sweep_, &views::SweepView::profilesWanted, this, &MainWindow::compareProfiles);
    }
    sweep_->open(file.toStdString());
    if (memory_ == Memory::Persistent)
        recent_.add(QString::fromStdString(sweep_->file().string()));
    showSweep();
}

void MainWindow::showSweep() {
    pages_->setCurrentWidget(sweep_);
    setWindowTitle(
        tr("%1 \u2013 TileScope")
            .arg(QFileInfo(QString::fromStdString(sweep_->file().string())).absoluteFilePath()));
    updateActions();
}

views::ReportView& MainWindow::view(Report report) {
    views::ReportView*& view = views_[static_cast<std::size_t>(report)];
    if (view == nullptr) {
        view = makeReport(report, context_);
        view->setAccessibleName(reportTitle(report));
        reportStack_->addWidget(view);
        connect(view, &views::ReportView::status, status_, &QLabel::setText);
        connect(view, &views::ReportView::reportWanted, this, &MainWindow::showSection);
        connect(view, &views::ReportView::runAgainWanted, this, &MainWindow::openRunAgain);
        connect(view, &views::ReportView::tryAllWanted, this, &MainWindow::openTryAll);
        connect(view, &views::ReportView::traceWanted, this,
                [this](OperationId operation, bool target) {
                    showReport(Report::Trace);
                    this->view(Report::Trace).goToOperation(operation, target);
                    ContentFocus::of(*this).want(*reportStack_);
                });
        if (report == Report::Summary && memory_ == Memory::Persistent)
            keepCollapsed(static_cast<views::SummaryView&>(*view));
    }
    return *view;
}

void MainWindow::showReport(Report report) {
    current_ = report;
    context_.history.setPage(static_cast<int>(report));
    sideMenu_->setCurrent(report);
    status_->clear();
    if (context_.reports.source())
        reportStack_->setCurrentWidget(&view(report));
    // A report without anything to read never makes the workers busy.
    QMetaObject::invokeMethod(this, &MainWindow::restoreControls, Qt::QueuedConnection);
}

// "memory", "memory:Variables"; sections of the command line's reports that have no view of their
// own are tabs of Memory.
void MainWindow::showSection(const QString& name) {
    const QString section = name.section(QLatin1Char(':'), 1);
    for (const Report report : reports)
        if (reportName(report) == name.section(QLatin1Char(':'), 0, 0)) {
            showReport(report);
            if (!section.isEmpty())
                view(report).showSection(section);
            return ContentFocus::of(*this).want(ContentFocus::partOf(view(report), section));
        }
    showReport(Report::Memory);
    view(Report::Memory).showSection(name);
    ContentFocus::of(*this).want(ContentFocus::partOf(view(Report::Memory), name));
}

void MainWindow::profilesChanged() {
    const ProfilePair& open = context_.reports.profiles();
    // After closing the profile of a cell, the sweep is shown again.
    QWidget* const resting = sweep_ != nullptr ? static_cast<QWidget*>(sweep_) : home_;
    const bool leavesHome = open.source && pages_->currentWidget() != reportPage_;
    pages_->setCurrentWidget(open.source ? reportPage_ : resting);
    // Hiding a widget moves the focus to the next one, which the user did not choose.
    if (QWidget* const next = focusWidget();
        leavesHome && next != nullptr && sideMenu_->isAncestorOf(next))
        next->clearFocus();
    // Ids of another profile mean other things.
    context_.selection.clear();
    context_.history.reset();
    QString title = QStringLiteral("TileScope");
    // The next profile opens with the first report, not with the last one shown.
    if (!open.source)
        current_ = Report::Summary;
    if (open.source) {
        title = QStringLiteral("%1 \u2013 TileScope").arg(namesOf(open));
        showReport(std::exchange(wanted_, {}).value_or(current_));
        if (memory_ == Memory::Persistent)
            recent_.add(QString::fromStdString(open.source->file().string()),
                        open.target ? QString::fromStdString(open.target->file().string())
                                    : QString());
    }
    setWindowTitle(title);
    watch_.setFiles(openFiles());
    restoreSelection();
    followLink();
    updateActions();
}

void MainWindow::showError(const QString& text) {
    messageBar_->show(MessageBar::Kind::Error, text);
}

void MainWindow::openingEnded() {
    messageBar_->hide();
    if (!rewritten_.isEmpty())
        messageBar_->show(
            MessageBar::Kind::Notice,
            tr("%1 was rewritten and has been read again.").arg(std::exchange(rewritten_, {})));
}

void MainWindow::openingFailed(const QString& file, const QString& text) {
    wanted_.reset();
    link_.reset();
    QString entry;
    for (const QString& recent : recent_.entries())
        if (RecentFiles::filesOf(recent).contains(QFileInfo(file).absoluteFilePath()))
            entry = recent;
    if (entry.isEmpty())
        messageBar_->show(MessageBar::Kind::Error, text);
    else
        messageBar_->show(MessageBar::Kind::Error, text, tr("Remove from recent"),
                          [this, entry] { recent_.remove(entry); });
}

void MainWindow::updateActions() {
    const bool sweepInFront = sweep_ != nullptr && pages_->currentWidget() == sweep_;
    for (QAction* action : needProfile_)
        action->setEnabled(context_.reports.source() != nullptr ||
                           (sweepInFront && action->property(sweepHasItToo).toBool()));
    for (QAction* action : needTarget_)
        action->setEnabled(context_.reports.target() != nullptr);
    showSweep_->setEnabled(sweep_ != nullptr);
    undo_->setEnabled(context_.history.canUndo());
    redo_->setEnabled(context_.history.canRedo());
    back_->setEnabled(context_.history.canGoBack());
    forward_->setEnabled(context_.history.canGoForward());
}

void MainWindow::applyTheme() {
    const ThemeChoice choice = context_.preferences.theme();
    // The desktop's theme, judged by its palette; read only once, before our palette replaces it.
    static const bool systemIsDark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark =
        choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemIsDark);
    const views::DataColours colours = context_.preferences.dataColours();
    const views::Theme theme = dark ? views::darkTheme(colours) : views::lightTheme(colours);
    QApplication::setPalette(theme.palette());
    setStyleSheet(theme.styleSheet());
    context_.theme.set(theme);
}

void MainWindow::openDialog() {
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Open a profile"), {}, tr(profileFilter));
    if (!file.isEmpty())
        openProfiles({file});
}

void MainWindow::compareDialog() {
    QStringList files;
    if (context_.reports.source())
        files.append(QString::fromStdString(context_.reports.source()->file().string()));
    else
        files.append(
            QFileDialog::getOpenFileName(this, tr("Source profile"), {}, tr(profileFilter)));
    if (files.front().isEmpty())
        return;
    files.append(QFileDialog::getOpenFileName(this, tr("Target profile to compare with"),
                                              QFileInfo(files.front()).absolutePath(),
                                              tr(profileFilter)));
    if (!files.back().isEmpty())
        compareProfiles(files);
}

void MainWindow::setShowsFrameTimes(bool shows) {
    setProperty(views::showFrameTimesProperty, shows);
    context_.frameTimes.reset();
    for (QWidget* child : findChildren<QWidget*>())
        child->update();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.size() <= 2 &&
        std::all_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls())
        files.append(url.toLocalFile());
    event->acceptProposedAction();
    compareProfiles(files);
}

void MainWindow::restore() {
    if (memory_ == Memory::None)
        return;
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    sideMenu_->setCollapsed(settings.value(QStringLiteral("window/sideMenuCollapsed")).toBool());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (memory_ == Memory::Persistent) {
        QSettings settings;
        settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
        settings.setValue(QStringLiteral("window/sideMenuCollapsed"), sideMenu_->collapsed());
        context_.preferences.save();
    }
    QMainWindow::closeEvent(event);
    if (event->isAccepted())
        emit closed();
}

} // namespace tilescope::gui
