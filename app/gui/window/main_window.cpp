#include "app/gui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTableView>

#include "app/gui/candidates/candidates_panel.h"
#include "app/gui/profiles/profiles_page.h"
#include "app/gui/window/content_focus.h"
#include "app/gui/window/focus_ring.h"
#include "app/gui/window/given_files.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/menus.h"
#include "app/gui/window/message_bar.h"
#include "app/gui/window/side_menu.h"
#include "core/sweep/sweep_store.h"
#include "views/summary/summary_view.h"
#include "views/sweep/sweep_view.h"
#include "views/widgets/parts.h"

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

QString pathOf(const ProfileViewPtr& profile) {
    return profile ? views::openedName(*profile) : QString();
}

void applyTheme(QWidget& window, views::ViewContext& context) {
    const ThemeChoice choice = context.preferences.theme();
    // The desktop's theme, judged by its palette; read only once, before our palette replaces it.
    static const bool systemIsDark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark =
        choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemIsDark);
    const views::DataColours colours = context.preferences.dataColours();
    const views::Theme theme = dark ? views::darkTheme(colours) : views::lightTheme(colours);
    QApplication::setPalette(theme.palette());
    window.setStyleSheet(theme.styleSheet());
    context.theme.set(theme);
}

} // namespace

MainWindow::MainWindow(Memory memory, QWidget* parent)
    : QMainWindow(parent)
    , memory_(memory) {
    if (memory_ == Memory::Persistent) {
        context_.preferences.load();
        context_.queries.keep();
    }
    SshProgram ssh = sshFromEnvironment();
    // This program asks what ssh wants to know (askpass.h).
    if (memory_ == Memory::Persistent)
        ssh.askpass = QCoreApplication::applicationFilePath().toStdString();
    context_.reports.setSsh(std::move(ssh));
    setAcceptDrops(true);
    resize(1500, 900);
    setMinimumSize(720, 480);
    applyTheme(*this, context_);
    makeCentral();
    session_ = new SessionKeeper(*this, context_, *reports_, *messages_);
    dialogs_ = new WindowDialogs(*this, context_, *reports_, *messages_);
    menus_ = new Menus(*this);
    if (memory_ == Memory::Persistent) {
        const QSettings settings;
        restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
        reports_->sideMenu().setCollapsed(
            settings.value(QStringLiteral("window/sideMenuCollapsed")).toBool());
    }
    connect(&context_.preferences, &views::Preferences::themeChanged, this,
            [this] { applyTheme(*this, context_); });
    connect(&context_.reports, &ReportPair::changed, this, &MainWindow::profilesChanged);
    connect(&context_.reports, &ReportPair::failed, this, &MainWindow::openingFailed);
    connect(&context_.workers, &views::Workers::failed, this, &MainWindow::showError);
    dialogs_->setOpenProfilesSource([this] { return session_->files(); });
    connect(dialogs_, &WindowDialogs::filesChosen, this, &MainWindow::compareProfiles);
    // The result of a run becomes a recent profile of its own, even if first shown in a comparison.
    connect(dialogs_, &WindowDialogs::resultReady, this, [this](const QStringList& files) {
        if (files.size() > 1)
            remember(files.back());
        compareProfiles(files);
    });
    connect(dialogs_, &WindowDialogs::runsReady, candidates_, &CandidatesPanel::add);
    connect(candidates_, &CandidatesPanel::sweepWanted, this,
            [this] { dialogs_->sweep(context_.reports.source()); });
    connectHome();
    profilesChanged();
}

// Views, dialogs and their queries refer to the context, a member, and must be destroyed before it.
MainWindow::~MainWindow() {
    delete findChild<FocusRing*>();
    qDeleteAll(findChildren<QDialog*>(Qt::FindDirectChildrenOnly));
    delete dialogs_;
    delete candidates_;
    delete takeCentralWidget();
}

void MainWindow::makeCentral() {
    messages_ = new MessageBar(context_);
    home_ = new HomeScreen(context_, recent_);
    reports_ = new ReportHost(*this, context_);
    pages_ = new QStackedWidget;
    pages_->addWidget(home_);
    pages_->addWidget(reports_);
    auto* central = new QWidget;
    views::inColumn(central, {messages_, pages_});
    new FocusRing(*this, context_.theme);
    new ContentFocus(*this, context_.workers);
    setCentralWidget(central);
    const auto recent = [this] {
        QStringList files;
        for (const QString& entry : recent_.entries())
            files << RecentFiles::filesOf(entry);
        return files;
    };
    candidates_ = new CandidatesPanel(context_, recent, this);
    connect(&recent_, &RecentFiles::changed, candidates_, &CandidatesPanel::recentChanged);
    addDockWidget(Qt::RightDockWidgetArea, candidates_);
    candidates_->hide();
    auto* status = new QLabel;
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(status, 1);
    statusBar()->setContentsMargins(10, 0, 12, 0);
    connect(reports_, &ReportHost::status, status, &QLabel::setText);
    connect(reports_, &ReportHost::viewMade, this, [this](Report report) {
        if (report == Report::Summary && memory_ == Memory::Persistent)
            keepCollapsed(static_cast<views::SummaryView&>(view(report)));
    });
}

void MainWindow::connectHome() {
    connect(home_, &HomeScreen::openWanted, dialogs_, &WindowDialogs::openProfile);
    connect(home_, &HomeScreen::compareWanted, dialogs_, &WindowDialogs::compareWith);
    connect(home_, &HomeScreen::recentWanted, this,
            [this](const QString& entry) { compareProfiles(RecentFiles::filesOf(entry)); });
    connect(home_, &HomeScreen::demoReady, this,
            [this](const QString& profile) { openProfiles({profile}); });
    connect(home_, &HomeScreen::runWanted, this, [this] { dialogs_->openRun({}); });
    connect(home_, &HomeScreen::guideWanted, this,
            [this] { dialogs_->showHelp(QStringLiteral("manual/pytorch")); });
}

void MainWindow::openProfiles(const QStringList& files) {
    if (files.isEmpty() || dialogs_->take(files))
        return;
    session_->opening(files);
    messages_->hide();
    // The demo must not replace these profiles when it is ready.
    home_->demo().cancel();
    if (files.size() == 1 && isSweep(files[0].toStdString()))
        return openSweep(files[0]);
    if (areTracesOfAHost(files))
        return openTraces(files);
    if (files.size() > 2)
        return openSeveral(files);
    // A single profile does not open in the report that compares two.
    if (files.size() == 1 && currentReport() == Report::Compare && context_.reports.source())
        session_->expect(Report::Summary);
    context_.reports.open(files[0].toStdString(), files.value(1).toStdString());
}

void MainWindow::compareProfiles(const QStringList& files) {
    openProfiles(files);
    if (files.size() == 2 && context_.reports.isOpening() && !areTracesOfAHost(files))
        session_->expect(Report::Compare);
}

void MainWindow::openLink(const DeepLink& link) {
    openProfiles(link.files);
    if (!link.files.isEmpty() && (link.files.size() <= 2 || areTracesOfAHost(link.files)))
        session_->expect(link);
}

void MainWindow::restoreState(const SessionState& state) {
    if (!state.geometry.isEmpty())
        restoreGeometry(state.geometry);
    if (state.files.isEmpty())
        return;
    session_->expect(state);
    openProfiles(state.files);
}

void MainWindow::openTraces(const QStringList& files) {
    std::vector<std::filesystem::path> traces;
    for (const QString& file : files)
        traces.emplace_back(file.toStdString());
    context_.reports.openTraces(traces);
}

void MainWindow::openSweep(const QString& file) {
    if (sweep_ == nullptr) {
        sweep_ = new views::SweepView(context_);
        pages_->addWidget(sweep_);
        connect(sweep_, &views::SweepView::profilesWanted, this, [this](const QStringList& files) {
            candidates_->add(sweep_->keptProfiles());
            compareProfiles(files);
        });
    }
    sweep_->open(file.toStdString());
    remember(QString::fromStdString(sweep_->file().string()));
    showSweep();
}

void MainWindow::openSeveral(const QStringList& files) {
    if (several_ == nullptr) {
        several_ = new ProfilesPage(context_);
        pages_->addWidget(several_);
        connect(several_, &ProfilesPage::profilesWanted, this, &MainWindow::compareProfiles);
    }
    several_->open(files);
    candidates_->add(files);
    showSeveral();
}

void MainWindow::showSeveral() {
    pages_->setCurrentWidget(several_);
    setWindowTitle(tr("Several profiles \u2013 TileScope"));
    several_->table().view().setFocus();
    menus_->update();
}

bool MainWindow::severalInFront() const {
    return several_ != nullptr && pages_->currentWidget() == several_;
}

void MainWindow::showSweep() {
    pages_->setCurrentWidget(sweep_);
    setWindowTitle(
        tr("%1 \u2013 TileScope")
            .arg(QFileInfo(QString::fromStdString(sweep_->file().string())).absoluteFilePath()));
    menus_->update();
}

bool MainWindow::sweepInFront() const {
    return sweep_ != nullptr && pages_->currentWidget() == sweep_;
}

void MainWindow::reload() {
    if (severalInFront())
        return several_->reload();
    sweepInFront() ? sweep_->reload() : context_.reports.reload();
}

void MainWindow::closeInFront() {
    if (severalInFront()) {
        pages_->removeWidget(several_);
        std::exchange(several_, nullptr)->deleteLater();
        return profilesChanged();
    }
    if (!sweepInFront())
        return context_.reports.close();
    pages_->removeWidget(sweep_);
    std::exchange(sweep_, nullptr)->deleteLater();
    profilesChanged(); // the profile that is open, or the home screen
}

void MainWindow::showError(const QString& text) {
    messages_->show(MessageBar::Kind::Error, text);
}

void MainWindow::remember(const QString& file, const QString& target) {
    if (memory_ == Memory::Persistent)
        recent_.add(file, target);
}

void MainWindow::profilesChanged() {
    const ProfilePair& open = context_.reports.profiles();
    // After closing the profile of a cell or row, the sweep or table is shown again.
    QWidget* const resting = several_ != nullptr ? static_cast<QWidget*>(several_)
                             : sweep_ != nullptr ? static_cast<QWidget*>(sweep_)
                                                 : home_;
    const bool leavesHome = open.source && pages_->currentWidget() != reports_;
    pages_->setCurrentWidget(open.source ? reports_ : resting);
    // Hiding a widget moves the focus to the next one, which the user did not choose.
    if (QWidget* const next = focusWidget();
        leavesHome && next != nullptr && reports_->sideMenu().isAncestorOf(next))
        next->clearFocus();
    // Ids of another profile mean other things.
    context_.selection.clear();
    context_.history.reset();
    if (!open.target)
        context_.lossFilter.clear(); // a comparison has set it
    session_->profilesChanged();
    if (open.source)
        remember(pathOf(open.source), pathOf(open.target));
    const QString title = !open.source ? QString() : views::profileTitle(open, *open.source);
    const QString names =
        open.target ? tr("%1  \u2192  %2").arg(title, views::profileTitle(open, *open.target))
                    : title;
    setWindowTitle(open.source ? QStringLiteral("%1 \u2013 TileScope").arg(names)
                               : QStringLiteral("TileScope"));
    menus_->update();
}

void MainWindow::openingFailed(const QString& file, const QString& text) {
    session_->forget();
    QString entry;
    for (const QString& recent : recent_.entries())
        if (RecentFiles::filesOf(recent).contains(RecentFiles::absolute(file)))
            entry = recent;
    if (entry.isEmpty())
        showError(text);
    else
        messages_->show(MessageBar::Kind::Error, text, tr("Remove from recent"),
                        [this, entry] { recent_.remove(entry); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() &&
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

void MainWindow::resizeEvent(QResizeEvent* event) {
    constexpr int leastWithNames = 1000; // pixels; below, reports need nearly all of it
    QMainWindow::resizeEvent(event);
    reports_->sideMenu().setNarrow(width() < leastWithNames);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (memory_ == Memory::Persistent) {
        QSettings settings;
        settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
        settings.setValue(QStringLiteral("window/sideMenuCollapsed"),
                          reports_->sideMenu().collapsed());
        context_.preferences.save();
    }
    QMainWindow::closeEvent(event);
    if (event->isAccepted())
        emit closed();
}

} // namespace tilescope::gui
