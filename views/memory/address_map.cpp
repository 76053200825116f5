#include "views/memory/address_map.h"
#include "views/theme/text.h"

#include <QKeyEvent>
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

int rowTop(int row) {
    return margin + titleHeight + row * (rowHeight + rowGap);
}
} // namespace

std::int64_t TileAddresses::highest() const {
    std::int64_t highest = 0;
    for (const MapBlock& block : blocks)
        highest = std::max(highest, block.end);
    return highest;
}

QStringList blockLines(const std::vector<const MapBlock*>& blocks, const Preferences& preferences) {
    constexpr std::size_t mostLines = 12; // a tooltip must fit the screen
    QStringList lines;
    for (const MapBlock* block : blocks) {
        if (lines.size() == mostLines) {
            lines.append(AddressMap::tr("and %1 more").arg(blocks.size() - mostLines));
            break;
        }
        const QString size = preferences.bytes(block->end - block->begin);
        lines.append(QStringLiteral("%1 (%2)").arg(
            shownName(block->name),
            block->alwaysLive ? AddressMap::tr("%1, always live").arg(size) : size));
    }
    return lines;
}

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
    : PaintedWidget(context, parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Address map"));
    setAccessibleDescription(
        tr("Variables of a tile by their addresses; arrow keys walk from one to the next"));
}

void AddressMap::setContent(TileAddresses content, const QString& title) {
    content_ = std::move(content);
    title_ = title;
    // Small variables must not vanish under large ones that share their addresses.
    std::stable_sort(
        content_.blocks.begin(), content_.blocks.end(),
        [](const MapBlock& a, const MapBlock& b) { return a.end - a.begin > b.end - b.begin; });
    setMinimumHeight(sizeHint().height());
    updateGeometry();
    update();
}

void AddressMap::setStep(StepId step) {
    step_ = step;
    update();
}

void AddressMap::setSelected(VariableId variable) {
    selected_ = variable;
    update();
}

int AddressMap::rows() const {
    const std::int64_t end = std::max(content_.limit, content_.highest());
    return static_cast<int>((end + content_.rowBytes - 1) / content_.rowBytes);
}

int AddressMap::mapWidth() const {
    return std::max(10, width() - labelWidth - 2 * margin);
}

QSize AddressMap::sizeHint() const {
    return {480, titleHeight + rows() * (rowHeight + rowGap) + 2 * margin};
}

void AddressMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    painter.setPen(theme().text);
    painter.drawText(
        QRect(margin, 8, width() - 2 * margin, titleHeight), Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(shownText(title_), Qt::ElideRight, width() - 2 * margin));
    paintRows(painter);
    paintGaps(painter);
    paintBlocks(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme().accent, 1));
        painter.drawRect(QRect(1, 1, width() - 3, height() - 3));
    }
}

void AddressMap::paintRows(QPainter& painter) const {
    const int left = margin + labelWidth;
    for (int row = 0; row < rows(); ++row) {
        const std::int64_t offset = row * content_.rowBytes;
        const bool overflow = offset >= content_.limit;
        painter.fillRect(left, rowTop(row), mapWidth(), rowHeight,
                         overflow ? mixed(theme().bad, theme().surface, 0.8) : theme().raised);
        painter.setPen(offset >= content_.interleavedOffset ? theme().accent : theme().mutedText);
        painter.drawText(
            QRect(margin, rowTop(row), labelWidth - 10, rowHeight),
            Qt::AlignRight | Qt::AlignVCenter,
            QStringLiteral("0x%1").arg(content_.base + offset, 5, 16, QLatin1Char('0')));
    }
}

void AddressMap::paintGaps(QPainter& painter) const {
    std::vector<MapBlock> asBlocks;
    for (const AddressRange& gap : content_.gaps)
        asBlocks.push_back({gap.begin, gap.end, {}, {}, {}, false, {}});
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(theme().mutedText, Qt::BDiagPattern));
    for (const MapPiece& piece : mapPieces(asBlocks, content_.rowBytes, mapWidth()))
        painter.drawRect(QRectF(margin + labelWidth + piece.x0, rowTop(piece.row),
                                piece.x1 - piece.x0, rowHeight));
    painter.setBrush(Qt::NoBrush);
}

void AddressMap::paintBlocks(QPainter& painter) const {
    const int left = margin + labelWidth;
    const auto pieces = mapPieces(content_.blocks, content_.rowBytes, mapWidth());
    const auto boxOf = [&](const MapPiece& piece) {
        return QRectF(left + piece.x0, rowTop(piece.row), std::max(1.0, piece.x1 - piece.x0),
                      rowHeight);
    };
    for (const bool live : {false, true})
        for (const MapPiece& piece : pieces) {
            const MapBlock& block = content_.blocks[piece.block];
            if (shows(block) != live)
                continue;
            const QRectF box = boxOf(piece);
            const QColor colour = theme().category(block.category);
            // Variables that are not live are faded, as their addresses are free for others.
            painter.fillRect(box, live ? colour : mixed(colour, theme().surface, 0.82));
            // A thin line of background separates neighbours of one category.
            if (box.width() > 3)
                painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()),
                                 theme().surface);
        }
    painter.setPen(QPen(theme().text, 2));
    for (const MapPiece& piece : pieces)
        if (selected_.valid() && content_.blocks[piece.block].variable == selected_)
            painter.drawRect(boxOf(piece).adjusted(1, 1, -1, -1));
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
        if (offset >= block.begin && offset < block.end && shows(block))
            found.push_back(&block);
    return found;
}

std::optional<AddressRange> AddressMap::gapAt(std::int64_t offset) const {
    for (const AddressRange& gap : content_.gaps)
        if (offset >= gap.begin && offset < gap.end)
            return gap;
    return {};
}

QPoint AddressMap::placeOf(VariableId variable) const {
    for (const MapPiece& piece : mapPieces(content_.blocks, content_.rowBytes, mapWidth()))
        if (content_.blocks[piece.block].variable == variable)
            return {margin + labelWidth + static_cast<int>((piece.x0 + piece.x1) / 2),
                    rowTop(piece.row) + rowHeight / 2};
    return {};
}

void AddressMap::mouseMoveEvent(QMouseEvent* event) {
    const std::int64_t offset = addressAt(event->pos());
    if (offset < 0) {
        QToolTip::hideText();
        emit hovered({});
        return;
    }
    QStringList lines{tr("Address 0x%1").arg(content_.base + offset, 0, 16)};
    lines += blockLines(blocksAt(offset), context().preferences);
    if (const auto gap = gapAt(offset))
        lines.append(tr("Gap of %1 from 0x%2")
                         .arg(context().preferences.bytes(gap->bytes()))
                         .arg(content_.base + gap->begin, 0, 16));
    else if (lines.size() == 1)
        lines.append(offset < content_.limit ? tr("Free") : tr("Beyond the tile's memory"));
    QToolTip::showText(event->globalPosition().toPoint(), shownLines(lines.join(QLatin1Char('\n'))),
                       this);
    emit hovered(lines.join(QStringLiteral("  \u00b7  ")));
}

void AddressMap::mousePressEvent(QMouseEvent* event) {
    const auto blocks = blocksAt(addressAt(event->pos()));
    if (!blocks.empty())
        emit variableClicked(blocks.back()->variable);
}

void AddressMap::keyPressEvent(QKeyEvent* event) {
    const bool next = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    if (!next && event->key() != Qt::Key_Left && event->key() != Qt::Key_Up)
        return QWidget::keyPressEvent(event);
    // Blocks by address; those that share one by their ids.
    std::vector<std::pair<std::int64_t, VariableId>> order;
    std::optional<std::pair<std::int64_t, VariableId>> from;
    for (const MapBlock& block : content_.blocks) {
        if (!shows(block))
            continue;
        order.emplace_back(block.begin, block.variable);
        if (block.variable == selected_)
            from = order.back();
    }
    std::sort(order.begin(), order.end());
    if (order.empty())
        return;
    auto at = from ? std::lower_bound(order.begin(), order.end(), *from) : order.begin();
    if (from && next && at + 1 != order.end())
        ++at;
    if (from && !next && at != order.begin())
        --at;
    emit variableClicked(at->second);
}

} // namespace tilescope::views
