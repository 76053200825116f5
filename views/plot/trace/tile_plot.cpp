#include "views/plot/trace/tile_plot.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {
constexpr double fewestTiles = 8; // as far as one can zoom in
constexpr double gapShare = 0.04; // between two IPUs, as a share of an IPU
constexpr double zoomStep = 1.25;
constexpr qsizetype mostNames = 500; // laid out at a time
} // namespace

TilePlot::TilePlot(ViewContext& context, QWidget* parent)
    : CyclePlot(context, parent)
    , tiles_(new TilePlottable(xAxis, yAxis, context.theme)) {
    context.history.follow(rows_);
    connect(&rows_, &ZoomRange::changed, this, &TilePlot::showRows);
    connect(&scrollBar(), &QScrollBar::valueChanged, this,
            [this](int value) { rows_.setRange(value, value + rows_.span()); });
}

double TilePlot::laneGap() const {
    return lanes_.size() < 2 ? 0 : gapShare * lanes_.front().tiles;
}

double TilePlot::laneTop(std::size_t lane) const {
    double top = 0;
    for (std::size_t i = 0; i < lane; ++i)
        top += lanes_[i].tiles + laneGap();
    return top;
}

TilePlot::Place TilePlot::placeAt(double y) const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const double tile = std::floor(y - laneTop(lane));
        if (tile >= 0 && tile < lanes_[lane].tiles)
            return {lane, static_cast<std::int32_t>(tile)};
    }
    return {};
}

void TilePlot::setLanes(std::vector<Lane> lanes) {
    const bool same = std::equal(
        lanes.begin(), lanes.end(), lanes_.begin(), lanes_.end(),
        [](const Lane& a, const Lane& b) { return a.tiles == b.tiles && a.name == b.name; });
    if (same)
        return;
    lanes_ = std::move(lanes);
    const double all = lanes_.empty() ? 1 : laneTop(lanes_.size()) - laneGap();
    rows_.setLimits(0, all, std::min(fewestTiles, all));
    showRows();
}

void TilePlot::showRows() {
    yAxis->setRange(rows_.from(), rows_.to());
    QScrollBar& scroll = scrollBar();
    const QSignalBlocker blocker(scroll);
    scroll.setRange(0, static_cast<int>(std::ceil(rows_.last() - rows_.span())));
    scroll.setPageStep(std::max(1, static_cast<int>(rows_.span())));
    scroll.setSingleStep(std::max(1, static_cast<int>(rows_.span() / 10)));
    scroll.setValue(static_cast<int>(rows_.from()));
    scroll.setVisible(!rows_.showsAll());
    replotSoon();
}

void TilePlot::wheelEvent(QWheelEvent* event) {
    const int delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers().testFlag(Qt::ControlModifier))
        rows_.zoomAt(yAxis->pixelToCoord(event->position().y()),
                     std::pow(zoomStep, -delta / 120.0));
    else if (event->modifiers().testFlag(Qt::ShiftModifier))
        rows_.panBy(-delta / 1200.0);
    else
        return CyclePlot::wheelEvent(event);
    event->accept();
}

void TilePlot::keyPressEvent(QKeyEvent* event) {
    const double centre = (rows_.from() + rows_.to()) / 2;
    constexpr double keyPan = 0.15;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return rows_.zoomAt(centre, 1 / zoomStep);
    case Qt::Key_Minus:
        return rows_.zoomAt(centre, zoomStep);
    case Qt::Key_PageUp:
        return rows_.panBy(-keyPan);
    case Qt::Key_PageDown:
        return rows_.panBy(keyPan);
    case Qt::Key_F:
    case Qt::Key_Home:
        rows_.fit();
        break;
    default:
        break;
    }
    CyclePlot::keyPressEvent(event);
}

// If there is no room the tiles are left out first, then the line breaks, then the name.
QStaticText TilePlot::layOutName(const QSize& room, const QString& name,
                                 const QString& tiles) const {
    const QFontMetrics metrics(font());
    constexpr int flags = Qt::AlignRight | Qt::AlignTop | Qt::TextWordWrap;
    const auto fits = [&](const QString& text) {
        return metrics.boundingRect(QRect(QPoint(), room), flags, text).height() <= room.height();
    };
    QString text = name + QLatin1Char('\n') + tiles;
    if (!fits(text))
        text = name;
    if (!fits(text))
        text = metrics.elidedText(QString(text).replace(QLatin1Char('\n'), QLatin1Char(' ')),
                                  Qt::ElideLeft, room.width());
    QStaticText laidOut(text.replace(QLatin1Char('\n'), QChar::LineSeparator));
    QTextOption option(Qt::AlignRight);
    option.setWrapMode(QTextOption::WordWrap);
    laidOut.setTextFormat(Qt::PlainText);
    laidOut.setTextOption(option);
    laidOut.setTextWidth(room.width());
    laidOut.setPerformanceHint(QStaticText::AggressiveCaching);
    laidOut.prepare({}, font());
    return laidOut;
}

// Names do not change from frame to frame unless tiles are zoomed or moved.
const QStaticText& TilePlot::nameIn(const QSize& room, const QString& name, const QString& tiles) {
    if (font() != namesFont_ || names_.size() > mostNames) {
        names_.clear();
        namesFont_ = font();
    }
    const QString key =
        QStringLiteral("%1\n%2\n%3x%4").arg(name, tiles).arg(room.width()).arg(room.height());
    const auto known = names_.find(key);
    return known != names_.end() ? *known : *names_.insert(key, layOutName(room, name, tiles));
}

void TilePlot::paintExtra(QPainter& painter) {
    paintAxisNames(painter);
    const QRect plot = axisRect()->rect();
    painter.setClipRect(QRect(0, plot.top(), width(), plot.height()));
    painter.setPen(theme().text);
    double first = 0;
    double free = plot.top() - 1; // where the name above ends
    for (std::size_t lane = 0; lane < lanes_.size(); first += lanes_[lane++].tiles + laneGap()) {
        const double top = yAxis->coordToPixel(std::max(first, rows_.from()));
        const double bottom = yAxis->coordToPixel(std::min(first + lanes_[lane].tiles, rows_.to()));
        if (bottom <= top || top < free)
            continue;
        // The visible tiles are written below the name.
        const int from = std::max(0, static_cast<int>(std::floor(rows_.from() - first)));
        const int to = std::min(static_cast<int>(lanes_[lane].tiles),
                                static_cast<int>(std::ceil(rows_.to() - first)));
        const QStaticText& name =
            nameIn(QSize(leftMargin - 10, static_cast<int>(bottom - top)), lanes_[lane].name,
                   tr("tiles %1 to %2").arg(from).arg(to - 1));
        painter.drawStaticText(QPointF(0, top), name);
        free = top + name.size().height();
    }
    paintFlags(painter);
    painter.setClipping(false);
}

} // namespace tilescope::views
