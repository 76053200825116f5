// What is selected in the trace view: steps, ranges and marks.
#include <QKeyEvent>
#include <QTabWidget>
#include <algorithm>
#include <cmath>

#include "core/trace/range_programs.h"
#include "views/execution/ipu_lane.h"
#include "views/execution/marks_panel.h"
#include "views/execution/range_panel.h"
#include "views/execution/trace_view.h"

namespace tilescope::views {
namespace {

// Whether a step is too narrow on the screen to be told from its neighbours.
bool isNarrow(const ExecutedStep& step, const ZoomRange& zoom, int pixels) {
    constexpr double tellable = 12; // pixels
    return !step.ipus.empty() && zoom.span() > 0 &&
           static_cast<double>(step.ipus.front().cycles) * pixels < tellable * zoom.span();
}

PlotWidget::Marker markerOf(const CycleRange& range) {
    return {static_cast<double>(range.begin), static_cast<double>(range.end)};
}

void addBoxes(SelectedSteps& boxes, const ExecutedStep& step, bool target) {
    for (const StepOnIpu& on : step.ipus)
        boxes[ipuLaneKey(on.ipu, target)].push_back({on.start, on.start + on.cycles});
}

// More boxes than a screen has room for.
constexpr std::size_t mostMarked = 2000;

} // namespace

void TraceView::showStep(std::int64_t step, bool target) {
    restored_.reset();
    tabs_->setCurrentWidget(step_);
    step_->showStep(profileOf(target), step, target);
}

void TraceView::joinHistory() {
    context().history.add(
        *this, [this] { return QVariant::fromValue(selected_); },
        [this](const QVariant& value) { restore(value.value<Chosen>()); });
}

void TraceView::restore(const Chosen& chosen) {
    if (!canShow())
        return;
    selected_ = chosen;
    mark(chosen.marked, chosen.boxes);
    if (chosen.step >= 0) {
        restored_ = chosen.step;
        step_->showStep(profileOf(chosen.inTarget), chosen.step, chosen.inTarget);
    } else {
        restored_.reset();
        step_->showNone();
    }
    loadStatistics();
}

void TraceView::stepRead(const ReadStep& read) {
    if (std::exchange(restored_, {}) == read.step.index)
        return;
    selected_.name = read.name;
    selected_.inTarget = read.target;
    if (!read.step.ipus.empty()) {
        selected_.step = read.step.index;
        const StepOnIpu& first = read.step.ipus.front();
        SelectedSteps boxes;
        addBoxes(boxes, read.step, read.target);
        mark(CycleRange{first.start, first.start + first.cycles}, std::move(boxes));
        const auto begin = static_cast<double>(first.start);
        const auto end = static_cast<double>(first.start + first.cycles);
        ZoomRange& zoom = context().timeZoom;
        if (end < zoom.from() || begin > zoom.to())
            zoom.setRange((begin + end - zoom.span()) / 2, (begin + end + zoom.span()) / 2);
    }
    context().history.note(*this);
    if (read.target && onlyTarget() && !search().text().isEmpty())
        countMatches();
    if (read.target || !read.step.program.valid())
        return;
    // Other reports follow; this view already shows the step.
    selected_.program = read.step.program;
    context().selection.update([&](Selected& s) {
        s.program = read.step.program;
        s.operation = read.operation;
        s.computeSet = read.computeSet;
    });
    if (!search().text().isEmpty())
        countMatches();
    context().history.note(*this);
}

void TraceView::mark(std::optional<CycleRange> range, SelectedSteps steps) {
    selected_.marked = range;
    selected_.boxes = std::move(steps);
    executionsQuery_.cancel();
    setMarkers(range ? std::vector{markerOf(*range)} : std::vector<PlotWidget::Marker>(),
               selected_.boxes);
}

void TraceView::setMarkers(const std::vector<PlotWidget::Marker>& markers,
                           const SelectedSteps& steps) {
    plot().setMarkers(markers);
    plot().setSelected(steps);
    tiles_->plot().setMarkers(markers);
    tracks_->setMarkers(markers);
}

// The picture stays where it is: the table is about the range in sight.
void TraceView::markExecutions(const RangeRow& row, CycleRange range) {
    if (!canShow())
        return;
    ProgramSet programs;
    for (const ProgramId program : row.programs) {
        programs.resize(std::max(programs.size(), program.index() + 1));
        programs[program.index()] = true;
    }
    if (row.programs.size() == 1 && !onlyTarget())
        selected_.program = row.programs.front();
    context().selection.update([&](Selected& selected) {
        if (onlyTarget()) // the selection has things of the source
            return;
        if (row.programs.size() == 1)
            selected.program = row.programs.front();
        if (row.operation.valid())
            selected.operation = row.operation;
    });
    executionsQuery_.start([this, profile = executed(), programs = std::move(programs), range,
                            whole = selected_.range](const std::stop_token& stop) {
        std::vector<ExecutedStep> executions =
            executionsIn(*profile->trace(stop), programs, range, mostMarked + 1);
        return [this, executions = std::move(executions), whole]() mutable {
            const bool more = executions.size() > mostMarked;
            executions.resize(std::min(executions.size(), mostMarked));
            std::vector<PlotWidget::Marker> markers;
            if (whole)
                markers.push_back(markerOf(*whole));
            SelectedSteps boxes;
            for (const ExecutedStep& execution : executions) {
                markers.push_back(markerOf(cyclesOf(execution)));
                addBoxes(boxes, execution, false);
            }
            setMarkers(markers, boxes);
            emit status(more ? tr("The first %1 executions of the range are marked")
                                   .arg(countText(static_cast<std::int64_t>(mostMarked)))
                             : tr("Executions marked: %1")
                                   .arg(countText(static_cast<std::int64_t>(executions.size()))));
        };
    });
}

void TraceView::selectRange(std::optional<CycleRange> range) {
    selected_.range = range;
    if (range) {
        mark(range);
        tabs_->setCurrentIndex(0);
    }
    loadStatistics();
    context().history.note(*this);
}

void TraceView::dropRange() {
    selected_.range.reset();
    loadStatistics();
    context().history.note(*this);
}

void TraceView::selectRangeByKey() {
    if (selected_.range)
        return selectRange({});
    const ZoomRange& zoom = context().timeZoom;
    selectRange(selected_.marked.value_or(CycleRange{
        static_cast<std::int64_t>(std::ceil(zoom.from())), static_cast<std::int64_t>(zoom.to())}));
}

void TraceView::followSelection() {
    const ProgramId program = context().selection.current().program;
    if (program != selected_.program)
        goToProgram(program);
}

void TraceView::goToProgram(ProgramId program) {
    selected_.program = program;
    // A restored selection is shown where it was before.
    if (!program.valid() || !canShow() || onlyTarget() || context().history.restoring())
        return mark({});
    restored_.reset();
    finder_->findProgram(
        profiles().source, program, selected_.stepOf(false),
        [this](const ExecutedStep& step) {
            if (isNarrow(step, context().timeZoom, plot().axisRect()->width()))
                showAround(step);
            step_->showStep(profiles().source, step.index, false);
        },
        [this](const std::optional<ExecutedCall>& call) { showCall(call); });
}

// A call is selected as a range; its surroundings show which of many it is.
void TraceView::showCall(const std::optional<ExecutedCall>& call) {
    if (!call)
        return mark({});
    const auto begin = static_cast<double>(call->range.begin);
    const auto end = static_cast<double>(call->range.end);
    constexpr double beside = 1.5; // times its length, on either side
    const double margin = beside * (end - begin);
    context().timeZoom.setRange(begin - margin, end + margin);
    selectRange(call->range);
}

void TraceView::showAround(const ExecutedStep& step) {
    if (step.ipus.empty())
        return;
    constexpr double beside = 4; // times its length, on either side: what runs before and after
    const auto begin = static_cast<double>(step.ipus.front().start);
    const auto length = static_cast<double>(step.ipus.front().cycles);
    context().timeZoom.setRange(begin - beside * length, begin + (1 + beside) * length);
}

void TraceView::goToOperation(OperationId operation, bool target) {
    if (panel_->query().running())
        wanted_ = {operation, target};
    else
        findOperation(operation, target);
}

void TraceView::findOperation(OperationId operation, bool target) {
    const ProfileViewPtr& profile = profileOf(target);
    if (!canShow() || !profile || !profile->info().hasExecution)
        return;
    finder_->findOperation(profile, operation, [this, target](const ExecutedStep& step) {
        showAround(step);
        showStep(step.index, target);
    });
}

void TraceView::findBeside(bool forward) {
    if (!canShow())
        return;
    const bool target = onlyTarget() || (selected_.inTarget && comparing());
    const ZoomRange& zoom = context().timeZoom;
    // Without a selected step the walk begins in the middle of what is visible.
    finder_->findBeside(profileOf(target), selected_.step, forward,
                        IpuId(std::max(0, ipu().value())), (zoom.from() + zoom.to()) / 2,
                        [this, target](std::int64_t step) { showStep(step, target); });
}

void TraceView::findStep(bool forward) {
    if (search().text().isEmpty() || !canShow())
        return;
    // From the selected step if it is in sight, else from the edge of the visible range.
    const ZoomRange& zoom = context().timeZoom;
    const bool inSight = selected_.marked &&
                         static_cast<double>(selected_.marked->end) >= zoom.from() &&
                         static_cast<double>(selected_.marked->begin) <= zoom.to();
    const bool target = onlyTarget();
    const StepFinder::From from{inSight ? selected_.stepOf(target) : -1,
                                forward ? zoom.from() : zoom.to()};
    finder_->findText(executed(), search().text(), from, forward,
                      [this, target](std::int64_t step) { showStep(step, target); });
}

void TraceView::countMatches() {
    if (search().text().isEmpty() || !canShow()) {
        finder_->cancel();
        return search().setMatches(0, 0);
    }
    search().setSearching();
    finder_->count(executed(), search().text(), selected_.stepOf(onlyTarget()));
}

void TraceView::addMark() {
    if (!canShow())
        return;
    if (selected_.range)
        return annotate(*selected_.range);
    const ZoomRange& zoom = context().timeZoom;
    const double middle = std::floor((zoom.from() + zoom.to()) / 2);
    const bool atSelected = selected_.marked.has_value();
    const double cycle = atSelected ? static_cast<double>(selected_.marked->begin) : middle;
    const QString text = atSelected && !selected_.name.isEmpty()
                             ? selected_.name
                             : tr("Mark %1").arg(marks_->rowCount() + 1);
    marks_->add(cycle, text);
}

// A range needs a text of its own to be of use.
void TraceView::annotate(CycleRange range) {
    const int row =
        marks_->add({static_cast<double>(range.begin), tr("Range %1").arg(marks_->rowCount() + 1),
                     static_cast<double>(range.cycles())});
    tabs_->setCurrentWidget(marksPanel_);
    marksPanel_->editText(row);
}

// Centres a mark in the window, as far as the execution reaches, and fits all of a range.
void TraceView::showMark(const TraceFlag& mark) {
    constexpr double around = 1.25; // of a range, so that its surroundings are visible
    ZoomRange& zoom = context().timeZoom;
    shownMark_ = mark.cycle;
    const double middle = mark.cycle + mark.length / 2;
    const double span = std::max(zoom.span(), around * mark.length);
    zoom.setRange(middle - span / 2, middle + span / 2);
}

void TraceView::goToMark(bool forward) {
    const ZoomRange& zoom = context().timeZoom;
    // At the ends of the execution a mark cannot be in the middle of the window.
    const bool stillThere = shownMark_ && *shownMark_ >= zoom.from() && *shownMark_ <= zoom.to();
    const int row =
        marks_->beside(stillThere ? *shownMark_ : (zoom.from() + zoom.to()) / 2, forward);
    if (row >= 0)
        showMark(marks_->marks()[static_cast<std::size_t>(row)]);
    else
        emit status(forward ? tr("There is no later mark") : tr("There is no earlier mark"));
}

bool TraceView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && keyPressed(*static_cast<QKeyEvent*>(event)))
        return true;
    return ReportView::eventFilter(watched, event);
}

bool TraceView::keyPressed(const QKeyEvent& event) {
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
    case Qt::Key_Escape:
        selectRange({});
        return false; // the plot clears the selection
    default:
        return false;
    }
}

} // namespace tilescope::views
