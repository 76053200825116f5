// A search field with the number of matches, and buttons for the next and the previous one.
#pragma once

#include <QLineEdit>
#include <QWidget>

#include "views/widgets/text_matcher.h"

class QAction;
class QLabel;
class QToolButton;

namespace tilescope::views {

/// Enter goes to the next match, Shift+Enter to the one before, Escape clears. The view does the
/// searching and sets the numbers.
class SearchBox : public QWidget {
    Q_OBJECT
public:
    /// `what` names the subject of the search: "Search programs".
    SearchBox(const QString& what, const QString& toolTip, QWidget* parent = nullptr);

    /// Offers to match the case and to use regular expressions.
    void offerOptions();
    [[nodiscard]] QString text() const { return field_->text(); }
    /// The text with the options that are on.
    [[nodiscard]] TextMatcher matcher() const;
    void setText(const QString& text) { field_->setText(text); }
    [[nodiscard]] QLineEdit& field() { return *field_; }
    /// Match number `current` (from 1, 0 for none of them) of `total`.
    void setMatches(qint64 current, qint64 total);
    /// While the matches are not known.
    void setSearching();
    void focus();

signals:
    /// The text or an option has changed.
    void textChanged(const QString& text);
    void stepWanted(bool forward);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;

    QLineEdit* field_;
    QLabel* count_;
    QToolButton* previous_;
    QToolButton* next_;
    QAction* matchCase_ = nullptr; ///< where options are offered
    QAction* pattern_ = nullptr;
};

} // namespace tilescope::views
