// The controls of a report.
#pragma once

#include <QPointer>
#include <QWidget>

#include "app/gui/find/finder.h"

class QAction;
class QComboBox;
class QTabWidget;

namespace tilescope::gui {

/// Buttons and what is in their menus, items of choices, tabs and fields of a report by their
/// texts, or what they say of themselves in a tool tip: whatever of it is on the screen and can be
/// used. A hit does what a click does.
class ControlFinder : public Finder {
public:
    explicit ControlFinder(QWidget& report);
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;

private:
    struct Control {
        QString text;  ///< "View: Flame"
        QString hint;  ///< its tool tip
        QString state; ///< "on"; empty of what has none
        std::function<void()> use;
        QString section = {};       ///< where the keyboard goes on, of a tab
        bool takesKeyboard = false; ///< it is to be typed in
    };
    void addButtons(QWidget& report);
    void addActions(const QList<QAction*>& actions, const QString& path);
    void addChoices(QWidget& report);
    void addTabs(QWidget& report);
    void addFields(QWidget& report);
    [[nodiscard]] Found found(const Control& control) const;

    std::vector<Control> controls_;
};

} // namespace tilescope::gui
