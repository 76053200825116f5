// How choices behave beside plots and on pages that scroll.
#pragma once

#include <QComboBox>
#include <QObject>

namespace tilescope::gui {

/// The wheel over a choice or a number scrolls the page instead of changing it, everywhere. When
/// something was chosen from the list of a choice in `reports`, the keyboard goes back to the plot
/// of its report, whose keys are letters; arrow keys on a closed choice leave it where it is.
class ChoiceManners : public QObject {
    Q_OBJECT
public:
    explicit ChoiceManners(QWidget& reports);
    /// Gives the keyboard to what a report or a part of it is mostly about: its largest plot, else
    /// its largest table. False if there is neither.
    static bool focusContent(QWidget& place);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void listClosed(QComboBox& box);
    void chosen(QComboBox& box);

    QWidget& reports_;
};

} // namespace tilescope::gui
