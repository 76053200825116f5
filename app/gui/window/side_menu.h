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
    void setCollapsed(bool collapsed);
    [[nodiscard]] bool collapsed() const { return collapsed_; }

signals:
    void chosen(Report report);
    void collapsedChanged(bool collapsed);

private:
    void applyTheme();

    views::ViewContext& context_;
    std::array<QToolButton*, reports.size()> buttons_{};
    QToolButton* collapse_;
    bool collapsed_ = false;
};

} // namespace tilescope::gui
