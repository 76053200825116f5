#include "views/pipeline/slot_diagram.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int laneHeight = 26;
constexpr int laneGap = 4;
constexpr int headerHeight = 40; // two lines: the part, how often
constexpr int rightMargin = 12;
constexpr int bottomMargin = 8;
constexpr int narrowestSlot = 22;
constexpr int groupGap = 6;
constexpr int occupancyBar = 56; // pixels
constexpr int occupancyGap = 14;

} // namespace

QColor workColour(const Theme& theme, SlotWork work) {
    // Of Theme::series(): blue, sky, orange, green; grey for work outside the model.
    switch (work) {
    case SlotWork::Forward:
        return theme.series(0);
    case SlotWork::Recompute:
        return theme.series(4);
    case SlotWork::Backward:
        return theme.series(1);
    case SlotWork::Update:
        return theme.series(2);
    case SlotWork::Fifo:
        break;
    }
    return mixed(theme.mutedText, theme.surface, 0.3);
}

QColor idleColour(const Theme& theme) {
    return mixed(theme.border, theme.surface, theme.dark ? 0.25 : 0.45);
}

SlotDiagram::SlotDiagram(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Slots of the pipeline"));
}

void SlotDiagram::setSide(PipelineSide side) {
    side_ = std::move(side);
    relayout();
}

void SlotDiagram::setWidths(SlotWidths widths) {
    widths_ = widths;
    relayout();
}

void SlotDiagram::relayout() {
    layout_ = slotLayout(side_.report, widths_);
    scale_ = ownScale();
    chosen_ = -1;
    updateGeometry();
    update();
}

SlotDiagram::Scale SlotDiagram::ownScale() const {
    return {layout_.width, groupGap * std::max(0, static_cast<int>(layout_.groups.size()) - 1),
            occupancyWidth()};
}

void SlotDiagram::setScale(const Scale& scale) {
    scale_ = scale;
    update();
}

void SlotDiagram::choose(int piece) {
    chosen_ = piece;
    update();
}

QSize SlotDiagram::minimumSizeHint() const {
    const auto columns = static_cast<int>(layout_.columns.size());
    const auto stages = static_cast<int>(side_.report.stages.size());
    return {labelWidth() + columns * narrowestSlot +
                static_cast<int>(layout_.groups.size()) * groupGap + rightMargin + occupancyWidth(),
            headerHeight + stages * (laneHeight + laneGap) + bottomMargin};
}

int SlotDiagram::labelWidth() const {
    constexpr int margin = 28;
    return fontMetrics().horizontalAdvance(tr("Stage %1 (IPU %2)").arg(88).arg(88)) + margin;
}

// Parts are a little apart, so that a position also moves by the gaps before it.
double SlotDiagram::pixelOf(double position) const {
    const double room =
        std::max(1, width() - labelWidth() - rightMargin - scale_.right - scale_.gaps);
    double before = 0;
    for (const SlotGroup& group : layout_.groups)
        if (group.from > 0 && position >= group.from)
            before += groupGap;
    return labelWidth() + before + (scale_.units > 0 ? position / scale_.units * room : 0);
}

double SlotDiagram::laneTop(std::size_t stage) const {
    return headerHeight + static_cast<double>(stage) * (laneHeight + laneGap);
}

QRectF SlotDiagram::rectOf(int piece) const {
    const SlotPiece& p = layout_.pieces.at(static_cast<std::size_t>(piece));
    const double left = pixelOf(p.from);
    // The end of a part is where its last piece ends, not where the next part begins.
    const double unit = pixelOf(p.from + (p.to - p.from) * 0.5) - left;
    return {left, laneTop(static_cast<std::size_t>(p.stage)), std::max(1.0, 2 * unit - 1),
            laneHeight};
}

void SlotDiagram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    paintGroups(painter);
    paintLanes(painter);
    paintPieces(painter);
    paintOccupancy(painter);
}

bool SlotDiagram::hasOccupancy() const {
    return std::any_of(side_.report.stages.begin(), side_.report.stages.end(),
                       [](const PipelineStage& stage) { return stage.occupancy > 0; });
}

int SlotDiagram::occupancyWidth() const {
    if (!hasOccupancy())
        return 0;
    const int share = fontMetrics().horizontalAdvance(QStringLiteral("100.0 %"));
    return occupancyGap +
           std::max(share + occupancyBar + 8, fontMetrics().horizontalAdvance(tr("Occupancy")));
}

void SlotDiagram::paintOccupancy(QPainter& painter) const {
    if (!hasOccupancy())
        return;
    const int right = width() - rightMargin;
    const int left = right - occupancyWidth() + occupancyGap;
    painter.setPen(theme().mutedText);
    painter.drawText(QRect(left, 2, right - left, fontMetrics().height()),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Occupancy"));
    for (std::size_t i = 0; i < side_.report.stages.size(); ++i) {
        const double share = std::clamp(side_.report.stages[i].occupancy, 0.0, 1.0);
        constexpr int barHeight = 8;
        const QRectF track(left, laneTop(i) + (laneHeight - barHeight) / 2.0, occupancyBar,
                           barHeight);
        painter.fillRect(track, idleColour(theme()));
        painter.fillRect(QRectF(track.topLeft(), QSizeF(share * track.width(), barHeight)),
                         theme().accent);
        painter.setPen(theme().text);
        painter.drawText(QRectF(track.right(), laneTop(i), right - track.right(), laneHeight),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1));
    }
}

void SlotDiagram::paintGroups(QPainter& painter) const {
    const int line = fontMetrics().height();
    double written = 0; // how far the names reach
    for (const SlotGroup& group : layout_.groups) {
        const double left = pixelOf(group.from);
        const double right = pixelOf(group.from + (group.to - group.from) * 0.999999);
        const QRectF band(left, headerHeight - 5, right - left - 1, 2);
        painter.fillRect(band, theme().border);
        QString times;
        if (group.repeats > 1)
            times = tr("\u00d7 %1").arg(countText(group.repeats));
        else if (!group.isUpdate)
            times = group.slotCount == 1 ? tr("1 slot")
                                         : tr("%1 slots").arg(countText(group.slotCount));
        // A narrow part may have its name above the end of the part before it.
        const double needed = fontMetrics().horizontalAdvance(groupName(group)) + 1;
        const double begin = std::max(std::min(left, right - needed), written);
        const QRectF room(begin, 2, std::max(right - begin, 1.0), line);
        written = begin + needed + groupGap;
        const auto write = [&](const QString& text, const QRectF& place, const QColor& colour) {
            painter.setPen(colour);
            // The begin of a name says more than nothing; the tool tip has all of it.
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                             fontMetrics().elidedText(shownText(text), Qt::ElideRight,
                                                      static_cast<int>(place.width())));
        };
        write(groupName(group), room, theme().text);
        write(times, room.translated(0, line - 1),
              group.repeats > 1 ? theme().accent : theme().mutedText);
    }
}

void SlotDiagram::paintLanes(QPainter& painter) const {
    for (std::size_t i = 0; i < side_.report.stages.size(); ++i) {
        const PipelineStage& stage = side_.report.stages[i];
        painter.setPen(theme().text);
        QFont font = this->font();
        font.setBold(stage.stage == side_.report.longestStage);
        painter.setFont(font);
        painter.drawText(QRectF(leftMargin, laneTop(i), labelWidth() - leftMargin, laneHeight),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         tr("Stage %1 (IPU %2)").arg(stage.stage).arg(stage.ipu.value()));
        for (const SlotColumn& column : layout_.columns) {
            const double left = pixelOf(column.from);
            const double right = pixelOf(column.from + (column.to - column.from) * 0.999999);
            painter.fillRect(QRectF(left, laneTop(i), right - left - 1, laneHeight),
                             idleColour(theme()));
        }
    }
    painter.setFont(font());
}

void SlotDiagram::paintPieces(QPainter& painter) const {
    for (std::size_t i = 0; i < layout_.pieces.size(); ++i) {
        const SlotPiece& piece = layout_.pieces[i];
        const QRectF box = rectOf(static_cast<int>(i));
        const QColor colour = workColour(theme(), piece.work);
        painter.fillRect(box, colour);
        const QString label = shownName(piece.label());
        if (fontMetrics().horizontalAdvance(label) + 2 <= box.width()) {
            painter.setPen(Theme::textOn(colour));
            painter.drawText(box, Qt::AlignCenter, label);
        }
    }
    if (chosen_ < 0)
        return;
    painter.setPen(QPen(theme().text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rectOf(chosen_).adjusted(0, 0, 0, -1));
    if (hasFocus()) {
        painter.setPen(QPen(theme().surface, 1));
        painter.drawRect(rectOf(chosen_).adjusted(2, 2, -2, -3));
    }
}

int SlotDiagram::pieceUnder(const QPointF& position) const {
    for (std::size_t i = 0; i < layout_.pieces.size(); ++i)
        if (rectOf(static_cast<int>(i)).contains(position))
            return static_cast<int>(i);
    return -1;
}

void SlotDiagram::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    choose(pieceUnder(event->position()));
    emit pieceChosen(chosen_);
}

void SlotDiagram::mouseDoubleClickEvent(QMouseEvent* event) {
    const int piece = pieceUnder(event->position());
    if (event->button() == Qt::LeftButton && piece >= 0)
        emit pieceActivated(piece);
}

void SlotDiagram::keyPressEvent(QKeyEvent* event) {
    const auto go = [this](int along, int across) {
        choose(neighbourOf(layout_, chosen_, along, across));
        emit pieceChosen(chosen_);
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return go(-1, 0);
    case Qt::Key_Right:
        return go(1, 0);
    case Qt::Key_Up:
        return go(0, -1);
    case Qt::Key_Down:
        return go(0, 1);
    case Qt::Key_Escape:
        choose(-1);
        emit pieceChosen(-1);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_ >= 0)
            emit pieceActivated(chosen_);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

QString SlotDiagram::toolTipAt(const QPoint& position) const {
    const int piece = pieceUnder(position);
    if (hasOccupancy() && position.x() > width() - rightMargin - occupancyWidth() + occupancyGap)
        return tr("The share of the step in which the IPU of the stage runs it; the rest are "
                  "bubbles, waits for longer stages, copies and host time");
    return piece < 0 ? QString()
                     : pieceText(side_, layout_, layout_.pieces[static_cast<std::size_t>(piece)],
                                 context().preferences);
}

} // namespace tilescope::views
