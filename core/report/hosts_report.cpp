// What the host did: its lanes, and what the program recorded about itself.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/analysis/hosts/host_event_sums.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/report/host_report_tables.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

bool listsByTime(const std::string& breakdown) {
    if (breakdown.empty() || breakdown == "name")
        return false;
    if (breakdown == "time")
        return true;
    throw UserError(fmt::format("option --by: '{}' is not one of name, time.{}", breakdown,
                                didYouMean(breakdown, {"name", "time"})));
}

Table eventSumsTable(const HostRecord& record, const ReportRequest& request) {
    Table table{"hostEvents",
                "Tracepoints of the program",
                {{"thread", "Thread"},
                 {"channel", "Channel"},
                 {"name", "Name"},
                 {"count", "Count", Unit::Count},
                 {"seconds", "Time", Unit::Seconds},
                 {"mean", "Mean", Unit::Seconds},
                 {"longest", "Longest", Unit::Seconds},
                 {"firstStart", "First start", Unit::Seconds}}};
    for (const HostEventSum& sum : eventSums(record)) {
        if (!request.wants(sum.name))
            continue;
        const auto timed = [&](double seconds) { return sum.isMoment ? Cell() : Cell(seconds); };
        table.add({sum.thread, sum.channel, sum.name, sum.count, timed(sum.seconds),
                   timed(sum.seconds / static_cast<double>(sum.count)), timed(sum.longest),
                   sum.firstStart});
    }
    return table;
}

Table eventsTable(const HostRecord& record, const ReportRequest& request) {
    Table table{"hostEvents",
                "Tracepoints of the program",
                {{"start", "Start", Unit::Seconds},
                 {"seconds", "Time", Unit::Seconds},
                 {"thread", "Thread"},
                 {"channel", "Channel"},
                 {"name", "Name"}}};
    for (const HostEvent& event : record.events)
        if (request.wants(event.name))
            table.add({event.start, event.seconds ? Cell(*event.seconds) : Cell(), event.thread,
                       event.channel, event.name});
    return table;
}

Table seriesTable(const HostRecord& record, const ReportRequest& request) {
    Table table{"hostSeries",
                "Graphs of the program",
                {{"graph", "Graph"},
                 {"series", "Series"},
                 {"unit", "Unit"},
                 {"values", "Values", Unit::Count},
                 {"last", "Last"},
                 {"minimum", "Minimum"},
                 {"maximum", "Maximum"},
                 {"mean", "Mean"}}};
    for (const HostSeries& series : record.series) {
        if (series.points.empty() || !(request.wants(series.graph) || request.wants(series.label)))
            continue;
        double least = series.points.front().value;
        double most = least;
        double sum = 0;
        for (const HostSeries::Point& point : series.points) {
            least = std::min(least, point.value);
            most = std::max(most, point.value);
            sum += point.value;
        }
        const auto count = static_cast<std::int64_t>(series.points.size());
        table.add({series.graph, series.label, series.unit, count, series.points.back().value,
                   least, most, sum / static_cast<double>(count)});
    }
    return table;
}

Table pointsTable(const HostRecord& record, const ReportRequest& request) {
    Table table{"hostSeries",
                "Graphs of the program",
                {{"time", "At", Unit::Seconds},
                 {"graph", "Graph"},
                 {"series", "Series"},
                 {"value", "Value"}}};
    for (const HostSeries& series : record.series)
        if (request.wants(series.graph) || request.wants(series.label))
            for (const HostSeries::Point& point : series.points)
                table.add({point.time, series.graph, series.label, point.value});
    return table;
}

std::string binName(const HostHeatMap& map, std::size_t bin) {
    if (map.edges.empty())
        return "all";
    if (bin == 0)
        return fmt::format("below {}", map.edges.front());
    if (bin == map.edges.size())
        return fmt::format("{} and above", map.edges.back());
    return fmt::format("{} to {}", map.edges[bin - 1], map.edges[bin]);
}

Table heatMapsTable(const HostRecord& record, const ReportRequest& request, bool byTime) {
    Table table{"hostHeatMaps", "Heat maps of the program", {}};
    if (byTime)
        table.columns.push_back({"time", "At", Unit::Seconds});
    table.columns.insert(
        table.columns.end(),
        {{"map", "Heat map"}, {"unit", "Unit"}, {"bin", "Bin"}, {"count", "Count", Unit::Count}});
    for (const HostHeatMap& map : record.heatMaps) {
        if (!request.wants(map.name))
            continue;
        std::vector<std::int64_t> sums(map.edges.size() + 1);
        for (const HostHeatMap::Moment& moment : map.moments)
            for (std::size_t bin = 0; bin < sums.size(); ++bin) {
                sums[bin] += moment.counts[bin];
                if (byTime && moment.counts[bin] > 0)
                    table.add(
                        {moment.time, map.name, map.unit, binName(map, bin), moment.counts[bin]});
            }
        for (std::size_t bin = 0; !byTime && bin < sums.size(); ++bin)
            if (sums[bin] > 0)
                table.add({map.name, map.unit, binName(map, bin), sums[bin]});
    }
    return table;
}

void addMachineLanes(const ProfileView& profile, Document& document) {
    const auto trace = profile.trace();
    const IdVector<ProgramId, Program>& programs = *profile.programs();
    const ProfileReader reader = profile.reader();
    const HostTimeline host(reader, *trace, programs, *profile.streams());
    std::vector<IpuId> ipus;
    ipus.reserve(static_cast<std::size_t>(profile.info().target.ipus));
    for (std::int32_t ipu = 0; ipu < profile.info().target.ipus; ++ipu)
        ipus.emplace_back(ipu);
    document.tables.push_back(hostLanesTable(host, programs.size()));
    document.tables.push_back(hostWaitsTable(host, *trace, ipus));
}

} // namespace

Table hostLanesTable(const HostTimeline& host, std::size_t programs) {
    Table table{"hostLanes",
                "Host lanes",
                {{"lane", "Lane"},
                 {"spans", "Spans"},
                 {"seconds", "Time", Unit::Seconds},
                 {"firstStart", "First start", Unit::Seconds},
                 {"lastEnd", "Last end", Unit::Seconds}}};
    for (const HostLaneSum& lane : host.sums(programs))
        table.add({lane.name, lane.spans, lane.seconds, lane.firstStart, lane.lastEnd});
    return table;
}

Table hostWaitsTable(const HostTimeline& host, const TraceIndex& index,
                     const std::vector<IpuId>& ipus) {
    Table table{"hostWaits",
                "Waits of host and IPU",
                {{"run", "Run"},
                 {"ipu", "IPU"},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"ipuWaitsForHost", "IPU waits for host", Unit::Cycles},
                 {"streamCopies", "Stream copies", Unit::Cycles},
                 {"hostWaitsForIpu", "Host waits for IPU", Unit::Cycles}},
                {},
                "not known of a long trace in a profile of an older version"};
    for (const HostWaits& waits : host.waits())
        if (std::find(ipus.begin(), ipus.end(), waits.ipu) != ipus.end())
            table.add({index.runs()[static_cast<std::size_t>(waits.run)].name,
                       std::int64_t{waits.ipu.value()}, waits.cycles, waits.ipuWaits,
                       waits.callbacks, waits.hostWaits});
    return table;
}

Document hostsReport(const ProfileView& profile, const ReportRequest& request) {
    const bool byTime = listsByTime(request.breakdown);
    const HostRecord& record = *profile.hostRecord();
    std::set<std::string> threads;
    for (const HostEvent& event : record.events)
        threads.insert(event.thread);
    const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    Document document;
    document.fields = {{"threads", "Threads of the program", count(threads), Unit::Count},
                       {"events", "Tracepoints", count(record.events), Unit::Count},
                       {"series", "Lines of graphs", count(record.series), Unit::Count},
                       {"heatMaps", "Heat maps", count(record.heatMaps), Unit::Count}};
    document.tables.push_back(byTime ? eventsTable(record, request)
                                     : eventSumsTable(record, request));
    document.tables.push_back(byTime ? pointsTable(record, request) : seriesTable(record, request));
    document.tables.push_back(heatMapsTable(record, request, byTime));
    if (profile.info().hasExecution)
        addMachineLanes(profile, document);
    return document;
}

} // namespace tilescope
