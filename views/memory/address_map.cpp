#include "views/memory/address_map.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace tilescope::views {
namespace {
constexpr int rowHeight = 17;
constexpr int rowGap = 3;
constexpr int labelWidth = 84;
constexpr int margin = 14;
constexpr int titleHeight = 22;
} // namespace

std::vector<MapPiece> mapPieces(const std::vector<MapBlock>& blocks, std::int64_t rowBytes,
                                double width) {
    std::vector<MapPiece> pieces;
    const double scale = width / static_cast<double>(rowBytes);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (std::int64_t at = blocks[i].begin; at < blocks[i].end;) {
            const std::int64_t row = at / rowBytes;
            const std::int64_t end = std::min(blocks[i].end, (row + 1) * rowBytes);
            const double x0 = static_cast<double>(at - row * rowBytes) * scale;
            const double x1 = static_cast<double>(end - row * rowBytes) * scale;
            pieces.push_back({static_cast<int>(row), x0, x1, i});
            at = end;
        }
    }
    return pieces;
}

AddressMap::AddressMap(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    setMouseTracking(true);
    connect(&context_.theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void AddressMap::setContent(Content content) {
    content_ = std::move(content);
    // Small variables must not vanish under large ones that share their addresses.
    std::stable_sort(
        content_.blocks.begin(), content_.blocks.end(),
        [](const MapBlock& a, const MapBlock& b) { return a.end - a.begin > b.end - b.begin; });
    setMinimumHeight(sizeHint().height());
    updateGeometry();
    update();
}

void AddressMap::setSelected(VariableId variable) {
    selected_ = variable;
    update();
}

int AddressMap::rows() const {
    std::int64_t highest = content_.limit;
    for (const MapBlock& block : content_.blocks)
        highest = std::max(highest, block.end);
    return static_cast<int>((highest + content_.rowBytes - 1) / content_.rowBytes);
}

int AddressMap::mapWidth() const {
    return std::max(10, width() - labelWidth - 2 * margin);
}

QSize AddressMap::sizeHint() const {
    return {480, titleHeight + rows() * (rowHeight + rowGap) + 2 * margin};
}

void AddressMap::paintEvent(QPaintEvent*) {
    const Theme& theme = context_.theme.current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    const auto rowTop = [](int row) { return margin + titleHeight + row * (rowHeight + rowGap); };
    const int left = margin + labelWidth;
    painter.setPen(theme.text);
    painter.drawText(QRect(left, 8, mapWidth(), titleHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     content_.title);
    for (int row = 0; row < rows(); ++row) {
        const std::int64_t offset = row * content_.rowBytes;
        const bool overflow = offset >= content_.limit;
        painter.fillRect(left, rowTop(row), mapWidth(), rowHeight,
                         overflow ? mixed(theme.bad, theme.surface, 0.8) : theme.raised);
        painter.setPen(offset >= content_.interleavedOffset ? theme.accent : theme.mutedText);
        painter.drawText(
            QRect(margin, rowTop(row), labelWidth - 10, rowHeight),
            Qt::AlignRight | Qt::AlignVCenter,
            QStringLiteral("0x%1").arg(content_.base + offset, 5, 16, QLatin1Char('0')));
    }
    for (const MapPiece& piece : mapPieces(content_.blocks, content_.rowBytes, mapWidth())) {
        const MapBlock& block = content_.blocks[piece.block];
        const QRectF box(left + piece.x0, rowTop(piece.row), std::max(1.0, piece.x1 - piece.x0),
                         rowHeight);
        painter.fillRect(box, theme.category(block.category));
        // A hair of background parts neighbours of one category.
        if (box.width() > 3)
            painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), theme.surface);
        if (selected_.valid() && block.variable == selected_) {
            painter.setPen(QPen(theme.text, 2));
            painter.drawRect(box.adjusted(1, 1, -1, -1));
        }
    }
}

std::int64_t AddressMap::addressAt(const QPoint& position) const {
    const int x = position.x() - margin - labelWidth;
    const int y = position.y() - margin - titleHeight;
    if (x < 0 || x >= mapWidth() || y < 0 || y / (rowHeight + rowGap) >= rows())
        return -1;
    return (y / (rowHeight + rowGap)) * content_.rowBytes + x * content_.rowBytes / mapWidth();
}

std::vector<const MapBlock*> AddressMap::blocksAt(std::int64_t offset) const {
    std::vector<const MapBlock*> found;
    for (const MapBlock& block : content_.blocks)
        if (offset >= block.begin && offset < block.end)
            found.push_back(&block);
    return found;
}

void AddressMap::mouseMoveEvent(QMouseEvent* event) {
    const std::int64_t offset = addressAt(event->pos());
    if (offset < 0) {
        QToolTip::hideText();
        emit hovered({});
        return;
    }
    QStringList lines{tr("Address 0x%1").arg(content_.base + offset, 0, 16)};
    for (const MapBlock* block : blocksAt(offset))
        lines.append(tr("%1 (%2%3)")
                         .arg(QString::fromStdString(block->name),
                              context_.preferences.bytes(block->end - block->begin),
                              block->alwaysLive ? tr(", always live") : QString()));
    if (lines.size() == 1)
        lines.append(tr("Gap"));
    QToolTip::showText(event->globalPosition().toPoint(), lines.join(QLatin1Char('\n')), this);
    emit hovered(lines.join(QStringLiteral("  \u00b7  ")));
}

void AddressMap::mousePressEvent(QMouseEvent* event) {
    const auto blocks = blocksAt(addressAt(event->pos()));
    if (!blocks.empty())
        emit variableClicked(blocks.back()->variable);
}

} // namespace tilescope::views
