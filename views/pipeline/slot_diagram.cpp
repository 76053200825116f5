#include "views/pipeline/slot_diagram.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>

#include "views/plot/trace/box_colours.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
SlotDiagram::SlotDiagram(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Slots of the pipeline"));
    scroll_ = new QScrollBar(Qt::Horizontal, this);
    scroll_->setAccessibleName(tr("Slots in sight"));
    scroll_->hide();
    connect(scroll_, &QScrollBar::valueChanged, this, [this] {
        showWindow();
        emit scrolled();
    });
}

void SlotDiagram::setSide(PipelineSide side) {
    side_ = std::move(side);
    relayout();
}

void SlotDiagram::setWidths(SlotWidths widths) {
    widths_ = widths;
    relayout();
}

void SlotDiagram::setNumbers(SlotNumbers numbers) {
    numbers_ = numbers;
    relayout();
}

void SlotDiagram::setColours(SlotColours colours) {
    colours_ = colours;
    update();
}

void SlotDiagram::follow(std::int64_t microBatch) {
    if (std::exchange(followed_, microBatch) == microBatch)
        return;
    if (const auto way = slotsOf(side_.report, microBatch))
        bringIntoSight(*way);
    update();
}

void SlotDiagram::relayout() {
    chosen_ = -1;
    fitWindow();
}

void SlotDiagram::fitWindow() {
    const std::int64_t all = slotCount(side_.report);
    const int fitting = fittingSlots();
    const bool scrolls = numbers_ == SlotNumbers::MicroBatches && all > fitting;
    constexpr std::int64_t most = 1'000'000'000; // values of a scroll bar
    const QSignalBlocker quiet(scroll_);
    scroll_->setRange(0, scrolls ? static_cast<int>(std::min(all - fitting, most)) : 0);
    scroll_->setPageStep(fitting);
    scroll_->setVisible(scrolls);
    showWindow();
    updateGeometry();
}

SlotWindow SlotDiagram::window() const {
    return {scroll_->value(), scroll_->maximum() > 0 ? fittingSlots() : slotCount(side_.report)};
}

void SlotDiagram::showWindow() {
    struct Chosen {
        std::int64_t number = -1;
        SlotPiece piece;
    } chosen;
    if (chosen_ >= 0) {
        chosen.piece = layout_.pieces[static_cast<std::size_t>(chosen_)];
        chosen.number = layout_.columns[chosen.piece.column].number;
    }
    own_ = numbers_ == SlotNumbers::Stages ? slotLayout(side_.report, widths_)
                                           : slotLayout(side_.report, widths_, window());
    layout_ = own_;
    chosen_ = -1;
    for (std::size_t i = 0; chosen.number >= 0 && i < layout_.pieces.size(); ++i) {
        const SlotPiece& piece = layout_.pieces[i];
        if (layout_.columns[piece.column].number == chosen.number &&
            piece.stage == chosen.piece.stage && piece.work == chosen.piece.work)
            chosen_ = static_cast<int>(i);
    }
    scale_ = ownScale();
    update();
}

void SlotDiagram::setBeside(const SlotLayout* other) {
    layout_ = other != nullptr ? besideOf(own_, *other) : own_;
    scale_ = ownScale();
    update();
}

void SlotDiagram::scrollTo(std::int64_t slot) {
    scroll_->setValue(static_cast<int>(std::min<std::int64_t>(slot, scroll_->maximum())));
}

void SlotDiagram::bringIntoSight(SlotWindow wanted) {
    const SlotWindow now = window();
    const std::int64_t end = wanted.first + wanted.count;
    if (wanted.first >= now.first && end <= now.first + now.count)
        return;
    const std::int64_t first = wanted.first - 1; // with the slot before it
    scroll_->setValue(static_cast<int>(std::clamp<std::int64_t>(first, 0, scroll_->maximum())));
}

std::vector<int> SlotDiagram::way() const {
    std::vector<int> way;
    for (std::size_t i = 0; i < layout_.pieces.size(); ++i)
        if (followed_ > 0 && layout_.pieces[i].microBatch == followed_)
            way.push_back(static_cast<int>(i));
    std::sort(way.begin(), way.end(), [this](int a, int b) {
        const auto& first = layout_.pieces[static_cast<std::size_t>(a)];
        const auto& second = layout_.pieces[static_cast<std::size_t>(b)];
        return std::pair(first.from, first.work) < std::pair(second.from, second.work);
    });
    return way;
}

int SlotDiagram::fittingSlots() const {
    const int room = width() - labelWidth() - rightMargin - occupancyWidth() - 3 * groupGap;
    constexpr int besideNumber = 4;
    const int number = fontMetrics().horizontalAdvance(QString::number(side_.report.microBatches));
    return std::max(4, room / std::max(labelledSlot, 2 * (number + besideNumber)));
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
    const int narrowest = numbers_ == SlotNumbers::MicroBatches ? 0 : narrowestSlot;
    return {labelWidth() + columns * narrowest +
                static_cast<int>(layout_.groups.size()) * groupGap + rightMargin + occupancyWidth(),
            headerHeight + stages * (laneHeight + laneGap) + bottomMargin +
                (scroll_->isVisibleTo(this) ? scroll_->sizeHint().height() + scrollGap : 0)};
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

void SlotDiagram::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const bool along = delta.x() != 0 || event->modifiers().testFlag(Qt::ShiftModifier);
    if (!scroll_->isVisible() || !along)
        return event->ignore(); // the page scrolls
    constexpr int notch = 120;
    const int by = delta.x() != 0 ? delta.x() : delta.y();
    scroll_->setValue(scroll_->value() - by / (notch / 2));
    event->accept();
}

void SlotDiagram::resizeEvent(QResizeEvent* event) {
    PaintedWidget::resizeEvent(event);
    const int height = scroll_->sizeHint().height();
    const int left = labelWidth();
    scroll_->setGeometry(left, this->height() - height - 2,
                         std::max(1, width() - left - rightMargin - occupancyWidth()), height);
    if (event->size().width() != event->oldSize().width()) {
        fitWindow();
        emit scrolled();
    }
}

// At the edge of what is in sight the slots scroll by one.
void SlotDiagram::go(int along, int across) {
    int next = neighbourOf(layout_, chosen_, along, across);
    const SlotWindow now = window();
    if (along != 0 && chosen_ >= 0 && next == chosen_ && scroll_->maximum() > 0) {
        scroll_->setValue(static_cast<int>(now.first) + along);
        next = neighbourOf(layout_, chosen_, along, across);
    }
    choose(next);
    emit pieceChosen(chosen_);
}

void SlotDiagram::keyPressEvent(QKeyEvent* event) {
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
