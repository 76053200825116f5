#include "app/gui/window/window_dialogs.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <algorithm>
#include <cmath>

#include "app/gui/run/sweep_dialog.h"
#include "app/gui/run/try_all_dialog.h"
#include "app/gui/window/given_files.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/host_trace_dialog.h"
#include "app/gui/window/message_bar.h"
#include "app/gui/window/preferences_dialog.h"
#include "app/gui/window/remote_dialog.h"
#include "app/gui/window/trace_export.h"
#include "views/summary/summary_view.h"
#include "views/widgets/save_picture.h"

namespace tilescope::gui {
namespace {

QString askForProfile(QWidget& window, const QString& title, const QString& folder = {}) {
    return QFileDialog::getOpenFileName(
        &window, title, folder,
        WindowDialogs::tr("Profiles and captures (*.pop *.capture);;Sweep results (*.db);;"
                          "Traces of the host (*.json *.json.gz);;All files (*)"));
}

} // namespace

WindowDialogs::WindowDialogs(QMainWindow& window, views::ViewContext& context, ReportHost& host,
                             MessageBar& messages)
    : QObject(&window)
    , window_(window)
    , context_(context)
    , host_(host)
    , messages_(messages) {
    connect(&host, &ReportHost::viewMade, this, [this](Report report) {
        views::ReportView& view = host_.view(report);
        connect(&view, &views::ReportView::tryAllWanted, this, &WindowDialogs::tryAll);
        connect(&view, &views::ReportView::runAgainWanted, this,
                [this](const ProfileViewPtr& profile, const std::string& key,
                       const std::string& value,
                       const auto& with) { openRun(runAgain(*profile, key, value, with)); });
        if (report == Report::Summary)
            connect(&static_cast<views::SummaryView&>(view), &views::SummaryView::jobWanted, this,
                    &WindowDialogs::chooseJob);
    });
}

void WindowDialogs::openProfile() {
    if (const QString file = askForProfile(window_, tr("Open a profile")); !file.isEmpty())
        emit filesChosen({file});
}

void WindowDialogs::openRemote(const QStringList& recentHosts) {
    auto* dialog = new RemoteDialog(context_, recentHosts + hostAliases(), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setEnableScript(enable_);
    connect(dialog, &RemoteDialog::chosen, this, [this, dialog](const QString& file) {
        enable_ = dialog->enableScript();
        emit filesChosen({file});
    });
    dialog->open();
}

void WindowDialogs::compareWith() {
    const ProfileViewPtr& open = context_.reports.source();
    const QString source =
        open ? views::openedName(*open) : askForProfile(window_, tr("Source profile"));
    if (source.isEmpty())
        return;
    const QString target = askForProfile(window_, tr("Target profile to compare with"),
                                         QFileInfo(source).absolutePath());
    if (!target.isEmpty())
        emit filesChosen({source, target});
}

bool WindowDialogs::take(const QStringList& files) {
    switch (kindOfFiles(files)) {
    case GivenKind::Profiles:
        return false;
    case GivenKind::HostTraces:
        // Alone they open as a profile of the host.
        if (!context_.reports.source())
            return false;
        addHostTraces(files);
        break;
    case GivenKind::Job:
        if (withoutJob())
            attachJob(files[0]);
        else
            openRun({.model = files[0], .options = {}, .focusOption = {}, .compareWith = {}});
        break;
    }
    return true;
}

void WindowDialogs::chooseHostTraces() {
    const QStringList traces = QFileDialog::getOpenFileNames(
        &window_, tr("Traces of the host"), {},
        tr("Trace events in JSON (*.json *.json.gz *.pvti);;All files (*)"));
    if (!traces.isEmpty())
        addHostTraces(traces);
}

void WindowDialogs::addHostTraces(const QStringList& traces) {
    const ProfileViewPtr& open = context_.reports.source();
    if (!open)
        return messages_.show(MessageBar::Kind::Error,
                              tr("%1 is a trace of a program on the host: open the profile of its "
                                 "run first.")
                                  .arg(traces[0]));
    auto* dialog = new HostTraceDialog(context_, open, traces, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &HostTraceDialog::added, this,
            [this](const QString& file, const QString& text) {
                const ProfileViewPtr& target = context_.reports.target();
                notify(text);
                emit filesChosen(target ? QStringList{file, views::openedName(*target)}
                                        : QStringList{file});
            });
    dialog->open();
}

// Opening a file hides what is said when it ends.
void WindowDialogs::notify(const QString& text) {
    connect(
        &context_.reports, &views::ReportPair::openingEnded, this,
        [this, text] { messages_.show(MessageBar::Kind::Notice, text); },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
}

ProfileViewPtr WindowDialogs::withoutJob() const {
    for (const ProfileViewPtr& open : {context_.reports.source(), context_.reports.target()})
        if (open && !open->info().has(ProfilePart::Options))
            return open;
    return nullptr;
}

void WindowDialogs::chooseJob() {
    const QString job = QFileDialog::getOpenFileName(
        &window_, tr("What was run"), {}, tr("Jobs and models (*.json *.onnx);;All files (*)"));
    if (!job.isEmpty())
        attachJob(job);
}

// The command does it, since the window does not know models.
void WindowDialogs::attachJob(const QString& job) {
    const ProfileViewPtr profile = withoutJob();
    if (!profile)
        return;
    if (attaching_ == nullptr) {
        attaching_ = new SimulationRun(SimulationRun::findProgram(), this);
        connect(attaching_, &SimulationRun::finished, this, [this] {
            notify(tr("The options of the run are known now."));
            context_.reports.reload();
        });
        connect(attaching_, &SimulationRun::failed, this,
                [this](const QString& text) { messages_.show(MessageBar::Kind::Error, text); });
    }
    if (!attaching_->available())
        return messages_.show(
            MessageBar::Kind::Error,
            tr("The program 'tilescope' is neither beside this program nor in PATH"));
    const QString file = QString::fromStdString(profile->file().string());
    messages_.show(MessageBar::Kind::Progress, tr("Reading %1…").arg(job), tr("Cancel"),
                   [this] { attaching_->cancel(); });
    attaching_->startWriting(
        {QStringLiteral("import"), file, QStringLiteral("--job"), job, QStringLiteral("-o"), file},
        file);
}

RunDialog& WindowDialogs::openRun(const RunRequest& request) {
    if (run_ == nullptr) {
        run_ = new RunDialog(SimulationRun::findProgram(), &window_);
        connect(run_, &RunDialog::resultReady, this,
                [this](const QString& profile, const QString& compareWith) {
                    emit resultReady(compareWith.isEmpty() ? QStringList{profile}
                                                           : QStringList{compareWith, profile});
                });
    }
    // If a run is active, it is shown, not replaced.
    if (!run_->running()) {
        run_->setOpenProfiles(openProfiles_());
        run_->setRequest(request);
    }
    run_->open();
    return *run_;
}

void WindowDialogs::tryAll(const ProfileViewPtr& profile) {
    const QString file = QString::fromStdString(profile->file().string());
    auto* dialog = new TryAllDialog(context_, SimulationRun::findProgram(), file, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &TryAllDialog::comparisonWanted, this, &WindowDialogs::resultReady);
    connect(dialog, &TryAllDialog::tried, this, &WindowDialogs::runsReady);
    dialog->open();
    dialog->start(RunDialog::freshFolder(QStringLiteral("trials")));
}

void WindowDialogs::sweep(const ProfileViewPtr& profile) {
    if (!profile || !profile->info().has(ProfilePart::Options))
        return;
    auto* dialog = new SweepDialog(SimulationRun::findProgram(), runAgain(*profile), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SweepDialog::finished, this,
            [this](const QString& folder) { emit runsReady(sweptProfiles(folder)); });
    dialog->open();
}

void WindowDialogs::savePicture() {
    views::ReportView& report = host_.view(host_.current());
    const QString file = QFileDialog::getSaveFileName(
        &window_, tr("Save picture of the report"),
        reportName(host_.current()) + QStringLiteral(".png"), views::pictureFilter());
    if (file.isEmpty())
        return;
    if (const QString problem = views::savePicture(report, file); !problem.isEmpty())
        messages_.show(MessageBar::Kind::Error, problem);
}

void WindowDialogs::exportTrace(bool visibleRange) {
    if (traceExport_ == nullptr) {
        traceExport_ = new TraceExport(context_, this);
        connect(traceExport_, &TraceExport::written, this,
                [this](const QString& text) { messages_.show(MessageBar::Kind::Notice, text); });
        connect(traceExport_, &TraceExport::failed, this,
                [this](const QString& text) { messages_.show(MessageBar::Kind::Error, text); });
    }
    const QString file = QFileDialog::getSaveFileName(
        &window_, tr("Export the execution trace"), QStringLiteral("trace.json"),
        tr("Chrome trace events (*.json);;All files (*)"));
    if (file.isEmpty())
        return;
    CycleRange range;
    if (const views::ZoomRange& zoom = context_.timeZoom;
        visibleRange && !zoom.showsAll() && zoom.isOwn())
        range = {static_cast<std::int64_t>(std::max(0.0, zoom.from())),
                 static_cast<std::int64_t>(std::ceil(zoom.to()))};
    messages_.show(MessageBar::Kind::Progress, tr("Writing %1…").arg(file), tr("Cancel"),
                   [this] { traceExport_->cancel(); });
    traceExport_->write(file, range);
}

void WindowDialogs::showPreferences() {
    auto* dialog = new PreferencesDialog(context_, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void WindowDialogs::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About TileScope"),
        tr("<p><b>TileScope %1</b></p>"
           "<p>A profiler for programs of the Graphcore IPU, with a simulator of the machine.</p>"
           "<p>Free software under the GNU General Public License, version 3.</p>"
           "<p>TileScope is independent of Graphcore. Graphcore, IPU, Poplar and PopVision "
           "are names of Graphcore, used here only to say what our terms correspond to.</p>")
            .arg(QStringLiteral(TILESCOPE_VERSION)),
        QMessageBox::Close, &window_);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void WindowDialogs::showHelp(const QString& page, const QString& heading) {
    auto* help = window_.findChild<HelpWindow*>();
    if (help == nullptr)
        help = new HelpWindow(&window_);
    help->showPage(page, heading);
    help->show();
    help->raise();
    help->activateWindow();
}

} // namespace tilescope::gui
