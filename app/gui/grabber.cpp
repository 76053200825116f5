#include "app/gui/grabber.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

#include "app/gui/window/command_palette.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/preferences_dialog.h"
#include "core/base/error.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/control_states.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/save_picture.h"

namespace tilescope::gui {

Grabber::Grabber(MainWindow& window, const Arguments& arguments, QObject* parent)
    : QObject(parent)
    , window_(window)
    , requests_(arguments.grabs)
    , selected_(arguments.selected)
    , range_(arguments.range) {}

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
    try {
        select();
    } catch (const UserError& error) {
        return emit failed(QString::fromUtf8(error.what()));
    }
    showNext();
}

// Names given to --select are looked up as selections of the first report to be grabbed.
Report Grabber::firstReport() const {
    for (const GrabRequest& request : requests_)
        if (!screens.contains(request.view))
            return reportFrom(request.view);
    return Report::Summary;
}

void Grabber::select() {
    if (selected_.empty())
        return;
    const ProfileViewPtr& profile = window_.context().reports.source();
    if (!profile)
        throw UserError("--select needs a profile");
    window_.context().selection.set(resolve(selected_, firstReport(), *profile));
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
    window_.reports().goToSelected();
}

void Grabber::showScreen(const GrabRequest& request) {
    const ProfileViewPtr source = window_.context().reports.source();
    if (request.view == QLatin1String("home")) {
        window_.context().reports.close();
    } else if (request.view == QLatin1String("sweep")) {
        if (window_.sweep() == nullptr) {
            showing_ = false;
            return emit failed(tr("--grab sweep needs a sweep.db or its folder"));
        }
    } else if (request.view == QLatin1String("profiles")) {
        if (window_.several() == nullptr) {
            showing_ = false;
            return emit failed(tr("--grab profiles needs three profiles or more"));
        }
    } else if (request.view == QLatin1String("run")) {
        window_.dialogs().openRun(source ? runAgain(*source) : RunRequest{});
        return; // kept by the window
    } else if (request.view == QLatin1String("preferences")) {
        dialog_ = new PreferencesDialog(window_.context(), &window_);
    } else if (request.view == QLatin1String("help")) {
        const QString page = request.parts.value(0, QStringLiteral("start"));
        const QStringList pages = HelpWindow::pages();
        const QString inManual = QStringLiteral("manual/") + page;
        if (!pages.contains(page) && !pages.contains(inManual)) {
            showing_ = false;
            return emit failed(tr("the help has no page '%1'; it has: %2")
                                   .arg(page, pages.join(QStringLiteral(", "))));
        }
        auto* help = new HelpWindow(&window_);
        help->showPage(pages.contains(page) ? page : inManual);
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
        if (views::ZoomRange* axis = report.axis(); axis != nullptr && range_)
            axis->setRange(static_cast<double>(range_->from), static_cast<double>(range_->to));
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
    // Pictures do not show the keyboard focus.
    if (QWidget* focused = QApplication::focusWidget())
        focused->clearFocus();
    // First layouts of the data that have just arrived, then plots at their final size, which may
    // request another share of the height.
    constexpr int passes = 4;
    for (int pass = 0; pass < passes; ++pass) {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        window_.grab();
        for (views::PlotWidget* plot : window_.findChildren<views::PlotWidget*>())
            if (plot->isVisible())
                plot->replot(QCustomPlot::rpImmediateRefresh);
    }
    if (!window_.context().workers.idle())
        return; // a new size made a plot request more detail
    for (const views::LoadingPanel* panel : window_.findChildren<views::LoadingPanel*>())
        if (panel->isVisible() && !panel->failure().isEmpty()) {
            showing_ = false;
            return emit failed(panel->failure());
        }
    const QPixmap shown = picture();
    if (auto* run = window_.findChild<RunDialog*>())
        run->hide();
    showing_ = false;
    if (const QString problem = views::savePixmap(shown, request.file, request.kind);
        !problem.isEmpty())
        return emit failed(problem);
    ++next_;
    showNext();
}

} // namespace tilescope::gui
