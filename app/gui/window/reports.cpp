#include "app/gui/window/reports.h"

#include <QStringList>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "views/compare/compare_view.h"
#include "views/execution/trace_view.h"
#include "views/insights/insights_view.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"
#include "views/operations/operations_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/programs/programs_view.h"
#include "views/sql/sql_view.h"
#include "views/summary/summary_view.h"
#include "views/values/values_view.h"
#include "views/widgets/thing_places.h"

namespace tilescope::gui {
namespace {

struct Row {
    const char* name;
    views::ReportView* (*make)(views::ViewContext& context);
};
template <class View> views::ReportView* make(views::ViewContext& context) {
    return new View(context);
}
constexpr auto rows = std::to_array<Row>({
    {"summary", make<views::SummaryView>},
    {"insights", make<views::InsightsView>},
    {"memory", make<views::MemoryView>},
    {"liveness", make<views::LivenessView>},
    {"programs", make<views::ProgramsView>},
    {"operations", make<views::OperationsView>},
    {"trace", make<views::TraceView>},
    {"pipeline", make<views::PipelineView>},
    {"values", make<views::ValuesView>},
    {"compare", make<views::CompareView>},
    {"query", make<views::SqlView>},
});
static_assert(rows.size() == reports.size());

} // namespace

QString reportName(Report report) {
    return QString::fromLatin1(rows[static_cast<std::size_t>(report)].name);
}

QString reportTitle(Report report) {
    return views::placeTitle(rows[static_cast<std::size_t>(report)].name);
}

QString reportKeys(Report report) {
    // The last report was added when all digits were taken; the others keep theirs.
    if (report == Report::Values)
        return QStringLiteral("Ctrl+Shift+V");
    const int place = static_cast<int>(report) - (report > Report::Values ? 1 : 0);
    return QStringLiteral("Ctrl+%1").arg((place + 1) % 10);
}

Report reportFrom(const QString& name) {
    QStringList known;
    for (const Report report : reports) {
        if (reportName(report) == name)
            return report;
        known.append(reportName(report));
    }
    throw UserError(fmt::format("unknown view '{}': it can be {}", name.toStdString(),
                                known.join(QStringLiteral(", ")).toStdString()));
}

views::ReportView* makeReport(Report report, views::ViewContext& context) {
    return rows[static_cast<std::size_t>(report)].make(context);
}

} // namespace tilescope::gui
