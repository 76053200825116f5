// How choices behave beside plots and on pages that scroll.
#pragma once

#include <QComboBox>
#include <QObject>

namespace tilescope::gui {

/// The wheel over a choice or a number always scrolls the page instead of changing the value. After
/// a choice from a list in `reports`, the keyboard focus returns to the plot of its report, which
/// has letters as shortcuts; after arrow keys on a closed choice the focus stays.
class ChoiceManners : public QObject {
    Q_OBJECT
public:
    explicit ChoiceManners(QWidget& reports);
    /// Gives the keyboard focus to the main widget of a report or a part of it: the largest plot,
    /// otherwise the largest table. False if there is neither.
    static bool focusContent(QWidget& place);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void listClosed(QComboBox& box);
    void chosen(QComboBox& box);

    QWidget& reports_;
};

} // namespace tilescope::gui
