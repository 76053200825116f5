// The controls of a report.
#pragma once

#include <QPointer>
#include <QWidget>

#include "app/gui/find/finder.h"

class QAction;
class QComboBox;
class QTabWidget;

namespace tilescope::gui {

/// Buttons and their menu entries, items of choices, tabs and fields of a report, by their texts or
/// tool tips, as far as they are visible and enabled. A hit acts like a click.
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
        QString state; ///< "on"; empty for controls without a state
        std::function<void()> use;
        QString section = {};       ///< for a tab: the section that gets the keyboard focus
        bool takesKeyboard = false; ///< it is a field to type in
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
