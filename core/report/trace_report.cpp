#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/hosts/host_timeline.h"
#include "core/analysis/programs/programs.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/report/counters_table.h"
#include "core/report/host_report_tables.h"
#include "core/report/range_table.h"
#include "core/report/report.h"
#include "core/trace/range_programs.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<IpuId> ipusOf(const Target& target, const TileSelection& selection) {
    const TileRange range = selection.range(target);
    std::vector<IpuId> ipus;
    for (std::int32_t tile = range.first; tile < range.end; tile += target.tilesPerIpu)
        ipus.emplace_back(tile / target.tilesPerIpu);
    return ipus;
}

bool traceByTime(const std::string& breakdown) {
    if (!breakdown.empty() && breakdown != "run" && breakdown != "time")
        throw UserError(fmt::format("option --by: '{}' is not one of run, time.{}", breakdown,
                                    didYouMean(breakdown, {"run", "time"})));
    return breakdown == "time";
}

Table runsTable(const TraceIndex& index, const std::vector<IpuId>& ipus, std::int32_t tiles) {
    Table table{"runs",
                "Runs",
                {{"run", "Run"},
                 {"ipu", "IPU"},
                 {"start", "Start", Unit::Cycles},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"steps", "Steps"},
                 {"compute", "Compute", Unit::Share},
                 {"exchange", "Exchange", Unit::Share},
                 {"sync", "Sync", Unit::Share},
                 {"host", "Host", Unit::Share},
                 {"idle", "Idle", Unit::Share},
                 {"overlapped", "Overlapped", Unit::Share},
                 {"tileBalance", "Tile balance", Unit::Share},
                 stepBalanceColumn(),
                 {"exchangeBytes", "From tiles", Unit::Bytes,
                  "Received by tiles from tiles of the same IPU; together with bytes from other "
                  "IPUs, these "
                  "are the exchanged bytes of the report Operations"},
                 {"globalBytesIn", "From IPUs", Unit::Bytes, "Received from other IPUs"},
                 {"hostBytesIn", "From host", Unit::Bytes},
                 {"hostBytesOut", "To host", Unit::Bytes}}};
    for (const TraceRun& run : index.runs())
        for (const IpuId ipu : ipus) {
            const CycleRange range{run.start, run.start + run.cycles};
            const TraceStatistics s = index.statistics(ipu, range);
            table.add({run.name, std::int64_t{ipu.value()}, run.start, run.cycles, s.sums.steps,
                       share(s.sums.compute(), s.cycles), share(s.sums.exchange(), s.cycles),
                       share(s.sums.sync(), s.cycles), share(s.sums.host(), s.cycles),
                       share(s.idle(), s.cycles), share(s.overlapped, s.cycles), s.tileBalance,
                       balanceCell(stepBalance(index, ipu, range, tiles)), s.sums.exchangeBytesIn,
                       s.sums.globalBytesIn, s.sums.hostBytesIn, s.sums.hostBytesOut});
        }
    return table;
}

Table kindsTable(const TraceIndex& index, const std::vector<IpuId>& ipus) {
    Table table{"kinds",
                "Cycles by kind of step, all runs",
                {{"ipu", "IPU"},
                 {"kind", "Kind"},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"share", "Share", Unit::Share}}};
    for (const IpuId ipu : ipus) {
        const TraceStatistics s = index.statistics(ipu, {0, index.totalCycles()});
        for (const ProgramKind kind : programKinds)
            if (s.sums.cycles(kind) != 0)
                table.add({std::int64_t{ipu.value()}, std::string(toString(kind)),
                           s.sums.cycles(kind), share(s.sums.cycles(kind), s.cycles)});
    }
    return table;
}

Document stepDocument(const ProfileView& profile, const TraceIndex& index, StepId wanted) {
    const ExecutedStep step = index.stepAt(wanted.value());
    const IdVector<ProgramId, Program>& programs = *profile.programs();
    const auto label = [&](ProgramId id) {
        return id.valid() && id.index() < programs.size() ? programLabel(programs[id])
                                                          : std::string(toString(step.kind));
    };
    std::string callers;
    for (const ProgramId caller : step.callers)
        callers += (callers.empty() ? "" : " > ") + label(caller);
    Document document;
    document.fields = {{"step", "Step", step.index},
                       {"run", "Run", index.runs()[static_cast<std::size_t>(step.run)].name},
                       {"program", "Program", label(step.program)},
                       {"callers", "Called by", callers}};
    Table table{"ipus",
                "",
                {{"ipu", "IPU"},
                 {"start", "Start", Unit::Cycles},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"activeTiles", "Active tiles"},
                 {"activeCycles", "Active cycles", Unit::Cycles},
                 stepBalanceColumn(),
                 {"bytesIn", "Bytes in", Unit::Bytes},
                 {"bytesOut", "Bytes out", Unit::Bytes}}};
    const std::int32_t tiles = profile.info().target.tilesPerIpu;
    for (const StepOnIpu& on : step.ipus)
        table.add({std::int64_t{on.ipu.value()}, on.start, on.cycles, on.activeTiles,
                   on.activeCycles, balanceCell(stepBalance(step.kind, on, tiles)), on.bytesIn,
                   on.bytesOut});
    document.tables.push_back(std::move(table));
    return document;
}

} // namespace

Document traceReport(const ProfileView& profile, const ReportRequest& request) {
    const ProfileInfo& info = profile.info();
    const std::vector<IpuId> ipus = ipusOf(info.target, request.selection);
    const auto trace = profile.trace();
    const TraceIndex& index = *trace;
    if (request.step)
        return stepDocument(profile, index, *request.step);
    const std::int64_t total = index.totalCycles();
    Document document;
    document.fields = {
        {"totalCycles", "Cycles", total, Unit::Cycles},
        {"totalSeconds", "Time",
         info.target.clockHz > 0 ? static_cast<double>(total) / info.target.clockHz : 0.0,
         Unit::Seconds},
        {"totalSteps", "Executed steps", index.stepCount()}};
    if (traceByTime(request.breakdown)) {
        const CounterColumns counters(profile, ipus, {{0, total}, counterRows});
        std::int64_t most = 0;
        for (const LiveExtremes& row : counters.live())
            most = std::max(most, row.most);
        document.fields.push_back({"liveMost",
                                   counters.liveIsExact()
                                       ? "Live memory, most at a moment"
                                       : "Live memory, upper bound: the sum of each IPU's own",
                                   most, Unit::Bytes});
        document.tables.push_back(countersTable(counters));
        return document;
    }
    document.tables.push_back(runsTable(index, ipus, info.target.tilesPerIpu));
    document.tables.push_back(kindsTable(index, ipus));
    const IdVector<ProgramId, Program>& programs = *profile.programs();
    const ProfileReader reader = profile.reader();
    const HostTimeline host(reader, index, programs, *profile.streams());
    document.tables.push_back(hostLanesTable(host, programs.size()));
    document.tables.push_back(hostWaitsTable(host, index, ipus));
    return document;
}

} // namespace tilescope
