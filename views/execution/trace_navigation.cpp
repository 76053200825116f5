// Finding, marking and describing steps in the trace view.
#include <QHeaderView>
#include <QTabWidget>
#include <QTreeView>
#include <algorithm>

#include "views/execution/trace_view.h"

namespace tilescope::views {

void TraceView::loadDetails(std::int64_t step, bool target) {
    const OpenProfilePtr profile = target ? profiles().target : profiles().source;
    detailsPanel_->load([this, profile, step, target](const std::stop_token& stop) {
        ExecutedStep executed = profile->trace(stop)->stepAt(step);
        ValueTree tree = stepDetails(*profile, executed, stop);
        ProgramId program = executed.program;
        Selected wanted;
        if (program.valid()) {
            const Program& p = (*profile->programs(stop))[program];
            wanted.program = program;
            wanted.operation = p.operation;
            wanted.computeSet = p.computeSet;
        }
        return [this, executed, tree = std::move(tree), wanted, target]() mutable {
            details_->setTree(std::move(tree));
            QHeaderView* header = detailsView_->header();
            header->setStretchLastSection(true);
            header->resizeSection(0, 180);
            markStep(executed);
            if (target || !wanted.program.valid())
                return;
            // The others follow; this view already shows the step.
            shownProgram_ = wanted.program;
            context().selection.update([&](Selected& s) {
                s.program = wanted.program;
                s.operation = wanted.operation;
                s.computeSet = wanted.computeSet;
            });
        };
    });
}

void TraceView::markStep(const ExecutedStep& step) {
    if (step.ipus.empty())
        return;
    selectedStep_ = step.index;
    const StepOnIpu& first = step.ipus.front();
    const auto begin = static_cast<double>(first.start);
    const auto end = static_cast<double>(first.start + first.cycles);
    plot_->setMarkers({{begin, end}});
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
    selectedRange_ = call.range;
    plot_->setMarkers({{begin, end}});
    context().timeZoom.setRange(begin - margin, end + margin);
    tabs_->setCurrentIndex(0);
    loadStatistics();
}

void TraceView::followSelection() {
    const ProgramId program = context().selection.current().program;
    if (!profiles().source || program == shownProgram_ || !isVisible())
        return;
    goToProgram(program, true);
}

void TraceView::goToProgram(ProgramId program, bool forward) {
    shownProgram_ = program;
    if (!program.valid() || !profiles().source->info().hasExecution) {
        plot_->setMarkers({});
        return;
    }
    findQuery_.start([this, profile = profiles().source, program, from = selectedStep_,
                      forward](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        std::int64_t step = index->findProgram(program, from, forward);
        if (step < 0)
            step = index->findProgram(program, -1, true);
        if (step < 0) {
            const std::optional<ExecutedCall> call = index->findCall(program);
            return [this, call] { call ? markCall(*call) : plot_->setMarkers({}); };
        }
        return [this, step] { loadDetails(step, false); };
    });
}

void TraceView::findStep() {
    const QString text = search_->text();
    if (text.isEmpty() || !profiles().source || !profiles().source->info().hasExecution)
        return;
    findQuery_.start([this, profile = profiles().source, text, from = selectedStep_](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const auto programs = profile->programs(stop);
        std::int64_t best = -1;
        std::int64_t wrapped = -1;
        for (std::size_t i = 0; i < programs->size(); ++i) {
            const ProgramId id(i);
            if (!QString::fromStdString((*programs)[id].name).contains(text, Qt::CaseInsensitive))
                continue;
            const auto sooner = [](std::int64_t a, std::int64_t b) {
                return a < 0 ? b : b < 0 ? a : std::min(a, b);
            };
            best = sooner(best, index->findProgram(id, from));
            wrapped = sooner(wrapped, index->findProgram(id, -1));
        }
        const std::int64_t step = best >= 0 ? best : wrapped;
        if (step < 0)
            return [this, text] { emit status(tr("No step contains '%1'").arg(text)); };
        return [this, step] {
            tabs_->setCurrentIndex(1);
            loadDetails(step, false);
        };
    });
}

} // namespace tilescope::views
