#include "views/liveness/lifetime_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/plot/plot_widget.h"
#include "views/theme/text.h"

namespace tilescope::views {

LifetimeStrip::LifetimeStrip(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : PaintedWidget(context, parent)
    , zoom_(zoom) {
    setMouseTracking(true);
    setAccessibleName(tr("Lifetimes of the selected variables"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&zoom_, &ZoomRange::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void LifetimeStrip::setLifetimes(std::vector<Lifetime> lifetimes) {
    lifetimes_ = std::move(lifetimes);
    setVisible(!lifetimes_.empty());
    updateGeometry();
    update();
}

QSize LifetimeStrip::sizeHint() const {
    return {300, static_cast<int>(lifetimes_.size()) * lineHeight() + 6};
}

void LifetimeStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    const int left = PlotWidget::leftMargin;
    const int plotWidth = std::max(1, width() - left - PlotWidget::rightMargin);
    const auto pixelOf = [&](double place) {
        const double share = (place - zoom_.from()) / zoom_.span();
        return left + qRound(std::clamp(share, 0.0, 1.0) * plotWidth);
    };
    painter.setPen(theme().mutedText);
    painter.drawText(QRect(0, 2, left - 8, lineHeight()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("Lifetimes"));
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
        const Lifetime& lifetime = lifetimes_[i];
        const QRect line(left, 2 + static_cast<int>(i) * lineHeight(), plotWidth, lineHeight());
        painter.fillRect(line.adjusted(0, 1, 0, -1), mixed(theme().raised, theme().surface, 0.4));
        for (const Lifetime::Span& span : lifetime.spans) {
            if (span.to <= zoom_.from() || span.from >= zoom_.to())
                continue;
            const int x0 = pixelOf(span.from);
            painter.fillRect(x0, line.top() + 2, std::max(2, pixelOf(span.to) - x0),
                             line.height() - 4, lifetime.colour);
        }
        // A name is beside its bars where there is room, else on a paler ground over them.
        const QString name =
            painter.fontMetrics().elidedText(lifetime.name, Qt::ElideMiddle, plotWidth - 12);
        QRect text(left + 4, line.top() + 2, painter.fontMetrics().horizontalAdvance(name) + 8,
                   line.height() - 4);
        if (!lifetime.spans.empty() && pixelOf(lifetime.spans.front().from) <= text.right()) {
            const int after = pixelOf(lifetime.spans.back().to) + 6;
            if (after + text.width() <= line.right())
                text.moveLeft(after);
        }
        QColor back = theme().surface;
        back.setAlphaF(0.8F);
        painter.fillRect(text, back);
        painter.setPen(theme().text);
        painter.drawText(text, Qt::AlignCenter, name);
    }
}

void LifetimeStrip::mouseMoveEvent(QMouseEvent* event) {
    const int line = (event->pos().y() - 2) / lineHeight();
    if (line < 0 || line >= static_cast<int>(lifetimes_.size()))
        return;
    const Lifetime& lifetime = lifetimes_[static_cast<std::size_t>(line)];
    const QString text = QStringLiteral("%1: %2").arg(lifetime.name, lifetime.when);
    QToolTip::showText(event->globalPosition().toPoint(), shownLines(text), this);
    emit hovered(text);
}

} // namespace tilescope::views
