#include "app/gui/window/content_focus.h"

#include <QApplication>
#include <QEvent>
#include <QTabWidget>

#include "app/gui/window/choice_manners.h"

namespace tilescope::gui {

ContentFocus::ContentFocus(QMainWindow& window, const views::Workers& workers)
    : QObject(&window)
    , window_(window)
    , workers_(workers) {
    connect(&workers_, &views::Workers::becameIdle, this, &ContentFocus::finish,
            Qt::QueuedConnection);
}

ContentFocus& ContentFocus::of(const QMainWindow& window) {
    auto* const found = window.findChild<ContentFocus*>(QString(), Qt::FindDirectChildrenOnly);
    Q_ASSERT(found != nullptr);
    return *found;
}

QWidget& ContentFocus::partOf(QWidget& report, const QString& section) {
    for (const QTabWidget* tabs : report.findChildren<QTabWidget*>())
        if (tabs->isVisible() && tabs->currentIndex() >= 0 &&
            tabs->tabText(tabs->currentIndex()).compare(section, Qt::CaseInsensitive) == 0)
            return *tabs->currentWidget();
    return report;
}

void ContentFocus::want(QWidget& place) {
    if (!place.isVisible())
        return;
    // Keys must not go to something else until there is content.
    if (!ChoiceManners::focusContent(place))
        if (QWidget* const other = window_.focusWidget())
            other->clearFocus();
    place_ = &place;
    // Queued, as the key or mouse press that led here may still be being delivered.
    QMetaObject::invokeMethod(this, &ContentFocus::begin, Qt::QueuedConnection);
}

void ContentFocus::begin() {
    if (!place_)
        return;
    qApp->installEventFilter(this);
    finish();
}

void ContentFocus::finish() {
    if (!place_ || !workers_.idle())
        return;
    if (place_->isVisible())
        ChoiceManners::focusContent(*place_);
    end();
}

void ContentFocus::end() {
    place_.clear();
    qApp->removeEventFilter(this);
}

bool ContentFocus::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress)
        end();
    return false;
}

} // namespace tilescope::gui
