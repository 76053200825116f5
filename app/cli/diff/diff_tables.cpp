#include "app/cli/diff/diff_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilescope::cli {
namespace {

Value number(const std::optional<double>& value) {
    return value ? Value(*value) : Value();
}

Value integer(const std::optional<std::int64_t>& value) {
    return value ? Value(*value) : Value();
}

Unit unitOf(MetricUnit unit) {
    return unit == MetricUnit::Bytes    ? Unit::Bytes
           : unit == MetricUnit::Cycles ? Unit::Cycles
                                        : Unit::None;
}

Unit changeOf(MetricUnit unit) {
    return unit == MetricUnit::Bytes ? Unit::BytesChange : Unit::CyclesChange;
}

Value relativeTo(std::int64_t before, std::int64_t after) {
    return before != 0 ? Value(static_cast<double>(after - before) / static_cast<double>(before))
                       : Value();
}

/// "Title (10 of 213)" where lines are left out.
std::string titled(const std::string& title, std::size_t shown, std::size_t all) {
    return shown < all ? fmt::format("{} ({} of {}, largest first)", title, shown, all) : title;
}

std::vector<Value> metricText(const Metric& metric, const ComparedMetric& value) {
    const auto text = [&](const std::optional<double>& side) {
        return side ? Value(tilescope::metricText(*side, metric.unit)) : Value();
    };
    const std::optional<double> difference = value.difference();
    return {metric.title, text(value.source), text(value.target),
            difference ? Value(signedMetricText(*difference, metric.unit)) : Value(),
            number(value.relative())};
}

Table causesTable(std::string key, std::string title, const CauseList& list, MetricUnit unit,
                  std::size_t rows) {
    rows = std::min(rows, list.causes.size());
    Table table{std::move(key),
                titled(title, rows, list.causes.size()),
                {{"operation", "Operation"},
                 {"use", "Use"},
                 {"source", "Source", unitOf(unit)},
                 {"target", "Target", unitOf(unit)},
                 {"difference", "Difference", changeOf(unit)},
                 {"relative", "Percent", Unit::ShareChange},
                 {"share", "Share", Unit::Share},
                 {"plan", "Plan"}},
                {}};
    for (std::size_t i = 0; i < rows; ++i) {
        const Cause& cause = list.causes[i];
        table.rows.push_back({cause.name, cause.use, cause.before, cause.after, cause.difference(),
                              relativeTo(cause.before, cause.after), cause.share,
                              cause.planChange.empty() ? Value() : Value(cause.planChange)});
    }
    return table;
}

std::string changeText(const CauseList& list, MetricUnit unit) {
    const auto before = static_cast<double>(list.before);
    const auto after = static_cast<double>(list.after);
    return fmt::format("{} -> {} ({})", tilescope::metricText(before, unit),
                       tilescope::metricText(after, unit), signedMetricText(after - before, unit));
}

std::string basisText(const Comparison& comparison) {
    return comparison.cycleBasis == CycleBasis::Executed
               ? std::string("all steps of a run")
               : std::string("estimates of compute sets and exchanges, as not both sides were "
                             "executed");
}

} // namespace

Table metricsTable(const Comparison& comparison, MetricRows rows, Format format) {
    const bool text = format == Format::Text;
    Table table{"metrics", "", {}, {}};
    if (text)
        table.columns = {{"title", "Metric"},
                         {"source", "Source", Unit::None, Shown::Everywhere, true},
                         {"target", "Target", Unit::None, Shown::Everywhere, true},
                         {"difference", "Difference", Unit::None, Shown::Everywhere, true},
                         {"relative", "Percent", Unit::ShareChange}};
    else
        table.columns = {
            {"name", ""}, {"source", ""}, {"target", ""}, {"difference", ""}, {"relative", ""}};
    for (std::size_t i = 0; i < allMetrics().size(); ++i) {
        const Metric& metric = allMetrics()[i];
        const ComparedMetric& value = comparison.metrics[i];
        if (!text)
            table.rows.push_back({metric.name, number(value.source), number(value.target),
                                  number(value.difference()), number(value.relative())});
        else if (rows == MetricRows::Headline ? metric.headline : value.changed())
            table.rows.push_back(metricText(metric, value));
    }
    return table;
}

Table optionsTable(const Comparison& comparison) {
    Table table{"options",
                "Options that differ",
                {{"option", "Option"}, {"source", "Source"}, {"target", "Target"}},
                {}};
    const auto text = [](const std::string& value) {
        return value.empty() ? Value() : Value(value);
    };
    for (const OptionChange& change : comparison.options)
        table.rows.push_back({change.option, text(change.source), text(change.target)});
    return table;
}

Table plansTable(const Comparison& comparison, std::size_t rows) {
    rows = std::min(rows, comparison.plans.size());
    Table table{"plans",
                titled(fmt::format("Plans that changed: {} of {}", comparison.plans.size(),
                                   comparison.plannedOperations),
                       rows, comparison.plans.size()),
                {{"operation", "Operation"},
                 {"sourceTempBytes", "Source temporary", Unit::Bytes},
                 {"targetTempBytes", "Target temporary", Unit::Bytes},
                 {"sourceCycles", "Source cycles", Unit::Cycles},
                 {"targetCycles", "Target cycles", Unit::Cycles},
                 {"changes", "What changed"}},
                {}};
    for (std::size_t i = 0; i < rows; ++i) {
        const PlanChange& plan = comparison.plans[i];
        table.rows.push_back({plan.name, integer(plan.sourceEstimate.tempBytes),
                              integer(plan.targetEstimate.tempBytes),
                              integer(plan.sourceEstimate.cycles),
                              integer(plan.targetEstimate.cycles), planText(plan.differences)});
    }
    return table;
}

Table memoryCauses(const Comparison& comparison, std::size_t rows) {
    return causesTable("memoryCauses",
                       fmt::format("Causes, memory: always live plus peak not always live, {}",
                                   changeText(comparison.memory, MetricUnit::Bytes)),
                       comparison.memory, MetricUnit::Bytes, rows);
}

Table cycleCauses(const Comparison& comparison, std::size_t rows) {
    return causesTable("cycleCauses",
                       fmt::format("Causes, cycles: {}, {}", basisText(comparison),
                                   changeText(comparison.cycles, MetricUnit::Cycles)),
                       comparison.cycles, MetricUnit::Cycles, rows);
}

Table alignedTable(const Comparison& comparison, std::size_t rows) {
    rows = std::min(rows, comparison.aligned.size());
    Table table{"aligned",
                "Operations in the order of the model, with the most not-always-live bytes "
                "while each runs",
                {{"operation", "Operation"},
                 {"sourceStep", "Source step"},
                 {"targetStep", "Target step"},
                 {"liveSource", "Source live", Unit::Bytes},
                 {"liveTarget", "Target live", Unit::Bytes},
                 {"cyclesSource", "Source cycles", Unit::Cycles},
                 {"cyclesTarget", "Target cycles", Unit::Cycles}},
                {}};
    const auto step = [](StepId id) {
        return id.valid() ? Value(std::int64_t{id.value()}) : Value();
    };
    for (std::size_t i = 0; i < rows; ++i) {
        const AlignedOperation& o = comparison.aligned[i];
        table.rows.push_back({o.name, step(o.sourceStep), step(o.targetStep), integer(o.liveBefore),
                              integer(o.liveAfter),
                              o.source.valid() ? Value(o.cyclesBefore) : Value(),
                              o.target.valid() ? Value(o.cyclesAfter) : Value()});
    }
    return table;
}

Table changedRows(const ComparedTable& compared, std::size_t rows) {
    rows = std::min(rows, compared.changes());
    Table table{compared.key,
                titled(compared.title + " that changed", rows, compared.changes()),
                {{"name", compared.title}, {"state", "State"}, {"kind", "Kind"}},
                {}};
    for (const ComparedColumn& column : compared.columns) {
        const Unit unit = unitOf(column.unit);
        const std::string& key = column.key;
        table.columns.push_back({key + "Source", column.title + ": source", unit});
        table.columns.push_back({key + "Target", "target", unit});
        table.columns.push_back({key + "Difference", "difference", changeOf(column.unit)});
        table.columns.push_back({key + "Relative", "percent", Unit::ShareChange});
    }
    table.columns.push_back({"renamedTo", "Renamed to"});
    table.columns.push_back({"detail", "Detail"});
    for (const ComparedRow& row : compared.rows) {
        if (!row.changed())
            continue;
        if (table.rows.size() == rows)
            break;
        std::vector<Value> cells{row.name, std::string(row.state()), row.kind};
        for (std::size_t i = 0; i < compared.columns.size(); ++i) {
            cells.push_back(integer(row.before[i]));
            cells.push_back(integer(row.after[i]));
            cells.emplace_back(row.difference(i));
            cells.push_back(row.before[i] && row.after[i]
                                ? relativeTo(*row.before[i], *row.after[i])
                                : Value());
        }
        cells.push_back(row.targetName.empty() ? Value() : Value(row.targetName));
        cells.push_back(row.detail.empty() ? Value() : Value(row.detail));
        table.rows.push_back(std::move(cells));
    }
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
                 {"same", "Same"}},
                {}};
    for (const ComparedTable& compared : comparison.tables) {
        std::vector<Value> row{compared.key};
        for (const char* state : {"changed", "added", "removed", "renamed", "same"})
            row.emplace_back(static_cast<std::int64_t>(
                std::count_if(compared.rows.begin(), compared.rows.end(),
                              [&](const ComparedRow& r) { return r.state() == state; })));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace tilescope::cli
