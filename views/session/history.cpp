#include "views/session/history.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <algorithm>
#include <utility>

namespace tilescope::views {
namespace {

constexpr int quietMs = 500; // the pause between two things that somebody does

struct Span {
    double from = 0;
    double to = 0;
    friend bool operator==(const Span&, const Span&) = default;
};

bool isModifier(int key) {
    return key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt ||
           key == Qt::Key_Meta || key == Qt::Key_AltGr;
}

} // namespace

History::History(Selection& selection, ZoomRange& timeZoom) {
    quiet_.setSingleShot(true);
    quiet_.setInterval(quietMs);
    connect(&quiet_, &QTimer::timeout, this, &History::quietTimeIsOver);
    addPart(selection,
            {[&selection] { return QVariant::fromValue(selection.current()); },
             [&selection](const QVariant& value) { selection.set(value.value<Selected>()); },
             Kind::Selection,
             {}});
    connect(&selection, &Selection::changed, this, [this, &selection] { note(selection); });
    follow(timeZoom);
    if (QCoreApplication* const application = QCoreApplication::instance())
        application->installEventFilter(this);
}

void History::follow(ZoomRange& zoom) {
    if (parts_.contains(&zoom))
        return;
    limits_[&zoom] = {zoom.first(), zoom.last()};
    addPart(zoom, {[&zoom] {
                       return QVariant::fromValue(Span{zoom.from(), zoom.to()});
                   },
                   [&zoom](const QVariant& value) {
                       const auto span = value.value<Span>();
                       zoom.setRange(span.from, span.to);
                   },
                   Kind::Zoom,
                   {}});
    connect(&zoom, &ZoomRange::changed, this, [this, &zoom] { zoomChanged(zoom); });
}

void History::add(QObject& owner, std::function<QVariant()> read,
                  std::function<void(const QVariant&)> show, Kind kind) {
    addPart(owner, {std::move(read), std::move(show), kind, {}});
}

void History::addPart(QObject& owner, Part part) {
    part.now = part.read();
    parts_[&owner] = std::move(part);
    connect(&owner, &QObject::destroyed, this, [this, gone = &owner] { removePart(gone); });
}

void History::removePart(const QObject* owner) {
    eraseValues(owner);
    parts_.erase(owner);
    limits_.erase(owner);
    beginning_.erase(owner);
}

void History::note(const QObject& owner) {
    if (const auto part = parts_.find(&owner); part != parts_.end())
        noteChange(&owner, part->second);
}

void History::forget(const QObject& owner) {
    eraseValues(&owner);
    if (const auto part = parts_.find(&owner); part != parts_.end())
        part->second.now = part->second.read();
}

void History::reset() {
    past_.clear();
    future_.clear();
    endStep();
    awaitsUser_ = true;
    for (auto& [owner, part] : parts_)
        part.now = part.read();
    emit changed();
}

// A view whose limits have changed sets its initial zoom, which is not a step either.
void History::zoomChanged(ZoomRange& zoom) {
    const std::pair limits(zoom.first(), zoom.last());
    if (std::exchange(limits_[&zoom], limits) != limits) {
        beginning_.insert(&zoom);
        QMetaObject::invokeMethod(
            this, [this, begun = &zoom] { beginning_.erase(begun); }, Qt::QueuedConnection);
    }
    if (beginning_.contains(&zoom))
        forget(zoom);
    else
        note(zoom);
}

void History::noteChange(const QObject* owner, Part& part) {
    if (restoring_)
        return; // show() reads the resulting values
    QVariant before = std::exchange(part.now, part.read());
    if (before == part.now || awaitsUser_)
        return;
    const bool key = std::exchange(keyPressed_, false);
    if (open_ && key && !(part.kind == Kind::Zoom && consistsOf(past_.back(), Kind::Zoom)))
        endStep();
    if (!open_)
        beginStep();
    const bool added = past_.back().values.try_emplace(owner, std::move(before)).second;
    quiet_.start();
    if (added)
        emit changed();
}

void History::beginStep() {
    open_ = true;
    future_.clear();
    if (past_.size() == longest)
        past_.erase(past_.begin());
    past_.push_back({{}, page_});
}

void History::endStep() {
    open_ = false;
    quiet_.stop();
}

// While a button is held the drag goes on, even if the hand rests.
void History::quietTimeIsOver() {
    if (QGuiApplication::mouseButtons() != Qt::NoButton)
        quiet_.start();
    else
        endStep();
}

void History::go(Steps& from, Steps& to) {
    endStep();
    while (!from.empty()) {
        Step step = std::move(from.back());
        from.pop_back();
        if (!changesAnything(step))
            continue; // the change was undone within the step
        show(step);
        to.push_back(std::move(step));
        break;
    }
    emit changed();
}

// Leaves the previous values in the step, for the way back.
void History::show(Step& step) {
    restoring_ = true;
    if (step.page >= 0 && step.page != page_ && hasAny(step, Kind::Zoom))
        emit pageWanted(step.page);
    std::erase_if(step.values, [this](const auto& each) { return !parts_.contains(each.first); });
    for (auto& [owner, value] : step.values)
        std::swap(value, parts_.at(owner).now);
    // The selection first: views restore what they have selected themselves on top of it.
    for (const Kind kind : {Kind::Selection, Kind::Own, Kind::Zoom})
        for (const auto& [owner, value] : step.values)
            if (const Part& part = parts_.at(owner); part.kind == kind)
                part.show(part.now);
    for (const auto& [owner, value] : step.values)
        parts_.at(owner).now = parts_.at(owner).read();
    restoring_ = false;
    awaitsUser_ = true;
}

void History::goToSelection(Steps& from, Steps& to) {
    bool selects = false;
    while (!from.empty() && !selects) {
        selects = hasAny(from.back(), Kind::Selection);
        go(from, to);
    }
}

void History::eraseValues(const QObject* owner) {
    for (Steps* steps : {&past_, &future_}) {
        const bool last = steps == &past_ && open_ && !past_.empty();
        for (Step& step : *steps)
            step.values.erase(owner);
        if (last && past_.back().values.empty())
            endStep();
        std::erase_if(*steps, [](const Step& step) { return step.values.empty(); });
    }
}

bool History::consistsOf(const Step& step, Kind kind) const {
    return std::all_of(step.values.begin(), step.values.end(),
                       [&](const auto& each) { return parts_.at(each.first).kind == kind; });
}

bool History::hasAny(const Step& step, Kind kind) const {
    return std::any_of(step.values.begin(), step.values.end(),
                       [&](const auto& each) { return parts_.at(each.first).kind == kind; });
}

bool History::changesAnything(const Step& step) const {
    return std::any_of(step.values.begin(), step.values.end(),
                       [&](const auto& each) { return parts_.at(each.first).now != each.second; });
}

bool History::hasSelection(const Steps& steps) const {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return hasAny(step, Kind::Selection); });
}

bool History::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        // The window gets the event before the widget in it: the step has not begun yet.
        endStep();
        awaitsUser_ = false;
        break;
    case QEvent::Wheel:
    case QEvent::MouseButtonDblClick:
        awaitsUser_ = false;
        break;
    case QEvent::ShortcutOverride: // keys of commands send no KeyPress
    case QEvent::KeyPress:
        if (const auto* key = static_cast<const QKeyEvent*>(event);
            !key->isAutoRepeat() && !isModifier(key->key())) {
            keyPressed_ = true;
            awaitsUser_ = false;
        }
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace tilescope::views
