#include "views/sweep/heat_map_widget.h"
#include "views/theme/text.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {

// Lengths in pixels.
constexpr int margin = 12;
constexpr int scaleWidth = 110;
constexpr int scaleBar = 14;
constexpr int widestCell = 180;
constexpr int highestCell = 64;

QColor colourOf(double share) {
    const HeatColour colour = heatColour(share);
    return {static_cast<int>(std::lround(colour.red)), static_cast<int>(std::lround(colour.green)),
            static_cast<int>(std::lround(colour.blue))};
}

QString text(const std::string& value) {
    return shownName(value);
}

int widest(const std::vector<std::string>& texts, const QFontMetrics& metrics) {
    int width = 0;
    for (const std::string& value : texts)
        width = std::max(width, metrics.horizontalAdvance(text(value)));
    return width;
}

/// Label only every n-th value of an axis, so that texts do not touch.
std::size_t stride(double room, double needed) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / std::max(room, 1.0))));
}

} // namespace

HeatMapWidget::HeatMapWidget(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void HeatMapWidget::setMap(HeatMap map, ValueText format, bool lessIsBetter) {
    map_ = std::move(map);
    format_ = std::move(format);
    lessIsBetter_ = lessIsBetter;
    anyValue_ = false;
    for (const HeatMapCell& cell : map_.cells)
        if (cell.value) {
            low_ = anyValue_ ? std::min(low_, *cell.value) : *cell.value;
            high_ = anyValue_ ? std::max(high_, *cell.value) : *cell.value;
            anyValue_ = true;
        }
    const int cells = static_cast<int>(map_.cells.size());
    if (current_ >= cells || current_ < 0)
        current_ = cells > 0 ? 0 : -1;
    if (marked_ >= cells)
        marked_ = -1;
    announce();
    update();
}

QRectF HeatMapWidget::grid() const {
    const QFontMetrics metrics = fontMetrics();
    const double left = margin + metrics.height() + 10 + widest(map_.rows, metrics) + 8;
    const double top = margin + 2 * metrics.height() + 8;
    const double width =
        std::min<double>(this->width() - left - scaleWidth - margin, columnCount() * widestCell);
    const double height = std::min<double>(this->height() - top - margin, rowCount() * highestCell);
    return {left, top, std::max(1.0, width), std::max(1.0, height)};
}

QRectF HeatMapWidget::cellRect(int cell) const {
    const QRectF all = grid();
    const double width = all.width() / columnCount();
    const double height = all.height() / rowCount();
    return {all.left() + width * (cell % columnCount()),
            all.top() + height * (cell / columnCount()), width, height};
}

int HeatMapWidget::cellAt(QPointF position) const {
    const QRectF all = grid();
    if (map_.cells.empty() || !all.contains(position))
        return -1;
    const auto place = [](double at, double length, int count) {
        return std::clamp(static_cast<int>(at / length * count), 0, count - 1);
    };
    return place(position.y() - all.top(), all.height(), rowCount()) * columnCount() +
           place(position.x() - all.left(), all.width(), columnCount());
}

QString HeatMapWidget::textOf(const HeatMapCell& cell) const {
    if (!cell.value)
        return text(cell.label);
    return cell.label.empty() ? format_(*cell.value)
                              : tr("%1, %2").arg(format_(*cell.value), text(cell.label));
}

void HeatMapWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    if (map_.cells.empty())
        return;
    paintAxes(painter);
    for (int cell = 0; cell < static_cast<int>(map_.cells.size()); ++cell)
        paintCell(painter, cell);
    const auto frame = [&](int cell, const QColor& colour, Qt::PenStyle style) {
        if (cell < 0)
            return;
        // A light and a dark line, so that one of them shows on any cell.
        const QRectF inside = cellRect(cell).adjusted(2, 2, -2, -2);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().surface, 5));
        painter.drawRect(inside);
        painter.setPen(QPen(colour, 3, style));
        painter.drawRect(inside);
    };
    // The same colours as in a comparison: the marked cell is the source.
    frame(marked_, theme().source, Qt::DashLine);
    frame(current_, theme().target, Qt::SolidLine);
    paintScale(painter);
}

void HeatMapWidget::paintAxes(QPainter& painter) const {
    const QRectF all = grid();
    const QFontMetrics metrics = fontMetrics();
    painter.setPen(theme().text);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(QRectF(all.left(), margin, all.width(), metrics.height()), Qt::AlignCenter,
                     text(map_.columnKey));
    painter.save();
    painter.translate(margin, all.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-height() / 2.0, 0, height(), metrics.height()),
                     Qt::AlignHCenter | Qt::AlignTop, text(map_.rowKey));
    painter.restore();
    painter.setFont(font());
    painter.setPen(theme().mutedText);
    const double cellWidth = all.width() / columnCount();
    const std::size_t every = stride(cellWidth, widest(map_.columns, metrics) + 8);
    for (std::size_t i = 0; i < map_.columns.size(); i += every) {
        const double middle = all.left() + cellWidth * (static_cast<double>(i) + 0.5);
        painter.drawText(
            QRectF(middle - 100, all.top() - metrics.height() - 4, 200, metrics.height()),
            Qt::AlignCenter, text(map_.columns[i]));
    }
    const double cellHeight = all.height() / rowCount();
    const std::size_t everyRow = stride(cellHeight, metrics.height());
    for (std::size_t i = 0; i < map_.rows.size(); i += everyRow) {
        const double middle = all.top() + cellHeight * (static_cast<double>(i) + 0.5);
        painter.drawText(QRectF(0, middle - 20, all.left() - 8, 40),
                         Qt::AlignRight | Qt::AlignVCenter, text(map_.rows[i]));
    }
}

void HeatMapWidget::paintCell(QPainter& painter, int at) const {
    const HeatMapCell& cell = map_.cells[static_cast<std::size_t>(at)];
    // A hair between large cells; small ones touch.
    const QRectF whole = cellRect(at);
    const double gap = std::min(whole.width(), whole.height()) >= 12 ? 1 : 0;
    const QRectF inside = whole.adjusted(0, 0, -gap, -gap);
    QColor ink = theme().mutedText;
    if (cell.value) {
        const QColor fill = colourOf(high_ > low_ ? (*cell.value - low_) / (high_ - low_) : 1);
        painter.fillRect(inside, fill);
        ink = Theme::textOn(fill);
        const double best = lessIsBetter_ ? low_ : high_;
        if (high_ > low_ && std::abs(*cell.value - best) <= 1e-9 * std::abs(best)) {
            painter.setPen(QPen(ink, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(inside.adjusted(6, 6, -6, -6));
        }
    } else {
        painter.fillRect(inside, theme().raised);
        painter.fillRect(inside, QBrush(theme().border,
                                        cell.label == "OOM" ? Qt::BDiagPattern : Qt::FDiagPattern));
    }
    const QString what = textOf(cell);
    const QRectF bounds = painter.fontMetrics().boundingRect(what);
    if (bounds.width() + 10 > inside.width() || bounds.height() > inside.height())
        return;
    if (!cell.value) {
        // Text over hatching needs a background of its own.
        QRectF ground(0, 0, bounds.width() + 8, bounds.height() + 2);
        ground.moveCenter(inside.center());
        painter.fillRect(ground, theme().raised);
    }
    painter.setPen(ink);
    painter.drawText(inside, Qt::AlignCenter, what);
}

void HeatMapWidget::paintScale(QPainter& painter) const {
    if (!anyValue_)
        return;
    const QRectF all = grid();
    const QFontMetrics metrics = fontMetrics();
    const double left = all.right() + margin;
    const double height = std::clamp(all.height() - 10, 60.0, 240.0);
    const double top = all.top();
    const int slices = static_cast<int>(height);
    for (int i = 0; i < slices; ++i)
        painter.fillRect(QRectF(left, top + i, scaleBar, 1.5), colourOf(1 - (i + 0.5) / slices));
    painter.setPen(theme().mutedText);
    const auto label = [&](double y, const QString& what) {
        painter.drawText(
            QRectF(left + scaleBar + 6, y - metrics.height() / 2.0, scaleWidth, metrics.height()),
            Qt::AlignLeft | Qt::AlignVCenter, what);
    };
    label(top + metrics.height() / 2.0, format_(high_));
    if (high_ > low_) {
        label(top + height / 2, format_((low_ + high_) / 2));
        label(top + height - metrics.height() / 2.0, format_(low_));
    }
    painter.drawText(QRectF(left, margin, scaleWidth, metrics.height()), Qt::AlignLeft,
                     map_.unit == "bytes" ? tr("Memory") : text(map_.unit));
    if (high_ <= low_)
        return;
    const QRectF frame(left, top + height + metrics.height(), 1.5 * scaleBar, metrics.ascent());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().text, 1.5));
    painter.drawRect(frame);
    painter.setPen(theme().mutedText);
    painter.drawText(QPointF(frame.right() + 6, frame.bottom()), tr("the best"));
}

void HeatMapWidget::choose(int cell, bool mark) {
    const int cells = static_cast<int>(map_.cells.size());
    if (cell < -1 || cell >= cells)
        return;
    // The first cell chosen is the one to compare with.
    if (mark && marked_ < 0)
        marked_ = current_;
    current_ = cell;
    // A cell is not compared with itself.
    if (marked_ == current_)
        marked_ = -1;
    announce();
    update();
    emit cellsChosen();
}

void HeatMapWidget::announce() {
    setAccessibleName(text(map_.title));
    setAccessibleDescription(
        current_ < 0 ? QString() : text(map_.cells[static_cast<std::size_t>(current_)].tooltip));
}

void HeatMapWidget::mousePressEvent(QMouseEvent* event) {
    const int cell = cellAt(event->position());
    if (cell >= 0 && event->button() == Qt::LeftButton)
        choose(cell, (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) != 0);
}

void HeatMapWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    const int cell = cellAt(event->position());
    if (cell >= 0 && event->button() == Qt::LeftButton)
        emit activated(cell);
}

void HeatMapWidget::keyPressEvent(QKeyEvent* event) {
    const int columns = columnCount();
    if (current_ < 0 || columns == 0)
        return QWidget::keyPressEvent(event);
    const int column = current_ % columns;
    const int row = current_ / columns;
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(row * columns + std::max(0, column - 1), false);
    case Qt::Key_Right:
        return choose(row * columns + std::min(columns - 1, column + 1), false);
    case Qt::Key_Up:
        return choose(std::max(0, row - 1) * columns + column, false);
    case Qt::Key_Down:
        return choose(std::min(rowCount() - 1, row + 1) * columns + column, false);
    case Qt::Key_Space: {
        // Marks the current cell; the arrows then move on from it.
        marked_ = marked_ == current_ ? -1 : current_;
        update();
        return emit cellsChosen();
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return emit activated(current_);
    default:
        QWidget::keyPressEvent(event);
    }
}

QString HeatMapWidget::toolTipAt(const QPoint& position) const {
    const int cell = cellAt(position);
    return cell < 0 ? QString() : text(map_.cells[static_cast<std::size_t>(cell)].tooltip);
}

} // namespace tilescope::views
