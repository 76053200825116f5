#include "views/execution/trace_navigator.h"

#include <QComboBox>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {

constexpr double shortestRange = 32; // cycles

// Whether a step is too narrow on the screen to be told from its neighbours.
bool isNarrow(const ExecutedStep& step, const ZoomRange& zoom, int pixels) {
    constexpr double tellable = 12; // pixels
    return !step.ipus.empty() && zoom.span() > 0 &&
           static_cast<double>(step.ipus.front().cycles) * pixels < tellable * zoom.span();
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

TraceNavigator::TraceNavigator(ViewContext& context, const ProfilePair& profiles,
                               TraceSelection& selection, TraceControls& controls,
                               TracePanes& panes, TraceTabs& tabs, QObject* parent)
    : QObject(parent)
    , zoom_(context.timeZoom)
    , profiles_(profiles)
    , selection_(selection)
    , controls_(controls)
    , panes_(panes)
    , tabs_(tabs) {
    SearchBox& search = controls.search();
    connect(&search, &SearchBox::textChanged, this, &TraceNavigator::countMatches);
    connect(&search, &SearchBox::stepWanted, this, &TraceNavigator::findStep);
    connect(&selection.finder(), &StepFinder::counted, &search, &SearchBox::setMatches);
    connect(&selection, &TraceSelection::stepChanged, this, [this, &search] {
        if (!search.text().isEmpty())
            countMatches();
    });
    connect(&controls.run(), &QComboBox::activated, this, &TraceNavigator::showRun);
    connect(&tabs.marksPanel(), &MarksPanel::goTo, this, &TraceNavigator::showMark);
    for (PlotWidget* plot : panes.plots())
        plot->installEventFilter(this);
    connect(&panes.tracks(), &TracksPane::plotAdded, this,
            [this](TrackPlot* plot) { plot->installEventFilter(this); });
}

void TraceNavigator::reset() {
    wanted_.reset();
    microBatch_ = {};
    shownMark_.reset();
}

void TraceNavigator::setLimits(const ShownExecution& execution) {
    const bool compilation = controls_.showsCompilation();
    zoom_.setLimits(execution.first(compilation), execution.last(compilation), shortestRange);
}

void TraceNavigator::begin(const ShownExecution& execution) {
    runs_ = execution.runs;
    setLimits(execution);
    QComboBox& run = controls_.run();
    run.clear();
    run.addItems(runs_.names());
    run.setCurrentIndex(runs_.usual(executedOf(profiles_)->info().cycles));
    showRun(run.currentIndex());
    if (execution.targetRange && run.currentIndex() > 0 && showBoth(zoom_, *execution.targetRange))
        run.setCurrentIndex(0); // more than a run is in sight
}

void TraceNavigator::arrive() {
    if (const auto wanted = std::exchange(wanted_, {}))
        findOperation(wanted->operation, wanted->target);
    else
        follow(selection_.shared());
}

void TraceNavigator::showRun(int choice) {
    const std::optional<CycleRange> range = runs_.range(choice);
    if (!range)
        return zoom_.fit();
    zoom_.setRange(static_cast<double>(range->begin), static_cast<double>(range->end));
}

void TraceNavigator::changeAxis(const ShownExecution& execution,
                                const std::optional<CycleRange>& inSight) {
    runs_ = execution.runs;
    setLimits(execution);
    if (inSight)
        zoom_.setRange(static_cast<double>(inSight->begin), static_cast<double>(inSight->end));
}

// A compilation takes a thousand times as long as a run, so they cannot be seen at one scale:
// turning it on shows everything, turning it off a run again.
void TraceNavigator::changeHost(const ShownExecution& execution) {
    if (zoom_.first() == execution.first(controls_.showsCompilation()))
        return;
    setLimits(execution);
    if (zoom_.first() == 0)
        showRun(controls_.run().currentIndex());
}

void TraceNavigator::follow(const Selected& selected) {
    const bool other = std::exchange(microBatch_, selected.microBatch) != selected.microBatch;
    panes_.lanes().follow(selected.microBatch);
    if (other && selected.microBatch.valid())
        return followMicroBatch(selected.microBatch, selected.program);
    if (selected.program != selection_.program())
        followProgram(selected.program);
}

// To the part of the micro-batch that the selected call runs, or else to all of its way.
void TraceNavigator::followMicroBatch(MicroBatchId microBatch, ProgramId program) {
    const bool already = program == selection_.program();
    if (!selection_.follow(program) && program.valid())
        return;
    if (!canShow(profiles_))
        return;
    const CycleRange inSight = wholeCycles(zoom_, zoom_.from(), zoom_.to());
    selection_.finder().findMicroBatch(
        executedOf(profiles_), microBatch,
        selection_.axis().cyclesAt(inSight, onlyTargetRan(profiles_)),
        [this, program, already](const std::vector<MicroBatchRun>& runs) {
            if (runs.empty())
                return emit status(tr("The pipeline has no such micro-batch"));
            const auto called = std::find_if(runs.begin(), runs.end(), [&](const auto& run) {
                return !already && run.call == program;
            });
            CycleRange range{runs.front().range.begin, 0};
            for (const MicroBatchRun& run : runs)
                range.end = std::max(range.end, run.range.end);
            const TraceAxis& axis = selection_.axis();
            showMicroBatch(axis.placesOf(range, onlyTargetRan(profiles_)));
            if (called != runs.end())
                selection_.selectRange(axis.placesOf(called->range, onlyTargetRan(profiles_)));
        });
}

// The picture moves only if less than all of the way is in sight, or if it is too narrow.
void TraceNavigator::showMicroBatch(CycleRange range) {
    constexpr double beside = 0.15; // of its length, on either side: its neighbours
    constexpr double narrow = 0.2;  // of what is in sight
    const auto begin = static_cast<double>(range.begin);
    const auto end = static_cast<double>(range.end);
    if (begin >= zoom_.from() && end <= zoom_.to() && end - begin > narrow * zoom_.span())
        return;
    zoom_.setRange(begin - beside * (end - begin), end + beside * (end - begin));
}

void TraceNavigator::followProgram(ProgramId program) {
    if (!selection_.follow(program))
        return;
    selection_.finder().findProgram(
        profiles_.source, program, selection_.stepOf(false),
        [this](const ExecutedStep& step) {
            if (isNarrow(step, zoom_, panes_.lanes().plot().axisRect()->width()))
                showAround(step, false);
            selection_.readStep(step.index, false);
        },
        [this](const std::optional<ExecutedCall>& call) { showCall(call); });
}

// A call is selected as a range; its surroundings show which of many it is.
void TraceNavigator::showCall(const std::optional<ExecutedCall>& call) {
    if (!call)
        return selection_.mark({});
    const CycleRange places = selection_.axis().placesOf(call->range, false);
    const auto begin = static_cast<double>(places.begin);
    const auto end = static_cast<double>(places.end);
    constexpr double beside = 1.5; // times its length, on either side
    const double margin = beside * (end - begin);
    zoom_.setRange(begin - margin, end + margin);
    selection_.selectRange(places);
}

double TraceNavigator::cycleAt(double place, bool target) const {
    const TraceAxis& axis = selection_.axis();
    return axis.aligned()
               ? static_cast<double>(axis.cycleAt(static_cast<std::int64_t>(place), target))
               : place;
}

void TraceNavigator::showAround(const ExecutedStep& step, bool target) {
    if (step.ipus.empty())
        return;
    constexpr double beside = 4; // times its length, on either side: what runs before and after
    const auto begin =
        static_cast<double>(selection_.axis().placeOf(step.ipus.front().start, target));
    const auto length = static_cast<double>(step.ipus.front().cycles);
    zoom_.setRange(begin - beside * length, begin + (1 + beside) * length);
}

void TraceNavigator::goToOperation(OperationId operation, bool target, bool reading) {
    if (reading)
        wanted_ = {operation, target};
    else
        findOperation(operation, target);
}

void TraceNavigator::findOperation(OperationId operation, bool target) {
    const ProfileViewPtr& profile = profileOf(profiles_, target);
    if (!canShow(profiles_) || !profile || !profile->info().hasExecution)
        return;
    selection_.finder().findOperation(profile, operation, [this, target](const ExecutedStep& step) {
        showAround(step, target);
        selection_.showStep(step.index, target);
    });
}

void TraceNavigator::findBeside(bool forward) {
    if (!canShow(profiles_))
        return;
    const bool target =
        onlyTargetRan(profiles_) || (selection_.inTarget() && profiles_.comparing());
    // Without a selected step the walk begins in the middle of what is visible.
    selection_.finder().findBeside(
        profileOf(profiles_, target), selection_.step(), forward,
        IpuId(std::max(0, controls_.ipu().ipus().first().value())),
        cycleAt((zoom_.from() + zoom_.to()) / 2, target),
        [this, target](std::int64_t step) { selection_.showStep(step, target); });
}

void TraceNavigator::findStep(bool forward) {
    const QString text = controls_.search().text();
    if (text.isEmpty() || !canShow(profiles_))
        return;
    // From the selected step if it is in sight, else from the edge of the visible range.
    const std::optional<CycleRange>& marked = selection_.marked();
    const bool inSight = marked && static_cast<double>(marked->end) >= zoom_.from() &&
                         static_cast<double>(marked->begin) <= zoom_.to();
    const bool target = onlyTargetRan(profiles_);
    const StepFinder::From from{inSight ? selection_.stepOf(target) : -1,
                                cycleAt(forward ? zoom_.from() : zoom_.to(), target)};
    selection_.finder().findText(
        executedOf(profiles_), text, from, forward,
        [this, target](std::int64_t step) { selection_.showStep(step, target); });
}

void TraceNavigator::countMatches() {
    SearchBox& search = controls_.search();
    StepFinder& finder = selection_.finder();
    if (search.text().isEmpty() || !canShow(profiles_)) {
        finder.cancel();
        return search.setMatches(0, 0);
    }
    search.setSearching();
    finder.count(executedOf(profiles_), search.text(), selection_.stepOf(onlyTargetRan(profiles_)));
}

void TraceNavigator::selectRangeByKey() {
    if (selection_.range())
        return selection_.selectRange({});
    selection_.selectRange(
        selection_.marked().value_or(CycleRange{static_cast<std::int64_t>(std::ceil(zoom_.from())),
                                                static_cast<std::int64_t>(zoom_.to())}));
}

void TraceNavigator::addMark() {
    if (!canShow(profiles_))
        return;
    if (selection_.range())
        return tabs_.annotate(selection_.axis().cyclesAt(*selection_.range(), false));
    const std::optional<CycleRange>& marked = selection_.marked();
    const double middle = std::floor((zoom_.from() + zoom_.to()) / 2);
    const QString text = marked && !selection_.name().isEmpty()
                             ? selection_.name()
                             : tr("Mark %1").arg(tabs_.marks().rowCount() + 1);
    tabs_.marks().add(cycleAt(marked ? static_cast<double>(marked->begin) : middle, false), text);
}

// Centres a mark in the window, as far as the execution reaches, and fits all of a range.
void TraceNavigator::showMark(const TraceFlag& mark) {
    constexpr double around = 1.25; // of a range, so that its surroundings are visible
    const TraceFlag shown = onAxis(mark, selection_.axis());
    shownMark_ = shown.cycle;
    const double middle = shown.cycle + shown.length / 2;
    const double span = std::max(zoom_.span(), around * shown.length);
    zoom_.setRange(middle - span / 2, middle + span / 2);
}

void TraceNavigator::goToMark(bool forward) {
    const MarksModel& marks = tabs_.marks();
    // At the ends of the execution a mark cannot be in the middle of the window.
    const bool stillThere = shownMark_ && *shownMark_ >= zoom_.from() && *shownMark_ <= zoom_.to();
    const int row = marks.beside(
        cycleAt(stillThere ? *shownMark_ : (zoom_.from() + zoom_.to()) / 2, false), forward);
    if (row >= 0)
        showMark(marks.marks()[static_cast<std::size_t>(row)]);
    else
        emit status(forward ? tr("There is no later mark") : tr("There is no earlier mark"));
}

bool TraceNavigator::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && keyPressed(*static_cast<QKeyEvent*>(event)))
        return true;
    return QObject::eventFilter(watched, event);
}

bool TraceNavigator::keyPressed(const QKeyEvent& event) {
    switch (event.modifiers() == Qt::NoModifier ? event.key() : 0) {
    case Qt::Key_Comma:
        findBeside(false);
        return true;
    case Qt::Key_Period:
        findBeside(true);
        return true;
    case Qt::Key_M:
        addMark();
        return true;
    case Qt::Key_R:
        selectRangeByKey();
        return true;
    case Qt::Key_P:
        emit reportWanted(QStringLiteral("programs"));
        return true;
    case Qt::Key_BracketLeft:
        goToMark(false);
        return true;
    case Qt::Key_BracketRight:
        goToMark(true);
        return true;
    case Qt::Key_C:
        selection_.showCounterpart();
        return true;
    case Qt::Key_B:
        selection_.followMicroBatch();
        return true;
    case Qt::Key_Escape:
        selection_.unfollow();
        selection_.selectRange({});
        return false; // the plot clears the selection
    default:
        return false;
    }
}

} // namespace tilescope::views
