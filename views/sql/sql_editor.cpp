#include "views/sql/sql_editor.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <algorithm>
#include <array>

namespace tilescope::views {
namespace {

const QRegularExpression& tokens() {
    static const QRegularExpression expression(
        QStringLiteral(
            "(?<comment>--.*$)|(?<text>'(?:[^']|'')*'?)|(?<number>\\b\\d+(?:\\.\\d+)?\\b)|"
            "(?<function>\\b\\w+(?=\\())|"
            "(?<keyword>\\b(?:SELECT|DISTINCT|ALL|FROM|WHERE|GROUP|BY|HAVING|ORDER|LIMIT|OFFSET|"
            "ASC|"
            "DESC|AS|ON|USING|JOIN|LEFT|RIGHT|FULL|INNER|OUTER|CROSS|NATURAL|UNION|EXCEPT|"
            "INTERSECT|WITH|RECURSIVE|VALUES|CASE|WHEN|THEN|ELSE|END|AND|OR|NOT|IN|IS|NULL|LIKE|"
            "GLOB|BETWEEN|EXISTS|COLLATE|CAST|OVER|PARTITION|FILTER|WINDOW|ROWS|EXPLAIN|QUERY|"
            "PLAN|PRAGMA)\\b)"),
        QRegularExpression::CaseInsensitiveOption);
    return expression;
}

// Colours of keywords, names of functions, texts, numbers and comments.
class SqlHighlighter : public QSyntaxHighlighter {
public:
    SqlHighlighter(QTextDocument* document, const ThemeSource& theme)
        : QSyntaxHighlighter(document)
        , theme_(theme) {
        connect(&theme, &ThemeSource::changed, this, &QSyntaxHighlighter::rehighlight);
    }

protected:
    void highlightBlock(const QString& text) override {
        const Theme& theme = theme_.current();
        const auto format = [](const QColor& colour, bool bold = false) {
            QTextCharFormat result;
            result.setForeground(colour);
            if (bold)
                result.setFontWeight(QFont::DemiBold);
            return result;
        };
        const auto formats = std::to_array<std::pair<const char*, QTextCharFormat>>(
            {{"comment", format(theme.mutedText)},
             {"text", format(theme.good)},
             {"number", format(theme.warning)},
             {"keyword", format(theme.accent, true)}});
        auto match = tokens().globalMatch(text);
        while (match.hasNext()) {
            const QRegularExpressionMatch token = match.next();
            // A keyword before a bracket, as in "IN (", is not a function.
            for (const auto& [name, look] : formats)
                if (const QString group = QString::fromLatin1(name);
                    token.capturedStart(group) >= 0)
                    setFormat(static_cast<int>(token.capturedStart(group)),
                              static_cast<int>(token.capturedLength(group)), look);
        }
    }

private:
    const ThemeSource& theme_;
};

} // namespace

bool isRunKey(const QKeyEvent& event) {
    const bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
    return event.key() == Qt::Key_F5 || (enter && (event.modifiers() & Qt::ControlModifier) != 0);
}

SqlEditor::SqlEditor(const ThemeSource& theme, QWidget* parent)
    : QPlainTextEdit(parent)
    , theme_(theme) {
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("SQL query"));
    setPlaceholderText(tr("SELECT … (F5 or Ctrl+Enter runs it)"));
    new SqlHighlighter(document(), theme);
    connect(this, &QPlainTextEdit::textChanged, this, [this] { setExtraSelections({}); });
}

QString SqlEditor::query() const {
    const QTextCursor cursor = textCursor();
    if (!cursor.hasSelection())
        return toPlainText();
    return cursor.selectedText().replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
}

int SqlEditor::queryBegin() const {
    return textCursor().hasSelection() ? textCursor().selectionStart() : 0;
}

void SqlEditor::markError(int position) {
    QTextCursor cursor(document());
    // An error at the end is marked at the last character: nothing follows to underline.
    cursor.setPosition(std::clamp(position, 0, std::max(0, document()->characterCount() - 2)));
    cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
    cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    QTextEdit::ExtraSelection mark;
    mark.cursor = cursor;
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(theme_.current().bad);
    mark.format.setBackground(mixed(theme_.current().surface, theme_.current().bad, 0.25));
    setExtraSelections({mark});
}

void SqlEditor::replaceText(const QString& text) {
    QTextCursor cursor(document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(text);
    setFocus();
}

void SqlEditor::insertWord(const QString& word) {
    QTextCursor cursor = textCursor();
    const QChar before = document()->characterAt(cursor.selectionStart() - 1);
    const bool apart = cursor.selectionStart() > 0 && !before.isSpace() &&
                       before != QLatin1Char('.') && before != QLatin1Char('(');
    cursor.insertText(apart ? QLatin1Char(' ') + word : word);
    setTextCursor(cursor);
    setFocus();
}

// F5 means something else elsewhere in the window.
bool SqlEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && isRunKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QPlainTextEdit::event(event);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
    if (isRunKey(*event))
        emit runWanted();
    else
        QPlainTextEdit::keyPressEvent(event);
}

} // namespace tilescope::views
