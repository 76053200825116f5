#include "app/gui/grabber.h"

#include <QPixmap>
#include <QTimer>

#include "app/gui/window/message_bar.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {

Grabber::Grabber(MainWindow& window, std::vector<GrabRequest> requests, QObject* parent)
    : QObject(parent)
    , window_(window)
    , requests_(std::move(requests)) {}

void Grabber::start() {
    views::ViewContext& context = window_.context();
    connect(&context.reports, &views::ReportPair::failed, this,
            [this](const QString&, const QString& text) { emit failed(text); });
    connect(&context.reports, &views::ReportPair::changed, this, &Grabber::opened);
    connect(&context.workers, &views::Workers::becameIdle, this, &Grabber::grabWhenIdle,
            Qt::QueuedConnection);
}

void Grabber::opened() {
    if (!showing_)
        showNext();
}

void Grabber::showNext() {
    if (next_ == requests_.size()) {
        emit finished();
        return;
    }
    showing_ = true;
    const GrabRequest& request = requests_[next_];
    const Report report = reportFrom(request.view);
    window_.showReport(report);
    if (!request.section.isEmpty() && !window_.view(report).showSection(request.section)) {
        emit failed(tr("the report '%1' has no part '%2': parts bear the titles of its tabs")
                        .arg(request.view, request.section));
        return;
    }
    // A report without anything to load never makes the workers busy.
    QMetaObject::invokeMethod(this, &Grabber::grabWhenIdle, Qt::QueuedConnection);
}

void Grabber::grabWhenIdle() {
    if (showing_ && window_.context().workers.idle())
        grab();
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
    const QPixmap picture = window_.grab();
    showing_ = false;
    if (!picture.save(request.file)) {
        emit failed(tr("cannot write picture '%1': the folder must exist and be writable, and the "
                       "name end in .png or .jpg")
                        .arg(request.file));
        return;
    }
    ++next_;
    showNext();
}

} // namespace tilescope::gui
