#include "views/pipeline/share_bar.h"
#include "views/theme/text.h"

#include <QPainter>

namespace tilescope::views {
namespace {
constexpr int barHeight = 16;
constexpr int partGap = 6;
constexpr int partSwatch = 10;
} // namespace

ShareBar::ShareBar(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setParts(const QString& title, std::vector<Part> parts) {
    title_ = title;
    parts_ = std::move(parts);
    updateGeometry();
    update();
}

int ShareBar::titleHeight() const {
    return title_.isEmpty() ? 0 : fontMetrics().height() + 2;
}

QSize ShareBar::sizeHint() const {
    const int line = fontMetrics().height() + 3;
    constexpr int room = 70; // of the share
    int width = 160;
    for (const Part& part : parts_)
        width = std::max(width,
                         fontMetrics().horizontalAdvance(part.name) + partSwatch + partGap + room);
    return {width, titleHeight() + barHeight + partGap + static_cast<int>(parts_.size()) * line};
}

QRect ShareBar::lineRect(std::size_t part) const {
    const int line = fontMetrics().height() + 3;
    return {0, titleHeight() + barHeight + partGap + static_cast<int>(part) * line, width(), line};
}

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(theme().mutedText);
    painter.drawText(QRect(0, 0, width(), titleHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(shownText(title_), Qt::ElideMiddle, width()));
    painter.fillRect(0, titleHeight(), width(), barHeight, theme().raised);
    double at = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const QColor colour = parts_[i].colour(theme());
        const double share = parts_[i].share * width();
        painter.fillRect(QRectF(at, titleHeight(), share, barHeight), colour);
        at += share;
        const QRect line = lineRect(i);
        painter.fillRect(line.left(), line.center().y() - partSwatch / 2, partSwatch, partSwatch,
                         colour);
        painter.setPen(theme().mutedText);
        painter.drawText(line.adjusted(partSwatch + partGap, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, parts_[i].name);
        painter.setPen(theme().text);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("%1 %").arg(100 * parts_[i].share, 0, 'f', 1));
    }
}

QString ShareBar::toolTipAt(const QPoint& position) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (lineRect(i).contains(position))
            return parts_[i].explanation;
    return {};
}

} // namespace tilescope::views
