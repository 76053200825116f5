// Search and marks of the trace view.
#include <QTabWidget>
#include <cmath>

#include "core/base/error.h"
#include "views/execution/trace_view.h"

namespace tilescope::views {
namespace {

// Programs whose name contains a text. A long search ends when it is no longer wanted.
ProgramSet programsWith(const IdVector<ProgramId, Program>& programs, const QString& text,
                        const std::stop_token& stop) {
    ProgramSet wanted(programs.size(), false);
    constexpr std::size_t looksForStop = 4096;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i % looksForStop == 0 && stop.stop_requested())
            throw Cancelled();
        wanted[i] =
            QString::fromStdString(programs[ProgramId(i)].name).contains(text, Qt::CaseInsensitive);
    }
    return wanted;
}

} // namespace

void TraceView::countMatches() {
    const QString text = search_->text();
    if (text.isEmpty() || !canShow()) {
        countQuery_.cancel();
        findQuery_.cancel();
        return search_->setMatches(0, 0);
    }
    search_->setSearching();
    const std::int64_t at = selectedInTarget_ ? -1 : selectedStep_;
    countQuery_.start([this, profile = profiles().source, text, at](const std::stop_token& stop) {
        const auto index = profile->trace(stop);
        const ProgramSet wanted = programsWith(*profile->programs(stop), text, stop);
        const std::int64_t total = index->countAny(wanted, index->stepCount());
        const std::int64_t upTo = at < 0 ? 0 : index->countAny(wanted, at + 1);
        const bool onMatch = at >= 0 && upTo > index->countAny(wanted, at);
        return [this, total, current = onMatch ? upTo : 0] { search_->setMatches(current, total); };
    });
}

void TraceView::findStep(bool forward) {
    const QString text = search_->text();
    if (text.isEmpty() || !canShow())
        return;
    const std::int64_t from = selectedInTarget_ ? -1 : selectedStep_;
    findQuery_.start([this, profile = profiles().source, text, from,
                      forward](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const ProgramSet wanted = programsWith(*profile->programs(stop), text, stop);
        std::int64_t step = index->findAny(wanted, from, forward);
        if (step < 0) // goes round
            step = index->findAny(wanted, forward ? -1 : index->stepCount(), forward);
        if (step < 0)
            return [this, text] { emit status(tr("No step contains '%1'").arg(text)); };
        return [this, step] {
            tabs_->setCurrentIndex(1);
            loadDetails(step, false);
        };
    });
}

void TraceView::addMark() {
    if (!canShow())
        return;
    const ZoomRange& zoom = context().timeZoom;
    const double middle = std::floor((zoom.from() + zoom.to()) / 2);
    const bool atSelected = marked_.has_value();
    const double cycle = atSelected ? static_cast<double>(marked_->begin) : middle;
    const QString text = atSelected && !selectedRange_ && !selectedName_.isEmpty()
                             ? selectedName_
                             : tr("Mark %1").arg(marks_->rowCount() + 1);
    marks_->add(cycle, text);
}

void TraceView::goToMark(bool forward) {
    // At the ends of the execution a mark cannot stand in the middle of the window.
    const ZoomRange& zoom = context().timeZoom;
    const bool stillThere = shownMark_ && *shownMark_ >= zoom.from() && *shownMark_ <= zoom.to();
    const int row =
        marks_->beside(stillThere ? *shownMark_ : (zoom.from() + zoom.to()) / 2, forward);
    if (row >= 0)
        showCycle(marks_->marks()[static_cast<std::size_t>(row)].cycle);
    else
        emit status(forward ? tr("There is no mark further on") : tr("There is no mark before"));
}

void TraceView::showCycle(double cycle) {
    ZoomRange& zoom = context().timeZoom;
    shownMark_ = cycle;
    zoom.setRange(cycle - zoom.span() / 2, cycle + zoom.span() / 2);
}

} // namespace tilescope::views
