// The row of controls above a report.
#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>
#include <vector>

namespace tilescope::views {

/// Controls from left to right; a stretch separates the left group from the right one. If they do
/// not all fit, the least important ones are in a menu at the right end.
class ToolRow : public QWidget {
    Q_OBJECT
public:
    explicit ToolRow(QWidget* parent = nullptr);

    /// `narrow`: as wide as the chosen item, for items much longer than usual.
    QComboBox* addChoice(const QString& label, const QStringList& items, bool narrow = false);
    QToolButton* addToggle(const QString& text, const QString& toolTip, bool on);
    QToolButton* addButton(const QString& text, const QString& toolTip);
    QLineEdit* addField(const QString& placeholder, const QString& toolTip, int width);
    /// Shows or hides a control with its label.
    void setShown(QWidget* control, bool shown);
    /// A custom control; `stretch` is its share of the free room.
    void add(QWidget* control, int stretch = 0) { addItem({nullptr, control, stretch}); }
    void addNamed(const QString& label, QWidget* control);
    void addStretch() { addItem({nullptr, nullptr, 1}); }

    /// Which controls leave a narrow row first, from its right end; the default is Button.
    enum class Priority { Button, Choice, Always };
    void setPriority(QWidget* control, Priority priority);
    /// Whether a control is in the menu now.
    [[nodiscard]] bool isInMenu(const QWidget* control) const;
    /// The button that opens the menu; hidden if the menu is empty.
    [[nodiscard]] QToolButton& menuButton() { return *more_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// A control with its label, or a stretch (without one).
    struct Item {
        QLabel* label = nullptr;
        QWidget* control = nullptr;
        int stretch = 0;
        Priority priority = Priority::Choice;
        bool inMenu = false;
        [[nodiscard]] bool shown() const { return control != nullptr && !control->isHidden(); }
        [[nodiscard]] int width(int spacing) const;
    };
    void addItem(Item item);
    /// Pixels that shown controls need, those of this priority and higher.
    [[nodiscard]] int needed(Priority least) const;
    /// Puts controls into the row if there is room, else into the menu.
    void arrange();
    void place();
    void openMenu();

    QHBoxLayout* row_;
    QToolButton* more_;
    QFrame* menu_;
    QGridLayout* lines_; ///< of the menu
    std::vector<Item> items_;
};

} // namespace tilescope::views
