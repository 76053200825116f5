// The reports of the window, in the order of the side menu.
#pragma once

#include <QString>
#include <array>

namespace tilescope::views {
class ReportView;
struct ViewContext;
} // namespace tilescope::views

namespace tilescope::gui {

enum class Report {
    Summary,
    Insights,
    Memory,
    Liveness,
    Programs,
    Operations,
    Trace,
    Pipeline,
    Values,
    Compare,
    Query
};
inline constexpr std::array reports{Report::Summary,  Report::Insights, Report::Memory,
                                    Report::Liveness, Report::Programs, Report::Operations,
                                    Report::Trace,    Report::Pipeline, Report::Values,
                                    Report::Compare,  Report::Query};

/// The name on the command line and of the icon: "summary".
QString reportName(Report report);
/// The name for people: "Execution Trace".
QString reportTitle(Report report);
/// "Ctrl+1" for the first report and so on to "Ctrl+0"; Values has a letter.
QString reportKeys(Report report);
/// Throws UserError that lists the names.
Report reportFrom(const QString& name);
/// The view of a report, not yet shown.
views::ReportView* makeReport(Report report, views::ViewContext& context);

} // namespace tilescope::gui
