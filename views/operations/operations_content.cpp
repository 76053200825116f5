#include "views/operations/operations_content.h"

#include <algorithm>

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

std::string nameTitle(OperationLayer layer) {
    switch (layer) {
    case OperationLayer::Operation:
        return "Operation";
    case OperationLayer::Scope:
        return "Scope";
    case OperationLayer::Type:
        return "Type";
    case OperationLayer::Library:
        return "PopLibs call";
    case OperationLayer::Step:
        break;
    }
    return "Program step";
}

} // namespace

std::vector<OperationGroup> groupsOf(const OpenProfile& profile, const GroupChoice& choice,
                                     const std::stop_token& stop) {
    const auto operations = profile.operations(stop);
    const auto variables = profile.variables(stop);
    const auto computeSets = profile.computeSets(stop);
    const auto exchanges = profile.exchanges(stop);
    const auto programs = profile.programs(stop);
    const auto copies = profile.copies(stop);
    const auto vertexTypes = profile.vertexTypes(stop);
    std::vector<ProgramExecutions> executions;
    if (profile.info().hasExecution)
        executions = profile.trace(stop)->executions(programs->size());
    const OperationSources sources{*operations, *variables, *computeSets,     *exchanges,
                                   *programs,   *copies,    vertexTypes.get()};
    return operationGroups({sources, profile.machine(), executions}, choice.layer, choice.depth);
}

OperationsReport readOperations(const ProfilePair& profiles, const GroupChoice& choice,
                                const std::stop_token& stop) {
    OperationsReport report;
    report.choice = choice;
    report.source = groupsOf(*profiles.source, choice, stop);
    report.depth = scopeDepth(*profiles.source->operations(stop));
    report.executed = profiles.source->info().hasExecution;
    if (profiles.comparing()) {
        report.target = groupsOf(*profiles.target, choice, stop);
        report.executed = report.executed && profiles.target->info().hasExecution;
    }
    return report;
}

Table groupTable(const OperationsReport& report, const QStringList& wanted) {
    Table table;
    table.columns = {{"name", nameTitle(report.choice.layer)}};
    std::vector<const OperationColumn*> columns;
    std::vector<double> totals;
    for (const OperationColumn& column : operationColumns()) {
        const bool typeTwice =
            report.choice.layer == OperationLayer::Type && column.key == QLatin1String("type");
        if (!wanted.contains(column.key) || (column.executed && !report.executed) || typeTwice)
            continue;
        columns.push_back(&column);
        table.columns.push_back({column.key.toStdString(), column.title.toStdString(), column.unit,
                                 column.toolTip.toStdString()});
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
        Row row{{group.name}, static_cast<std::int32_t>(i)};
        for (std::size_t c = 0; c < columns.size(); ++c)
            row.cells.push_back(columns[c]->value(group, totals[c]));
        table.rows.push_back(std::move(row));
    }
    const auto text = [](std::int64_t n) { return QString::fromStdString(formatCycles(n)); };
    table.summary =
        (report.executed ? Text::tr("Estimated %1, measured %2").arg(text(cycles), text(measured))
                         : Text::tr("Estimated %1").arg(text(cycles)))
            .toStdString();
    return table;
}

Table comparedGroups(const OperationsReport& report, const OperationColumn& column) {
    return comparedTable(
        nameTitle(report.choice.layer) + " (" + column.title.toLower().toStdString() + ")",
        column.unit, valuesOf(report.source, column), valuesOf(report.target, column));
}

Table operationsTable(const ProfilePair& profiles, const std::stop_token& stop) {
    return comparedGroups(readOperations(profiles, {}, stop),
                          *operationColumn(QStringLiteral("cycles")));
}

} // namespace tilescope::views
