#include "app/cli/sweep/sweep_output.h"

#include <charconv>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/sweep/axis.h"

namespace tilescope::cli {
namespace {

/// In data, coordinates are numbers wherever possible.
Cell valueOf(const std::string& text) {
    if (!isDecimal(text))
        return text;
    if (text.find('.') == std::string::npos)
        return static_cast<std::int64_t>(std::stoll(text));
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// "fits", "OOM", "error": users know the abbreviation from their logs.
std::string shownStatus(PointStatus status) {
    return status == PointStatus::OutOfMemory ? "OOM" : std::string(toString(status));
}

const std::vector<Column>& resultColumns() {
    static const std::vector<Column> columns{
        in(Shown::Data, {"status", "Status", Unit::None}),
        in(Shown::Text, {"status", "Result", Unit::None}),
        in(Shown::Data, {"exitCode", "Exit", Unit::None}),
        {"throughput", "Samples/s", Unit::Rate},
        {"seconds", "Time", Unit::Seconds},
        {"cycles", "Cycles", Unit::Cycles},
        {"maxTileIncludingGaps", "Fullest tile", Unit::Bytes},
        in(Shown::Data, {"maxTileExcludingGaps", "Without gaps", Unit::Bytes}),
        {"totalIncludingGaps", "Total", Unit::Bytes},
        in(Shown::Data, {"totalExcludingGaps", "Total without gaps", Unit::Bytes}),
        {"alwaysLive", "Always live", Unit::Bytes},
        {"maxNotAlwaysLive", "Not always live", Unit::Bytes},
        {"tilesOverLimit", "Tiles over limit"},
        {"warnings", "Warnings"},
        in(Shown::Data, {"message", "Message", Unit::None}),
        in(Shown::Data, {"profile", "Profile", Unit::None})};
    return columns;
}

void addResult(std::vector<Cell>& row, const PointResult& point) {
    row.insert(row.end(), {std::string(toString(point.status)), shownStatus(point.status),
                           std::int64_t{point.exitCode}});
    if (point.time)
        row.insert(row.end(), {point.time->throughput, point.time->seconds, point.time->cycles});
    else
        row.insert(row.end(), 3, Cell());
    if (const auto& memory = point.memory)
        row.insert(row.end(),
                   {memory->maxTileIncludingGaps, memory->maxTileExcludingGaps,
                    memory->totalIncludingGaps, memory->totalExcludingGaps, memory->alwaysLive,
                    memory->maxNotAlwaysLive, memory->tilesOverLimit});
    else
        row.insert(row.end(), 7, Cell());
    row.insert(row.end(), {point.warnings, textOrNone(point.message), textOrNone(point.profile)});
}

Table listOf(const SweepResults& results) {
    Table table{"points", "", {}};
    for (const SweepAxis& axis : results.grid.axes())
        table.columns.push_back({axis.key, axis.key});
    table.columns.insert(table.columns.end(), resultColumns().begin(), resultColumns().end());
    for (std::size_t i = 0; i < results.points.size(); ++i) {
        if (!results.points[i])
            continue;
        std::vector<Cell>& row = table.add({}).cells;
        for (const std::string& value : results.grid.valuesAt(i))
            row.push_back(valueOf(value));
        addResult(row, *results.points[i]);
    }
    return table;
}

Cell cellOf(const std::optional<PointResult>& point) {
    if (!point)
        return {};
    return point->time ? Cell(point->time->throughput) : Cell(shownStatus(point->status));
}

Table matrixOf(const SweepResults& results) {
    const SweepAxis& rows = results.grid.axes()[0];
    const SweepAxis& columns = results.grid.axes()[1];
    Table table{
        "matrix",
        fmt::format("Samples per second by {} (down) and {} (across)", rows.key, columns.key),
        {{rows.key, rows.key}}};
    for (const std::string& value : columns.values)
        table.columns.push_back({value, value, Unit::Rate});
    for (std::size_t i = 0; i < results.points.size(); ++i) {
        if (i % columns.values.size() == 0)
            table.add({valueOf(rows.values[i / columns.values.size()])});
        table.rows.back().cells.push_back(cellOf(results.points[i]));
    }
    return table;
}

Table failuresOf(const SweepResults& results) {
    Table table{"failures",
                "Points that failed",
                {{"point", "Point"}, {"exitCode", "Exit"}, {"message", "Message"}}};
    for (std::size_t i = 0; i < results.points.size(); ++i)
        if (const auto& point = results.points[i]; point && point->status == PointStatus::Error)
            table.add({results.grid.nameOf(i), std::int64_t{point->exitCode}, point->message});
    return table;
}

Cell bestOf(const SweepResults& results) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < results.points.size(); ++i)
        if (const auto& point = results.points[i]; point && point->time)
            if (!best || point->time->throughput > results.points[*best]->time->throughput)
                best = i;
    if (!best)
        return {};
    return fmt::format("{} samples/s at {}", formatRate(results.points[*best]->time->throughput),
                       results.grid.nameOf(*best));
}

Document textDocument(const SweepResults& results, const SweepRun& run) {
    const SweepCounts counts = countPoints(results);
    Document document;
    document.fields = {
        {"model", "Model", results.identity.model},
        {"points", "Points",
         fmt::format("{}: {} fit, {} out of memory, {} failed", results.points.size(), counts.fits,
                     counts.outOfMemory, counts.errors)},
        {"best", "Most", bestOf(results)},
        {"database", "Results", run.database}};
    if (run.usesCache)
        document.fields.push_back({"notCompiled", "Executable cache",
                                   fmt::format("had the programs of {} of {} simulated points",
                                               run.notCompiled, run.simulated)});
    if (!run.heatMap.empty())
        document.fields.push_back({"heatMap", "Heat map", run.heatMap});
    document.tables.push_back(results.grid.axes().size() == 2 ? matrixOf(results)
                                                              : listOf(results));
    if (counts.errors != 0)
        document.tables.push_back(failuresOf(results));
    return document;
}

Document dataDocument(const SweepResults& results, const SweepRun& run) {
    const SweepCounts counts = countPoints(results);
    const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    Document document;
    document.fields = {
        {"model", "", results.identity.model},    {"database", "", run.database},
        {"heatMap", "", textOrNone(run.heatMap)}, {"simulated", "", number(run.simulated)},
        {"skipped", "", number(run.skipped)},     {"notCompiled", "", number(run.notCompiled)},
        {"fits", "", number(counts.fits)},        {"oom", "", number(counts.outOfMemory)},
        {"errors", "", number(counts.errors)}};
    document.tables.push_back(listOf(results));
    return document;
}

} // namespace

SweepCounts countPoints(const SweepResults& results) {
    SweepCounts counts;
    for (const auto& point : results.points)
        if (point)
            ++(point->status == PointStatus::Fits          ? counts.fits
               : point->status == PointStatus::OutOfMemory ? counts.outOfMemory
                                                           : counts.errors);
    return counts;
}

Document sweepDocument(const SweepResults& results, const SweepRun& run, Format format) {
    return format == Format::Text ? textDocument(results, run) : dataDocument(results, run);
}

} // namespace tilescope::cli
