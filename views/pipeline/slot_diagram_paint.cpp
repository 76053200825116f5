// How the slots of a pipeline are drawn.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "views/pipeline/slot_diagram.h"
#include "views/plot/trace/box_colours.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {

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

void SlotDiagram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    paintGroups(painter);
    paintLanes(painter);
    paintPieces(painter);
    paintWay(painter);
    paintOccupancy(painter);
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

QString SlotDiagram::slotsText(const SlotGroup& group) const {
    const PipelineReport& report = side_.report;
    const std::int64_t all = group.part == PipelinePart::RampUp ? report.rampUpSlots
                             : group.part == PipelinePart::Main ? report.mainSlots
                                                                : report.rampDownSlots;
    if (numbers_ == SlotNumbers::MicroBatches && group.slotCount < all)
        return tr("%1 of %2 slots").arg(countText(group.slotCount), countText(all));
    return group.slotCount == 1 ? tr("1 slot") : tr("%1 slots").arg(countText(group.slotCount));
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
            times = slotsText(group);
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

QColor SlotDiagram::colourOf(const SlotPiece& piece) const {
    const bool byBatch = colours_ == SlotColours::MicroBatch && piece.microBatch > 0;
    const QColor colour =
        byBatch
            ? tintColour(theme(), microBatchTint(piece.microBatch, piece.work != SlotWork::Forward))
            : workColour(theme(), piece.work);
    return followed_ > 0 && piece.microBatch != followed_ ? mixed(colour, theme().surface, dimmed)
                                                          : colour;
}

// From box to box, so that the eye finds where it waits.
void SlotDiagram::paintWay(QPainter& painter) const {
    const std::vector<int> pieces = way();
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
        const QRectF from = rectOf(pieces[i]);
        const QRectF to = rectOf(pieces[i + 1]);
        if (to.left() - from.right() < 1 && from.top() == to.top())
            continue; // neighbours
        const QPointF begin(from.right(), from.center().y());
        const QPointF end(to.left(), to.center().y());
        const QPointF reach(std::max(8.0, (end.x() - begin.x()) / 2), 0);
        QPainterPath path(begin);
        if (from.top() == to.top())
            path.lineTo(end);
        else
            path.cubicTo(begin + reach, end - reach, end);
        for (const auto& [colour, width] :
             {std::pair(theme().surface, 4.0), std::pair(theme().text, 1.6)})
            painter.strokePath(path, QPen(colour, width, Qt::SolidLine, Qt::FlatCap));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    for (const int piece : pieces) {
        painter.setPen(QPen(theme().text, 1));
        painter.drawRect(rectOf(piece).adjusted(0, 0, -1, -1));
    }
}

void SlotDiagram::paintPieces(QPainter& painter) const {
    for (std::size_t i = 0; i < layout_.pieces.size(); ++i) {
        const SlotPiece& piece = layout_.pieces[i];
        const QRectF box = rectOf(static_cast<int>(i));
        const QColor colour = colourOf(piece);
        painter.fillRect(box, colour);
        // The colour tells the pass too: the number comes first.
        QString label = shownName(piece.label());
        const auto fits = [&] { return fontMetrics().horizontalAdvance(label) + 2 <= box.width(); };
        if (!fits() && piece.microBatch > 0)
            label = QString::number(piece.microBatch);
        if (fits()) {
            painter.setPen(followed_ > 0 && piece.microBatch != followed_ ? theme().mutedText
                                                                          : Theme::textOn(colour));
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

} // namespace tilescope::views
