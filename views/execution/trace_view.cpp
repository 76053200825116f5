#include "views/execution/trace_view.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <cmath>

#include "views/execution/statistics_panel.h"
#include "views/plot/axes/axis_labels.h"
#include "views/plot/save_plot.h"

namespace tilescope::views {
namespace {

constexpr double shortestRange = 32; // cycles
constexpr int overviewPixels = 1500;
constexpr double palest = 0.7; // of a pixel in the strip that is mostly empty

CycleRange rangeOf(double from, double to) {
    return {static_cast<std::int64_t>(std::floor(std::max(0.0, from))),
            static_cast<std::int64_t>(std::ceil(to))};
}

} // namespace

TraceView::TraceView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plot_(new TracePlot(context))
    , strip_(new OverviewStrip(context, context.timeZoom))
    , legend_(new LegendBar(context))
    , panel_(new LoadingPanel(context.workers))
    , detailQuery_(context.workers)
    , statisticsQuery_(context.workers)
    , findQuery_(context.workers) {
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(makeTop());
    splitter->addWidget(makeTabs());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({5000, 2000}); // only their proportion counts
    splitter->setChildrenCollapsible(false);
    panel_->setContent(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(panel_, 1);

    connect(&context.timeZoom, &ZoomRange::changed, this, &TraceView::zoomChanged);
    connect(&context.selection, &Selection::changed, this, &TraceView::followSelection);
    connect(&context.theme, &ThemeSource::changed, this, &TraceView::updateLegend);
    // Only the newest wish counts, but a query under way ends first: while the wheel turns, the
    // picture sharpens all the time instead of at the end.
    connect(&detailQuery_, &BackgroundQuery::delivered, this, [this] {
        if (std::exchange(detailWanted_, false))
            loadDetail();
    });
    connect(&statisticsQuery_, &BackgroundQuery::delivered, this, [this] {
        if (std::exchange(statisticsWanted_, false))
            loadStatistics();
    });
}

ToolRow* TraceView::makeTools() {
    auto* tools = new ToolRow;
    look_ = tools->addChoice(tr("View"), {tr("Flame"), tr("Flat")});
    ipu_ = tools->addChoice(tr("IPU"), {tr("All")});
    run_ = tools->addChoice(tr("Run"), {tr("All")});
    auto* fit = tools->addButton(tr("Fit"), tr("Show the whole execution (F)"));
    tools->addStretch();
    search_ = tools->addField(
        tr("Find step"), tr("Steps whose name contains this stay bright; Enter goes to the next"),
        220);
    auto* save = tools->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(look_, &QComboBox::currentIndexChanged, this, &TraceView::loadOverview);
    connect(ipu_, &QComboBox::currentIndexChanged, this, &TraceView::loadOverview);
    connect(run_, &QComboBox::activated, this, &TraceView::showRun);
    connect(fit, &QToolButton::clicked, &context().timeZoom, &ZoomRange::fit);
    connect(save, &QToolButton::clicked, this,
            [this] { savePlot(*plot_, QStringLiteral("trace")); });
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        plot_->trace().setHighlight(text);
        plot_->replotSoon();
    });
    connect(search_, &QLineEdit::returnPressed, this, &TraceView::findStep);
    return tools;
}

QWidget* TraceView::makeTop() {
    auto* top = new QWidget;
    auto* layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(strip_);
    layout->addWidget(plot_, 1);
    layout->addWidget(legend_);
    strip_->setContent(
        [this](QPainter& painter, const QRect& rect) { paintOverview(painter, rect); });
    plot_->setReadOut([this](double x, double y) { return readOut(x, y); });
    plot_->installEventFilter(this);
    connect(plot_, &PlotWidget::hovered, this, &ReportView::status);
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) { clicked(x, y); });
    connect(plot_, &PlotWidget::rangeSelected, this, [this](double from, double to) {
        selectedRange_ = rangeOf(from, to);
        tabs_->setCurrentIndex(0);
        loadStatistics();
    });
    updateLegend();
    return top;
}

QWidget* TraceView::makeTabs() {
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    statistics_ = new StatisticsPanel(context());
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(statistics_);
    tabs_->addTab(scroll, tr("Summary"));
    details_ = new ValueTreeModel(context(), this);
    detailsView_ = new QTreeView;
    detailsView_->setModel(details_);
    detailsView_->setFrameShape(QFrame::NoFrame);
    detailsView_->setRootIsDecorated(false);
    detailsView_->setUniformRowHeights(true);
    detailsPanel_ = new LoadingPanel(context().workers);
    detailsPanel_->setContent(detailsView_);
    detailsPanel_->showMessage(tr("No step is selected"), tr("Click a step in the trace above."));
    tabs_->addTab(detailsPanel_, tr("Details"));
    return tabs_;
}

void TraceView::updateLegend() {
    std::vector<LegendBar::Entry> entries;
    const auto add = [&](const QString& name, ProgramKind kind) {
        entries.push_back({name, context().theme.current().kind(kind)});
    };
    add(tr("OnTileExecute"), ProgramKind::OnTileExecute);
    add(tr("DoExchange"), ProgramKind::DoExchange);
    add(tr("GlobalExchange"), ProgramKind::GlobalExchange);
    add(tr("Sync"), ProgramKind::Sync);
    add(tr("StreamCopyBegin"), ProgramKind::StreamCopyBegin);
    add(tr("StreamCopyMid"), ProgramKind::StreamCopyMid);
    add(tr("StreamCopyEnd"), ProgramKind::StreamCopyEnd);
    legend_->setEntries(std::move(entries));
}

void TraceView::focusSearch() {
    search_->setFocus();
    search_->selectAll();
}

TraceQuestion TraceView::question() const {
    return {profiles(), static_cast<TraceLook>(look_->currentIndex()),
            IpuId(ipu_->currentIndex() - 1)};
}

void TraceView::reload() {
    const OpenProfile& source = *profiles().source;
    {
        const QSignalBlocker blocker(ipu_);
        ipu_->clear();
        ipu_->addItem(tr("All"));
        for (int i = 0; i < source.machine().ipus; ++i)
            ipu_->addItem(QString::number(i));
    }
    selectedRange_.reset();
    selectedStep_ = -1;
    shownProgram_ = {};
    plot_->setMarkers({});
    if (!source.info().hasExecution) {
        detailQuery_.cancel();
        statisticsQuery_.cancel();
        panel_->query().cancel();
        const QString swap =
            comparing() && profiles().target->info().hasExecution
                ? tr(" The target has one: swap source and target with Ctrl+Shift+X.")
                : QString();
        panel_->showMessage(
            comparing() ? tr("The source has no execution trace")
                        : tr("This profile has no execution trace"),
            (source.info().fits
                 ? tr("The model was compiled but its execution was not recorded. Run it again "
                      "with "
                      "the engine option \"autoReport.outputExecutionProfile\": \"true\".")
                 : tr("The model does not fit in memory, so it was compiled but could not be "
                      "executed. The Memory report shows which tiles are too full.")) +
                swap);
        return;
    }
    plot_->setClock(source.machine().clockHz);
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        return [this, length = traceLength(pair, stop), runs = pair.source->trace(stop)->runs(),
                step = firstStep(*pair.source, stop)] {
            context().timeZoom.setLimits(0, static_cast<double>(length), shortestRange);
            fillRuns(runs, step);
            loadOverview();
            goToProgram(context().selection.current().program, true);
        };
    });
}

// The view begins with the main program: loading weights takes longer and tells less. Of a pipeline
// one step is shown, whose ramps could not be told apart among many.
void TraceView::fillRuns(const std::vector<TraceRun>& runs, const std::optional<FirstStep>& step) {
    runs_ = runs;
    firstStep_ = step;
    run_->clear();
    run_->addItem(tr("All"));
    int main = 0;
    for (const TraceRun& run : runs) {
        run_->addItem(QString::fromStdString(run.name));
        if (main == 0 && run.cycles == profiles().source->info().cycles)
            main = run_->count() - 1;
    }
    if (firstStep_) {
        run_->addItem(
            tr("First of %1 steps").arg(QString::fromStdString(withThousands(firstStep_->count))));
        main = run_->count() - 1;
    }
    run_->setCurrentIndex(main);
    showRun(main);
}

void TraceView::showRun(int choice) {
    if (choice <= 0)
        return context().timeZoom.fit();
    const auto at = static_cast<std::size_t>(choice) - 1;
    if (at >= runs_.size())
        return context().timeZoom.setRange(static_cast<double>(firstStep_->range.begin),
                                           static_cast<double>(firstStep_->range.end));
    const TraceRun& run = runs_[at];
    context().timeZoom.setRange(static_cast<double>(run.start),
                                static_cast<double>(run.start + run.cycles));
}

void TraceView::loadOverview() {
    if (!profiles().source || !profiles().source->info().hasExecution)
        return;
    const auto length = static_cast<std::int64_t>(context().timeZoom.last());
    detailQuery_.start([this, question = question(), length](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            traceLanes(question, {0, length}, length / overviewPixels, stop));
        return [this, lanes] {
            plot_->trace().setOverview(lanes);
            plot_->updateRows();
            strip_->invalidate();
            detailWanted_ = true;
        };
    });
    loadStatistics();
}

void TraceView::loadDetail() {
    if (detailQuery_.running()) {
        detailWanted_ = true;
        return;
    }
    if (!plot_->trace().overview())
        return;
    const ZoomRange& zoom = context().timeZoom;
    // Half a screen more on each side, so that panning finds it drawn.
    const double from = zoom.from() - zoom.span() / 2;
    const double to = zoom.to() + zoom.span() / 2;
    const double perPixel = zoom.span() / std::max(1, plot_->axisRect()->width());
    detailQuery_.start(
        [this, question = question(), from, to, perPixel](const std::stop_token& stop) {
            auto lanes = std::make_shared<const std::vector<TraceLane>>(
                traceLanes(question, rangeOf(from, to), static_cast<std::int64_t>(perPixel), stop));
            return [this, lanes, from, to] {
                plot_->trace().setDetail(lanes, from, to);
                plot_->updateRows();
            };
        });
}

void TraceView::zoomChanged() {
    if (!isVisible() || !plot_->trace().overview())
        return;
    loadDetail();
    if (!selectedRange_)
        loadStatistics();
}

void TraceView::loadStatistics() {
    if (statisticsQuery_.running()) {
        statisticsWanted_ = true;
        return;
    }
    const ZoomRange& zoom = context().timeZoom;
    const CycleRange range = selectedRange_.value_or(rangeOf(zoom.from(), zoom.to()));
    QString title = selectedRange_    ? tr("Selected range")
                    : zoom.showsAll() ? tr("Whole execution")
                                      : tr("Visible range");
    title += tr(": cycles %1 to %2, %3")
                 .arg(QString::fromStdString(withThousands(range.begin)),
                      QString::fromStdString(withThousands(range.end)),
                      durationText(static_cast<double>(range.cycles()) /
                                   std::max(1.0, profiles().source->machine().clockHz)));
    statisticsQuery_.start(
        [this, question = question(), range, title](const std::stop_token& stop) {
            return [this, title, lanes = traceStatistics(question, range, stop)]() mutable {
                statistics_->setStatistics(title, std::move(lanes));
            };
        });
}

void TraceView::clicked(double x, double y) {
    selectedRange_.reset();
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr || hit.box->steps == 0)
        return loadStatistics();
    const bool target = (*plot_->trace().overview())[hit.lane].target;
    if (hit.box->steps == 1) {
        tabs_->setCurrentIndex(1);
        return loadDetails(hit.box->firstStep, target);
    }
    // A group is a range: its statistics are its details.
    selectedRange_ = CycleRange{hit.box->begin, hit.box->end};
    plot_->setMarkers({{static_cast<double>(hit.box->begin), static_cast<double>(hit.box->end)}});
    tabs_->setCurrentIndex(0);
    loadStatistics();
}

bool TraceView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::MouseButtonDblClick) {
        doubleClicked(static_cast<QMouseEvent*>(event));
        return true;
    }
    return ReportView::eventFilter(watched, event);
}

void TraceView::doubleClicked(QMouseEvent* event) {
    const TracePlottable::Hit hit =
        plot_->trace().hit(plot_->xAxis->pixelToCoord(event->position().x()),
                           plot_->yAxis->pixelToCoord(event->position().y()));
    if (hit.box == nullptr)
        return;
    const auto margin = static_cast<double>(hit.box->cycles()) * 0.02;
    context().timeZoom.setRange(static_cast<double>(hit.box->begin) - margin,
                                static_cast<double>(hit.box->end) + margin);
}

QString TraceView::readOut(double x, double y) const {
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr)
        return {};
    const TraceBox& box = *hit.box;
    const double clock = profiles().source->machine().clockHz;
    const std::string_view kind = toString(box.kind);
    QString title = QString::fromStdString(box.name);
    if (title.isEmpty())
        title = tr("Steps: %1").arg(box.steps);
    else if (box.look == TraceBox::Look::Step && box.name != kind)
        title += QStringLiteral("  (%1)").arg(
            QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())));
    else if (box.steps > 1)
        title += tr("  (steps: %1)").arg(box.steps);
    return tr("%1\n%2\nfrom cycle %3")
        .arg(title, context().preferences.cycles(box.cycles(), clock),
             QString::fromStdString(withThousands(box.begin)));
}

void TraceView::paintOverview(QPainter& painter, const QRect& rect) const {
    const auto& lanes = plot_->trace().overview();
    if (!lanes || lanes->empty())
        return;
    const Theme& theme = context().theme.current();
    const ZoomRange& zoom = context().timeZoom;
    const double height = static_cast<double>(rect.height()) / static_cast<double>(lanes->size());
    for (std::size_t i = 0; i < lanes->size(); ++i) {
        const TraceRow steps = stepsOf((*lanes)[i]);
        for (const BoxOnScreen& place :
             boxesOnScreen(steps, zoom.first(), zoom.last(), rect.width()))
            painter.fillRect(QRectF(place.x0, height * static_cast<double>(i), place.x1 - place.x0,
                                    std::max(1.0, height)),
                             mixed(theme.kind(steps.boxes[place.box].kind), theme.surface,
                                   std::min(palest, 1 - place.coverage)));
    }
}

} // namespace tilescope::views
