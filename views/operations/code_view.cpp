#include "views/operations/code_view.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/units.h"
#include "views/session/time_texts.h"
#include "views/theme/minus_sign.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int columnGap = 12; ///< pixels between columns
constexpr int barHeight = 3;
/// By CodeColumn.
constexpr std::array columnTitles{
    QT_TRANSLATE_NOOP("CodeView", "Forward"),    QT_TRANSLATE_NOOP("CodeView", "Backward"),
    QT_TRANSLATE_NOOP("CodeView", "Update"),     QT_TRANSLATE_NOOP("CodeView", "Waits"),
    QT_TRANSLATE_NOOP("CodeView", "With calls"), QT_TRANSLATE_NOOP("CodeView", "Source"),
    QT_TRANSLATE_NOOP("CodeView", "Target"),     QT_TRANSLATE_NOOP("CodeView", "Change")};

/// By CodeMetric.
constexpr std::array metricTitles{
    QT_TRANSLATE_NOOP("CodeView", "Cycles"), QT_TRANSLATE_NOOP("CodeView", "FLOPs"),
    QT_TRANSLATE_NOOP("CodeView", "Bytes exchanged"), QT_TRANSLATE_NOOP("CodeView", "Code bytes"),
    QT_TRANSLATE_NOOP("CodeView", "Always-live bytes")};
static_assert(metricTitles.size() == codeMetrics);

} // namespace

QString CodeView::titleOf(CodeMetric metric) {
    return tr(metricTitles.at(static_cast<std::size_t>(metric)));
}

QString CodeView::titleOf(CodeColumn column) const {
    return column == CodeColumn::Amount ? titleOf(file_->metric)
                                        : tr(columnTitles.at(static_cast<std::size_t>(column)));
}

QString CodeView::amountText(CodeMetric metric, std::int64_t amount) const {
    switch (metric) {
    case CodeMetric::Cycles:
        return countText(amount);
    case CodeMetric::Flops:
        return withMinusSign(QString::fromStdString(formatFlops(static_cast<double>(amount))));
    case CodeMetric::Exchanged:
    case CodeMetric::Code:
    case CodeMetric::AlwaysLive:
        break;
    }
    return context_.preferences.bytes(amount);
}

QString CodeView::figureText(CodeColumn column, std::int64_t amount) const {
    if (amount == 0)
        return {};
    const QString sign =
        column == CodeColumn::Change && amount > 0 ? QStringLiteral("+") : QString();
    return sign + amountText(file_->metric, amount);
}

CodeView::CodeView(ViewContext& context, QWidget* parent)
    : QAbstractScrollArea(parent)
    , context_(context) {
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Source code with costs"));
    setFrameShape(QFrame::NoFrame);
    connect(&context_.theme, &ThemeSource::changed, viewport(), qOverload<>(&QWidget::update));
}

void CodeView::setFile(const CodeFile* file, std::int64_t total) {
    file_ = file;
    total_ = total;
    costliest_ = 0;
    longest_ = 0;
    current_ = -1;
    if (file_ != nullptr)
        for (const CodeLine& line : file_->lines) {
            costliest_ = std::max(costliest_, heatOf(line));
            longest_ = std::max(longest_, static_cast<int>(line.text.size()));
        }
    updateScrollBars();
    verticalScrollBar()->setValue(0);
    viewport()->update();
}

void CodeView::setCurrent(int line) {
    current_ = line;
    bringIntoView(line);
    viewport()->update();
}

int CodeView::nextHot(int direction) const {
    if (file_ == nullptr)
        return -1;
    const int count = static_cast<int>(file_->lines.size());
    for (int line = current_ < 0 && direction < 0 ? count - 1 : current_ + direction;
         line >= 0 && line < count; line += direction) {
        const auto heat = static_cast<double>(heatOf(file_->lines[static_cast<std::size_t>(line)]));
        if (heat > 0 && heat >= hotShare * static_cast<double>(costliest_))
            return line;
    }
    return -1;
}

std::int64_t CodeView::heatOf(const CodeLine& line) const {
    return file_->comparing() ? std::abs(line.figure(file_->columns.size() - 1)) : line.cost;
}

int CodeView::rowHeight() const {
    return fontMetrics().height() + barHeight + 3;
}

CodeView::Columns CodeView::columns() const {
    constexpr int leastForFigures = 760; // pixels; narrower views have room for code alone
    const QFontMetrics metrics = fontMetrics();
    Columns widths;
    const auto last = file_ == nullptr ? 1 : static_cast<qlonglong>(file_->lines.size());
    widths.number =
        metrics.horizontalAdvance(QString::number(std::max<qlonglong>(last, 99))) + columnGap;
    widths.share = metrics.horizontalAdvance(QStringLiteral("+100.0 %")) + columnGap;
    widths.figure = metrics.horizontalAdvance(QStringLiteral("000,000,000")) + columnGap;
    if (file_ != nullptr && file_->metric != CodeMetric::Cycles && !file_->comparing())
        widths.figure =
            std::max(widths.figure, metrics.horizontalAdvance(titleOf(file_->metric)) + columnGap);
    const bool comparing = file_ != nullptr && file_->comparing();
    for (std::size_t i = 0; file_ != nullptr && i < file_->columns.size(); ++i)
        if (viewport()->width() >= leastForFigures || file_->columns[i] == CodeColumn::Change)
            widths.figures.push_back(i);
    widths.numbers = widths.share + static_cast<int>(widths.figures.size()) * widths.figure;
    widths.text = widths.numbers + (comparing ? 2 : 1) * (widths.number + columnGap) + columnGap;
    return widths;
}

int CodeView::lineAt(int y) const {
    const int line = (y - rowHeight()) / rowHeight() + verticalScrollBar()->value();
    const bool isLine =
        file_ != nullptr && y >= rowHeight() && line < static_cast<int>(file_->lines.size());
    return isLine ? line : -1;
}

void CodeView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    const Theme& theme = context_.theme.current();
    painter.fillRect(viewport()->rect(), theme.surface);
    if (file_ == nullptr)
        return;
    const Columns widths = columns();
    const int first = verticalScrollBar()->value();
    const int height = rowHeight();
    for (int line = first; line < static_cast<int>(file_->lines.size()); ++line) {
        const int y = (line - first + 1) * height;
        if (y > viewport()->height())
            break;
        paintLine(painter, widths, line, y);
    }
    paintHeader(painter, widths);
}

void CodeView::paintHeader(QPainter& painter, const Columns& widths) const {
    const Theme& theme = context_.theme.current();
    const QRect header(0, 0, viewport()->width(), rowHeight());
    painter.fillRect(header, theme.raised);
    painter.setPen(theme.mutedText);
    const auto right = [&](int begin, int width, const QString& text) {
        painter.drawText(QRect(begin, 0, width - columnGap / 2, header.height()),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    right(0, widths.share,
          file_->comparing() || file_->metric != CodeMetric::Cycles ? tr("Share") : tr("Cycles"));
    int at = widths.share;
    for (const std::size_t figure : widths.figures) {
        right(at, widths.figure, titleOf(file_->columns[figure]));
        at += widths.figure;
    }
    const int number = widths.number + columnGap;
    right(at, number, file_->comparing() ? tr("Src") : tr("Line"));
    if (file_->comparing())
        right(at + number, number, tr("Tgt"));
    painter.setPen(theme.border);
    painter.drawLine(header.bottomLeft(), header.bottomRight());
}

QColor CodeView::backgroundOf(const CodeLine& line, bool current) const {
    const Theme& theme = context_.theme.current();
    constexpr double tint = 0.13;
    if (current)
        return theme.selected;
    if (!file_->comparing() || !file_->recorded || (line.number > 0 && line.targetNumber > 0))
        return theme.surface;
    const QColor& of = line.moved > 0 ? theme.accent : line.number > 0 ? theme.bad : theme.good;
    return mixed(theme.surface, of, tint);
}

void CodeView::paintCost(QPainter& painter, const Columns& widths, const CodeLine& line,
                         const QRect& row) const {
    const Theme& theme = context_.theme.current();
    const auto right = [&](int begin, int width, const QString& text) {
        painter.drawText(QRect(begin, row.top(), width - columnGap / 2, row.height() - barHeight),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    const bool comparing = file_->comparing();
    const std::int64_t shown = comparing ? line.figure(file_->columns.size() - 1) : line.cost;
    const QColor colour = !comparing ? theme.source : shown > 0 ? theme.bad : theme.good;
    painter.setPen(comparing ? colour : theme.text);
    if (shown != 0) {
        const QString share = QString::fromStdString(
            formatPercent(static_cast<double>(std::abs(shown)), static_cast<double>(total_)));
        right(0, widths.share,
              !comparing  ? share
              : shown > 0 ? QStringLiteral("+") + share
                          : QChar(0x2212) + share);
        const double length = static_cast<double>(heatOf(line)) /
                              static_cast<double>(std::max<std::int64_t>(1, costliest_));
        const int room = widths.share - columnGap;
        painter.fillRect(
            QRectF(columnGap / 2.0, row.bottom() - barHeight, room * length, barHeight), colour);
    }
    int at = widths.share;
    for (const std::size_t figure : widths.figures) {
        const CodeColumn column = file_->columns[figure];
        painter.setPen(column == CodeColumn::Change ? colour : theme.text);
        right(at, widths.figure, figureText(column, line.figure(figure)));
        at += widths.figure;
    }
    painter.setPen(theme.mutedText);
    const int number = widths.number + columnGap;
    right(at, number, line.number > 0 ? QString::number(line.number) : QString());
    if (comparing)
        right(at + number, number,
              line.targetNumber > 0 ? QString::number(line.targetNumber) : QString());
}

void CodeView::paintLine(QPainter& painter, const Columns& widths, int at, int y) const {
    const Theme& theme = context_.theme.current();
    const CodeLine& line = file_->lines[static_cast<std::size_t>(at)];
    const QRect row(0, y, viewport()->width(), rowHeight());
    painter.fillRect(row, backgroundOf(line, at == current_));
    paintCost(painter, widths, line, row);
    painter.save();
    painter.setClipRect(QRect(widths.text, y, row.width() - widths.text, row.height()));
    painter.setPen(line.cost > 0 ? theme.text : theme.mutedText);
    const int scrolled = horizontalScrollBar()->value();
    painter.drawText(
        QRect(widths.text - scrolled, y, row.width() + scrolled, row.height() - barHeight),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line.text);
    painter.restore();
}

void CodeView::updateScrollBars() {
    const int visible = std::max(1, viewport()->height() / rowHeight() - 1);
    const int lines = file_ == nullptr ? 0 : static_cast<int>(file_->lines.size());
    verticalScrollBar()->setRange(0, std::max(0, lines - visible));
    verticalScrollBar()->setPageStep(visible);
    const int room = viewport()->width() - columns().text;
    const int width = longest_ * fontMetrics().averageCharWidth() + columnGap;
    horizontalScrollBar()->setRange(0, std::max(0, width - room));
    horizontalScrollBar()->setPageStep(std::max(1, room));
}

void CodeView::bringIntoView(int line) {
    if (line < 0)
        return;
    const int first = verticalScrollBar()->value();
    const int visible = verticalScrollBar()->pageStep();
    if (line < first || line >= first + visible)
        verticalScrollBar()->setValue(line - visible / 2);
}

void CodeView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

void CodeView::choose(int line) {
    if (file_ == nullptr || line < 0 || line >= static_cast<int>(file_->lines.size()))
        return;
    setCurrent(line);
    emit chosen(line);
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    choose(lineAt(event->pos().y()));
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    const int page = verticalScrollBar()->pageStep();
    const int last = file_ == nullptr ? -1 : static_cast<int>(file_->lines.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Down:
        return choose(std::min(last, current_ + 1));
    case Qt::Key_Up:
        return choose(std::max(0, current_ - 1));
    case Qt::Key_PageDown:
        return choose(std::min(last, current_ + page));
    case Qt::Key_PageUp:
        return choose(std::max(0, current_ - page));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(last);
    case Qt::Key_E:
        return emit editorWanted();
    case Qt::Key_F8:
        return choose(nextHot(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1));
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

QString CodeView::textOf(int at) const {
    if (file_ == nullptr || at < 0 || at >= static_cast<int>(file_->lines.size()))
        return {};
    const CodeLine& line = file_->lines[static_cast<std::size_t>(at)];
    QStringList lines;
    if (line.moved > 0)
        lines << (line.targetNumber > 0 ? tr("line %1 of the source, moved").arg(line.moved)
                                        : tr("moved to line %1 of the target").arg(line.moved));
    if (line.edited > 0)
        lines << (line.targetNumber > 0 ? tr("was line %1 of the source").arg(line.edited)
                                        : tr("is line %1 of the target").arg(line.edited));
    if (line.cost > 0 && !file_->comparing() && file_->metric == CodeMetric::Cycles)
        lines << tr("%1 of the run").arg(QString::fromStdString(formatCycles(line.cost)));
    for (std::size_t i = 0; i < file_->columns.size(); ++i)
        if (line.figure(i) != 0)
            lines << tr("%1: %2").arg(titleOf(file_->columns[i]),
                                      figureText(file_->columns[i], line.figure(i)));
    if (!lines.isEmpty())
        lines.prepend(QStringLiteral("%1:%2")
                          .arg(file_->name)
                          .arg(line.number > 0 ? line.number : line.targetNumber));
    return lines.join(QLatin1Char('\n'));
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = lineAt(help->pos().y());
    if (textOf(at).isEmpty()) {
        QToolTip::hideText();
        return true;
    }
    QToolTip::showText(help->globalPos(), shownLines(textOf(at)), this);
    return true;
}

} // namespace tilescope::views
