// The parts of the main window for sessions, changed files, runs and pictures.
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <algorithm>
#include <cmath>

#include "app/gui/run/try_all_dialog.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/message_bar.h"
#include "app/gui/window/preferences_dialog.h"
#include "app/gui/window/side_menu.h"
#include "app/gui/window/trace_export.h"
#include "views/widgets/control_states.h"
#include "views/widgets/report_view.h"
#include "views/widgets/save_picture.h"

namespace tilescope::gui {
namespace {

QString pathOf(const ProfileViewPtr& profile) {
    return QString::fromStdString(profile->file().string());
}

} // namespace

void MainWindow::resizeEvent(QResizeEvent* event) {
    constexpr int leastWithNames = 1000; // pixels; below, reports need nearly all of it
    QMainWindow::resizeEvent(event);
    sideMenu_->setNarrow(width() < leastWithNames);
}

QStringList MainWindow::openFiles() const {
    QStringList files;
    const ProfilePair& open = context_.reports.profiles();
    for (const ProfileViewPtr& profile : {open.source, open.target})
        if (profile)
            files << QFileInfo(pathOf(profile)).absoluteFilePath();
    return files;
}

SessionState MainWindow::state() const {
    const views::ZoomRange& zoom = context_.timeZoom;
    return {openFiles(),
            current_,
            context_.selection.current(),
            {zoom.first(), zoom.last(), zoom.from(), zoom.to()},
            saveGeometry(),
            controls()};
}

// Reports not shown since the program started keep their restored state.
QJsonObject MainWindow::controls() const {
    QJsonObject all = wantedControls_;
    for (const Report report : reports)
        if (const views::ReportView* shown = views_[static_cast<std::size_t>(report)])
            if (!all.contains(reportName(report)))
                all.insert(reportName(report), views::controlStates(*shown));
    return all;
}

void MainWindow::restoreState(const SessionState& state) {
    if (!state.geometry.isEmpty())
        restoreGeometry(state.geometry);
    if (state.files.isEmpty())
        return;
    wantedControls_ = state.controls;
    current_ = state.report;
    pending_ = state;
    openProfiles(state.files);
}

void MainWindow::restoreSelection() {
    if (pending_ && openFiles() == pending_->files && pending_->selected != views::Selected{})
        context_.selection.set(std::exchange(pending_->selected, {}));
}

// Later than the selection, when the trace has set its limits and shown its initial range.
void MainWindow::restoreZoom() {
    const views::ZoomRange& now = context_.timeZoom;
    if (!pending_ || openFiles() != pending_->files || now.first() != pending_->zoom.first ||
        now.last() != pending_->zoom.last)
        return;
    const SessionState::Zoom zoom = pending_->zoom;
    pending_.reset();
    QMetaObject::invokeMethod(
        this, [this, zoom] { context_.timeZoom.setRange(zoom.from, zoom.to); },
        Qt::QueuedConnection);
}

// Called when a report has been loaded, as some choices have no items before. Items not found then
// belong to another profile.
void MainWindow::restoreControls() {
    if (wantedControls_.isEmpty() || !context_.reports.source() || !context_.workers.idle())
        return;
    const QString name = reportName(current_);
    views::ReportView* const shown = views_[static_cast<std::size_t>(current_)];
    if (shown == nullptr || !shown->isVisible() || !wantedControls_.contains(name))
        return;
    views::setControlStates(*shown, wantedControls_.take(name).toObject());
}

void MainWindow::setOpenProfilesSource(std::function<QStringList()> source) {
    openProfiles_ = std::move(source);
}

// Parts of a profile are read when first shown; they must not be mixed with those of another run.
void MainWindow::fileChanged(const QString& file) {
    if (context_.preferences.reloadsByItself()) {
        pending_ = state();
        pending_->selected = {}; // ids of another run mean other things
        rewritten_ = file;
        context_.reports.reload();
    } else {
        messageBar_->show(MessageBar::Kind::Notice, tr("%1 was rewritten.").arg(file), tr("Reload"),
                          [this] { context_.reports.reload(); });
    }
}

RunRequest MainWindow::runAgain(const ProfileView& profile, const std::string& key,
                                const std::string& value,
                                const std::map<std::string, std::string>& with) {
    const ProfileInfo& info = profile.info();
    RunRequest request;
    const auto file = info.options.find("modelFile");
    request.model = QString::fromStdString(file == info.options.end() ? info.model : file->second);
    request.options = changedOptions(info.options);
    if (!key.empty() && !value.empty())
        request.options[key] = value;
    for (const auto& [other, needed] : with)
        request.options[other] = needed;
    request.focusOption = key;
    request.compareWith = QString::fromStdString(profile.file().string());
    return request;
}

void MainWindow::openRunAgain(const ProfileViewPtr& profile, const std::string& key,
                              const std::string& value,
                              const std::map<std::string, std::string>& with) {
    openRunDialog(runAgain(*profile, key, value, with));
}

void MainWindow::openTryAll(const ProfileViewPtr& profile) {
    const QString file = QString::fromStdString(profile->file().string());
    auto* dialog = new TryAllDialog(context_, SimulationRun::findProgram(), file, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &TryAllDialog::comparisonWanted, this, &MainWindow::openResult);
    dialog->open();
    dialog->start(RunDialog::freshFolder(QStringLiteral("trials")));
}

// The result of a run becomes a recent profile of its own, even if first shown in a comparison.
void MainWindow::openResult(const QStringList& files) {
    if (memory_ == Memory::Persistent && files.size() > 1)
        recent_.add(files.back());
    compareProfiles(files);
}

RunDialog& MainWindow::openRunDialog(const RunRequest& request) {
    if (runDialog_ == nullptr) {
        runDialog_ = new RunDialog(SimulationRun::findProgram(), this);
        connect(runDialog_, &RunDialog::resultReady, this,
                [this](const QString& profile, const QString& compareWith) {
                    openResult(compareWith.isEmpty() ? QStringList{profile}
                                                     : QStringList{compareWith, profile});
                });
    }
    // If a run is active, it is shown, not replaced.
    if (!runDialog_->running()) {
        runDialog_->setOpenProfiles(openProfiles_ ? openProfiles_() : openFiles());
        runDialog_->setRequest(request);
    }
    runDialog_->open();
    return *runDialog_;
}

void MainWindow::savePicture() {
    views::ReportView& report = view(current_);
    const QString file = QFileDialog::getSaveFileName(this, tr("Save picture of the report"),
                                                      reportName(current_) + QStringLiteral(".png"),
                                                      views::pictureFilter());
    if (file.isEmpty())
        return;
    if (const QString problem = views::savePicture(report, file); !problem.isEmpty())
        messageBar_->show(MessageBar::Kind::Error, problem);
}

// For Perfetto and chrome://tracing.
void MainWindow::exportTrace(bool visibleRange) {
    if (traceExport_ == nullptr) {
        traceExport_ = new TraceExport(context_, this);
        connect(traceExport_, &TraceExport::written, this,
                [this](const QString& text) { messageBar_->show(MessageBar::Kind::Notice, text); });
        connect(traceExport_, &TraceExport::failed, this, &MainWindow::showError);
    }
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export the execution trace"), QStringLiteral("trace.json"),
        tr("Chrome trace events (*.json);;All files (*)"));
    if (file.isEmpty())
        return;
    CycleRange range;
    if (const views::ZoomRange& zoom = context_.timeZoom; visibleRange && !zoom.showsAll())
        range = {static_cast<std::int64_t>(std::max(0.0, zoom.from())),
                 static_cast<std::int64_t>(std::ceil(zoom.to()))};
    messageBar_->show(MessageBar::Kind::Progress, tr("Writing %1…").arg(file), tr("Cancel"),
                      [this] { traceExport_->cancel(); });
    traceExport_->write(file, range);
}

void MainWindow::showPreferences() {
    auto* dialog = new PreferencesDialog(context_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About TileScope"),
        tr("<p><b>TileScope %1</b></p>"
           "<p>A profiler for programs of the Graphcore IPU, with a simulator of the machine.</p>"
           "<p>Free software under the GNU General Public License, version 3.</p>"
           "<p>TileScope is independent of Graphcore. Graphcore, IPU, Poplar and PopVision "
           "are names of Graphcore, used here only to say what our terms correspond to.</p>")
            .arg(QStringLiteral(TILESCOPE_VERSION)),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::showHelp(const QString& page, const QString& heading) {
    auto* help = findChild<HelpWindow*>();
    if (help == nullptr)
        help = new HelpWindow(this);
    help->showPage(page, heading);
    help->show();
    help->raise();
    help->activateWindow();
}

} // namespace tilescope::gui
