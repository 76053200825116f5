#include "app/gui/grabber.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>

#include "app/gui/window/command_palette.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/preferences_dialog.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/control_states.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {

Grabber::Grabber(MainWindow& window, std::vector<GrabRequest> requests, views::Selected selected,
                 QObject* parent)
    : QObject(parent)
    , window_(window)
    , requests_(std::move(requests))
    , selected_(std::move(selected)) {}

void Grabber::start() {
    views::ViewContext& context = window_.context();
    connect(&context.reports, &views::ReportPair::failed, this,
            [this](const QString&, const QString& text) { emit failed(text); });
    connect(&context.reports, &views::ReportPair::changed, this, &Grabber::begin);
    connect(&context.workers, &views::Workers::becameIdle, this, &Grabber::grabWhenIdle,
            Qt::QueuedConnection);
}

void Grabber::begin() {
    if (std::exchange(begun_, true))
        return;
    if (selected_ != views::Selected{}) {
        if (!canSelect())
            return emit failed(tr("--select: the profile has no such tile, step, variable, "
                                  "operation or program"));
        window_.context().selection.set(selected_);
    }
    showNext();
}

bool Grabber::canSelect() const {
    const ProfileViewPtr& profile = window_.context().reports.source();
    const auto within = [](auto id, std::size_t count) {
        return !id.valid() || id.index() < count;
    };
    const auto tiles = profile ? static_cast<std::size_t>(profile->machine().totalTiles()) : 0;
    return profile && within(selected_.step, profile->steps({})->size()) &&
           within(selected_.variable, profile->variables({})->size()) &&
           within(selected_.operation, profile->operations({})->size()) &&
           within(selected_.program, profile->programs({})->size()) &&
           std::all_of(selected_.tiles.begin(), selected_.tiles.end(),
                       [&](TileId tile) { return within(tile, tiles); });
}

void Grabber::showNext() {
    delete dialog_;
    if (next_ == requests_.size()) {
        emit finished();
        return;
    }
    showing_ = true;
    partsChosen_ = false;
    const GrabRequest& request = requests_[next_];
    if (screens.contains(request.view))
        showScreen(request);
    else
        showReport(request);
    // A report without anything to load never makes the workers busy.
    QMetaObject::invokeMethod(this, &Grabber::grabWhenIdle, Qt::QueuedConnection);
}

void Grabber::showReport(const GrabRequest& request) {
    if (!window_.context().reports.source()) {
        showing_ = false;
        return emit failed(tr("--grab %1 needs a profile").arg(request.view));
    }
    window_.showReport(reportFrom(request.view));
}

void Grabber::showScreen(const GrabRequest& request) {
    const ProfileViewPtr source = window_.context().reports.source();
    if (request.view == QLatin1String("home")) {
        window_.context().reports.close();
    } else if (request.view == QLatin1String("sweep")) {
        if (window_.sweep() == nullptr) {
            showing_ = false;
            return emit failed(tr("--grab sweep needs a sweep.db or the folder of one"));
        }
    } else if (request.view == QLatin1String("run")) {
        window_.openRunDialog(source ? MainWindow::runAgain(*source) : RunRequest{});
        return; // kept by the window
    } else if (request.view == QLatin1String("preferences")) {
        dialog_ = new PreferencesDialog(window_.context(), &window_);
    } else if (request.view == QLatin1String("help")) {
        auto* help = new HelpWindow(&window_);
        help->showPage(request.parts.value(0));
        dialog_ = help;
    } else {
        dialog_ = new CommandPalette(window_);
    }
    if (dialog_)
        dialog_->show();
}

void Grabber::grabWhenIdle() {
    if (!showing_ || !window_.context().workers.idle())
        return;
    const GrabRequest& request = requests_[next_];
    // Some choices have no items before the report has been read.
    if (!std::exchange(partsChosen_, true) && !screens.contains(request.view)) {
        views::ReportView& report = window_.view(reportFrom(request.view));
        for (const QString& part : request.parts)
            if (!report.showSection(part)) {
                showing_ = false;
                return emit failed(tr("the report '%1' has no part '%2': parts have the titles of "
                                      "its tabs, choices and switches")
                                       .arg(request.view, part));
            }
        QMetaObject::invokeMethod(this, &Grabber::grabWhenIdle, Qt::QueuedConnection);
        return;
    }
    grab();
}

// A dialog is in the middle of the window, as on a screen.
QPixmap Grabber::picture() const {
    QPixmap picture = window_.grab();
    QDialog* dialog = dialog_ ? dialog_.data() : window_.findChild<RunDialog*>();
    if (dialog == nullptr || !dialog->isVisible())
        return picture;
    constexpr double shareOfScreen = 0.9;
    dialog->resize(dialog->size().boundedTo(window_.size() * shareOfScreen));
    const QPixmap front = dialog->grab();
    const QSize room = window_.size() - dialog->size();
    QPainter painter(&picture);
    painter.fillRect(picture.rect(), QColor(0, 0, 0, 90));
    painter.drawPixmap(std::max(0, room.width() / 2), std::max(0, room.height() / 2), front);
    return picture;
}

void Grabber::grab() {
    const GrabRequest& request = requests_[next_];
    // Layouts of what has just arrived, then plots at their final size.
    window_.grab();
    for (views::PlotWidget* plot : window_.findChildren<views::PlotWidget*>())
        if (plot->isVisible())
            plot->replot(QCustomPlot::rpImmediateRefresh);
    if (!window_.context().workers.idle())
        return; // a new size made a plot ask for more detail
    for (const views::LoadingPanel* panel : window_.findChildren<views::LoadingPanel*>())
        if (panel->isVisible() && !panel->failure().isEmpty()) {
            showing_ = false;
            return emit failed(panel->failure());
        }
    const QPixmap shown = picture();
    if (auto* run = window_.findChild<RunDialog*>())
        run->hide();
    showing_ = false;
    if (!shown.save(request.file)) {
        emit failed(tr("cannot write picture '%1': the folder must exist and be writable, and the "
                       "name end in .png or .jpg")
                        .arg(request.file));
        return;
    }
    ++next_;
    showNext();
}

} // namespace tilescope::gui
