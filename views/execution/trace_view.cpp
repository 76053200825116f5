#include "views/execution/trace_view.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "core/analysis/hosts/host_record_lanes.h"
#include "views/execution/marks_panel.h"
#include "views/execution/range_field.h"
#include "views/execution/range_panel.h"
#include "views/execution/record_panel.h"
#include "views/execution/statistics_panel.h"
#include "views/session/time_texts.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {
constexpr double shortestRange = 32; // cycles

/// The kinds of steps, and what the host (if `host`) or tiles wait for.
std::vector<LegendBar::Entry> traceLegend(const Theme& theme, TraceLook look, bool host) {
    std::vector<LegendBar::Entry> entries;
    for (const ProgramKind kind :
         {ProgramKind::OnTileExecute, ProgramKind::DoExchange, ProgramKind::GlobalExchange,
          ProgramKind::Sync, ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid,
          ProgramKind::StreamCopyEnd})
        entries.push_back({textOf(toString(kind)), theme.kind(kind)});
    if (look == TraceLook::Tiles)
        entries.push_back(
            {TraceView::tr("Waits for other tiles"), tileStateColour(theme, TileState::Wait)});
    else if (host)
        entries.push_back({TraceView::tr("Host waits for IPU"), groupColour(theme, hostWaitsKind)});
    return entries;
}

RunChoices choicesOf(const ProfileView& profile, const std::stop_token& stop) {
    return {profile.trace(stop)->runs(), firstStep(profile, stop)};
}

std::optional<CycleRange> usualTargetRange(const ProfilePair& pair, const std::stop_token& stop) {
    if (!pair.comparing() || !pair.source->info().hasExecution || !pair.target->info().hasExecution)
        return {};
    const RunChoices choices = choicesOf(*pair.target, stop);
    return choices.range(choices.usual(pair.target->info().cycles));
}

// Extends the visible range, which is the source's run, to the target's, which may begin earlier or
// take longer. Returns whether more is shown then.
bool showBoth(ZoomRange& zoom, const CycleRange& target) {
    const auto before = std::pair(zoom.from(), zoom.to());
    zoom.setRange(std::min(zoom.from(), static_cast<double>(target.begin)),
                  std::max(zoom.to(), static_cast<double>(target.end)));
    return before != std::pair(zoom.from(), zoom.to());
}

} // namespace

TraceView::TraceView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , lanes_(new LanesPane(context))
    , tiles_(new TilesPane(context))
    , tracks_(new TracksPane(context))
    , strip_(new TraceStrip(context))
    , notice_(wrappedLabel({}, "muted"))
    , legend_(new LegendBar(context))
    , calls_(wrappedLabel({}, "muted"))
    , panel_(new LoadingPanel(context.workers))
    , marks_(new MarksModel(this))
    , finder_(new StepFinder(context, this))
    , menuQuery_(context.workers)
    , executionsQuery_(context.workers)
    , step_(new StepPanel(context)) {
    inColumn(this, {makeTools(), panel_});
    auto* splitter = splitOf(Qt::Vertical, makeTop(), makeTabs(), 5, 2);
    splitter->setSizes({5000, 2000}); // only their proportion counts
    panel_->setContent(splitter);
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible() && lanes_->loaded() && !selected_.range)
            loadStatistics();
    });
    connect(&context.theme, &ThemeSource::changed, this, &TraceView::updateLegend);
    connect(finder_, &StepFinder::counted, &search(), &SearchBox::setMatches);
    connect(finder_, &StepFinder::notFound, this, &ReportView::status);
    connect(step_, &StepPanel::stepRead, this, &TraceView::stepRead);
    joinHistory();
    joinMenus();
    updateLegend();
}

QWidget* TraceView::makeTop() {
    auto* top = new QWidget;
    auto* layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    plots_ = new QStackedWidget;
    plots_->addWidget(lanes_);
    plots_->addWidget(tiles_);
    notice_->setContentsMargins(14, 6, 14, 6);
    layout->addWidget(notice_);
    calls_->setContentsMargins(14, 2, 14, 4);
    calls_->hide();
    layout->addWidget(calls_);
    layout->addWidget(strip_);
    layout->addWidget(tracks_);
    layout->addWidget(plots_, 1);
    layout->addWidget(legend_);
    connect(lanes_, &LanesPane::overviewRead, strip_, &TraceStrip::setRows);
    // The lanes come first.
    connect(lanes_, &LanesPane::overviewRead, this, [this] {
        tracks_->load(onlyTarget() ? ProfilePair(profiles().target) : profiles(), ipu_->ipus(),
                      static_cast<std::int64_t>(executionEnd_));
    });
    connect(lanes_, &LanesPane::legendChanged, this, &TraceView::updateLegend);
    connect(lanes_, &LanesPane::ipuWanted, ipu_, &IpuField::choose);
    connect(lanes_, &LanesPane::status, this, &ReportView::status);
    connect(tiles_, &TilesPane::status, this, &ReportView::status);
    connect(tracks_, &TracksPane::status, this, &ReportView::status);
    connect(lanes_, &LanesPane::emptyClicked, this, &TraceView::dropRange);
    connect(lanes_, &LanesPane::stepClicked, this, [this](qint64 step, bool target) {
        dropRange();
        showStep(step, target);
    });
    connect(tiles_, &TilesPane::stepClicked, this, &TraceView::showStep);
    connect(tracks_, &TracksPane::stepClicked, this, [this](qint64 step) {
        dropRange();
        showStep(step, onlyTarget());
    });
    connect(lanes_, &LanesPane::copyClicked, this, [this](qint64 begin, bool target) {
        dropRange();
        finder_->findCopy(profileOf(target), begin,
                          [this, target](std::int64_t step) { showStep(step, target); });
    });
    connect(lanes_, &LanesPane::rangeClicked, this, &TraceView::selectRange);
    connect(lanes_, &LanesPane::hostClicked, this, [this](const ValueTree& details) {
        step_->showDetails(details);
        tabs_->setCurrentWidget(step_);
    });
    std::vector<PlotWidget*> plots{&lanes_->plot(), &tiles_->plot()};
    for (PlotWidget* plot : plots)
        tracks_->crosshair().add(*plot);
    plots.insert(plots.end(), tracks_->plots().begin(), tracks_->plots().end());
    for (PlotWidget* plot : plots) {
        plot->installEventFilter(this);
        connect(plot, &PlotWidget::rangeSelected, this, [this](double from, double to) {
            const ZoomRange& axis = context().timeZoom;
            selectRange(
                CycleRange{wholeCycles(axis, from, to).begin, wholeCycles(axis, from, to + 1).end});
        });
    }
    return top;
}

// There is room beside the tabs, the first of which has the numbers of the range.
QWidget* TraceView::makeRange() {
    range_ = new RangeField(context());
    connect(range_, &RangeField::refused, this, &ReportView::status);
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 1, PlotWidget::rightMargin, 1);
    const auto add = [row](const QString& name, QWidget* widget) {
        QLabel* label = textLabel(name, "muted");
        label->setBuddy(widget);
        row->addWidget(label);
        row->addWidget(widget);
    };
    add(tr("Colour by"), makeColours());
    add(tr("Visible"), range_);
    return corner;
}

void TraceView::resizeEvent(QResizeEvent* event) {
    ReportView::resizeEvent(event);
    fitCorner();
}

// The tabs take precedence: the controls beside them lose their labels first, then width.
void TraceView::fitCorner() {
    constexpr int narrowest = 120; // of the range, whose end can be scrolled to
    QWidget* corner = tabs_->cornerWidget();
    const auto labels = corner->findChildren<QLabel*>();
    for (const bool shown : {true, false}) {
        for (QLabel* label : labels)
            label->setVisible(shown);
        range_->setMaximumWidth(QWIDGETSIZE_MAX);
        corner->layout()->invalidate();
        const int over =
            tabs_->tabBar()->sizeHint().width() + corner->layout()->sizeHint().width() - width();
        if (over <= 0)
            return;
        if (!shown)
            range_->setMaximumWidth(std::max(narrowest, range_->sizeHint().width() - over));
    }
}

QWidget* TraceView::makeTabs() {
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->setCornerWidget(makeRange());
    statistics_ = new StatisticsPanel(context());
    auto* scroll = scrolled(statistics_);
    scroll->setAccessibleName(tr("Statistics"));
    tabs_->addTab(scroll, tr("Summary"));
    inRange_ = new RangePanel(context());
    tabs_->addTab(inRange_, tr("Range"));
    connect(inRange_, &RangePanel::chosen, this, &TraceView::markExecutions);
    tabs_->addTab(step_, tr("Details"));
    marksPanel_ = new MarksPanel(*marks_);
    connect(marksPanel_, &MarksPanel::goTo, this, &TraceView::showMark);
    connectMarks(tabs_->addTab(marksPanel_, tr("Marks")));
    record_ = new RecordPanel(context());
    connect(record_, &RecordPanel::hovered, this, &ReportView::status);
    tabs_->addTab(record_, tr("Graphs"));
    showRecord({}, 0);
    return tabs_;
}

void TraceView::showRecord(std::shared_ptr<const HostRecord> record, double clockHz) {
    record_->setRecord(std::move(record), clockHz);
    tabs_->setTabVisible(tabs_->indexOf(record_), record_->hasGraphs());
}

// The IPUs' run is timed only once, as every call takes the same cycles.
void TraceView::showCalls(std::int64_t calls) {
    calls_->setVisible(calls > 1);
    calls_->setText(tr("The host called the model %1 times. The trace has the IPUs' work of one "
                       "call, as all take the same cycles; the host's own events cover all calls. "
                       "To see more batches, give each call more of them: "
                       "poptorch.Options().deviceIterations(n).")
                        .arg(countText(calls)));
}

void TraceView::connectMarks(int tab) {
    connect(marks_, &MarksModel::marksChanged, this, [this, tab] {
        plot().setFlags(marks_->marks());
        tiles_->plot().setFlags(marks_->marks());
        const int count = marks_->rowCount();
        tabs_->setTabText(tab, count == 0 ? tr("Marks") : tr("Marks (%1)").arg(count));
    });
    connect(marks_, &MarksModel::saved, this, [this](const QString& problem) {
        if (!problem.isEmpty())
            emit status(problem);
    });
}

bool TraceView::canShow() const {
    return executed() && executed()->info().hasExecution;
}

const ProfileViewPtr& TraceView::profileOf(bool target) const {
    return target ? profiles().target : profiles().source;
}

double TraceView::firstCycle() const {
    return compilation_->isChecked() && showsHost_->isChecked()
               ? static_cast<double>(hosts_.firstCycle())
               : 0;
}

double TraceView::lastCycle() const {
    return compilation_->isChecked() && showsHost_->isChecked()
               ? std::max(executionEnd_, static_cast<double>(hosts_.lastCycle()))
               : executionEnd_;
}

void TraceView::reload() {
    const ProfileView& first = *executed();
    ipu_->setCount(first.machine().ipus);
    selected_ = {};
    wanted_.reset();
    restored_.reset();
    context().history.forget(*this);
    shownMark_.reset();
    hosts_ = {};
    compilation().hide();
    step_->showNone();
    mark({});
    if (!first.info().hasExecution)
        return showNothing();
    notice_->setVisible(onlyTarget());
    notice_->setText(
        profiles().source->info().fits
            ? tr("The execution of the source was not recorded: only the target's is shown.")
            : tr("The source does not fit in memory and was not executed: only the target's "
                 "execution is shown."));
    plot().setClock(first.machine().clockHz);
    panel_->load([this, pair = profiles(), shown = executed()](const std::stop_token& stop) {
        return [this, shown, length = traceLength(pair, stop), hosts = readHosts(pair, stop),
                record = shown->hostRecord(stop), runs = choicesOf(*shown, stop),
                targetRange = usualTargetRange(pair, stop)] {
            hosts_ = hosts;
            showRecord(record, shown->machine().clockHz);
            showCalls(record ? recordedCalls(*record) : 0);
            runs_ = runs;
            compilation().setVisible(hosts_.firstCycle() < 0);
            executionEnd_ = static_cast<double>(length);
            context().timeZoom.setLimits(firstCycle(), lastCycle(), shortestRange);
            fitCorner();
            const ProfileView& profile = *shown;
            const QString problem = marks_->open(profile.file(), profile.machine().clockHz,
                                                 static_cast<double>(length));
            if (!problem.isEmpty())
                emit status(problem);
            run_->clear();
            run_->addItems(runs_.names());
            run_->setCurrentIndex(runs_.usual(profile.info().cycles));
            showRun(run_->currentIndex());
            if (targetRange && run_->currentIndex() > 0 &&
                showBoth(context().timeZoom, *targetRange))
                run_->setCurrentIndex(0); // more than a run is in sight
            loadPlots();
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
    lanes_->cancel();
    statistics_->cancel();
    countMatches();
    tiles_->clear();
    tracks_->clear();
    panel_->showMessage(
        comparing() ? tr("Neither profile has an execution trace")
                    : tr("This profile has no execution trace"),
        profiles().source->info().fits
            ? tr("The model was compiled but its execution was not recorded. Run it again with "
                 "the engine option \"autoReport.outputExecutionProfile\": \"true\".")
            : tr("The model does not fit in memory, so it was compiled but could not be "
                 "executed. The Memory report shows which tiles are too full."));
}

void TraceView::showRun(int choice) {
    const std::optional<CycleRange> range = runs_.range(choice);
    if (!range)
        return context().timeZoom.fit();
    context().timeZoom.setRange(static_cast<double>(range->begin), static_cast<double>(range->end));
}

// A compilation takes a thousand times as long as a run, so they cannot be seen at one scale:
// turning it on shows everything, turning it off a run again.
void TraceView::changeHost() {
    updateLegend();
    if (!canShow())
        return;
    ZoomRange& zoom = context().timeZoom;
    if (zoom.first() != firstCycle()) {
        zoom.setLimits(firstCycle(), lastCycle(), shortestRange);
        if (zoom.first() == 0)
            showRun(run_->currentIndex());
    }
    loadPlots();
}

void TraceView::changeLook() {
    plots_->setCurrentIndex(look() == TraceLook::Tiles ? 1 : 0);
    updateLegend();
    loadPlots();
}

void TraceView::updateLegend() {
    std::vector<LegendBar::Entry> entries = lanes_->legend();
    if (look() == TraceLook::Tiles || entries.empty())
        entries = traceLegend(context().theme.current(), look(), showsHost_->isChecked());
    if (look() != TraceLook::Tiles)
        for (LegendBar::Entry& channel : lanes_->channels())
            entries.push_back(std::move(channel));
    legend_->setEntries(std::move(entries));
}

void TraceView::loadPlots() {
    if (!canShow())
        return;
    if (look() == TraceLook::Tiles)
        tiles_->load(question());
    lanes_->load(question(), static_cast<std::int64_t>(context().timeZoom.last()),
                 static_cast<ColourBy>(colours_->currentIndex()));
    loadStatistics();
}

void TraceView::loadStatistics() {
    const ZoomRange& zoom = context().timeZoom;
    const CycleRange range = selected_.range.value_or(wholeCycles(zoom, zoom.from(), zoom.to()));
    const QString title = selected_.range                       ? tr("Selected range")
                          : zoom.showsAll() && zoom.first() < 0 ? tr("Compilation and execution")
                          : zoom.showsAll()                     ? tr("Whole execution")
                                                                : tr("Visible range");
    const QString cycles = tr(": cycles %1 to %2, %3")
                               .arg(countText(range.begin), countText(range.end),
                                    durationText(static_cast<double>(range.cycles()) /
                                                 std::max(1.0, executed()->machine().clockHz)));
    statistics_->load(question(), range, title + cycles);
    inRange_->load(question(), range, title + cycles);
}

} // namespace tilescope::views
