// A titled frame with names and values.
#pragma once

#include <QFrame>
#include <vector>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace tilescope::views {

/// Facts, or any widget, under a heading.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title, QWidget* parent = nullptr);
    void addWidget(QWidget* widget, int stretch = 0);
    void addStretch();

    struct Fact {
        QString name;
        QString source;
        QString target; ///< second column; left out if no fact has one
    };
    /// Replaces the facts; with `comparing` the values stand under Source and Target.
    void setFacts(const std::vector<Fact>& facts, bool comparing);

private:
    QVBoxLayout* layout_;
    QWidget* facts_ = nullptr;
};

} // namespace tilescope::views
