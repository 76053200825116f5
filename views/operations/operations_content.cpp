#include "views/operations/operations_content.h"

#include <algorithm>

#include "views/session/profile_groups.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::vector<NamedValue> valuesOf(const std::vector<OperationGroup>& groups,
                                 const OperationColumn& column) {
    std::vector<NamedValue> values;
    for (std::size_t i = 0; i < groups.size(); ++i)
        values.push_back(
            {groups[i].name, column.compared(groups[i]), static_cast<std::int32_t>(i)});
    return values;
}

QString nameTitle(OperationLayer layer) {
    switch (layer) {
    case OperationLayer::Operation:
        return Text::tr("Operation");
    case OperationLayer::Scope:
        return Text::tr("Scope");
    case OperationLayer::Type:
        return Text::tr("Type");
    case OperationLayer::Library:
        return Text::tr("PopLibs call");
    case OperationLayer::Step:
        break;
    }
    return Text::tr("Program step");
}

} // namespace

OperationsReport readOperations(const ProfilePair& profiles, const GroupChoice& choice,
                                const std::stop_token& stop) {
    OperationsReport report;
    report.choice = choice;
    report.source = groupsOf(*profiles.source, choice.layer, choice.depth, stop);
    report.depth = scopeDepth(*profiles.source->operations(stop));
    report.executed = profiles.source->info().hasExecution;
    if (profiles.comparing()) {
        report.target = groupsOf(*profiles.target, choice.layer, choice.depth, stop);
        report.executed = report.executed && profiles.target->info().hasExecution;
    }
    return report;
}

DataTable groupTable(const OperationsReport& report, const QStringList& wanted) {
    DataTable table;
    table.columns = {{nameTitle(report.choice.layer), CellKind::Text, {}}};
    std::vector<const OperationColumn*> columns;
    std::vector<double> totals;
    for (const OperationColumn& column : operationColumns()) {
        const bool typeTwice =
            report.choice.layer == OperationLayer::Type && column.key == QLatin1String("type");
        if (!wanted.contains(column.key) || (column.executed && !report.executed) || typeTwice)
            continue;
        columns.push_back(&column);
        table.columns.push_back({column.title, column.kind, column.toolTip});
        double total = 0;
        if (column.shareOf != nullptr)
            for (const OperationGroup& group : report.source)
                total += static_cast<double>(column.shareOf(group));
        totals.push_back(total);
    }
    std::int64_t cycles = 0;
    std::int64_t measured = 0;
    for (std::size_t i = 0; i < report.source.size(); ++i) {
        const OperationGroup& group = report.source[i];
        cycles += group.cycles();
        measured += group.measuredCycles;
        DataRow row{{group.name}, static_cast<std::int32_t>(i)};
        for (std::size_t c = 0; c < columns.size(); ++c)
            row.cells.push_back(columns[c]->value(group, totals[c]));
        table.rows.push_back(std::move(row));
    }
    const auto text = [](std::int64_t n) { return QString::fromStdString(formatCycles(n)); };
    table.summary = report.executed
                        ? Text::tr("Estimated %1, measured %2").arg(text(cycles), text(measured))
                        : Text::tr("Estimated %1").arg(text(cycles));
    return table;
}

DataTable comparedGroups(const OperationsReport& report, const OperationColumn& column) {
    return comparedTable(
        Text::tr("%1 (%2)").arg(nameTitle(report.choice.layer), column.title.toLower()),
        column.kind == CellKind::Flops ? CellKind::Count : column.kind,
        valuesOf(report.source, column), valuesOf(report.target, column));
}

DataTable operationsTable(const ProfilePair& profiles, const std::stop_token& stop) {
    return comparedGroups(readOperations(profiles, {}, stop),
                          *operationColumn(QStringLiteral("cycles")));
}

} // namespace tilescope::views
