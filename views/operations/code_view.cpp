#include "views/operations/code_view.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "core/base/units.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int columnGap = 12; ///< pixels between columns
constexpr int barHeight = 3;
// Of columns of cycles.
constexpr std::array passTitles{QT_TRANSLATE_NOOP("CodeView", "Forward"),
                                QT_TRANSLATE_NOOP("CodeView", "Backward"),
                                QT_TRANSLATE_NOOP("CodeView", "Update")};

QString cyclesText(std::int64_t cycles) {
    return cycles > 0 ? QString::fromStdString(withThousands(cycles)) : QString();
}

} // namespace

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
            costliest_ = std::max(costliest_, line.cycles);
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
        const auto cycles =
            static_cast<double>(file_->lines[static_cast<std::size_t>(line)].cycles);
        if (cycles > 0 && cycles >= hotShare * static_cast<double>(costliest_))
            return line;
    }
    return -1;
}

int CodeView::rowHeight() const {
    return fontMetrics().height() + barHeight + 3;
}

CodeView::Columns CodeView::columns() const {
    const QFontMetrics metrics = fontMetrics();
    Columns widths;
    const std::int32_t last =
        file_ == nullptr || file_->lines.empty() ? 1 : file_->lines.back().number;
    widths.number = metrics.horizontalAdvance(QString::number(last)) + columnGap;
    widths.share = metrics.horizontalAdvance(QStringLiteral("100.0 %")) + columnGap;
    widths.pass = metrics.horizontalAdvance(QStringLiteral("000,000,000")) + columnGap;
    widths.text = widths.share + 3 * widths.pass + widths.number + 2 * columnGap;
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
    right(0, widths.share, tr("Cycles"));
    for (int pass = 0; pass < 3; ++pass)
        right(widths.share + pass * widths.pass, widths.pass,
              tr(passTitles[static_cast<std::size_t>(pass)]));
    right(widths.share + 3 * widths.pass, widths.number + columnGap, tr("Line"));
    painter.setPen(theme.border);
    painter.drawLine(header.bottomLeft(), header.bottomRight());
}

void CodeView::paintLine(QPainter& painter, const Columns& widths, int at, int y) const {
    const Theme& theme = context_.theme.current();
    const CodeLine& line = file_->lines[static_cast<std::size_t>(at)];
    const QRect row(0, y, viewport()->width(), rowHeight());
    if (at == current_)
        painter.fillRect(row, theme.selected);
    const auto right = [&](int begin, int width, const QString& text) {
        painter.drawText(QRect(begin, y, width - columnGap / 2, row.height() - barHeight),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setPen(theme.text);
    if (line.cycles > 0) {
        right(0, widths.share,
              QString::fromStdString(
                  formatPercent(static_cast<double>(line.cycles), static_cast<double>(total_))));
        const double share = static_cast<double>(line.cycles) /
                             static_cast<double>(std::max<std::int64_t>(1, costliest_));
        const int room = widths.share - columnGap;
        painter.fillRect(QRectF(columnGap / 2.0, row.bottom() - barHeight, room * share, barHeight),
                         theme.source);
    }
    for (int pass = 0; pass < 3; ++pass)
        right(widths.share + pass * widths.pass, widths.pass,
              cyclesText(line.byPass[static_cast<std::size_t>(pass)]));
    painter.setPen(theme.mutedText);
    right(widths.share + 3 * widths.pass, widths.number + columnGap, QString::number(line.number));
    painter.save();
    painter.setClipRect(QRect(widths.text, y, row.width() - widths.text, row.height()));
    painter.setPen(line.cycles > 0 ? theme.text : theme.mutedText);
    painter.drawText(widths.text - horizontalScrollBar()->value(), y + fontMetrics().ascent() + 1,
                     line.text);
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
    case Qt::Key_F8:
        return choose(nextHot(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1));
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = lineAt(help->pos().y());
    if (at < 0 || file_->lines[static_cast<std::size_t>(at)].cycles <= 0) {
        QToolTip::hideText();
        return true;
    }
    const CodeLine& line = file_->lines[static_cast<std::size_t>(at)];
    QToolTip::showText(help->globalPos(),
                       shownLines(tr("%1:%2\n%3 of the run")
                                      .arg(file_->name)
                                      .arg(line.number)
                                      .arg(QString::fromStdString(formatCycles(line.cycles)))),
                       this);
    return true;
}

} // namespace tilescope::views
