// The reports of a window.
#pragma once

#include <QMainWindow>
#include <array>

#include "app/gui/window/reports.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

class QStackedWidget;

namespace tilescope::gui {

class SideMenu;

/// The page of the open profiles: the menu of their reports, what is open, and one report in front.
/// Reports are made when they are first shown.
class ReportHost : public QWidget {
    Q_OBJECT
public:
    ReportHost(QMainWindow& window, views::ViewContext& context);

    [[nodiscard]] Report current() const { return current_; }
    /// The report to begin with when profiles are opened.
    void setCurrent(Report report) { current_ = report; }
    void show(Report report);
    /// Shows a report and gives it the keyboard.
    void goTo(Report report);
    void takeFocus();
    /// Brings the selected operation into view if the report in front does not do so itself.
    void goToSelected();
    /// Shows "memory", "memory:Variables", or a section of the command line's reports that has no
    /// view of its own.
    void showSection(const QString& name);

    /// The view of a report; created if it was never shown.
    views::ReportView& view(Report report);
    /// Null if the report was never shown.
    [[nodiscard]] views::ReportView* made(Report report) const {
        return views_[static_cast<std::size_t>(report)];
    }
    /// The view in front; null if nothing is shown.
    [[nodiscard]] views::ReportView* inFront() const;
    [[nodiscard]] SideMenu& sideMenu() { return *sideMenu_; }

signals:
    /// For the status bar.
    void status(const QString& text);
    void shown();
    void viewMade(tilescope::gui::Report report);

private:
    [[nodiscard]] bool saysNothing(Report report) const;

    QMainWindow& window_;
    views::ViewContext& context_;
    SideMenu* sideMenu_;
    QStackedWidget* stack_;
    views::LoadingPanel*
        hostOnly_; ///< in place of reports about the machine of which none is known
    Report current_ = Report::Summary;
    std::array<views::ReportView*, reports.size()> views_{};
};

} // namespace tilescope::gui
