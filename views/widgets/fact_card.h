// A titled frame with names and values.
#pragma once

#include <QFrame>
#include <vector>

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace tilescope::views {

/// Facts, or any widget, under a heading.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title, QWidget* parent = nullptr);
    void addWidget(QWidget* widget, int stretch = 0);
    void addStretch();

    /// Lets the heading hide and show what is below it.
    void setCollapsible();
    void setCollapsed(bool collapsed);
    [[nodiscard]] bool collapsed() const { return collapsed_; }

    struct Fact {
        QString name;
        QString source;
        QString target;           ///< second column; left out if no fact has one
        bool sourceIsBad = false; ///< in red, as it exceeds its limit
        bool targetIsBad = false;
    };
    /// Replaces the facts; with `comparing` the values are under Source and Target, and differences
    /// are highlighted.
    void setFacts(const std::vector<Fact>& facts, bool comparing);

signals:
    void collapsedChanged(bool collapsed);

private:
    QLabel* heading_;
    QToolButton* toggle_ = nullptr; ///< in place of the heading if the card is collapsible
    QWidget* body_;
    QVBoxLayout* layout_; ///< of the body
    QWidget* facts_ = nullptr;
    bool collapsed_ = false;
};

} // namespace tilescope::views
