#include "views/memory/tile_map.h"
#include "views/theme/text.h"

#include <QElapsedTimer>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

namespace tilescope::views {

TileMap::TileMap(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Tile map"));
    setAccessibleDescription(tr("Tiles on the floor plan of the chip, coloured by their memory; "
                                "arrow keys walk, Enter selects, Shift+Enter adds"));
    connect(&context.theme, &ThemeSource::changed, this, &TileMap::invalidate);
}

void TileMap::setContent(TileMapContent content) {
    content_ = std::move(content);
    if (!content_.sides.empty() && cursor_.value() >= content_.sides.front().machine.totalTiles())
        cursor_ = TileId();
    invalidate();
}

void TileMap::setFrame(const std::vector<std::int64_t>& values) {
    if (content_.sides.size() != 1 || content_.sides.front().values.size() != values.size())
        return;
    QElapsedTimer clock;
    clock.start();
    TileMapSide& side = content_.sides.front();
    if (!tiles_.isNull())
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != side.values[i])
                fillBox(boxes_.front()[i], quickColourOf(side, values[i]));
    side.values = values;
    frameMs_ += static_cast<double>(clock.nsecsElapsed()) / 1e6;
    update();
    sayAgain();
}

void TileMap::setScale(ColourScale scale) {
    scale_ = scale;
    invalidate();
}

void TileMap::setRange(Range range) {
    range_ = range;
    invalidate();
}

void TileMap::setIpu(IpuId ipu) {
    if (ipu == ipu_)
        return;
    ipu_ = ipu;
    invalidate();
}

void TileMap::setSelected(std::vector<TileId> tiles) {
    selected_ = std::move(tiles);
    update();
}

void TileMap::invalidate() {
    said_.reset(); // the tile may have moved or vanished
    tiles_ = QImage();
    lay();
    update();
}

double TileMap::low() const {
    return range_ == Range::SmallestToLargest ? static_cast<double>(content_.smallest) : 0;
}

double TileMap::high() const {
    const auto largest = static_cast<double>(content_.largest);
    return range_ == Range::TileMemory && content_.limit > 0
               ? std::max(static_cast<double>(content_.limit), 1.0)
               : std::max(largest, low() + 1);
}

QColor TileMap::colourOf(const TileMapSide& side, std::int64_t value) const {
    const auto real = static_cast<double>(value);
    if (side.difference)
        return changeScaleColour(
            real / static_cast<double>(std::max<std::int64_t>(1, content_.largestDifference)),
            theme());
    // No colour of the scale says "too much".
    if (range_ == Range::TileMemory && content_.limit > 0 && value > content_.limit)
        return tooMuchColour(theme());
    return scaleColour(scale_, (real - low()) / (high() - low()), theme());
}

QRectF TileMap::tileRect(std::size_t side, TileId tile) const {
    const std::int32_t perIpu = content_.sides.at(side).machine.tilesPerIpu;
    return layouts_.at(side).tileRect(tile.value() / perIpu - firstIpu(), tile.value() % perIpu);
}

std::optional<TileMap::At> TileMap::at(const QPointF& position) const {
    for (std::size_t side = 0; side < layouts_.size(); ++side)
        if (const auto hit = layouts_[side].hit(position)) {
            const Target& machine = content_.sides[side].machine;
            return At{side,
                      TileId((hit->chip + firstIpu()) * machine.tilesPerIpu + hit->tileOnIpu)};
        }
    return {};
}

QString TileMap::textOf(std::int64_t value, bool difference) const {
    if (content_.perCent)
        return tr("%1 %").arg(value);
    return difference ? context().preferences.signedBytes(value)
                      : context().preferences.bytes(value);
}

QString TileMap::textOf(const At& at) const {
    const TileMapSide& side = content_.sides[at.side];
    const std::int32_t perIpu = side.machine.tilesPerIpu;
    const std::int32_t onIpu = at.tile.value() % perIpu;
    const TilePlace place = layouts_[at.side].plan().place(onIpu);
    const std::int32_t ipu = at.tile.value() / perIpu;
    QStringList lines{side.placesKnown ? tr("Tile %1 (IPU %2, physical tile %3)")
                                             .arg(at.tile.value())
                                             .arg(ipu)
                                             .arg(physicalTileId(side.machine, onIpu))
                                       : tr("Tile %1 (IPU %2)").arg(at.tile.value()).arg(ipu)};
    if (side.placesKnown && layouts_[at.side].plan().hasExchangeColumns())
        lines.append(
            tr("Exchange column %1, row %2").arg(place.column / tilesPerIsland).arg(place.row));
    for (const TileMapSide& each : content_.sides) {
        const std::size_t index = at.tile.index();
        if (index >= each.values.size())
            continue;
        const QString value = textOf(each.values[index], each.difference);
        lines.append(each.title.isEmpty() ? QStringLiteral("%1: %2").arg(content_.quantity, value)
                                          : QStringLiteral("%1: %2").arg(each.title, value));
    }
    return lines.join(QLatin1Char('\n'));
}

void TileMap::say(const At& at, const QPoint& globalPosition) {
    const QString text = textOf(at);
    said_ = Said{at, shownLines(text), globalPosition};
    QToolTip::showText(globalPosition, said_->tip, this);
    emit hovered(QString(text).replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  ")));
}

// The tool tip is about the frame before. One that has been closed does not come back.
void TileMap::sayAgain() {
    if (!said_)
        return;
    const QString text = textOf(said_->at);
    const bool tipIsThere = QToolTip::isVisible() && QToolTip::text() == said_->tip;
    said_->tip = shownLines(text);
    if (tipIsThere)
        QToolTip::showText(said_->position, said_->tip, this);
    emit hovered(QString(text).replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  ")));
}

void TileMap::mouseMoveEvent(QMouseEvent* event) {
    if (const auto under = at(event->position()))
        return say(*under, event->globalPosition().toPoint());
    said_.reset();
    QToolTip::hideText();
    emit hovered({});
}

void TileMap::mousePressEvent(QMouseEvent* event) {
    const TileId under = tileAt(event->position());
    if (event->button() != Qt::LeftButton || !under.valid())
        return;
    cursor_ = under;
    emit tileClicked(under, event->modifiers());
}

// Selected tiles are always the source's.
TileId TileMap::tileAt(const QPointF& position) const {
    const auto under = at(position);
    return under && isOfSource(under->tile) ? under->tile : TileId();
}

// The only side may be the target's.
bool TileMap::isOfSource(TileId tile) const {
    const ProfileViewPtr& source = context().reports.source();
    return tile.value() < content_.sides.front().machine.totalTiles() &&
           (!source || tile.value() < source->machine().totalTiles());
}

void TileMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (!cursor_.valid() && !content_.sides.empty())
        cursor_ = selected_.empty()
                      ? TileId(firstIpu() * content_.sides.front().machine.tilesPerIpu)
                      : selected_.back();
}

void TileMap::keyPressEvent(QKeyEvent* event) {
    if (content_.sides.empty() || !cursor_.valid())
        return QWidget::keyPressEvent(event);
    TilePlace step;
    switch (event->key()) {
    case Qt::Key_Left:
        step.column = -1;
        break;
    case Qt::Key_Right:
        step.column = 1;
        break;
    case Qt::Key_Up:
        step.row = -1;
        break;
    case Qt::Key_Down:
        step.row = 1;
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (isOfSource(cursor_))
            emit tileClicked(cursor_, event->modifiers());
        return;
    case Qt::Key_Escape:
        return context().selection.clear();
    default:
        return QWidget::keyPressEvent(event);
    }
    const std::int32_t perIpu = content_.sides.front().machine.tilesPerIpu;
    const FloorPlan& plan = layouts_.front().plan();
    const TilePlace from = plan.place(cursor_.value() % perIpu);
    const std::int32_t next = plan.tileAt({from.column + step.column, from.row + step.row});
    if (next < 0)
        return;
    cursor_ = TileId(cursor_.value() / perIpu * perIpu + next);
    update();
    say({0, cursor_}, mapToGlobal(tileRect(0, cursor_).bottomRight().toPoint()));
}

} // namespace tilescope::views
