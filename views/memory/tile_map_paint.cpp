// How the tile map looks.
#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/memory/tile_map.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {
constexpr int margin = 14;
constexpr int keyHeight = 44;
constexpr int scaleBarWidth = 220;
constexpr int scaleBarHeight = 10;
} // namespace

void TileMap::lay() {
    layouts_.clear();
    const auto sides = static_cast<int>(content_.sides.size());
    if (sides == 0)
        return;
    const QRectF room = QRectF(rect()).adjusted(margin, 6, -margin, -keyHeight - 4);
    constexpr double between = 24;
    const double width = (room.width() - (sides - 1) * between) / sides;
    for (int i = 0; i < sides; ++i) {
        const Target& machine = content_.sides[static_cast<std::size_t>(i)].machine;
        const bool one = ipu_.valid() && ipu_.value() < machine.ipus;
        layouts_.emplace_back(
            FloorPlan(machine), one ? 1 : machine.ipus, 0,
            QRectF(room.left() + i * (width + between), room.top(), width, room.height()));
    }
}

// Steps of the scale that no eye tells apart; a colour of its own for each value takes as long as
// painting it.
void TileMap::paintAll() {
    constexpr int steps = 512;
    colours_.clear();
    for (int i = 0; i < steps; ++i)
        colours_.push_back(scaleColour(scale_, i / (steps - 1.0), theme()).rgb());
    const double ratio = devicePixelRatioF();
    tiles_ = QImage(size() * ratio, QImage::Format_RGB32);
    tiles_.setDevicePixelRatio(ratio);
    {
        QPainter painter(&tiles_);
        painter.setFont(font());
        paintTitles(painter);
    }
    placeBoxes(ratio);
    for (std::size_t s = 0; s < boxes_.size(); ++s)
        for (std::size_t i = 0; i < boxes_[s].size(); ++i)
            fillBox(boxes_[s][i], quickColourOf(content_.sides[s], content_.sides[s].values[i]));
}

QRgb TileMap::quickColourOf(const TileMapSide& side, std::int64_t value) const {
    const bool tooMuch =
        range_ == Range::TileMemory && content_.limit > 0 && value > content_.limit;
    if (side.difference || tooMuch)
        return colourOf(side, value).rgb();
    const double share = (static_cast<double>(value) - low()) / (high() - low());
    const auto last = static_cast<double>(colours_.size() - 1);
    return colours_[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * last + 0.5)];
}

void TileMap::placeBoxes(double ratio) {
    boxes_.assign(layouts_.size(), {});
    for (std::size_t s = 0; s < layouts_.size(); ++s) {
        const TileMapLayout& layout = layouts_[s];
        const TileMapSide& side = content_.sides[s];
        const std::int32_t perIpu = side.machine.tilesPerIpu;
        boxes_[s].resize(side.values.size());
        // A hair of background between tiles, where there is room for it.
        const double hair = layout.cellWidth() >= 5 ? 1 : 0;
        for (int chip = 0; chip < layout.chips(); ++chip)
            for (std::int32_t tile = 0; tile < perIpu; ++tile) {
                const auto index = static_cast<std::size_t>((chip + firstIpu()) * perIpu + tile);
                if (index >= side.values.size())
                    break;
                const QRectF at = layout.tileRect(chip, tile).adjusted(0, 0, -hair, -hair);
                const QPoint from(qRound(at.left() * ratio), qRound(at.top() * ratio));
                const QPoint to(qRound(at.right() * ratio), qRound(at.bottom() * ratio));
                boxes_[s][index] = QRect(from, QSize(std::max(1, to.x() - from.x()),
                                                     std::max(1, to.y() - from.y())))
                                       .intersected(tiles_.rect());
            }
    }
}

void TileMap::fillBox(const QRect& box, QRgb colour) {
    for (int y = box.top(); y <= box.bottom(); ++y)
        std::fill_n(reinterpret_cast<QRgb*>(tiles_.scanLine(y)) + box.left(), box.width(), colour);
}

void TileMap::paintTitles(QPainter& painter) const {
    painter.fillRect(rect(), theme().surface);
    for (std::size_t s = 0; s < layouts_.size(); ++s) {
        const TileMapLayout& layout = layouts_[s];
        const TileMapSide& side = content_.sides[s];
        for (int chip = 0; chip < layout.chips(); ++chip) {
            const int ipu = chip + firstIpu();
            const QRectF line = layout.titleRect(chip);
            // Small chips have no room to write the direction of the difference: signs show it.
            constexpr double small = 300;
            QStringList title;
            if (!side.title.isEmpty())
                title.append(line.width() < small ? side.title.section(QStringLiteral(" ("), 0, 0)
                                                  : side.title);
            if (side.machine.ipus > 1 || side.title.isEmpty())
                title.append(tr("IPU %1").arg(ipu));
            painter.setPen(theme().text);
            painter.drawText(
                line, Qt::AlignLeft | Qt::AlignVCenter,
                painter.fontMetrics().elidedText(shownText(title.join(QStringLiteral(", "))),
                                                 Qt::ElideRight, static_cast<int>(line.width())));
        }
    }
}

void TileMap::paintMarks(QPainter& painter) const {
    const auto frame = [&](std::size_t side, TileId tile, const QColor& colour, double width) {
        const Target& machine = content_.sides[side].machine;
        const std::int32_t chip = tile.value() / machine.tilesPerIpu - firstIpu();
        if (tile.value() >= machine.totalTiles() || chip < 0 || chip >= layouts_[side].chips())
            return;
        const QRectF box = tileRect(side, tile).adjusted(-1, -1, 0, 0);
        // With two colours the frame stands out from every colour of the scale.
        painter.setPen(QPen(theme().surface, width + 2));
        painter.drawRect(box);
        painter.setPen(QPen(colour, width));
        painter.drawRect(box);
    };
    painter.setBrush(Qt::NoBrush);
    for (std::size_t side = 0; side < layouts_.size(); ++side) {
        for (const TileId tile : selected_)
            frame(side, tile, theme().text, 2);
    }
    if (hasFocus() && cursor_.valid() && !layouts_.empty())
        frame(0, cursor_, theme().accent, 2);
}

void TileMap::paintScaleBar(QPainter& painter, const QRect& bar, bool difference) const {
    for (int x = 0; x < bar.width(); ++x) {
        const double share = static_cast<double>(x) / (bar.width() - 1);
        painter.fillRect(bar.left() + x, bar.top(), 1, bar.height(),
                         difference ? changeScaleColour(2 * share - 1, theme())
                                    : scaleColour(scale_, share, theme()));
    }
    const auto end = [&](double value) {
        return textOf(static_cast<std::int64_t>(value), difference);
    };
    const auto most = static_cast<double>(content_.largestDifference);
    const QRect line(bar.left(), bar.bottom() + 2, bar.width(), painter.fontMetrics().height());
    painter.setPen(theme().mutedText);
    painter.drawText(line, Qt::AlignLeft, end(difference ? -most : low()));
    painter.drawText(line, Qt::AlignRight, end(difference ? most : high()));
}

void TileMap::paintKey(QPainter& painter) const {
    const int top = height() - keyHeight + 8;
    QRect bar(margin, top, scaleBarWidth, scaleBarHeight);
    paintScaleBar(painter, bar, false);
    const bool differs = std::any_of(content_.sides.begin(), content_.sides.end(),
                                     [](const TileMapSide& side) { return side.difference; });
    if (differs) {
        bar.translate(scaleBarWidth + 24, 0);
        paintScaleBar(painter, bar, true);
    }
    const bool columns = !layouts_.empty() && layouts_.front().plan().hasExchangeColumns();
    const QString plan =
        columns ? tr("%1 exchange columns of %2 rows with islands of %3 tiles; the place of "
                     "each tile is assumed")
                      .arg(chipColumns)
                      .arg(layouts_.front().plan().rows())
                      .arg(tilesPerIsland)
                : tr("Tiles by physical id: the tiles of this machine do not fill all exchange "
                     "columns");
    const QRect text(bar.right() + 20, top - 4, width() - bar.right() - 20 - margin, keyHeight);
    const QFontMetrics metrics = painter.fontMetrics();
    painter.setPen(theme().text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, content_.quantity);
    if (range_ == Range::TileMemory && content_.limit > 0 && content_.largest > content_.limit) {
        constexpr int swatch = 11;
        const int left = text.left() + metrics.horizontalAdvance(content_.quantity) + 18;
        painter.fillRect(left, text.top() + (metrics.height() - swatch) / 2, swatch, swatch,
                         tooMuchColour(theme()));
        painter.drawText(text.adjusted(left - text.left() + swatch + 6, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignTop, tr("Over a tile's memory"));
    }
    painter.setPen(theme().mutedText);
    painter.drawText(text.adjusted(0, metrics.height(), 0, 0), Qt::AlignLeft | Qt::AlignTop,
                     metrics.elidedText(shownText(plan), Qt::ElideRight, text.width()));
}

void TileMap::paintEvent(QPaintEvent*) {
    QElapsedTimer clock;
    clock.start();
    if (tiles_.isNull())
        paintAll();
    QPainter painter(this);
    painter.drawImage(0, 0, tiles_);
    if (!layouts_.empty()) {
        paintMarks(painter);
        paintKey(painter);
    }
    if (frameMs_ > 0) { // of a film, whose frames are timed like those of plots
        const double before = std::exchange(frameMs_, 0);
        context().frameTimes.record(before + static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
}

} // namespace tilescope::views
