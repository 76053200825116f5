// Links of the main window: opening profiles at a place, and a link to what is shown.
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/window/content_focus.h"
#include "app/gui/window/main_window.h"
#include "views/session/time_texts.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {

void MainWindow::openLink(const DeepLink& link) {
    openProfiles(link.files);
    if (link.files.isEmpty())
        return;
    wanted_ = link.report;
    link_ = link;
}

// Called when the profiles are open and the report is in front.
void MainWindow::followLink() {
    if (!link_ || !context_.reports.source())
        return;
    if (link_->selected != views::Selected{})
        context_.selection.set(link_->selected);
    goToSelected();
    ContentFocus::of(*this).want(*reportStack_);
}

// The trace follows selected programs; the longest program of an operation has to be looked up.
void MainWindow::goToSelected() {
    const views::Selected& selected = context_.selection.current();
    if (current_ == Report::Trace && selected.operation.valid() && !selected.program.valid())
        view(Report::Trace).goToOperation(selected.operation, false);
}

// Later, when the report has read the length of its axis and has gone to the selection.
void MainWindow::showLinkedRange() {
    if (!link_ || !context_.reports.source() || !context_.workers.idle())
        return;
    views::ReportView* const shown = views_[static_cast<std::size_t>(current_)];
    if (shown == nullptr || !shown->isVisible())
        return;
    const DeepLink link = *std::exchange(link_, {});
    if (!link.range || link.report != current_)
        return;
    views::ZoomRange* const axis = shown->axis();
    if (axis == nullptr)
        return status_->setText(tr("--range: this report has no axis that a range could apply to"));
    if (static_cast<double>(link.range->from) >= axis->last())
        return status_->setText(
            tr("--range: %1 is beyond the end, which is at %2")
                .arg(views::countText(link.range->from),
                     views::countText(static_cast<std::int64_t>(axis->last()))));
    axis->setRange(static_cast<double>(link.range->from), static_cast<double>(link.range->to));
}

DeepLink MainWindow::link() {
    DeepLink link{openFiles(), current_, context_.selection.current(), {}};
    const views::ZoomRange* const axis = view(current_).axis();
    if (axis == nullptr || axis->showsAll() || axis->to() < 1)
        return link;
    // Host events before the first run have negative cycles, which links cannot express.
    link.range = AxisRange{static_cast<qint64>(std::floor(std::max(0.0, axis->from()))),
                           static_cast<qint64>(std::ceil(axis->to()))};
    return link;
}

void MainWindow::copyLink() {
    const QString text = commandLine(link(), *context_.reports.source());
    QApplication::clipboard()->setText(text);
    status_->setText(tr("Copied: %1").arg(text));
}

} // namespace tilescope::gui
