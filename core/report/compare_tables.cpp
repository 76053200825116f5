#include "core/report/compare_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilescope {
namespace {

/// Source, target, difference and its share of the source.
template <class T>
void addFour(std::vector<Cell>& cells, const std::optional<T>& before,
             const std::optional<T>& after) {
    const Change change(before.value_or(0), after.value_or(0));
    cells.push_back(cellOf(before));
    cells.push_back(cellOf(after));
    cells.emplace_back(change);
    cells.push_back(
        before && after && change.source != 0 ? Cell(change.difference() / change.source) : Cell());
}

Cell differenceBetween(const std::optional<std::int64_t>& before,
                       const std::optional<std::int64_t>& after) {
    return before && after ? Cell(Change(*before, *after)) : Cell();
}

/// "Title (10 of 213)" where lines are left out.
std::string titled(const std::string& title, std::size_t shown, std::size_t all) {
    return shown < all ? fmt::format("{} ({} of {}, largest first)", title, shown, all) : title;
}

std::string changeText(const CauseList& list, Unit unit) {
    return fmt::format("{} -> {} ({})", textOf(list.before, unit), textOf(list.after, unit),
                       textOf(list.after - list.before, unit, {}, true));
}

std::string causesTitle(const Comparison& comparison, Unit unit) {
    const char* ofSample = comparison.perSample ? ", of a sample" : "";
    if (unit == Unit::Bytes)
        return fmt::format("Causes, memory: always live plus peak not always live{}, {}", ofSample,
                           changeText(comparison.memory, unit));
    return fmt::format("Causes, cycles: {}{}, {}",
                       comparison.cycleBasis == CycleBasis::Executed
                           ? "all steps of a run"
                           : "estimates of compute sets and exchanges, as not both sides were "
                             "executed",
                       ofSample, changeText(comparison.cycles, unit));
}

/// The target's name and what else differs.
std::string otherChanges(const ComparedRow& row) {
    const std::string name = row.targetName.empty() ? "" : "now " + row.targetName;
    return name + (name.empty() || row.detail.empty() ? "" : "; ") + row.detail;
}

} // namespace

Table metricsTable(const Comparison& comparison, MetricRows rows) {
    Table table{"metrics",
                "",
                {in(Shown::Data, {"name", ""}),
                 in(Shown::Text, {"title", "Metric"}),
                 {"source", "Source"},
                 {"target", "Target"},
                 differenceOf({"difference", "Difference"}),
                 differenceOf({"relative", "Percent", Unit::Share})}};
    for (std::size_t i = 0; i < allMetrics().size(); ++i) {
        const Metric& metric = allMetrics()[i];
        const ComparedMetric& value = comparison.metrics[i];
        if ((rows == MetricRows::Headline && !metric.headline) ||
            (rows == MetricRows::Changed && !value.changed()))
            continue;
        Row& row = table.add({metric.name, titleOf(metric, comparison.perSample)});
        row.unit = metric.unit;
        addFour(row.cells, value.source, value.target);
        if (!value.source || !value.target)
            row.cells[4] = Cell();
        row.cells[5] = cellOf(value.relative());
    }
    return table;
}

Table optionsTable(const Comparison& comparison) {
    Table table{"options",
                "Options that differ",
                {{"option", "Option"}, {"source", "Source"}, {"target", "Target"}}};
    for (const OptionChange& change : comparison.options)
        table.add({change.option, textOrNone(change.source), textOrNone(change.target)});
    return table;
}

Table plansTable(const Comparison& comparison, std::size_t rows) {
    rows = std::min(rows, comparison.plans.size());
    const char* expected = "On one tile, as estimated by the planner";
    Table table{
        "plans",
        titled(fmt::format("Plans that changed: {} of {}", comparison.plans.size(),
                           comparison.plannedOperations),
               rows, comparison.plans.size()),
        {{"operation", "Operation"},
         {"sourceTempBytes", "Source temporary", Unit::Bytes, expected},
         {"targetTempBytes", "Target temporary", Unit::Bytes, expected},
         in(Shown::Window, differenceOf({"tempBytesDifference", "Difference", Unit::Bytes})),
         {"sourceCycles", "Source cycles", Unit::Cycles, "As estimated by the planner"},
         {"targetCycles", "Target cycles", Unit::Cycles, "As estimated by the planner"},
         in(Shown::Window, differenceOf({"cyclesDifference", "Difference", Unit::Cycles})),
         {"changes", "What changed"}}};
    for (std::size_t i = 0; i < rows; ++i) {
        const PlanChange& plan = comparison.plans[i];
        const PlanEstimate& a = plan.sourceEstimate;
        const PlanEstimate& b = plan.targetEstimate;
        table.add({plan.name, cellOf(a.tempBytes), cellOf(b.tempBytes),
                   differenceBetween(a.tempBytes, b.tempBytes), cellOf(a.cycles), cellOf(b.cycles),
                   differenceBetween(a.cycles, b.cycles), planText(plan.differences)},
                  plan.source.value());
    }
    table.summary = fmt::format("{} of {} plans changed", comparison.plans.size(),
                                comparison.plannedOperations);
    return table;
}

Table causesTable(const Comparison& comparison, Unit unit, std::size_t rows) {
    const CauseList& list = unit == Unit::Bytes ? comparison.memory : comparison.cycles;
    rows = std::min(rows, list.causes.size());
    Table table{
        unit == Unit::Bytes ? "memoryCauses" : "cycleCauses",
        titled(causesTitle(comparison, unit), rows, list.causes.size()),
        {{"operation", "Operation"},
         {"use", "Use"},
         {"source", "Source", unit},
         {"target", "Target", unit},
         differenceOf({"difference", "Difference", unit, "Target minus source"}),
         differenceOf(
             {"relative", "Percent", Unit::Share, "The difference as a share of the source"}),
         {"share", "Of all changes", Unit::Share,
          "Of the absolute sum of all changes, up and down; negative: against the overall change"},
         {"plan", "Plan", Unit::None, "What changed in the plan of the operation"}},
        {}};
    for (std::size_t i = 0; i < rows; ++i) {
        const Cause& cause = list.causes[i];
        std::vector<Cell>& cells = table.add({cause.name, cause.use}, cause.source.value()).cells;
        addFour(cells, std::optional(cause.before), std::optional(cause.after));
        cells.emplace_back(cause.share);
        cells.push_back(textOrNone(cause.planChange));
    }
    return table;
}

Table alignedTable(const Comparison& comparison, std::size_t rows) {
    rows = std::min(rows, comparison.aligned.size());
    const char* live = "Most not-always-live bytes of all tiles at its steps";
    const auto window = [](Column column) {
        return in(Shown::Window, differenceOf(std::move(column)));
    };
    Table table{"aligned",
                "Operations in the order of the model, with the most not-always-live bytes "
                "while each runs",
                {{"operation", "Operation"},
                 in(Shown::Printed, {"sourceStep", "Source step"}),
                 in(Shown::Printed, {"targetStep", "Target step"}),
                 {"liveSource", "Source live", Unit::Bytes, live},
                 {"liveTarget", "Target live", Unit::Bytes, live},
                 window({"liveDifference", "Difference", Unit::Bytes, live}),
                 window({"liveRelative", "Percent", Unit::Share, live}),
                 {"cyclesSource", "Source cycles", Unit::Cycles},
                 {"cyclesTarget", "Target cycles", Unit::Cycles},
                 window({"cyclesDifference", "Difference", Unit::Cycles}),
                 window({"cyclesRelative", "Percent", Unit::Share})}};
    const auto cyclesIf = [](OperationId side, std::int64_t cycles) {
        return side.valid() ? std::optional(cycles) : std::nullopt;
    };
    for (std::size_t i = 0; i < rows; ++i) {
        const AlignedOperation& o = comparison.aligned[i];
        std::vector<Cell>& cells =
            table.add({o.name, cellOf(o.sourceStep), cellOf(o.targetStep)}, o.source.value()).cells;
        addFour(cells, o.liveBefore, o.liveAfter);
        addFour(cells, cyclesIf(o.source, o.cyclesBefore), cyclesIf(o.target, o.cyclesAfter));
    }
    return table;
}

Table changesTable(const ComparedTable& compared, ComparedRows which, std::size_t rows) {
    rows = std::min(rows, which == ComparedRows::All ? compared.rows.size() : compared.changes());
    Table table{
        compared.key,
        titled(compared.title + " that changed", rows,
               which == ComparedRows::All ? rows : compared.changes()),
        {{"name", compared.title}, {"state", "State"}, in(Shown::Printed, {"kind", "Kind"})}};
    for (std::size_t i = 0; i < compared.columns.size(); ++i) {
        const ComparedColumn& column = compared.columns[i];
        const std::string& key = column.key;
        for (Column& one :
             std::vector<Column>{{key + "Source", column.title + ": source", column.unit},
                                 {key + "Target", "target", column.unit},
                                 differenceOf({key + "Difference", "difference", column.unit}),
                                 differenceOf({key + "Relative", "percent", Unit::Share})})
            table.columns.push_back(
                in(i == 0 ? Shown::Everywhere : Shown::Printed, std::move(one)));
        if (i > 0)
            table.columns.push_back(
                in(Shown::Window, {key + "Change", column.title, column.unit, "Difference"}));
    }
    table.columns.push_back(in(Shown::Printed, {"renamedTo", "Renamed to"}));
    table.columns.push_back(in(Shown::Printed, {"detail", "Detail"}));
    table.columns.push_back(in(Shown::Window, {"other", "What else", Unit::None,
                                               "Another name, shape, type, count or plan"}));
    for (const ComparedRow& row : compared.rows) {
        if (which == ComparedRows::Changed && !row.changed())
            continue;
        if (table.rows.size() == rows)
            break;
        std::vector<Cell>& cells =
            table.add({row.name, std::string(row.state()), row.kind}, row.source).cells;
        for (std::size_t i = 0; i < compared.columns.size(); ++i) {
            addFour(cells, row.before[i], row.after[i]);
            if (i > 0)
                cells.push_back(cells[cells.size() - 2]); // the difference
        }
        cells.push_back(textOrNone(row.targetName));
        cells.push_back(textOrNone(row.detail));
        cells.push_back(textOrNone(otherChanges(row)));
    }
    table.summary = fmt::format("{} changed", compared.changes());
    return table;
}

Table changeCounts(const Comparison& comparison) {
    Table table{"changes",
                "What else changed ('--section NAME' shows it)",
                {{"section", "Section"},
                 {"changed", "Changed"},
                 {"added", "Added"},
                 {"removed", "Removed"},
                 {"renamed", "Renamed"},
                 {"same", "Same"}}};
    for (const ComparedTable& compared : comparison.tables) {
        std::vector<Cell>& cells = table.add({compared.key}).cells;
        for (const char* state : {"changed", "added", "removed", "renamed", "same"})
            cells.emplace_back(static_cast<std::int64_t>(
                std::count_if(compared.rows.begin(), compared.rows.end(),
                              [&](const ComparedRow& r) { return r.state() == state; })));
    }
    return table;
}

} // namespace tilescope
