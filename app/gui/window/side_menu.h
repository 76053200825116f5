// The column of reports at the left.
#pragma once

#include <QWidget>
#include <array>

#include "app/gui/window/reports.h"
#include "views/session/view_context.h"

class QToolButton;

namespace tilescope::gui {

/// A button for each report, with or without its name.
class SideMenu : public QWidget {
    Q_OBJECT
public:
    explicit SideMenu(views::ViewContext& context, QWidget* parent = nullptr);
    void setCurrent(Report report);
    /// Whether a sufficiently wide window shows icons only.
    void setCollapsed(bool collapsed);
    [[nodiscard]] bool collapsed() const { return collapsed_; }
    /// A narrow window shows no names until the user asks for them.
    void setNarrow(bool narrow);
    [[nodiscard]] bool showsNames() const { return narrow_ ? namesWhileNarrow_ : !collapsed_; }
    /// Shows the names or hides them.
    void toggle();

signals:
    void chosen(Report report);

private:
    void applyTheme();
    void showNames();
    void showWhatCollapses();

    views::ViewContext& context_;
    std::array<QToolButton*, reports.size()> buttons_{};
    QToolButton* collapse_;
    bool collapsed_ = false;
    bool narrow_ = false;
    bool namesWhileNarrow_ = false;
};

} // namespace tilescope::gui
