#include "views/execution/trace_view.h"

#include <QAction>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <cmath>

#include "views/execution/statistics_panel.h"
#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {
namespace {

constexpr double shortestRange = 32; // cycles
constexpr int overviewPixels = 1500;

/// What the strip shows of a lane: its steps; of the host what was before them, if it is shown.
void addStripRow(std::vector<TraceRow>& strip, const TraceLane& lane, bool compilation) {
    if (!isHost(lane))
        strip.push_back(stepsOf(lane));
    else if (compilation && !lane.rows.empty())
        strip.push_back(lane.rows.front());
}

} // namespace

TraceView::TraceView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plot_(new TracePlot(context))
    , tiles_(new TilesPane(context))
    , strip_(new OverviewStrip(context, context.timeZoom))
    , legend_(new LegendBar(context))
    , panel_(new LoadingPanel(context.workers))
    , marks_(new MarksModel(this))
    , detailQuery_(context.workers)
    , statisticsQuery_(context.workers)
    , findQuery_(context.workers)
    , countQuery_(context.workers) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(panel_, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(makeTop());
    splitter->addWidget(makeTabs());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({5000, 2000}); // only their proportion counts
    splitter->setChildrenCollapsible(false);
    panel_->setContent(splitter);

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

void TraceView::focusSearch() {
    search_->focus();
}

TraceLook TraceView::look() const {
    return static_cast<TraceLook>(look_->currentIndex());
}

void TraceView::setLook(TraceLook look) {
    look_->setCurrentIndex(static_cast<int>(look));
}

bool TraceView::canShow() const {
    return profiles().source && profiles().source->info().hasExecution;
}

TraceQuestion TraceView::question() const {
    return {profiles(),
            look(),
            IpuId(ipu_->currentIndex() - 1),
            showsRuns_->isChecked(),
            showsSyncs_->isChecked(),
            showsHost_->isChecked() ? hosts_ : Hosts{},
            compilation_->isChecked()};
}

double TraceView::firstCycle() const {
    return compilation_->isChecked() && showsHost_->isChecked()
               ? static_cast<double>(hosts_.firstCycle())
               : 0;
}

CycleRange TraceView::cyclesOf(double from, double to) const {
    return {static_cast<std::int64_t>(std::floor(std::max(context().timeZoom.first(), from))),
            static_cast<std::int64_t>(std::ceil(to))};
}

void TraceView::fillIpus() {
    const QSignalBlocker blocker(ipu_);
    ipu_->clear();
    ipu_->addItem(tr("All"));
    for (int i = 0; i < profiles().source->machine().ipus; ++i)
        ipu_->addItem(QString::number(i));
}

void TraceView::reload() {
    const ProfileView& source = *profiles().source;
    fillIpus();
    selectedRange_.reset();
    marked_.reset();
    shownMark_.reset();
    selectedStep_ = -1;
    shownProgram_ = {};
    hosts_ = {};
    compilation_->hide();
    plot_->setMarkers({});
    tiles_->plot().setMarkers({});
    if (!source.info().hasExecution)
        return showNothing();
    plot_->setClock(source.machine().clockHz);
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        return [this, pair, length = traceLength(pair, stop), hosts = readHosts(pair, stop),
                runs = pair.source->trace(stop)->runs(), step = firstStep(*pair.source, stop)] {
            hosts_ = hosts;
            compilation_->setVisible(hosts_.firstCycle() < 0);
            context().timeZoom.setLimits(firstCycle(), static_cast<double>(length), shortestRange);
            const ProfileView& profile = *pair.source;
            const QString problem = marks_->open(profile.file(), profile.machine().clockHz,
                                                 static_cast<double>(length));
            if (!problem.isEmpty())
                emit status(problem);
            fillRuns(runs, step);
            loadOverview();
            countMatches();
            if (const auto wanted = std::exchange(wanted_, {}))
                findOperation(wanted->operation, wanted->target);
            else
                goToProgram(context().selection.current().program);
        };
    });
}

void TraceView::showNothing() {
    wanted_.reset();
    detailQuery_.cancel();
    statisticsQuery_.cancel();
    countQuery_.cancel();
    panel_->query().cancel();
    tiles_->clear();
    const bool targetHas = comparing() && profiles().target->info().hasExecution;
    const QString swap = targetHas
                             ? tr(" The target has one: swap source and target with Ctrl+Shift+X.")
                             : QString();
    panel_->showMessage(
        comparing() ? tr("The source has no execution trace")
                    : tr("This profile has no execution trace"),
        (profiles().source->info().fits
             ? tr("The model was compiled but its execution was not recorded. Run it again with "
                  "the engine option \"autoReport.outputExecutionProfile\": \"true\".")
             : tr("The model does not fit in memory, so it was compiled but could not be "
                  "executed. The Memory report shows which tiles are too full.")) +
            swap);
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

// A compilation takes a thousand times as long as what it is for: who looks at the one does not see
// the other, so all is shown at first and then a run again.
void TraceView::showCompilation() {
    if (!canShow())
        return;
    ZoomRange& zoom = context().timeZoom;
    if (zoom.first() != firstCycle()) {
        zoom.setLimits(firstCycle(), zoom.last(), shortestRange);
        if (zoom.first() == 0)
            showRun(run_->currentIndex());
    }
    loadOverview();
}

void TraceView::changeLook() {
    plots_->setCurrentIndex(look() == TraceLook::Tiles ? 1 : 0);
    updateLegend();
    loadOverview();
}

void TraceView::loadOverview() {
    if (!canShow())
        return;
    const auto length = static_cast<std::int64_t>(context().timeZoom.last());
    if (look() == TraceLook::Tiles)
        tiles_->load(question());
    detailQuery_.start([this, question = question(), length](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            traceLanes(question, {0, length}, length / overviewPixels, stop));
        std::vector<TraceRow> strip;
        for (const TraceLane& lane : *lanes)
            addStripRow(strip, lane, question.compilation);
        return [this, lanes, strip = std::move(strip)]() mutable {
            plot_->trace().setOverview(lanes);
            stripRows_ = std::move(strip);
            plot_->updateRows();
            strip_->invalidate();
            detailWanted_ = look() != TraceLook::Tiles;
        };
    });
    loadStatistics();
}

void TraceView::loadDetail() {
    if (look() == TraceLook::Tiles)
        return; // the tiles read for themselves
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
    // Of many IPUs most lie below those in sight.
    const QCPRange rows = plot_->yAxis->range();
    const TracePlottable::LaneRange inSight = plot_->trace().lanesWithin(rows.lower, rows.upper);
    detailQuery_.start([this, question = question(), from, to, range = cyclesOf(from, to), perPixel,
                        inSight](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            traceLanes(question, range, static_cast<std::int64_t>(perPixel), stop, inSight));
        return [this, lanes, from, to] {
            TracePlottable::Lanes before = plot_->trace().setDetail(lanes, from, to);
            context().workers.pool().start([gone = std::move(before)]() mutable { gone.reset(); });
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
    const CycleRange range = selectedRange_.value_or(cyclesOf(zoom.from(), zoom.to()));
    QString title = selectedRange_                        ? tr("Selected range")
                    : zoom.showsAll() && zoom.first() < 0 ? tr("Compilation and execution")
                    : zoom.showsAll()                     ? tr("Whole execution")
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

} // namespace tilescope::views
