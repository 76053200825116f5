#include "views/widgets/wrapped_label.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr QChar noBreak(0x2060);
constexpr QChar mayBreak(0x200b);
constexpr int mostOfOneLine = 200; // pixels, for a few words; a paragraph is as wide as possible

} // namespace

QString withWholeOptions(const QString& text) {
    static const QRegularExpression option(QStringLiteral("(?<![\\w-])--[a-z][a-z0-9-]*"));
    QString whole = text;
    for (auto found = option.match(whole); found.hasMatch();) {
        QString name = found.captured();
        name.replace(QLatin1Char('-'), QLatin1Char('-') + QString(noBreak));
        whole.replace(found.capturedStart(), found.capturedLength(), name);
        found = option.match(whole, found.capturedStart() + name.size());
    }
    return whole;
}

QString withoutLineMarks(QString text) {
    return text.remove(noBreak).remove(mayBreak).replace(QChar(QChar::Nbsp), QLatin1Char(' '));
}

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent)
    : QLabel(parent) {
    setText(text);
    setWordWrap(true);
}

void WrappedLabel::setText(const QString& text) {
    QLabel::setText(withWholeOptions(text));
    setAccessibleName(text); // a reader would spell the marks
}

QSize WrappedLabel::sizeHint() const {
    const QSize wanted = QLabel::sizeHint();
    const int around = 2 * margin() + contentsMargins().left() + contentsMargins().right();
    const int line = fontMetrics().horizontalAdvance(QLabel::text()) + around + 1;
    if (line <= wanted.width() || line > mostOfOneLine)
        return wanted;
    return {line, heightForWidth(line)};
}

void WrappedLabel::copy(int mode) const {
    QGuiApplication::clipboard()->setText(withoutLineMarks(selectedText()),
                                          static_cast<QClipboard::Mode>(mode));
}

void WrappedLabel::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy) && hasSelectedText())
        return copy(QClipboard::Clipboard);
    QLabel::keyPressEvent(event);
}

// Copies the selected text on platforms with a selection clipboard.
void WrappedLabel::mouseReleaseEvent(QMouseEvent* event) {
    QLabel::mouseReleaseEvent(event);
    if (hasSelectedText() && QGuiApplication::clipboard()->supportsSelection())
        copy(QClipboard::Selection);
}

void WrappedLabel::contextMenuEvent(QContextMenuEvent* event) {
    if (!hasSelectedText())
        return QLabel::contextMenuEvent(event);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* action = menu->addAction(Text::tr("Copy"));
    action->setShortcut(QKeySequence::Copy);
    connect(action, &QAction::triggered, this, [this] { copy(QClipboard::Clipboard); });
    menu->popup(event->globalPos());
}

} // namespace tilescope::views
