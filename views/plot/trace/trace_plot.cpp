#include "views/plot/trace/trace_plot.h"

#include <QAccessible>
#include <QMenu>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/plot/trace/lane_names.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// The keys of actions on the current lane, as the help page lists them.
struct LaneKey {
    LaneAction action;
    Qt::KeyboardModifiers modifiers;
    int key;
};
constexpr std::array laneKeys{LaneKey{LaneAction::SelectUp, Qt::ControlModifier, Qt::Key_Up},
                              LaneKey{LaneAction::SelectDown, Qt::ControlModifier, Qt::Key_Down},
                              LaneKey{LaneAction::MoveUp, Qt::AltModifier, Qt::Key_Up},
                              LaneKey{LaneAction::MoveDown, Qt::AltModifier, Qt::Key_Down},
                              LaneKey{LaneAction::Fold, Qt::NoModifier, Qt::Key_Space},
                              LaneKey{LaneAction::Pin, Qt::NoModifier, Qt::Key_K},
                              LaneKey{LaneAction::Hide, Qt::NoModifier, Qt::Key_H},
                              LaneKey{LaneAction::ShowAll, Qt::ShiftModifier, Qt::Key_H},
                              LaneKey{LaneAction::FoldAll, Qt::ShiftModifier, Qt::Key_Space},
                              LaneKey{LaneAction::Only, Qt::NoModifier, Qt::Key_O},
                              LaneKey{LaneAction::Menu, Qt::NoModifier, Qt::Key_L},
                              LaneKey{LaneAction::Taller, Qt::NoModifier, Qt::Key_Plus},
                              LaneKey{LaneAction::Lower, Qt::NoModifier, Qt::Key_Minus}};

QString withKey(const QString& text, LaneAction action) {
    for (const LaneKey& key : laneKeys)
        if (key.action == action)
            return text + QLatin1Char('\t') +
                   QKeySequence(QKeyCombination(key.modifiers, static_cast<Qt::Key>(key.key)))
                       .toString(QKeySequence::NativeText);
    return text;
}

std::optional<LaneAction> laneActionOf(const QKeyEvent& event) {
    // A plus may need Shift, and both signs are on the keypad too.
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    for (const LaneKey& key : laneKeys) {
        const bool sign = key.key == Qt::Key_Plus || key.key == Qt::Key_Minus;
        if (event.key() == key.key &&
            (modifiers == key.modifiers || (sign && modifiers == Qt::ShiftModifier)))
            return key.action;
    }
    return {};
}

int changedHeight(double height, bool taller) {
    constexpr double step = 1.2;
    const int changed = qRound(taller ? height * step : height / step);
    const int least = qRound(height) + (taller ? 1 : -1);
    return taller ? std::max(changed, least) : std::min(changed, least);
}

} // namespace

TracePlot::TracePlot(ViewContext& context, QWidget* parent)
    : CyclePlot(context, parent)
    , trace_(new TracePlottable(xAxis, yAxis, context.theme))
    , names_(new LaneNames(*this)) {
    connect(&scrollBar(), &QScrollBar::valueChanged, this, &TracePlot::showRows);
}

void TracePlot::setShowsAllRows(bool all) {
    showsAllRows_ = all;
    updateRows();
}

void TracePlot::setArrangement(const LaneArrangement& arrangement) {
    arrangement_ = arrangement;
    arrange();
}

void TracePlot::arrange() {
    updateRows();
    describeCurrent();
    emit arranged();
}

void TracePlot::updateRows() {
    const int page = std::max(1, axisRect()->height());
    const double rows = std::max(1.0, rowsShown(arrangement_, trace_->laneRows()));
    // One IPU has rows of their usual height.
    const std::vector<std::size_t> shown = arrangement_.shown(keys());
    const bool several = std::count_if(shown.begin(), shown.end(), [this](std::size_t lane) {
                             return (*trace_->overview())[lane].ofSeveral;
                         }) > 1;
    rowHeight_ = several
                     ? std::clamp(static_cast<int>(page / rows),
                                  showsAllRows_ ? lowestRow : lowestRowOf(shown, page), highestRow)
                     : highestRow;
    const LaneLayout layout = layOutLanes(arrangement_, trace_->laneRows(), rowHeight_, 0, page);
    QScrollBar& scroll = scrollBar();
    scroll.setRange(0, std::max(0, static_cast<int>(std::ceil(layout.height)) - page));
    scroll.setPageStep(page);
    scroll.setSingleStep(rowHeight_);
    scroll.setVisible(layout.height > page);
    showRows();
}

// Of two profiles an IPU is to be seen in both, if need be in rows that are hard to read.
int TracePlot::lowestRowOf(const std::vector<std::size_t>& shown, int page) const {
    const auto target = std::find_if(shown.begin(), shown.end(), [this](std::size_t lane) {
        const TraceLane& each = (*trace_->overview())[lane];
        return each.ofSeveral && each.target;
    });
    if (target == shown.end())
        return readableRow;
    LaneRows first;
    for (auto lane = shown.begin(); lane <= target; ++lane) {
        first.keys.push_back(keys()[*lane]);
        first.rows.push_back(trace_->laneRows().rows[*lane]);
    }
    const int low = static_cast<int>(page / std::max(1.0, rowsShown(arrangement_, first)));
    return low >= lowestRow ? std::min(low, readableRow) : readableRow;
}

void TracePlot::showRows() {
    const int page = std::max(1, axisRect()->height());
    trace_->setLayout(
        layOutLanes(arrangement_, trace_->laneRows(), rowHeight_, scrollBar().value(), page));
    yAxis->setRange(0, page);
    replotSoon();
    updateReadOut(); // something else is under the pointer now
}

void TracePlot::resizeEvent(QResizeEvent* event) {
    CyclePlot::resizeEvent(event);
    names_->setGeometry(0, 0, leftMargin - 2, height());
    // The replot updates the layout of the axes, on which the height of the rows depends.
    replot(QCustomPlot::rpImmediateRefresh);
    updateRows();
}

void TracePlot::wheelEvent(QWheelEvent* event) {
    const int delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        const LanePlace* place = trace_->layout().at(event->position().y() - axisRect()->top());
        if (place != nullptr && delta != 0)
            setRowHeight(place->lane, changedHeight(place->rowHeight, delta > 0));
        event->accept();
        return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        scrollBar().setValue(scrollBar().value() - delta / 2);
        event->accept();
        return;
    }
    CyclePlot::wheelEvent(event);
}

int TracePlot::currentLane() const {
    const auto found = std::find(keys().begin(), keys().end(), current_);
    return found == keys().end() ? -1 : static_cast<int>(found - keys().begin());
}

void TracePlot::setCurrentLane(std::size_t lane) {
    current_ = keys().at(lane);
    describeCurrent();
    update();
}

// For screen readers: which lane the keys act on, and its state.
void TracePlot::describeCurrent() {
    const int lane = currentLane();
    QStringList texts;
    if (lane >= 0) {
        const LaneState state = arrangement_.of(current_);
        texts << shownName((*trace_->overview())[static_cast<std::size_t>(lane)].name)
                     .replace(QLatin1Char('\n'), QLatin1Char(' '));
        if (state.folded)
            texts << tr("folded");
        if (state.pinned)
            texts << tr("pinned");
        if (state.hidden)
            texts << tr("hidden");
    }
    if (texts.join(QStringLiteral(", ")) == accessibleDescription())
        return;
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

std::size_t TracePlot::hiddenLanes() const {
    return keys().size() - arrangement_.shown(keys()).size();
}

void TracePlot::act(LaneAction action, std::size_t lane) {
    if (lane >= keys().size())
        return;
    current_ = keys()[lane];
    LaneState state = arrangement_.of(current_);
    switch (action) {
    case LaneAction::Fold:
        state.folded = !state.folded;
        break;
    case LaneAction::Pin:
        state.pinned = !state.pinned;
        break;
    case LaneAction::Hide:
        if (arrangement_.shown(keys()).size() < 2)
            return;
        select(lane, lane == arrangement_.shown(keys()).back() ? -1 : 1);
        state.hidden = true;
        arrangement_.set(keys()[lane], state);
        return arrange();
    case LaneAction::MoveUp:
    case LaneAction::MoveDown:
        arrangement_.moveBy(keys(), lane, action == LaneAction::MoveUp ? -1 : 1);
        arrange();
        return bringIntoSight(lane);
    case LaneAction::Taller:
    case LaneAction::Lower:
        if (const LanePlace* place = trace_->layout().of(lane))
            setRowHeight(lane, changedHeight(place->rowHeight, action == LaneAction::Taller));
        return;
    case LaneAction::Only:
        if ((*trace_->overview())[lane].ofSeveral)
            emit onlyWanted(QString::fromStdString(current_));
        return;
    case LaneAction::FoldAll:
        return foldAll();
    case LaneAction::ShowAll:
        arrangement_.showAll();
        return arrange();
    case LaneAction::Menu:
        if (const LanePlace* place = trace_->layout().of(lane))
            openLaneMenu(lane, mapToGlobal(names_->fieldOf(*place).topLeft()));
        return;
    case LaneAction::SelectUp:
    case LaneAction::SelectDown:
        return select(lane, action == LaneAction::SelectUp ? -1 : 1);
    }
    arrangement_.set(current_, state);
    arrange();
}

void TracePlot::foldAll() {
    const bool allFolded = std::all_of(keys().begin(), keys().end(), [this](const auto& key) {
        return arrangement_.of(key).folded;
    });
    for (const std::string& key : keys()) {
        LaneState state = arrangement_.of(key);
        state.folded = !allFolded;
        arrangement_.set(key, state);
    }
    arrange();
}

void TracePlot::select(std::size_t lane, int by) {
    const std::vector<std::size_t> lanes = arrangement_.shown(keys());
    const auto found = std::find(lanes.begin(), lanes.end(), lane);
    if (lanes.empty())
        return;
    const auto at = found == lanes.end() ? 0 : found - lanes.begin() + by;
    const auto last = static_cast<std::ptrdiff_t>(lanes.size()) - 1;
    const std::size_t next =
        lanes[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, last))];
    setCurrentLane(next);
    bringIntoSight(next);
}

void TracePlot::bringIntoSight(std::size_t lane) {
    const LanePlace* place = trace_->layout().of(lane);
    if (place == nullptr || place->pinned)
        return;
    const double above = place->top - trace_->layout().pinnedHeight;
    const double below = place->bottom() - axisRect()->height();
    if (above < 0)
        scrollBar().setValue(scrollBar().value() + qRound(above));
    else if (below > 0)
        scrollBar().setValue(scrollBar().value() + qRound(std::min(below, above)));
}

void TracePlot::moveLane(std::size_t lane, std::size_t before) {
    arrangement_.moveBefore(keys(), lane, before);
    arrange();
}

void TracePlot::setRowHeight(std::size_t lane, int height) {
    LaneState state = arrangement_.of(keys().at(lane));
    state.rowHeight = std::clamp(height, lowestRowHeight, highestRowHeight);
    arrangement_.set(keys()[lane], state);
    arrange();
}

QMenu* TracePlot::laneMenu(std::size_t lane) {
    auto* menu = new QMenu(this);
    const LaneState state = arrangement_.of(keys().at(lane));
    const QString name = shownName((*trace_->overview())[lane].name, mostOfOne)
                             .replace(QLatin1Char('\n'), QLatin1Char(' '));
    menu->addSection(name);
    const auto add = [&](const QString& text, LaneAction action) {
        QAction* added = menu->addAction(withKey(text, action));
        // Other lanes may have been read since the menu was opened.
        connect(added, &QAction::triggered, this, [this, action, key = keys().at(lane)] {
            if (const auto at = std::find(keys().begin(), keys().end(), key); at != keys().end())
                act(action, static_cast<std::size_t>(at - keys().begin()));
        });
        return added;
    };
    add(state.folded ? tr("Unfold") : tr("Fold"), LaneAction::Fold);
    add(state.pinned ? tr("Unpin") : tr("Pin"), LaneAction::Pin);
    add(tr("Hide"), LaneAction::Hide)->setEnabled(arrangement_.shown(keys()).size() > 1);
    add(tr("Move up"), LaneAction::MoveUp);
    add(tr("Move down"), LaneAction::MoveDown);
    add(tr("Taller"), LaneAction::Taller);
    add(tr("Lower"), LaneAction::Lower);
    add(tr("Only this IPU"), LaneAction::Only)->setEnabled((*trace_->overview())[lane].ofSeveral);
    menu->addSeparator();
    add(tr("Fold or unfold all"), LaneAction::FoldAll);
    add(tr("Show all (hidden: %1)").arg(hiddenLanes()), LaneAction::ShowAll)
        ->setEnabled(hiddenLanes() > 0);
    QAction* reset = menu->addAction(tr("Lanes as at first"));
    connect(reset, &QAction::triggered, this, [this] { setArrangement({}); });
    menu->addSeparator();
    menu->addActions(actions());
    return menu;
}

void TracePlot::openLaneMenu(std::size_t lane, const QPoint& at) {
    setCurrentLane(lane);
    QMenu* menu = laneMenu(lane);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(&context().workers, &Workers::profilesLeft, menu, &QWidget::close);
    menu->popup(at);
}

bool TracePlot::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update(); // repaints the current lane's name
    return CyclePlot::event(event);
}

void TracePlot::keyPressEvent(QKeyEvent* event) {
    const std::optional<LaneAction> action = laneActionOf(*event);
    const std::vector<std::size_t> shown = arrangement_.shown(keys());
    if (!action || shown.empty())
        return CyclePlot::keyPressEvent(event);
    const int current = currentLane();
    const auto lane = static_cast<std::size_t>(std::max(current, 0));
    // The first key press only selects the lane on which keys act.
    const bool chosen = current >= 0 && std::find(shown.begin(), shown.end(), lane) != shown.end();
    if (!chosen && *action != LaneAction::ShowAll && *action != LaneAction::FoldAll)
        return select(shown.front(), 0);
    act(*action, chosen ? lane : shown.front());
}

void TracePlot::setSelected(SelectedSteps steps) {
    if (steps == trace_->selected())
        return;
    trace_->setSelected(std::move(steps));
    replotSoon();
}

void TracePlot::setFlows(std::vector<LaneFlow> flows) {
    if (flows.empty() && flows_.empty())
        return;
    flows_ = std::move(flows);
    replotSoon();
}

void TracePlot::setShowsFlows(bool shows) {
    showsFlows_ = shows;
    replotSoon();
}

void TracePlot::setFollowed(std::vector<LaneWay> ways) {
    if (ways.empty() && followed_.empty())
        return;
    followed_ = std::move(ways);
    trace_->setFollowed(stepsOf(followed_));
    replotSoon();
}

} // namespace tilescope::views
