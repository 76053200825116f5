#include <algorithm>
#include <cmath>

#include "views/compare/compare_content.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

CellKind kindOf(MetricUnit unit) {
    switch (unit) {
    case MetricUnit::Bytes:
        return CellKind::Bytes;
    case MetricUnit::Cycles:
        return CellKind::Cycles;
    case MetricUnit::Seconds:
        return CellKind::Nanoseconds;
    case MetricUnit::Rate:
        return CellKind::Rate;
    case MetricUnit::Count:
        break;
    }
    return CellKind::Count;
}

using Value = std::optional<std::int64_t>;

/// Source, target, difference and percent. A missing item counts as nothing in the difference.
void addFour(std::vector<Cell>& cells, const Value& before, const Value& after) {
    const Change change{before.value_or(0), after.value_or(0)};
    cells.push_back(cellOf(before));
    cells.push_back(cellOf(after));
    cells.emplace_back(change);
    cells.push_back(
        before && after && change.source != 0
            ? Cell(static_cast<double>(change.difference()) / static_cast<double>(change.source))
            : Cell());
}

void addFourColumns(DataTable& table, CellKind kind) {
    table.columns.push_back({Text::tr("Source"), kind, {}});
    table.columns.push_back({Text::tr("Target"), kind, {}});
    table.columns.push_back(
        {Text::tr("Difference"), differenceKindOf(kind), Text::tr("Target less source")});
    table.columns.push_back(
        {Text::tr("Percent"), CellKind::SignedShare, Text::tr("The difference, of the source")});
}

/// A metric as a whole number of its unit; times in nanoseconds.
Value wholeValue(const std::optional<double>& value, MetricUnit unit) {
    return value ? Value(std::llround(*value * (unit == MetricUnit::Seconds ? 1e9 : 1))) : Value();
}

QString shareHint() {
    return Text::tr("Of all changes taken together; what goes against the whole is negative");
}

std::string stateText(const ComparedRow& row) {
    if (row.source < 0)
        return Text::tr("added").toStdString();
    if (row.target < 0)
        return Text::tr("removed").toStdString();
    if (!row.targetName.empty())
        return Text::tr("renamed").toStdString();
    return (row.changed() ? Text::tr("changed") : Text::tr("same")).toStdString();
}

/// The target's name and whatever else differs; empty if nothing does.
std::string otherChanges(const ComparedRow& row) {
    QStringList parts;
    if (!row.targetName.empty())
        parts << Text::tr("now %1").arg(QString::fromStdString(row.targetName));
    if (!row.detail.empty())
        parts << QString::fromStdString(row.detail);
    return parts.join(QStringLiteral("; ")).toStdString();
}

} // namespace

ValueTree headlineFigures(const Comparison& comparison) {
    ValueTree tree{
        Text::tr("Figure"), {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")}, {}};
    for (std::size_t i = 0; i < allMetrics().size(); ++i) {
        const Metric& metric = allMetrics()[i];
        if (!metric.headline)
            continue;
        const ComparedMetric& value = comparison.metrics[i];
        const Value before = wholeValue(value.source, metric.unit);
        const Value after = wholeValue(value.target, metric.unit);
        tree.roots.push_back({QString::fromStdString(metric.title),
                              {cellOf(before), cellOf(after),
                               before && after ? Cell(Change{*before, *after}) : Cell()},
                              {},
                              kindOf(metric.unit)});
    }
    return tree;
}

DataTable largestCauses(const Comparison& comparison, MetricUnit unit, std::size_t most) {
    const CauseList& list = unit == MetricUnit::Bytes ? comparison.memory : comparison.cycles;
    DataTable table;
    table.columns = {{Text::tr("Operation"), CellKind::Text, {}},
                     {Text::tr("Use"), CellKind::Text, {}},
                     {Text::tr("Difference"), changeKindOf(kindOf(unit)),
                      Text::tr("Target less source; per cent of the source")},
                     {Text::tr("Share"), CellKind::Share, shareHint()}};
    for (std::size_t i = 0; i < std::min(most, list.causes.size()); ++i) {
        const Cause& cause = list.causes[i];
        table.rows.push_back(
            {{cause.name, cause.use, Change{cause.before, cause.after}, cause.share},
             cause.source.value()});
    }
    return table;
}

DataTable causesTable(const Comparison& comparison, MetricUnit unit) {
    const CauseList& list = unit == MetricUnit::Bytes ? comparison.memory : comparison.cycles;
    DataTable table;
    table.columns = {{Text::tr("Operation"), CellKind::Text, {}},
                     {Text::tr("Use"), CellKind::Text, {}}};
    addFourColumns(table, kindOf(unit));
    table.columns.push_back({Text::tr("Share"), CellKind::Share, shareHint()});
    table.columns.push_back(
        {Text::tr("Plan"), CellKind::Text, Text::tr("What changed in the plan of the operation")});
    for (const Cause& cause : list.causes) {
        DataRow row{{cause.name, cause.use}, cause.source.value()};
        addFour(row.cells, cause.before, cause.after);
        row.cells.emplace_back(cause.share);
        row.cells.push_back(cause.planChange.empty() ? Cell() : Cell(cause.planChange));
        table.rows.push_back(std::move(row));
    }
    return table;
}

DataTable plansTable(const Comparison& comparison) {
    DataTable table;
    table.columns = {
        {Text::tr("Operation"), CellKind::Text, {}},
        {Text::tr("Temporary memory: source"), CellKind::Bytes,
         Text::tr("Of a tile, as the planner expects it")},
        {Text::tr("Target"), CellKind::Bytes, {}},
        {Text::tr("Difference"), CellKind::BytesDifference, {}},
        {Text::tr("Cycles: source"), CellKind::Cycles, Text::tr("As the planner expects them")},
        {Text::tr("Target"), CellKind::Cycles, {}},
        {Text::tr("Difference"), CellKind::CyclesDifference, {}},
        {Text::tr("What changed"), CellKind::Text, {}}};
    const auto difference = [](const Value& before, const Value& after) {
        return before && after ? Cell(Change{*before, *after}) : Cell();
    };
    for (const PlanChange& plan : comparison.plans) {
        const PlanEstimate& a = plan.sourceEstimate;
        const PlanEstimate& b = plan.targetEstimate;
        table.rows.push_back(
            {{plan.name, cellOf(a.tempBytes), cellOf(b.tempBytes),
              difference(a.tempBytes, b.tempBytes), cellOf(a.cycles), cellOf(b.cycles),
              difference(a.cycles, b.cycles), planText(plan.differences)},
             plan.source.value()});
    }
    table.summary = Text::tr("%1 of %2 plans changed")
                        .arg(comparison.plans.size())
                        .arg(comparison.plannedOperations);
    return table;
}

DataTable changesTable(const Comparison& comparison, std::size_t at) {
    const ComparedTable& compared = comparison.tables.at(at);
    const ComparedColumn& first = compared.columns.front();
    DataTable table;
    table.columns = {{Text::tr("%1 (%2)").arg(QString::fromStdString(compared.title),
                                              QString::fromStdString(first.title).toLower()),
                      CellKind::Text,
                      {}},
                     {Text::tr("State"), CellKind::Text, {}}};
    addFourColumns(table, kindOf(first.unit));
    for (const ComparedColumn& column : compared.columns) {
        if (&column == &first)
            continue;
        const CellKind kind = column.better == MetricBetter::Neither
                                  ? CellKind::CountChange
                                  : changeKindOf(kindOf(column.unit));
        table.columns.push_back(
            {QString::fromStdString(column.title), kind, Text::tr("Difference")});
    }
    table.columns.push_back({Text::tr("What else"), CellKind::Text,
                             Text::tr("Another name, shape, type, count or plan")});
    for (const ComparedRow& row : compared.rows) {
        DataRow line{{row.name, stateText(row)}, row.source};
        addFour(line.cells, row.before.front(), row.after.front());
        for (std::size_t i = 1; i < compared.columns.size(); ++i)
            line.cells.emplace_back(Change{row.before[i].value_or(0), row.after[i].value_or(0)});
        const std::string both = otherChanges(row);
        line.cells.push_back(both.empty() ? Cell() : Cell(both));
        table.rows.push_back(std::move(line));
    }
    table.summary = Text::tr("%1 changed").arg(compared.changes());
    return table;
}

DataTable alignedTable(const Comparison& comparison) {
    DataTable table;
    table.columns = {{Text::tr("Operation, in the order of the model"), CellKind::Text, {}}};
    const QString live = Text::tr("Most not-always-live bytes of all tiles at its steps");
    addFourColumns(table, CellKind::Bytes);
    addFourColumns(table, CellKind::Cycles);
    for (std::size_t i = 1; i <= 4; ++i)
        table.columns[i].toolTip = live;
    table.columns[1].title = Text::tr("Live: source");
    table.columns[5].title = Text::tr("Cycles: source");
    for (const AlignedOperation& o : comparison.aligned) {
        DataRow row{{o.name}, o.source.value()};
        addFour(row.cells, o.liveBefore, o.liveAfter);
        addFour(row.cells, o.source.valid() ? Value(o.cyclesBefore) : Value(),
                o.target.valid() ? Value(o.cyclesAfter) : Value());
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace tilescope::views
