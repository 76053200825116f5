#include "app/gui/window/reports.h"

#include <QCoreApplication>
#include <QStringList>
#include <fmt/format.h>
#include <string>
#include <vector>

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

namespace tilescope::gui {
namespace {

struct Names {
    const char* name;
    const char* title;
};
constexpr std::array<Names, reports.size()> names{{
    {"summary", QT_TRANSLATE_NOOP("Reports", "Summary")},
    {"insights", QT_TRANSLATE_NOOP("Reports", "Insights")},
    {"memory", QT_TRANSLATE_NOOP("Reports", "Memory")},
    {"liveness", QT_TRANSLATE_NOOP("Reports", "Liveness")},
    {"programs", QT_TRANSLATE_NOOP("Reports", "Program Tree")},
    {"operations", QT_TRANSLATE_NOOP("Reports", "Operations")},
    {"trace", QT_TRANSLATE_NOOP("Reports", "Execution Trace")},
    {"pipeline", QT_TRANSLATE_NOOP("Reports", "Pipeline")},
    {"compare", QT_TRANSLATE_NOOP("Reports", "Compare")},
    {"query", QT_TRANSLATE_NOOP("Reports", "Query")},
}};

} // namespace

QString reportName(Report report) {
    return QString::fromLatin1(names[static_cast<std::size_t>(report)].name);
}

QString reportTitle(Report report) {
    return QCoreApplication::translate("Reports", names[static_cast<std::size_t>(report)].title);
}

QString reportKeys(Report report) {
    return QStringLiteral("Ctrl+%1").arg((static_cast<int>(report) + 1) % 10);
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
    switch (report) {
    case Report::Summary:
        return new views::SummaryView(context);
    case Report::Insights:
        return new views::InsightsView(context);
    case Report::Memory:
        return new views::MemoryView(context);
    case Report::Liveness:
        return new views::LivenessView(context);
    case Report::Programs:
        return new views::ProgramsView(context);
    case Report::Operations:
        return new views::OperationsView(context);
    case Report::Trace:
        return new views::TraceView(context);
    case Report::Pipeline:
        return new views::PipelineView(context);
    case Report::Compare:
        return new views::CompareView(context);
    case Report::Query:
        break;
    }
    return new views::SqlView(context);
}

} // namespace tilescope::gui
