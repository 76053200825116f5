#include "views/execution/lanes_pane.h"

#include <QMouseEvent>

#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int overviewPixels = 1500;

/// What the strip shows of a lane: its steps; of the host what was before them, if it is shown.
void addStripRow(std::vector<TraceRow>& strip, const TraceLane& lane, bool compilation) {
    if (!isHost(lane))
        strip.push_back(stepsOf(lane));
    else if (compilation && !lane.rows.empty())
        strip.push_back(lane.rows.front());
}

QString titleOf(const TraceBox& box) {
    const QString name = shownName(box.name);
    if (name.isEmpty())
        return LanesPane::tr("Steps: %1").arg(box.steps);
    if (box.look == TraceBox::Look::Step && box.name != toString(box.kind))
        return name + QStringLiteral("  (%1)").arg(textOf(toString(box.kind)));
    return box.steps > 1 ? name + LanesPane::tr("  (steps: %1)").arg(box.steps) : name;
}

} // namespace

LanesPane::LanesPane(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , plot_(new TracePlot(context))
    , query_(context.workers) {
    inColumn(this, {plot_});
    plot_->setAccessibleName(tr("Steps over time"));
    plot_->setReadOut([this](double x, double y) { return readOut(x, y); });
    plot_->installEventFilter(this);
    connect(&plot_->scrollBar(), &QScrollBar::valueChanged, this, &LanesPane::refresh);
    connect(plot_, &PlotWidget::hovered, this, &LanesPane::status);
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) { clicked(x, y); });
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible())
            refresh();
    });
}

void LanesPane::load(const TraceQuestion& question, std::int64_t length) {
    question_ = question;
    query_.start([this, question, length](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            traceLanes(question, {0, length}, length / overviewPixels, stop));
        std::vector<TraceRow> strip;
        for (const TraceLane& lane : *lanes)
            addStripRow(strip, lane, question.compilation);
        return [this, lanes, strip = std::move(strip)] {
            plot_->trace().setOverview(lanes);
            plot_->updateRows();
            emit overviewRead(strip);
            refresh();
        };
    });
}

void LanesPane::refresh() {
    if (question_.look == TraceLook::Tiles || !loaded())
        return; // the tiles read for themselves
    const ZoomRange& zoom = context_.timeZoom;
    // Half a screen more on each side, so that panning finds it drawn.
    const double from = zoom.from() - zoom.span() / 2;
    const double to = zoom.to() + zoom.span() / 2;
    const double perPixel = zoom.span() / std::max(1, plot_->axisRect()->width());
    // Of many IPUs most lie below those in sight.
    const QCPRange rows = plot_->yAxis->range();
    const TracePlottable::LaneRange inSight = plot_->trace().lanesWithin(rows.lower, rows.upper);
    query_.startNext([this, question = question_, from, to, range = wholeCycles(zoom, from, to),
                      perPixel, inSight](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            traceLanes(question, range, static_cast<std::int64_t>(perPixel), stop, inSight));
        return [this, lanes, from, to] {
            context_.workers.free(plot_->trace().setDetail(lanes, from, to));
            plot_->updateRows();
        };
    });
}

void LanesPane::clicked(double x, double y) {
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr)
        return emit emptyClicked();
    if (hit.box->look == TraceBox::Look::Step && hit.box->steps >= 1) {
        const TraceLane& lane = (*plot_->trace().overview())[hit.lane];
        // The host's copy and that of the IPU are one step.
        if (isHost(lane))
            return emit copyClicked(hit.box->begin, lane.target);
        if (hit.box->steps == 1)
            return emit stepClicked(hit.box->firstStep, lane.target);
    }
    emit rangeClicked({hit.box->begin, hit.box->end});
}

bool LanesPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_ || event->type() != QEvent::MouseButtonDblClick)
        return QWidget::eventFilter(watched, event);
    zoomTo(*static_cast<QMouseEvent*>(event));
    return true;
}

void LanesPane::zoomTo(const QMouseEvent& event) {
    const TracePlottable::Hit hit =
        plot_->trace().hit(plot_->xAxis->pixelToCoord(event.position().x()),
                           plot_->yAxis->pixelToCoord(event.position().y()));
    if (hit.box == nullptr)
        return;
    const auto margin = static_cast<double>(hit.box->cycles()) * 0.02;
    context_.timeZoom.setRange(static_cast<double>(hit.box->begin) - margin,
                               static_cast<double>(hit.box->end) + margin);
}

QString LanesPane::readOut(double x, double y) const {
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr)
        return {};
    const bool goesOn = hit.box->steps == 0;
    return tr("%1\n%2\nfrom cycle %3")
        .arg(titleOf(*hit.box),
             goesOn ? tr("longer than is shown")
                    : context_.preferences.cycles(hit.box->cycles(),
                                                  question_.profiles.source->machine().clockHz),
             countText(hit.box->begin));
}

} // namespace tilescope::views
