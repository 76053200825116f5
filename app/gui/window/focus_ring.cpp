#include "app/gui/window/focus_ring.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QPainter>
#include <QTabBar>
#include <utility>

#include "views/plot/plot_widget.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::gui {
namespace {

constexpr int thickness = 2; // pixels

// Only the border is part of the widget: whatever it surrounds is painted without interference.
class Frame : public QWidget {
public:
    Frame(QWidget* window, const views::ThemeSource& theme)
        : QWidget(window)
        , theme_(theme) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), theme_.current().accent);
    }
    void resizeEvent(QResizeEvent*) override {
        const int t = thickness;
        setMask(QRegion(rect()) - QRegion(rect().adjusted(t, t, -t, -t)));
    }

private:
    const views::ThemeSource& theme_;
};

// Whether any key or button has been pressed yet.
class FirstPress : public QObject {
public:
    explicit FirstPress(QObject* parent)
        : QObject(parent) {
        qApp->installEventFilter(this);
    }
    [[nodiscard]] bool was() const { return was_; }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress) {
            was_ = true;
            qApp->removeEventFilter(this);
        }
        return false;
    }

private:
    bool was_ = false;
};

// The line edit of a choice or spin box counts as part of it.
QWidget* shownAs(QWidget* focused) {
    QWidget* parent = focused == nullptr ? nullptr : focused->parentWidget();
    const bool isPart = qobject_cast<QComboBox*>(parent) != nullptr ||
                        qobject_cast<QAbstractSpinBox*>(parent) != nullptr;
    return isPart ? parent : focused;
}

// The frame is inside widgets that fill their place, and around controls.
QRect framed(const QWidget& widget) {
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
        return tabs->tabRect(tabs->currentIndex());
    const bool fills = qobject_cast<const QAbstractScrollArea*>(&widget) != nullptr ||
                       qobject_cast<const views::PlotWidget*>(&widget) != nullptr ||
                       qobject_cast<const views::PaintedWidget*>(&widget) != nullptr;
    return fills ? widget.rect()
                 : widget.rect().adjusted(-thickness, -thickness, thickness, thickness);
}

// Its visible part: scroll areas clip it.
QRect clipped(const QWidget& widget, QRect rect, const QWidget& window) {
    const QWidget* at = &widget;
    for (; at != &window && at->parentWidget() != nullptr; at = at->parentWidget()) {
        rect.translate(at->pos());
        // The frame of a control may extend beyond its parent, but not beyond a viewport.
        if (qobject_cast<const QAbstractScrollArea*>(at->parentWidget()) != nullptr)
            rect &= at->geometry();
    }
    return rect & window.rect();
}

bool belongsTo(const QWidget& widget, const QWidget& window) {
    for (const QWidget* at = widget.window(); at != nullptr; at = at->parentWidget())
        if (at == &window)
            return widget.window()->windowType() != Qt::Popup;
    return false;
}

} // namespace

FocusRing::FocusRing(QWidget& window, const views::ThemeSource& theme)
    : QObject(&window)
    , window_(window)
    , theme_(theme) {
    auto* press = new FirstPress(this);
    connect(qApp, &QApplication::focusChanged, this, [this, press](QWidget*, QWidget* now) {
        // The initial focus of a new window was not chosen by the user.
        if (press->was())
            follow(shownAs(now));
    });
    connect(&theme_, &views::ThemeSource::changed, this, [this] {
        if (frame_)
            frame_->update();
    });
}

QRect FocusRing::place() const {
    return frame_ && frame_->isVisible() ? QRect(frame_->mapToGlobal(QPoint()), frame_->size())
                                         : QRect();
}

void FocusRing::watch(QWidget* widget, bool on) {
    if (!on) {
        for (const QPointer<QWidget>& each : std::exchange(watched_, {}))
            if (each)
                each->removeEventFilter(this);
        return;
    }
    for (QWidget* at = widget; at != nullptr; at = at->isWindow() ? nullptr : at->parentWidget()) {
        at->installEventFilter(this);
        watched_.emplace_back(at);
    }
}

void FocusRing::follow(QWidget* focused) {
    if (focused != nullptr && !belongsTo(*focused, window_))
        focused = nullptr;
    watch(nullptr, false);
    // The user goes to a page to read it; a frame around all of it would only be in the way.
    if (focused != nullptr && focused->property(quietFocusProperty).toBool()) {
        focused->setProperty(quietFocusProperty, false);
        focused = nullptr;
    }
    widget_ = focused;
    if (focused == nullptr)
        return delete frame_.data();
    if (frame_ && frame_->parentWidget() != focused->window())
        delete frame_.data();
    if (!frame_)
        frame_ = new Frame(focused->window(), theme_);
    watch(focused, true);
    put();
}

void FocusRing::put() {
    if (!frame_ || !widget_)
        return;
    const QRect place =
        widget_->isVisible() ? clipped(*widget_, framed(*widget_), *widget_->window()) : QRect();
    if (!place.isEmpty())
        frame_->setGeometry(place);
    frame_->setVisible(!place.isEmpty());
    frame_->raise();
}

bool FocusRing::eventFilter(QObject*, QEvent* event) {
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::LayoutRequest:
    case QEvent::KeyRelease: // may change the current tab
    case QEvent::MouseButtonRelease:
        // Queued, until the surrounding widgets are in their places too.
        QMetaObject::invokeMethod(this, &FocusRing::put, Qt::QueuedConnection);
        break;
    case QEvent::ParentChange:
        QMetaObject::invokeMethod(
            this, [this] { follow(widget_); }, Qt::QueuedConnection);
        break;
    default:
        break;
    }
    return false;
}

} // namespace tilescope::gui
