#include "views/execution/tracks/crosshair.h"

#include <QMouseEvent>
#include <QPainter>

namespace tilescope::views {
namespace {

class DottedLine : public QWidget {
public:
    DottedLine(const ThemeSource& theme, QWidget* parent)
        : QWidget(parent)
        , theme_(theme) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(theme_.current().mutedText, 1, Qt::DotLine));
        painter.drawLine(0, 0, 0, height());
    }

private:
    const ThemeSource& theme_;
};

} // namespace

Crosshair::Crosshair(const ThemeSource& theme, QObject* parent)
    : QObject(parent)
    , theme_(theme) {}

void Crosshair::add(PlotWidget& plot) {
    lines_.push_back({&plot, new DottedLine(theme_, &plot)});
    plot.installEventFilter(this);
}

void Crosshair::remove(PlotWidget& plot) {
    std::erase_if(lines_, [&plot](const Line& line) { return line.plot == &plot; });
    plot.removeEventFilter(this);
}

bool Crosshair::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave)
        hide();
    if (event->type() != QEvent::MouseMove)
        return false;
    const auto& plot = static_cast<const PlotWidget&>(*watched);
    const auto& mouse = static_cast<const QMouseEvent&>(*event);
    if (mouse.buttons() == Qt::NoButton &&
        plot.axisRect()->rect().contains(mouse.position().toPoint()))
        moveTo(plot, mouse.position().toPoint().x());
    else
        hide();
    return false;
}

void Crosshair::moveTo(const PlotWidget& under, int x) {
    for (const Line& each : lines_) {
        const QRect area = each.plot->axisRect()->rect();
        each.line->setVisible(each.plot != &under);
        each.line->setGeometry(x, area.top(), 1, area.height());
    }
}

void Crosshair::hide() {
    for (const Line& each : lines_)
        each.line->hide();
}

} // namespace tilescope::views
