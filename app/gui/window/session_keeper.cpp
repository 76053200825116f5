#include "app/gui/window/session_keeper.h"

#include <QApplication>
#include <QClipboard>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/window/message_bar.h"
#include "views/session/profile_texts.h"
#include "views/session/time_texts.h"
#include "views/widgets/control_states.h"

namespace tilescope::gui {

SessionKeeper::SessionKeeper(QMainWindow& window, views::ViewContext& context, ReportHost& host,
                             MessageBar& messages)
    : QObject(&window)
    , window_(window)
    , context_(context)
    , host_(host)
    , messages_(messages)
    , remoteWatch_(context.workers) {
    const auto showOpening = [this](const QString& text) {
        messages_.show(MessageBar::Kind::Progress, text, tr("Cancel"), [this] {
            forget();
            context_.reports.cancelOpening();
        });
    };
    connect(&context.reports, &views::ReportPair::openingIsSlow, this,
            [showOpening](const QString& file) { showOpening(tr("Opening %1…").arg(file)); });
    connect(&context.reports, &views::ReportPair::preparing, this,
            [this, showOpening](const QString& file, Preparing what, int percent) {
                if (context_.reports.isOpening())
                    showOpening((what == Preparing::Copying ? tr("Copying %1… %2 %")
                                                            : tr("Importing %1… %2 %"))
                                    .arg(file)
                                    .arg(percent));
            });
    connect(&context.reports, &views::ReportPair::openingEnded, this, &SessionKeeper::openingEnded);
    connect(&watch_, &views::FileWatch::changed, this, &SessionKeeper::fileChanged);
    connect(&remoteWatch_, &views::RemoteWatch::changed, this, &SessionKeeper::fileChanged);
    connect(&context.timeZoom, &views::ZoomRange::changed, this, &SessionKeeper::restoreZoom);
    connect(&context.workers, &views::Workers::becameIdle, this, &SessionKeeper::restoreControls,
            Qt::QueuedConnection);
    connect(&context.workers, &views::Workers::becameIdle, this, &SessionKeeper::showLinkedRange,
            Qt::QueuedConnection);
    // A report without anything to read never makes the workers busy.
    connect(&host, &ReportHost::shown, this, &SessionKeeper::restoreControls, Qt::QueuedConnection);
}

QStringList SessionKeeper::files() const {
    QStringList files;
    const ProfilePair& open = context_.reports.profiles();
    for (const ProfileViewPtr& profile : {open.source, open.target})
        if (profile)
            files << views::openedName(*profile);
    return files;
}

// Reports not shown since the program started keep their restored state.
SessionState SessionKeeper::state() const {
    const views::ZoomRange& zoom = context_.timeZoom;
    QJsonObject controls = controls_;
    for (const Report report : reports)
        if (const views::ReportView* made = host_.made(report))
            if (!controls.contains(reportName(report)))
                controls.insert(reportName(report), views::controlStates(*made));
    return {files(),
            host_.current(),
            context_.selection.current(),
            {zoom.first(), zoom.last(), zoom.from(), zoom.to()},
            window_.saveGeometry(),
            controls};
}

DeepLink SessionKeeper::link() const {
    DeepLink link{files(), host_.current(), context_.selection.current(), {}};
    const views::ZoomRange* const axis = host_.view(host_.current()).axis();
    if (axis == nullptr || axis->showsAll() || axis->to() < 1)
        return link;
    // Host events before the first run have negative cycles, which links cannot express.
    link.range = AxisRange{static_cast<qint64>(std::floor(std::max(0.0, axis->from()))),
                           static_cast<qint64>(std::ceil(axis->to()))};
    return link;
}

void SessionKeeper::copyLink() const {
    const QString text = commandLine(link(), *context_.reports.source());
    QApplication::clipboard()->setText(text);
    emit host_.status(tr("Copied: %1").arg(text));
}

void SessionKeeper::opening(const QStringList& files) {
    if (session_ && session_->files != files)
        session_.reset();
    forget();
}

void SessionKeeper::expect(const SessionState& state) {
    controls_ = state.controls;
    host_.setCurrent(state.report);
    session_ = state;
}

void SessionKeeper::expect(const DeepLink& link) {
    report_ = link.report;
    link_ = link;
}

void SessionKeeper::forget() {
    report_.reset();
    link_.reset();
}

void SessionKeeper::profilesChanged() {
    // The next profile opens with the first report, not with the last one shown.
    if (const ProfileViewPtr& source = context_.reports.source(); !source) {
        host_.setCurrent(Report::Summary);
    } else {
        const Report wanted = std::exchange(report_, {}).value_or(host_.current());
        // Of a host alone there is little but its trace.
        const bool isOfHost = wanted == Report::Summary && views::knowsNoMachine(source->info());
        host_.show(isOfHost ? Report::Trace : wanted);
    }
    QStringList local = files();
    local.removeIf([](const QString& file) { return isRemote(file.toStdString()); });
    watch_.setFiles(local);
    remoteWatch_.watch(context_.reports.profiles(), context_.reports.ssh());
    restoreSelection();
    followLink();
}

void SessionKeeper::restoreSelection() {
    if (session_ && files() == session_->files && session_->selected != views::Selected{})
        context_.selection.set(std::exchange(session_->selected, {}));
}

// Later than the selection, when the trace has set its limits and shown its initial range.
void SessionKeeper::restoreZoom() {
    const views::ZoomRange& now = context_.timeZoom;
    if (!session_ || files() != session_->files || now.first() != session_->zoom.first ||
        now.last() != session_->zoom.last)
        return;
    const SessionState::Zoom zoom = session_->zoom;
    session_.reset();
    QMetaObject::invokeMethod(
        this, [this, zoom] { context_.timeZoom.setRange(zoom.from, zoom.to); },
        Qt::QueuedConnection);
}

// Called when a report has been loaded, as some choices have no items before. Items not found then
// belong to another profile.
void SessionKeeper::restoreControls() {
    if (controls_.isEmpty() || !context_.reports.source() || !context_.workers.idle())
        return;
    const QString name = reportName(host_.current());
    if (views::ReportView* const view = host_.inFront();
        view != nullptr && controls_.contains(name))
        views::setControlStates(*view, controls_.take(name).toObject());
}

// Called when the profiles are open and the report is in front.
void SessionKeeper::followLink() {
    if (!link_ || !context_.reports.source())
        return;
    if (link_->selected != views::Selected{})
        context_.selection.set(link_->selected);
    host_.goToSelected();
    host_.takeFocus();
}

// Later, when the report has read the length of its axis and has gone to the selection.
void SessionKeeper::showLinkedRange() {
    if (!link_ || !context_.reports.source() || !context_.workers.idle())
        return;
    views::ReportView* const view = host_.inFront();
    if (view == nullptr)
        return;
    const DeepLink link = *std::exchange(link_, {});
    if (!link.range || link.report != host_.current())
        return;
    views::ZoomRange* const axis = view->axis();
    if (axis == nullptr)
        return emit host_.status(
            tr("--range: this report has no axis that a range could apply to"));
    if (static_cast<double>(link.range->from) >= axis->last())
        return emit host_.status(
            tr("--range: %1 is beyond the end, which is at %2")
                .arg(views::countText(link.range->from),
                     views::countText(static_cast<std::int64_t>(axis->last()))));
    axis->setRange(static_cast<double>(link.range->from), static_cast<double>(link.range->to));
}

// Parts of a profile are read when first shown; they must not be mixed with those of another run.
void SessionKeeper::fileChanged(const QString& file) {
    if (context_.preferences.reloadsByItself()) {
        session_ = state();
        session_->selected = {}; // ids of another run mean other things
        rewritten_ = file;
        context_.reports.reload();
    } else {
        messages_.show(MessageBar::Kind::Notice, tr("%1 was rewritten.").arg(file), tr("Reload"),
                       [this] { context_.reports.reload(); });
    }
}

void SessionKeeper::openingEnded() {
    messages_.hide();
    if (!rewritten_.isEmpty())
        messages_.show(
            MessageBar::Kind::Notice,
            tr("%1 was rewritten and has been read again.").arg(std::exchange(rewritten_, {})));
}

} // namespace tilescope::gui
