// The text of a query.
#pragma once

#include <QPlainTextEdit>

#include "views/theme/theme.h"

namespace tilescope::views {

/// A plain text editor that marks the place of an error. F5 and Ctrl+Enter run, Tab goes on to the
/// next widget.
class SqlEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit SqlEditor(const ThemeSource& theme, QWidget* parent = nullptr);

    /// The text to run: the selection, or everything.
    [[nodiscard]] QString query() const;
    /// Where query() begins in the text.
    [[nodiscard]] int queryBegin() const;
    /// Underlines the word at an offset in the text; the next change removes the mark.
    void markError(int position);
    /// Replaces the whole text such that Undo restores the old one.
    void replaceText(const QString& text);
    void insertWord(const QString& word);

signals:
    void runWanted();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    const ThemeSource& theme_;
};

/// True for the keys that run a query.
bool isRunKey(const QKeyEvent& event);

} // namespace tilescope::views
