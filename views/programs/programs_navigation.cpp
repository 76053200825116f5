// Selecting, following and finding programs in the program tree report.
#include <QHeaderView>
#include <QKeyEvent>
#include <QSplitter>
#include <QTreeView>

#include "views/programs/program_details.h"
#include "views/programs/programs_view.h"
#include "views/theme/text.h"

namespace tilescope::views {

ProgramId ProgramsView::current(std::size_t side) const {
    return sides_.at(side).model->programAt(sides_.at(side).view->currentIndex());
}

// Only things of the source can be selected.
Pointed ProgramsView::pointed(std::size_t side, ProgramId program) {
    Pointed pointed;
    if (!program.valid())
        return pointed;
    const ProgramModel& model = *sides_.at(side).model;
    pointed.name = QString::fromStdString((*model.tree().programs)[program].name);
    pointed.filter = [this, name = pointed.name] { search_->setText(name); };
    const ProgramId source = side == sourceSide ? program : model.counterpart(program);
    if (!source.valid())
        return pointed;
    const Program& ours = (*this->model().tree().programs)[source];
    pointed.thing.program = source;
    pointed.thing.operation = ours.operation;
    pointed.thing.computeSet = ours.computeSet;
    pointed.thing.exchange = ours.exchange;
    return pointed;
}

void ProgramsView::chosen(std::size_t side, ProgramId program) {
    if (!program.valid() || following_)
        return;
    active_ = side;
    const ProgramModel& model = *sides_.at(side).model;
    const Program& chosen = (*model.tree().programs)[program];
    function_->setEnabled(chosen.target.valid());
    const ProgramId other = model.counterpart(program);
    showCounterpart(1 - side, other);
    const ProgramId source = side == sourceSide ? program : other;
    loadDetails(source, side == targetSide ? program : other);
    trace_->setEnabled(source.valid() && profiles().source->info().hasExecution);
    list_->showRootOf(source, this->model().tree());
    if (!search_->text().isEmpty())
        updateMatches();
    if (!source.valid())
        return;
    const Program& ours = (*this->model().tree().programs)[source];
    context().selection.update([&](Selected& s) {
        s.program = source;
        s.operation = ours.operation;
        s.computeSet = ours.computeSet;
    });
}

void ProgramsView::showCounterpart(std::size_t side, ProgramId program) {
    if (!comparing())
        return;
    following_ = true;
    QTreeView& view = *sides_.at(side).view;
    const QModelIndex index = sides_.at(side).model->indexOf(program);
    if (index.isValid())
        view.scrollTo(index, QAbstractItemView::PositionAtCenter);
    view.setCurrentIndex(index);
    following_ = false;
}

void ProgramsView::expandOther(std::size_t side, const QModelIndex& index, bool open) {
    if (!comparing() || following_)
        return;
    const ProgramId other =
        sides_.at(side).model->counterpart(sides_.at(side).model->programAt(index));
    const QModelIndex there = sides_.at(1 - side).model->indexOf(other);
    if (!there.isValid())
        return;
    following_ = true;
    sides_.at(1 - side).view->setExpanded(there, open);
    following_ = false;
}

void ProgramsView::loadDetails(ProgramId source, ProgramId target) {
    if (detailsPanel_->maximumHeight() < QWIDGETSIZE_MAX) {
        detailsPanel_->setMaximumHeight(QWIDGETSIZE_MAX);
        if (auto* splitter = qobject_cast<QSplitter*>(detailsPanel_->parentWidget()))
            splitter->setSizes({2000, 1000}); // only their ratio counts
    }
    detailsPanel_->load([this, pair = profiles(), source, target](const std::stop_token& stop) {
        const auto of = [&](const ProfileViewPtr& profile, ProgramId program) {
            return profile && program.valid()
                       ? programDetails(*profile, program, stop)
                       : ValueTree{Text::tr("Property"), valueTitles(false), {}, true};
        };
        ValueTree tree = of(pair.source, source);
        if (pair.comparing()) {
            tree.roots = sideBySide(tree.roots, of(pair.target, target).roots);
            tree.valueTitles = valueTitles(true);
        }
        return [this, tree = std::move(tree)]() mutable {
            details_->setTree(std::move(tree));
            details_->expandToDepth(1);
            QHeaderView* header = details_->header();
            header->setStretchLastSection(true);
            header->resizeSection(0, 420);
            if (header->count() > 2)
                header->resizeSection(1, 340);
        };
    });
}

void ProgramsView::followSelection() {
    if (!model().tree().programs)
        return;
    const Selected& selected = context().selection.current();
    for (const Side& side : sides_)
        side.model->setMarked(side.model == &model() ? selected.operation : OperationId(),
                              search_->matcher());
    // A program that only the target has cannot be the window's selection; it stays current.
    const bool onlyThere = active_ == targetSide && !current(sourceSide).valid();
    if (!onlyThere)
        show(sourceSide, selected.program);
}

void ProgramsView::show(std::size_t side, ProgramId program) {
    QTreeView& view = *sides_.at(side).view;
    const QModelIndex index = sides_.at(side).model->indexOf(program);
    if (!index.isValid() || view.currentIndex().siblingAtColumn(0) == index)
        return;
    view.scrollTo(index, QAbstractItemView::PositionAtCenter);
    view.setCurrentIndex(index);
}

void ProgramsView::goToFunction(std::size_t side, const QModelIndex& index) {
    const ProgramModel& model = *sides_.at(side).model;
    const ProgramId program = model.programAt(index);
    if (!program.valid())
        return;
    const ProgramId target = (*model.tree().programs)[program].target;
    if (target.valid())
        show(side, target);
    else
        sides_.at(side).view->setExpanded(index, !sides_.at(side).view->isExpanded(index));
}

void ProgramsView::showInTrace() {
    if (trace_->isEnabled())
        emit reportWanted(QStringLiteral("trace"));
}

bool ProgramsView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        showList();
        for (const Side& side : sides_)
            if (side.view != nullptr && side.view->viewport() == watched)
                showOperations(side);
    }
    if (event->type() != QEvent::KeyPress)
        return ReportView::eventFilter(watched, event);
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (key.modifiers() == Qt::ControlModifier &&
        (key.key() == Qt::Key_Up || key.key() == Qt::Key_Down)) {
        findDifference(key.key() == Qt::Key_Down);
        return true;
    }
    if (key.modifiers() == Qt::NoModifier && key.key() == Qt::Key_T) {
        showInTrace();
        return true;
    }
    return ReportView::eventFilter(watched, event);
}

void ProgramsView::findNext(bool forward) {
    if (search_->text().isEmpty())
        return;
    const ProgramModel& model = *sides_.at(active_).model;
    const ProgramId found = model.find(search_->matcher(), current(active_), forward);
    if (found.valid())
        show(active_, found);
    else
        emit status(tr("No program matches '%1'").arg(search_->text()));
}

void ProgramsView::findDifference(bool forward) {
    if (!comparing())
        return;
    const ProgramId found = sides_.at(active_).model->findDifference(current(active_), forward);
    if (found.valid())
        show(active_, found);
    else
        emit status(tr("The two program trees are alike"));
}

void ProgramsView::updateMatches() {
    const ProgramModel::Matches matches =
        sides_.at(active_).model->countMatches(search_->matcher(), current(active_));
    search_->setMatches(matches.current, matches.total);
}

} // namespace tilescope::views
