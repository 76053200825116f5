// What the user's program recorded about itself.
#include <cmath>

#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithHostRecord = 11;
constexpr std::int64_t mostHeatBins = 4096;
/// Cells of all heat maps; a program that adds a thousand bins a second makes them in an hour.
constexpr std::int64_t mostHeatCells = std::int64_t{1} << 22;

double recordedNumber(const Statement& row, int at) {
    const bool isNumber = row.isNumber(at);
    if (!isNumber || !std::isfinite(row.real(at)))
        throw DamagedProfile("a value that the program recorded is not a number");
    return row.real(at);
}

double recordedTime(const Statement& row, int at) {
    const double time = recordedNumber(row, at);
    if (std::fabs(time) > mostHostSeconds)
        throw DamagedProfile("a time of the program is impossible");
    return time;
}

std::optional<double> recordedLength(const Statement& row, int at) {
    if (row.isNull(at))
        return std::nullopt;
    const double seconds = recordedTime(row, at);
    if (seconds < 0)
        throw DamagedProfile("a tracepoint ends before it begins");
    return seconds;
}

/// A bin of a heat map at a moment.
struct HeatCount {
    std::int64_t moment = 0;
    double time = 0;
    std::int64_t bin = 0, count = 0;
};

constexpr auto eventTable = storedTable<HostEvent>(
    {.name = "host_events", .order = "start, seconds DESC, id"}, [](auto& to, auto& h) {
        to(rowNumber("id"), field("thread", h.thread), field("channel", h.channel),
           field("name", h.name), field("start", h.start, recordedTime),
           field("seconds", h.seconds, recordedLength));
    });

constexpr auto seriesTable = storedTable<HostSeries>({"host_series"}, [](auto& to, auto& h) {
    to(rowNumber("id"), field("graph", h.graph), field("unit", h.unit), field("label", h.label));
});

constexpr auto pointTable = storedTable<HostSeries::Point>(
    {.name = "host_points", .key = "series, id", .order = "time, id"}, [](auto& to, auto& p) {
        to(givenBack("series"), given("id"), field("time", p.time, recordedTime),
           field("value", p.value, recordedNumber));
    });

constexpr auto heatMapTable = storedTable<HostHeatMap>({"host_heat_maps"}, [](auto& to, auto& h) {
    to(rowNumber("id"), field("name", h.name), field("unit", h.unit));
});

constexpr auto edgeTable =
    storedTable<double>({.name = "host_heat_edges", .key = "map, bin"}, [](auto& to, auto& value) {
        to(givenBack("map"), given("bin"), field("edge", value, recordedNumber));
    });

constexpr auto heatCountTable = storedTable<HeatCount>(
    {.name = "host_heat_counts", .key = "map, moment, bin"}, [](auto& to, auto& h) {
        to(givenBack("map"), field("moment", h.moment), field("time", h.time, recordedTime),
           field("bin", h.bin), field("count", h.count));
    });

void writeHostRecord(const Profile& profile, const Database& db) {
    const HostRecord& record = profile.hostRecord;
    writeRows(db, eventTable, record.events);
    writeRows(db, seriesTable, record.series);
    RowWriter point(db, pointTable);
    for (std::size_t id = 0; id < record.series.size(); ++id)
        for (std::size_t i = 0; i < record.series[id].points.size(); ++i)
            point(record.series[id].points[i], id, i);
    writeRows(db, heatMapTable, record.heatMaps);
    RowWriter edge(db, edgeTable);
    RowWriter count(db, heatCountTable);
    for (std::size_t id = 0; id < record.heatMaps.size(); ++id) {
        const HostHeatMap& m = record.heatMaps[id];
        for (std::size_t i = 0; i < m.edges.size(); ++i)
            edge(m.edges[i], id, i);
        for (std::size_t i = 0; i < m.moments.size(); ++i)
            for (std::size_t bin = 0; bin < m.moments[i].counts.size(); ++bin)
                count({static_cast<std::int64_t>(i), m.moments[i].time,
                       static_cast<std::int64_t>(bin), m.moments[i].counts[bin]},
                      id);
    }
}

void readHeatMaps(const RowSource& file, std::vector<HostHeatMap>& maps) {
    constexpr const char* noMap = "a row belongs to no heat map";
    eachRow(file, edgeTable, [&](double edge, const Statement& given) {
        std::vector<double>& edges = element(maps, given.integer(0), noMap).edges;
        if (static_cast<std::int64_t>(edges.size()) + 1 >= mostHeatBins ||
            (!edges.empty() && edge <= edges.back()))
            throw DamagedProfile("the edges of a heat map are impossible");
        edges.push_back(edge);
    });
    std::int64_t cells = 0;
    const HostHeatMap* last = nullptr;
    std::int64_t moment = -1;
    eachRow(file, heatCountTable, [&](const HeatCount& cell, const Statement& given) {
        HostHeatMap& map = element(maps, given.integer(0), noMap);
        if (&map != last || cell.moment != moment) {
            const std::size_t bins = map.edges.size() + 1;
            if ((cells += static_cast<std::int64_t>(bins)) > mostHeatCells)
                throw DamagedProfile("the heat maps of the program are too large");
            map.moments.push_back({cell.time, std::vector<std::int64_t>(bins)});
        }
        last = &map;
        moment = cell.moment;
        element(map.moments.back().counts, cell.bin, "a heat map has no such bin") = cell.count;
    });
}

HostRecord readHostRecord(const ProfileReader::Impl& of) {
    if (!of.has(firstVersionWithHostRecord))
        return {};
    const RowSource file = of.rows();
    HostRecord record{readRows<std::vector<HostEvent>>(file, eventTable),
                      readRows<std::vector<HostSeries>>(file, seriesTable),
                      readRows<std::vector<HostHeatMap>>(file, heatMapTable)};
    eachRow(file, pointTable, [&](const HostSeries::Point& point, const Statement& given) {
        element(record.series, given.integer(0), "a value belongs to no graph")
            .points.push_back(point);
    });
    readHeatMaps(file, record.heatMaps);
    return record;
}

} // namespace

TableGroup hostRecordTables() {
    return {firstVersionWithHostRecord,
            tablesSql(R"sql(
-- What the program that ran the machine recorded about itself (libpvti, since version 11). start, time:
-- seconds from where the first run begins, negative before it. seconds: NULL for a moment.
CREATE TABLE host_events{};
-- Lines of the program's graphs.
CREATE TABLE host_series{};
-- Their values.
CREATE TABLE host_points{};
-- Heat maps of the program: counts of numbers by bins.
CREATE TABLE host_heat_maps{};
-- Edges of their bins: bin 0 is below edge 0, bin n from edge n - 1 on.
CREATE TABLE host_heat_edges{};
-- How many numbers a bin had at a moment.
CREATE TABLE host_heat_counts{};
)sql",
                      eventTable, seriesTable, pointTable, heatMapTable, edgeTable, heatCountTable),
            {part<&Profile::hostRecord>(writeHostRecord, readHostRecord)}};
}

} // namespace tilescope
