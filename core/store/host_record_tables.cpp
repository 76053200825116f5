// What the user's program recorded about itself.
#include <cmath>
#include <sqlite3.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithHostRecord = 11;
/// Three years before or after the first run, as for the host's other times.
constexpr double mostRecordSeconds = 1e8;
constexpr std::int64_t mostHeatBins = 4096;
/// Cells of all heat maps; a program that adds a thousand bins a second makes them in an hour.
constexpr std::int64_t mostHeatCells = std::int64_t{1} << 22;

double recordedNumber(const Statement& row, int at) {
    const bool isNumber = row.type(at) == SQLITE_FLOAT || row.type(at) == SQLITE_INTEGER;
    if (!isNumber || !std::isfinite(row.real(at)))
        throw DamagedProfile("a value that the program recorded is not a number");
    return row.real(at);
}

double recordedTime(const Statement& row, int at) {
    const double time = recordedNumber(row, at);
    if (std::fabs(time) > mostRecordSeconds)
        throw DamagedProfile("a time of the program is impossible");
    return time;
}

void writeHostRecord(const Profile& profile, const Database& db) {
    const HostRecord& record = profile.hostRecord;
    std::int64_t id = 0;
    Insert event(db, "host_events");
    for (const HostEvent& e : record.events)
        event(id++, e.thread, e.channel, e.name, e.start, e.seconds);
    Insert series(db, "host_series");
    Insert point(db, "host_points");
    id = 0;
    for (const HostSeries& s : record.series) {
        for (std::size_t i = 0; i < s.points.size(); ++i)
            point(id, i, s.points[i].time, s.points[i].value);
        series(id++, s.graph, s.unit, s.label);
    }
    Insert map(db, "host_heat_maps");
    Insert edge(db, "host_heat_edges");
    Insert count(db, "host_heat_counts");
    id = 0;
    for (const HostHeatMap& m : record.heatMaps) {
        for (std::size_t i = 0; i < m.edges.size(); ++i)
            edge(id, i, m.edges[i]);
        for (std::size_t i = 0; i < m.moments.size(); ++i)
            for (std::size_t bin = 0; bin < m.moments[i].counts.size(); ++bin)
                count(id, i, m.moments[i].time, bin, m.moments[i].counts[bin]);
        map(id++, m.name, m.unit);
    }
}

void readEvents(const Database& db, HostRecord& record) {
    Statement row = db.prepare("SELECT thread, channel, name, start, seconds FROM host_events "
                               "ORDER BY start, seconds DESC, id");
    while (row.step()) {
        HostEvent event{row.text(0), row.text(1), row.text(2), recordedTime(row, 3), {}};
        if (!row.isNull(4))
            event.seconds = recordedTime(row, 4);
        if (event.seconds && *event.seconds < 0)
            throw DamagedProfile("a tracepoint ends before it begins");
        record.events.push_back(std::move(event));
    }
}

void readHostSeries(const Database& db, HostRecord& record) {
    Statement row = db.prepare("SELECT id, graph, unit, label FROM host_series ORDER BY id");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(record.series.size()))
            throw DamagedProfile("the graphs of the program have a gap");
        record.series.push_back({row.text(1), row.text(2), row.text(3), {}});
    }
    const auto count = static_cast<std::int64_t>(record.series.size());
    Statement point = db.prepare("SELECT series, time, value FROM host_points ORDER BY time, id");
    while (point.step()) {
        const auto at = static_cast<std::size_t>(point.integer(0));
        if (point.isNull(0) || point.integer(0) < 0 || point.integer(0) >= count)
            throw DamagedProfile("a value belongs to no graph");
        record.series[at].points.push_back({recordedTime(point, 1), recordedNumber(point, 2)});
    }
}

void readHeatMaps(const Database& db, HostRecord& record) {
    Statement row = db.prepare("SELECT id, name, unit FROM host_heat_maps ORDER BY id");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(record.heatMaps.size()))
            throw DamagedProfile("the heat maps of the program have a gap");
        record.heatMaps.push_back({row.text(1), row.text(2), {}, {}});
    }
    const auto mapAt = [&](const Statement& of) -> HostHeatMap& {
        const std::int64_t at = of.integer(0);
        if (of.isNull(0) || at < 0 || at >= static_cast<std::int64_t>(record.heatMaps.size()))
            throw DamagedProfile("a row belongs to no heat map");
        return record.heatMaps[static_cast<std::size_t>(at)];
    };
    Statement edge = db.prepare("SELECT map, edge FROM host_heat_edges ORDER BY map, bin");
    while (edge.step()) {
        HostHeatMap& map = mapAt(edge);
        const double value = recordedNumber(edge, 1);
        if (static_cast<std::int64_t>(map.edges.size()) + 1 >= mostHeatBins ||
            (!map.edges.empty() && value <= map.edges.back()))
            throw DamagedProfile("the edges of a heat map are impossible");
        map.edges.push_back(value);
    }
    std::int64_t cells = 0;
    const HostHeatMap* last = nullptr;
    std::int64_t moment = -1;
    Statement count = db.prepare(
        "SELECT map, moment, time, bin, count FROM host_heat_counts ORDER BY map, moment, bin");
    while (count.step()) {
        HostHeatMap& map = mapAt(count);
        const auto bins = static_cast<std::int64_t>(map.edges.size()) + 1;
        const std::int64_t bin = amountAt(count, 3);
        if (&map != last || count.integer(1) != moment) {
            if ((cells += bins) > mostHeatCells)
                throw DamagedProfile("the heat maps of the program are too large");
            map.moments.push_back({recordedTime(count, 2),
                                   std::vector<std::int64_t>(static_cast<std::size_t>(bins))});
        }
        last = &map;
        moment = count.integer(1);
        if (bin >= bins)
            throw DamagedProfile("a heat map has no such bin");
        map.moments.back().counts[static_cast<std::size_t>(bin)] = amountAt(count, 4);
    }
}

} // namespace

HostRecord ProfileReader::hostRecord() const {
    HostRecord record;
    if (!impl_->has(firstVersionWithHostRecord))
        return record;
    readEvents(impl_->db, record);
    readHostSeries(impl_->db, record);
    readHeatMaps(impl_->db, record);
    return record;
}

TableGroup hostRecordTables() {
    return {firstVersionWithHostRecord,
            R"sql(
-- What the program that ran the machine recorded about itself (libpvti, since version 11). start, time:
-- seconds from where the first run begins, negative before it. seconds: NULL for a moment.
CREATE TABLE host_events(id INTEGER PRIMARY KEY, thread TEXT, channel TEXT, name TEXT, start REAL,
    seconds REAL);
-- Lines of the program's graphs.
CREATE TABLE host_series(id INTEGER PRIMARY KEY, graph TEXT, unit TEXT, label TEXT);
-- Their values.
CREATE TABLE host_points(series INTEGER, id INTEGER, time REAL, value REAL,
    PRIMARY KEY(series, id)) WITHOUT ROWID;
-- Heat maps of the program: counts of numbers by bins.
CREATE TABLE host_heat_maps(id INTEGER PRIMARY KEY, name TEXT, unit TEXT);
-- Edges of their bins: bin 0 is below edge 0, bin n from edge n - 1 on.
CREATE TABLE host_heat_edges(map INTEGER, bin INTEGER, edge REAL, PRIMARY KEY(map, bin))
    WITHOUT ROWID;
-- How many numbers a bin had at a moment.
CREATE TABLE host_heat_counts(map INTEGER, moment INTEGER, time REAL, bin INTEGER, count INTEGER,
    PRIMARY KEY(map, moment, bin)) WITHOUT ROWID;
)sql",
            writeHostRecord, [](const ProfileReader& reader, Profile& profile) {
                profile.hostRecord = reader.hostRecord();
            }};
}

} // namespace tilescope
