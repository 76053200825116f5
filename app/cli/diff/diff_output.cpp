#include "app/cli/diff/diff_output.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/report/compare_tables.h"
#include "core/report/value_tables.h"
#include "core/report/waterfall_table.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

std::string sideText(const std::string& file, const ProfileInfo& info) {
    std::string run = info.has(ProfilePart::Run)
                          ? fmt::format("{}, batch size {}", info.mode, info.batchSize)
                          : "mode and batch size not known";
    if (info.origin.kind != OriginKind::Simulated || !info.origin.tool.empty())
        run += "; " + originText(info.origin);
    return fmt::format("{}: {} on {} ({})", file, info.model, info.target.name, run);
}

std::string changeText(const std::string& before, const std::string& after) {
    return before == after ? before : before + " -> " + after;
}

std::string fitText(bool fits) {
    return fits ? "yes" : "no";
}

std::string tileText(TileId tile) {
    return tile.valid() ? std::to_string(tile.value()) : "none";
}

/// Runs of different lengths are compared as they are unless that is asked for.
std::string samplesText(double before, double after, bool divided) {
    const auto count = [](double samples) {
        return textOf(Cell(static_cast<std::int64_t>(std::llround(samples))), Unit::Count);
    };
    return fmt::format("{} -> {}; {}", count(before), count(after),
                       divided ? "figures are of a sample, if not of a tile"
                               : "--per-sample compares what one of them takes");
}

Table thresholdsTable(const DiffResult& result) {
    Table table{"thresholds", "Thresholds", {{"threshold", "Threshold"}, {"exceeded", "Exceeded"}}};
    for (const ThresholdResult& threshold : result.thresholds)
        table.add({threshold.text, threshold.exceeded});
    return table;
}

json::array plansJson(const Comparison& comparison) {
    json::array plans;
    for (const PlanChange& plan : comparison.plans) {
        json::array changes;
        for (const PlanDifference& difference : plan.differences)
            changes.push_back(json::object{{"key", difference.key},
                                           {"source", difference.source},
                                           {"target", difference.target}});
        const auto value = [](const std::optional<std::int64_t>& v) {
            return v ? json::value(*v) : json::value(nullptr);
        };
        plans.push_back(json::object{{"operation", plan.name},
                                     {"changes", std::move(changes)},
                                     {"sourceTempBytes", value(plan.sourceEstimate.tempBytes)},
                                     {"targetTempBytes", value(plan.targetEstimate.tempBytes)},
                                     {"sourceCycles", value(plan.sourceEstimate.cycles)},
                                     {"targetCycles", value(plan.targetEstimate.cycles)}});
    }
    return plans;
}

json::object sideJson(const std::string& file, const ProfileInfo& info,
                      const MemorySummary& memory) {
    json::object side{{"profile", file},
                      {"model", info.model},
                      {"target", info.target.name},
                      {"origin", toString(info.origin.kind)},
                      {"fits", info.fits},
                      {"samplesOfRun", nullptr},
                      {"maxTile", nullptr},
                      {"limitPerTile", memory.limitPerTile}};
    if (const double samples = samplesOfRun(info); samples > 0)
        side["samplesOfRun"] = std::llround(samples);
    if (memory.maxTileId.valid())
        side["maxTile"] = memory.maxTileId.value();
    return side;
}

} // namespace

const std::vector<std::string>& diffSections() {
    static const std::vector<std::string> sections{
        "summary",    "metrics",   "options",     "plans",     "memory",   "cycles",
        "operations", "variables", "computeSets", "exchanges", "vertices", "programs",
        "aligned",    "values",    "waterfall",   "lines"};
    return sections;
}

Document diffSummary(const DiffResult& result, std::size_t rows) {
    const Comparison& c = result.comparison;
    Document document;
    document.fields = {
        {"", "Source", sideText(result.sourceFile, c.source)},
        {"", "Target", sideText(result.targetFile, c.target)},
        {"", "Fits", changeText(fitText(c.source.fits), fitText(c.target.fits))},
        {"", "Fullest tile",
         changeText(tileText(c.sourceMemory.maxTileId), tileText(c.targetMemory.maxTileId))},
        {"", "Peak at", changeText(c.sourcePeakName, c.targetPeakName)}};
    if (const double before = samplesOfRun(c.source), after = samplesOfRun(c.target);
        before > 0 && after > 0 && (before != after || c.perSample))
        document.fields.push_back(
            {"", "Samples of a run", samplesText(before, after, c.perSample)});
    if (c.empty()) {
        document.fields.push_back({"", "Changes", std::string("none")});
    } else {
        document.tables.push_back(metricsTable(c, MetricRows::Headline));
        if (result.waterfall && !result.waterfall->steps.empty())
            document.tables.push_back(waterfallTable(result.waterfall));
        for (Table& table : std::vector<Table>{optionsTable(c), plansTable(c, rows),
                                               causesTable(c, Unit::Bytes, rows),
                                               causesTable(c, Unit::Cycles, rows)})
            if (!table.rows.empty())
                document.tables.push_back(std::move(table));
        document.tables.push_back(changeCounts(c));
    }
    if (!result.thresholds.empty())
        document.tables.push_back(thresholdsTable(result));
    return document;
}

Document diffSection(const DiffResult& result, const std::string& section, std::size_t rows,
                     Format format) {
    const Comparison& c = result.comparison;
    if (section == "metrics")
        return {{},
                {metricsTable(c, format == Format::Text ? MetricRows::Changed : MetricRows::All)}};
    if (section == "options")
        return {{}, {optionsTable(c)}};
    if (section == "plans")
        return {{}, {plansTable(c, rows)}};
    if (section == "memory")
        return {{}, {causesTable(c, Unit::Bytes, rows)}};
    if (section == "cycles")
        return {{}, {causesTable(c, Unit::Cycles, rows)}};
    if (section == "aligned")
        return {{}, {alignedTable(c, rows)}};
    if (section == "values")
        return {
            {},
            {comparedTensorsTable(result.values, rows), comparedCurveTable(result.values, rows)}};
    if (section == "waterfall")
        return {{}, {waterfallTable(result.waterfall)}};
    if (section == "lines") {
        Table lines = result.lines;
        lines.rows.resize(std::min(rows, lines.rows.size()));
        return {{}, {std::move(lines)}};
    }
    for (const ComparedTable& table : c.tables)
        if (table.key == section)
            return {{}, {changesTable(table, ComparedRows::Changed, rows)}};
    throw InternalError("no section " + section);
}

json::value diffJson(const DiffResult& result) {
    const Comparison& c = result.comparison;
    json::object object{{"same", c.empty()},
                        {"source", sideJson(result.sourceFile, c.source, c.sourceMemory)},
                        {"target", sideJson(result.targetFile, c.target, c.targetMemory)}};
    object["thresholds"] = toJson(thresholdsTable(result));
    object["metrics"] = toJson(metricsTable(c, MetricRows::All));
    object["options"] = toJson(optionsTable(c));
    object["plannedOperations"] = c.plannedOperations;
    object["plans"] = plansJson(c);
    object["perSample"] = c.perSample;
    object["cycleBasis"] = c.cycleBasis == CycleBasis::Executed ? "executed" : "estimated";
    object["memoryCauses"] = toJson(causesTable(c, Unit::Bytes));
    object["cycleCauses"] = toJson(causesTable(c, Unit::Cycles));
    object["waterfall"] = toJson(waterfallTable(result.waterfall));
    object["lines"] = toJson(result.lines);
    for (const ComparedTable& table : c.tables)
        object[table.key] = toJson(changesTable(table, ComparedRows::Changed));
    object["aligned"] = toJson(alignedTable(c));
    if (!result.values.tensors.empty() || !result.values.curve.empty()) {
        object["valueTensors"] = toJson(comparedTensorsTable(result.values, allRows));
        object["valueCurve"] = toJson(comparedCurveTable(result.values, allRows));
    }
    return object;
}

Table metricsList() {
    Table table{
        "metrics",
        "",
        {{"name", "Metric"}, {"unit", "Unit"}, {"better", "Better"}, {"meaning", "Meaning"}}};
    for (const Metric& metric : allMetrics())
        table.add({metric.name, std::string(toString(metric.unit)),
                   metric.better == MetricBetter::Less   ? Cell(std::string("less"))
                   : metric.better == MetricBetter::More ? Cell(std::string("more"))
                                                         : Cell(),
                   metric.meaning});
    return table;
}

} // namespace tilescope::cli
