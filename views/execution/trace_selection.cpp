#include "views/execution/trace_selection.h"

#include <algorithm>
#include <limits>

#include "core/analysis/execution/micro_batches.h"
#include "core/trace/range_programs.h"
#include "views/execution/step_flows.h"
#include "views/session/time_texts.h"

namespace tilescope::views {
namespace {

PlotWidget::Marker markerOf(const CycleRange& range) {
    return {static_cast<double>(range.begin), static_cast<double>(range.end)};
}

// More boxes than a screen has room for.
constexpr std::size_t mostMarked = 2000;

} // namespace

TraceSelection::TraceSelection(ViewContext& context, const ProfilePair& profiles, StepPanel& panel,
                               QObject* parent)
    : QObject(parent)
    , context_(context)
    , profiles_(profiles)
    , panel_(panel)
    , finder_(context)
    , executionsQuery_(context.workers)
    , cycleQuery_(context.workers)
    , batchQuery_(context.workers)
    , stageQuery_(context.workers) {
    connect(&panel_, &StepPanel::stepRead, this, &TraceSelection::stepRead);
    connect(&panel_, &StepPanel::stepWanted, this, [this](qint64 step, bool target) {
        dropRange();
        showStep(step, target);
    });
    connect(&finder_, &StepFinder::notFound, this, &TraceSelection::status);
    context_.history.add(
        *this, [this] { return QVariant::fromValue(chosen_); },
        [this](const QVariant& value) { restore(value.value<Chosen>()); });
}

void TraceSelection::addBoxes(SelectedSteps& boxes, const ExecutedStep& step, bool target) const {
    for (const StepOnIpu& on : step.ipus)
        boxes[ipuLaneKey(on.ipu, target)].push_back(
            axis_.placesOf({on.start, on.start + on.cycles}, target));
}

void TraceSelection::setAxis(TraceAxis axis) {
    if (!axis.aligned() && !axis_.aligned())
        return;
    axis_ = std::move(axis);
    context_.history.forget(*this); // its places are of the other axis
    chosen_.range.reset();
    mark({});
    emit rangeChanged();
    if (chosen_.step >= 0)
        readStep(chosen_.step, chosen_.inTarget);
}

void TraceSelection::reset() {
    axis_ = {};
    chosen_ = {};
    restored_.reset();
    cycleQuery_.cancel();
    batchQuery_.cancel();
    context_.history.forget(*this);
    panel_.showNone();
    mark({});
}

void TraceSelection::showStep(std::int64_t step, bool target) {
    emit detailsWanted();
    readStep(step, target);
}

void TraceSelection::readStep(std::int64_t step, bool target) {
    restored_.reset();
    panel_.showStep(profileOf(profiles_, target), step, target);
}

void TraceSelection::showStepAt(IpuId ipu, std::int64_t cycle, bool target) {
    cycleQuery_.start(
        [this, profile = profileOf(profiles_, target), ipu, cycle, target](const auto& stop) {
            const std::int64_t step = profile->trace(stop)->stepAtCycle(ipu, cycle);
            return [this, step, target] {
                if (step < 0)
                    return;
                dropRange();
                showStep(step, target);
            };
        });
}

void TraceSelection::showCopy(std::int64_t begin, bool target) {
    finder_.findCopy(profileOf(profiles_, target), begin,
                     [this, target](std::int64_t step) { showStep(step, target); });
}

void TraceSelection::showDetails(const ValueTree& details) {
    panel_.showDetails(details);
    emit detailsWanted();
}

void TraceSelection::showBox(const CycleRange& range, std::int64_t firstStep, bool target,
                             const QString& name) {
    selectRange(range);
    stageQuery_.start([this, profile = profileOf(profiles_, target), firstStep, target,
                       name](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const ExecutedStep first = profile->trace(stop)->stepAt(firstStep);
        const auto batches = microBatchesOf(*profile, stop);
        const auto part = batches->count() > 0 ? batches->partOf(first) : std::nullopt;
        if (!part)
            return [] {};
        ValueTree tree;
        tree.properties = true;
        tree.nameTitle = tr("Selected part");
        tree.valueTitles.append(QString());
        if (!name.isEmpty())
            tree.roots.push_back(valueLine(tr("Name"), name.toStdString()));
        tree.roots.push_back(
            valueLine(tr("Pipeline"), microBatchText(*batches, *part).toStdString()));
        return [this, target, tree = std::move(tree), flows = flowsOf(*profile, first, stop)] {
            panel_.showDetails(tree, flowLinks(flows, -1, context_.preferences), target);
            emit flowsChanged(laneFlows(flows, axis_, target));
        };
    });
}

void TraceSelection::restore(const Chosen& chosen) {
    if (!canShow(profiles_))
        return;
    chosen_ = chosen;
    mark(chosen.marked, chosen.boxes);
    if (chosen.step >= 0) {
        restored_ = chosen.step;
        panel_.showStep(profileOf(profiles_, chosen.inTarget), chosen.step, chosen.inTarget);
    } else {
        restored_.reset();
        panel_.showNone();
    }
    emit rangeChanged();
}

void TraceSelection::stepRead(const ReadStep& read) {
    if (std::exchange(restored_, {}) == read.step.index)
        return emit flowsChanged(laneFlows(read.flows, axis_, read.target));
    chosen_.name = read.name;
    chosen_.inTarget = read.target;
    if (!read.step.ipus.empty()) {
        chosen_.step = read.step.index;
        const StepOnIpu& first = read.step.ipus.front();
        SelectedSteps boxes;
        addBoxes(boxes, read.step, read.target);
        const CycleRange places =
            axis_.placesOf({first.start, first.start + first.cycles}, read.target);
        mark(places, std::move(boxes));
        const auto begin = static_cast<double>(places.begin);
        const auto end = static_cast<double>(places.end);
        ZoomRange& zoom = context_.timeZoom;
        if (end < zoom.from() || begin > zoom.to())
            zoom.setRange((begin + end - zoom.span()) / 2, (begin + end + zoom.span()) / 2);
    }
    emit flowsChanged(laneFlows(read.flows, axis_, read.target));
    if (read.step.program.valid())
        emit programShown(read.step.program, read.target);
    context_.history.note(*this);
    if (read.target && onlyTargetRan(profiles_))
        emit stepChanged();
    if (read.target || !read.step.program.valid())
        return;
    // Other reports follow; this view already shows the step.
    chosen_.program = read.step.program;
    context_.selection.update([&](Selected& s) {
        s.program = read.step.program;
        s.operation = read.operation;
        s.computeSet = read.computeSet;
    });
    emit stepChanged();
    context_.history.note(*this);
}

void TraceSelection::mark(std::optional<CycleRange> range, SelectedSteps steps) {
    chosen_.marked = range;
    chosen_.boxes = std::move(steps);
    executionsQuery_.cancel();
    stageQuery_.cancel();
    emit flowsChanged({});
    emit marksChanged(range ? std::vector{markerOf(*range)} : std::vector<PlotWidget::Marker>(),
                      chosen_.boxes);
}

// The picture stays where it is: the table is about the range in sight.
void TraceSelection::markExecutions(const RangeRow& row, CycleRange range) {
    if (!canShow(profiles_))
        return;
    ProgramSet programs;
    for (const ProgramId program : row.programs) {
        programs.resize(std::max(programs.size(), program.index() + 1));
        programs[program.index()] = true;
    }
    if (!onlyTargetRan(profiles_)) { // the selection has things of the source
        if (row.programs.size() == 1)
            chosen_.program = row.programs.front();
        context_.selection.update([&](Selected& selected) {
            if (row.programs.size() == 1)
                selected.program = row.programs.front();
            if (row.operation.valid())
                selected.operation = row.operation;
        });
    }
    executionsQuery_.start([this, profile = executedOf(profiles_), programs = std::move(programs),
                            range, axis = axis_,
                            whole = chosen_.range](const std::stop_token& stop) {
        std::vector<ExecutedStep> executions = executionsIn(
            *profile->trace(stop), programs, axis.cyclesAt(range, false), mostMarked + 1);
        return [this, executions = std::move(executions), whole]() mutable {
            const bool more = executions.size() > mostMarked;
            executions.resize(std::min(executions.size(), mostMarked));
            std::vector<PlotWidget::Marker> markers;
            if (whole)
                markers.push_back(markerOf(*whole));
            SelectedSteps boxes;
            for (const ExecutedStep& execution : executions) {
                markers.push_back(markerOf(axis_.placesOf(cyclesOf(execution), false)));
                addBoxes(boxes, execution, false);
            }
            emit marksChanged(markers, boxes);
            emit status(more ? tr("The first %1 executions of the range are marked")
                                   .arg(countText(static_cast<std::int64_t>(mostMarked)))
                             : tr("Executions marked: %1")
                                   .arg(countText(static_cast<std::int64_t>(executions.size()))));
        };
    });
}

void TraceSelection::selectRange(std::optional<CycleRange> range) {
    chosen_.range = range;
    if (range) {
        mark(range);
        emit rangeSelected();
    } else {
        emit flowsChanged({});
    }
    emit rangeChanged();
    context_.history.note(*this);
}

void TraceSelection::dropRange() {
    chosen_.range.reset();
    emit rangeChanged();
    context_.history.note(*this);
}

void TraceSelection::followMicroBatch() {
    if (shared().microBatch.valid())
        return unfollow();
    if (step() < 0 || !canShow(profiles_))
        return emit status(tr("Select a step of a pipeline's stage first"));
    batchQuery_.start([this, profile = profileOf(profiles_, inTarget()),
                       step = step()](const std::stop_token& stop) {
        const auto part =
            microBatchesOf(*profile, stop)->partOf(profile->trace(stop)->stepAt(step));
        return [this, part] {
            if (!part || part->number > std::numeric_limits<std::int32_t>::max())
                return emit status(tr("The selected step belongs to no micro-batch of a pipeline"));
            context_.selection.update([&](Selected& s) {
                s.microBatch = MicroBatchId(static_cast<std::size_t>(part->number));
            });
        };
    });
}

void TraceSelection::showCounterpart() {
    if (!profiles_.comparing() || !profiles_.source->info().hasExecution ||
        !profiles_.target->info().hasExecution)
        return emit status(tr("Only of two executions: open another profile to compare with"));
    if (step() < 0)
        return emit status(tr("Select a step first"));
    finder_.findCounterpart(
        profiles_, step(), inTarget(),
        [this, other = !inTarget()](std::int64_t step) { readStep(step, other); });
}

void TraceSelection::unfollow() {
    context_.selection.update([](Selected& s) { s.microBatch = {}; });
}

bool TraceSelection::follow(ProgramId program) {
    chosen_.program = program;
    // A restored selection is shown where it was before.
    if (!program.valid() || !canShow(profiles_) || onlyTargetRan(profiles_) ||
        context_.history.restoring()) {
        mark({});
        return false;
    }
    restored_.reset();
    return true;
}

} // namespace tilescope::views
