#include "views/operations/flame/flame_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr double leastBox = 0.7; ///< pixels of width; narrower boxes are not painted
constexpr double leastText = 28; ///< pixels of width; narrower boxes have no name

QString nameOf(const FlameNode& node) {
    return shownName(node.name);
}

} // namespace

FlameView::FlameView(ViewContext& context, QWidget* parent)
    : QAbstractScrollArea(parent)
    , context_(context) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Flame graph"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&context_.theme, &ThemeSource::changed, viewport(), qOverload<>(&QWidget::update));
    connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(),
            qOverload<>(&QWidget::update));
}

void FlameView::setTree(std::shared_ptr<const FlameTree> tree, double clockHz) {
    tree_ = std::move(tree);
    clockHz_ = clockHz;
    back_.clear();
    marked_.clear();
    chosen_ = {};
    zoomed_ = {};
    ends_.clear();
    if (tree_ && !tree_->nodes.empty()) {
        zoomed_ = FlameNodeId(0);
        ends_.assign(tree_->nodes.size(), 0);
        for (std::size_t i = ends_.size(); i-- > 0;) {
            ends_[i] = std::max(ends_[i], i + 1);
            if (const FlameNodeId parent = tree_->nodes[FlameNodeId(i)].parent; parent.valid())
                ends_[parent.index()] = std::max(ends_[parent.index()], ends_[i]);
        }
    }
    updateScrollBar();
    viewport()->update();
}

int FlameView::mark(const TextMatcher& wanted) {
    marked_.clear();
    int found = 0;
    if (tree_ && !wanted.empty()) {
        marked_.assign(tree_->nodes.size(), false);
        for (std::size_t i = 0; i < marked_.size(); ++i)
            if (wanted.matches(QString::fromStdString(tree_->nodes[FlameNodeId(i)].name))) {
                marked_[i] = true;
                ++found;
            }
    }
    viewport()->update();
    return found;
}

int FlameView::matches() const {
    return static_cast<int>(std::count(marked_.begin(), marked_.end(), true));
}

int FlameView::matchNumber() const {
    if (!chosen_.valid() || marked_.empty() || !marked_[chosen_.index()])
        return 0;
    return static_cast<int>(
        std::count(marked_.begin(), marked_.begin() + chosen_.value() + 1, true));
}

void FlameView::stepMatch(bool forward) {
    const auto count = static_cast<std::ptrdiff_t>(marked_.size());
    std::ptrdiff_t at = chosen_.valid() ? chosen_.value() : forward ? -1 : 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        at = (at + (forward ? 1 : count - 1)) % count;
        if (marked_[static_cast<std::size_t>(at)])
            return choose(FlameNodeId(static_cast<std::size_t>(at)), false);
    }
}

std::int64_t FlameView::markedWeight() const {
    return tree_ ? weightOf(*tree_, marked_) : 0;
}

void FlameView::select(OperationId operation, SourceFrameId frame) {
    operation_ = operation;
    frame_ = frame;
    viewport()->update();
}

int FlameView::rowHeight() const {
    constexpr int aroundText = 8;
    return fontMetrics().height() + aroundText;
}

bool FlameView::isAbove(FlameNodeId node, FlameNodeId of) const {
    return node.valid() && of.valid() && node.index() <= of.index() &&
           of.index() < ends_[node.index()];
}

QRectF FlameView::boxOf(FlameNodeId id) const {
    if (!tree_ || !id.valid() || !zoomed_.valid())
        return {};
    const FlameNode& node = tree_->nodes[id];
    const double top = node.depth * rowHeight() - verticalScrollBar()->value();
    const double width = viewport()->width();
    if (isAbove(id, zoomed_))
        return {0, top, width, static_cast<double>(rowHeight())};
    if (!isAbove(zoomed_, id))
        return {};
    const FlameNode& zoomed = tree_->nodes[zoomed_];
    const double scale = width / static_cast<double>(std::max<std::int64_t>(1, zoomed.weight));
    return {static_cast<double>(node.begin - zoomed.begin) * scale, top,
            static_cast<double>(node.weight) * scale, static_cast<double>(rowHeight())};
}

FlameNodeId FlameView::nodeAt(const QPoint& position) const {
    if (!tree_ || !zoomed_.valid())
        return {};
    FlameNodeId found;
    for (std::size_t i = 0; i < ends_.size();) {
        const FlameNodeId id(i);
        const QRectF box = boxOf(id);
        const bool within =
            !box.isEmpty() && position.x() >= box.left() && position.x() < box.right();
        if (within && box.contains(position))
            found = id;
        i = within ? i + 1 : ends_[i];
    }
    return found;
}

QColor FlameView::colourOf(const Theme& theme, const std::optional<ModelPhase>& pass) {
    if (!pass)
        return mixed(theme.surface, theme.mutedText, 0.35);
    switch (*pass) {
    case ModelPhase::Forward:
        return theme.data.sky;
    case ModelPhase::Backward:
        return theme.data.orange;
    case ModelPhase::Update:
        break;
    }
    return theme.data.green;
}

bool FlameView::isOutlined(const FlameNode& node) const {
    const bool ofOperation = operation_.valid() && node.operation == operation_ && node.self > 0;
    return ofOperation || (frame_.valid() && node.frame == frame_);
}

void FlameView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), context_.theme.current().surface);
    if (!tree_ || !zoomed_.valid())
        return;
    for (std::size_t i = 0; i < ends_.size();) {
        const QRectF box = boxOf(FlameNodeId(i));
        const bool seen = box.width() >= leastBox;
        if (seen && box.bottom() > 0 && box.top() < viewport()->height())
            paintBox(painter, FlameNodeId(i), box);
        i = seen ? i + 1 : ends_[i];
    }
}

void FlameView::paintBox(QPainter& painter, FlameNodeId id, const QRectF& box) const {
    const Theme& theme = context_.theme.current();
    const FlameNode& node = tree_->nodes[id];
    QColor fill = colourOf(theme, node.pass);
    constexpr double behind = 0.72; // of what is around the zoom or the matches
    if (!marked_.empty() ? !marked_[id.index()] : (id != zoomed_ && isAbove(id, zoomed_)))
        fill = mixed(fill, theme.surface, behind);
    const double gap = box.width() > 3 ? 1 : 0;
    const QRectF inside = box.adjusted(0, 0, -gap, -1);
    painter.fillRect(inside, fill);
    if (isOutlined(node) || id == chosen_) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.text, id == chosen_ ? 2 : 1.5));
        painter.drawRect(inside.adjusted(1, 1, -1, -1));
    }
    if (inside.width() < leastText)
        return;
    constexpr double padding = 5;
    painter.setPen(Theme::textOn(fill));
    const QRectF place = inside.adjusted(padding, 0, -padding, 0);
    painter.drawText(
        place, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(nameOf(node), Qt::ElideRight, static_cast<int>(place.width())));
}

void FlameView::updateScrollBar() {
    int deepest = 0;
    for (std::size_t i = zoomed_.valid() ? zoomed_.index() : 0;
         zoomed_.valid() && i < ends_[zoomed_.index()]; ++i)
        deepest = std::max(deepest, tree_->nodes[FlameNodeId(i)].depth + 1);
    const int room = viewport()->height();
    verticalScrollBar()->setRange(0, std::max(0, deepest * rowHeight() - room));
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(rowHeight());
}

void FlameView::setZoom(FlameNodeId node) {
    zoomed_ = node;
    updateScrollBar();
    viewport()->update();
    emit zoomChanged();
}

void FlameView::zoomTo(FlameNodeId node) {
    if (!node.valid() || node == zoomed_)
        return;
    back_.push_back(zoomed_);
    setZoom(node);
}

bool FlameView::zoomBack() {
    if (back_.empty())
        return false;
    const FlameNodeId before = back_.back();
    back_.pop_back();
    setZoom(before);
    return true;
}

void FlameView::choose(FlameNodeId node, bool zoom) {
    if (!node.valid())
        return;
    chosen_ = node;
    if (zoom)
        zoomTo(node);
    else if (!isAbove(zoomed_, node) && !isAbove(node, zoomed_))
        zoomTo(FlameNodeId(0));
    if (const QRectF box = boxOf(node); box.top() < 0 || box.bottom() > viewport()->height())
        verticalScrollBar()->setValue(tree_->nodes[node].depth * rowHeight() -
                                      viewport()->height() / 2);
    viewport()->update();
    emit chose(node);
    emit hovered(textOf(node).replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  ")));
}

FlameNodeId FlameView::neighbour(int direction) const {
    const std::vector<FlameNodeId> siblings = tree_->childrenOf(
        tree_->nodes[chosen_].parent.valid() ? tree_->nodes[chosen_].parent : chosen_);
    const auto at = std::find(siblings.begin(), siblings.end(), chosen_);
    if (at == siblings.end() || (direction < 0 && at == siblings.begin()) ||
        (direction > 0 && at + 1 == siblings.end()))
        return {};
    return *(at + direction);
}

void FlameView::keyPressEvent(QKeyEvent* event) {
    if (!tree_ || !zoomed_.valid() || event->modifiers() != Qt::NoModifier)
        return QAbstractScrollArea::keyPressEvent(event);
    const FlameNodeId from = chosen_.valid() ? chosen_ : zoomed_;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (!zoomBack())
            QAbstractScrollArea::keyPressEvent(event);
        return;
    case Qt::Key_Home:
        return zoomTo(FlameNodeId(0));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return choose(from, true);
    case Qt::Key_Up:
        return choose(tree_->nodes[from].parent, false);
    case Qt::Key_Down: {
        const std::vector<FlameNodeId> children = tree_->childrenOf(from);
        return choose(!chosen_.valid()   ? from
                      : children.empty() ? FlameNodeId()
                                         : children.front(),
                      false);
    }
    case Qt::Key_Left:
        return choose(chosen_.valid() ? neighbour(-1) : from, false);
    case Qt::Key_Right:
        return choose(chosen_.valid() ? neighbour(1) : from, false);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void FlameView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        choose(nodeAt(event->pos()), true);
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
    const FlameNodeId node = nodeAt(event->pos());
    emit hovered(node.valid()
                     ? textOf(node).replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  "))
                     : QString());
}

void FlameView::leaveEvent(QEvent* event) {
    emit hovered({});
    QAbstractScrollArea::leaveEvent(event);
}

void FlameView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
}

QString FlameView::weightText(std::int64_t weight) const {
    switch (tree_ ? tree_->weight : FlameWeight::Cycles) {
    case FlameWeight::Cycles:
        return context_.preferences.cycles(weight, clockHz_);
    case FlameWeight::Flops:
        return QString::fromStdString(formatFlops(static_cast<double>(weight)));
    case FlameWeight::Code:
    case FlameWeight::AlwaysLive:
        break;
    }
    return context_.preferences.bytes(weight);
}

QString FlameView::textOf(FlameNodeId id) const {
    if (!tree_ || !id.valid())
        return {};
    const FlameNode& node = tree_->nodes[id];
    const auto share = [&](std::int64_t weight) {
        return QString::fromStdString(
            formatPercent(static_cast<double>(weight), static_cast<double>(tree_->total())));
    };
    QStringList lines{nameOf(node),
                      tr("%1, %2 of all").arg(weightText(node.weight), share(node.weight))};
    if (node.self > 0 && node.self < node.weight)
        lines << tr("%1 of it in no box below").arg(weightText(node.self));
    if (zoomed_.valid() && zoomed_.index() > 0 && isAbove(zoomed_, id) && id != zoomed_)
        lines << tr("%1 of %2")
                     .arg(QString::fromStdString(
                              formatPercent(static_cast<double>(node.weight),
                                            static_cast<double>(tree_->nodes[zoomed_].weight))),
                          nameOf(tree_->nodes[zoomed_]));
    return lines.join(QLatin1Char('\n'));
}

bool FlameView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const FlameNodeId node = nodeAt(help->pos());
    if (node.valid())
        QToolTip::showText(help->globalPos(), shownLines(textOf(node)), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace tilescope::views
