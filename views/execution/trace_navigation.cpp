// Selecting, finding and describing steps in the trace view.
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTabWidget>
#include <QTreeView>
#include <algorithm>
#include <cmath>

#include "views/execution/trace_view.h"
#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {
namespace {

// Whether a step is too narrow on the screen to be told from its neighbours.
bool isNarrow(const ExecutedStep& step, const ZoomRange& zoom, int pixels) {
    constexpr double tellable = 12; // pixels
    return !step.ipus.empty() && zoom.span() > 0 &&
           static_cast<double>(step.ipus.front().cycles) * pixels < tellable * zoom.span();
}

} // namespace

void TraceView::loadDetails(std::int64_t step, bool target) {
    const ProfileViewPtr profile = target ? profiles().target : profiles().source;
    detailsPanel_->load([this, profile, step, target](const std::stop_token& stop) {
        ExecutedStep executed = profile->trace(stop)->stepAt(step);
        ValueTree tree = stepDetails(*profile, executed, stop);
        Selected wanted;
        QString name = QString::fromUtf8(toString(executed.kind).data());
        if (executed.program.valid()) {
            const Program& p = (*profile->programs(stop))[executed.program];
            wanted.program = executed.program;
            wanted.operation = p.operation;
            wanted.computeSet = p.computeSet;
            if (!p.name.empty())
                name = QString::fromStdString(p.name);
        }
        return [this, executed, tree = std::move(tree), wanted, target, name]() mutable {
            selectedName_ = name;
            showStep(executed, std::move(tree), wanted, target);
        };
    });
}

void TraceView::showStep(const ExecutedStep& step, ValueTree tree, const Selected& wanted,
                         bool target) {
    details_->setTree(std::move(tree));
    detailsView_->expandToDepth(0);
    QHeaderView* header = detailsView_->header();
    header->setStretchLastSection(true);
    header->resizeSection(0, 260);
    selectedInTarget_ = target;
    markStep(step);
    if (target || !wanted.program.valid())
        return;
    // The others follow; this view already shows the step.
    shownProgram_ = wanted.program;
    context().selection.update([&](Selected& s) {
        s.program = wanted.program;
        s.operation = wanted.operation;
        s.computeSet = wanted.computeSet;
    });
    if (!search_->text().isEmpty())
        countMatches();
}

void TraceView::markStep(const ExecutedStep& step) {
    if (step.ipus.empty())
        return;
    selectedStep_ = step.index;
    const StepOnIpu& first = step.ipus.front();
    marked_ = CycleRange{first.start, first.start + first.cycles};
    const auto begin = static_cast<double>(marked_->begin);
    const auto end = static_cast<double>(marked_->end);
    plot_->setMarkers({{begin, end}});
    tiles_->plot().setMarkers({{begin, end}});
    ZoomRange& zoom = context().timeZoom;
    if (end < zoom.from() || begin > zoom.to())
        zoom.setRange((begin + end - zoom.span()) / 2, (begin + end + zoom.span()) / 2);
}

// A call is a range; what stands beside it says which of many it is.
void TraceView::markCall(const ExecutedCall& call) {
    const auto begin = static_cast<double>(call.range.begin);
    const auto end = static_cast<double>(call.range.end);
    constexpr double beside = 1.5; // times its length, on either side
    const double margin = beside * (end - begin);
    context().timeZoom.setRange(begin - margin, end + margin);
    selectRange(call.range);
}

void TraceView::selectRange(std::optional<CycleRange> range) {
    selectedRange_ = range;
    if (range) {
        marked_ = range;
        const PlotWidget::Marker band{static_cast<double>(range->begin),
                                      static_cast<double>(range->end)};
        plot_->setMarkers({band});
        tiles_->plot().setMarkers({band});
        tabs_->setCurrentIndex(0);
    }
    loadStatistics();
}

void TraceView::selectRangeByKey() {
    if (selectedRange_)
        return selectRange({});
    const ZoomRange& zoom = context().timeZoom;
    selectRange(marked_.value_or(CycleRange{static_cast<std::int64_t>(std::ceil(zoom.from())),
                                            static_cast<std::int64_t>(zoom.to())}));
}

void TraceView::stepBeside(bool forward) {
    if (!canShow())
        return;
    const bool target = selectedInTarget_ && comparing();
    const ProfileViewPtr profile = target ? profiles().target : profiles().source;
    const double middle = (context().timeZoom.from() + context().timeZoom.to()) / 2;
    findQuery_.start([this, profile, target, forward, from = selectedStep_,
                      ipu = std::max(0, ipu_->currentIndex() - 1),
                      middle](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        // Without a selected step the walk begins in the middle of what is visible.
        std::int64_t step = from < 0
                                ? index->stepAtCycle(IpuId(ipu), static_cast<std::int64_t>(middle))
                            : forward ? from + 1
                                      : from - 1;
        if (index->empty())
            return {};
        step = std::clamp<std::int64_t>(step, 0, index->stepCount() - 1);
        return [this, step, target] {
            tabs_->setCurrentIndex(1);
            loadDetails(step, target);
        };
    });
}

void TraceView::followSelection() {
    const ProgramId program = context().selection.current().program;
    if (!profiles().source || program == shownProgram_ || !isVisible())
        return;
    goToProgram(program);
}

void TraceView::goToProgram(ProgramId program) {
    shownProgram_ = program;
    if (!program.valid() || !canShow()) {
        plot_->setMarkers({});
        tiles_->plot().setMarkers({});
        marked_.reset();
        return;
    }
    const std::int64_t after = selectedInTarget_ ? -1 : selectedStep_;
    findQuery_.start([this, profile = profiles().source, program,
                      after](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        std::int64_t step = index->findProgram(program, after);
        if (step < 0)
            step = index->findProgram(program, -1);
        if (step < 0) {
            const std::optional<ExecutedCall> call = index->findCall(program);
            return [this, call] { call ? markCall(*call) : plot_->setMarkers({}); };
        }
        return [this, found = index->stepAt(step)] {
            if (isNarrow(found, context().timeZoom, plot_->axisRect()->width()))
                showAround(found);
            loadDetails(found.index, false);
        };
    });
}

void TraceView::goToOperation(OperationId operation, bool target) {
    if (panel_->query().running())
        wanted_ = {operation, target};
    else
        findOperation(operation, target);
}

void TraceView::findOperation(OperationId operation, bool target) {
    const ProfileViewPtr profile = target ? profiles().target : profiles().source;
    if (!canShow() || !profile || !profile->info().hasExecution)
        return;
    findQuery_.start([this, profile, operation,
                      target](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const auto programs = profile->programs(stop);
        const std::vector<ProgramExecutions> executions = index->executions(programs->size());
        ProgramId longest;
        for (std::size_t i = 0; i < programs->size(); ++i) {
            const ProgramId id(i);
            if ((*programs)[id].operation == operation && executions[i].cycles > 0 &&
                (!longest.valid() || executions[i].cycles > executions[longest.index()].cycles))
                longest = id;
        }
        const std::int64_t found = longest.valid() ? index->findProgram(longest, -1) : -1;
        if (found < 0)
            return
                [this] { emit status(tr("No step of the execution belongs to this operation")); };
        return [this, target, step = index->stepAt(found)] {
            showAround(step);
            tabs_->setCurrentIndex(1);
            loadDetails(step.index, target);
        };
    });
}

void TraceView::showAround(const ExecutedStep& step) {
    if (step.ipus.empty())
        return;
    constexpr double beside = 4; // times its length, on either side: what runs before and behind
    const auto begin = static_cast<double>(step.ipus.front().start);
    const auto length = static_cast<double>(step.ipus.front().cycles);
    context().timeZoom.setRange(begin - beside * length, begin + (1 + beside) * length);
}

void TraceView::clicked(double x, double y) {
    selectedRange_.reset();
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr)
        return loadStatistics();
    if (hit.box->look == TraceBox::Look::Step && hit.box->steps >= 1) {
        const TraceLane& lane = (*plot_->trace().overview())[hit.lane];
        if (isHost(lane))
            return loadCopy(hit.box->begin, lane.target);
        if (hit.box->steps == 1) {
            tabs_->setCurrentIndex(1);
            return loadDetails(hit.box->firstStep, lane.target);
        }
    }
    // A group is a range: its statistics are its details.
    selectRange(CycleRange{hit.box->begin, hit.box->end});
}

// The host's copy and that of the IPU are one step. Where many are one box there is none.
void TraceView::loadCopy(std::int64_t begin, bool target) {
    const ProfileViewPtr profile = target ? profiles().target : profiles().source;
    findQuery_.start(
        [this, profile, begin, target](const std::stop_token& stop) -> BackgroundQuery::Deliver {
            const std::int64_t step = stepOfCopy(*profile, begin, stop);
            return [this, step, target] {
                if (step < 0)
                    return emit status(tr("Zoom in to tell these stream copies apart"));
                tabs_->setCurrentIndex(1);
                loadDetails(step, target);
            };
        });
}

bool TraceView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::MouseButtonDblClick) {
        doubleClicked(static_cast<QMouseEvent*>(event));
        return true;
    }
    if (event->type() == QEvent::KeyPress && keyPressed(*static_cast<QKeyEvent*>(event)))
        return true;
    return ReportView::eventFilter(watched, event);
}

bool TraceView::keyPressed(const QKeyEvent& event) {
    switch (event.modifiers() == Qt::NoModifier ? event.key() : 0) {
    case Qt::Key_Comma:
        stepBeside(false);
        return true;
    case Qt::Key_Period:
        stepBeside(true);
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
    const bool goesOn = box.steps == 0;
    return tr("%1\n%2\nfrom cycle %3")
        .arg(title,
             goesOn ? tr("longer than is shown")
                    : context().preferences.cycles(box.cycles(), clock),
             QString::fromStdString(withThousands(box.begin)));
}

} // namespace tilescope::views
