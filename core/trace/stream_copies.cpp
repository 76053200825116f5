
#include <fmt/format.h>
#include <utility>

#include "core/database/database.h"
#include "core/trace/trace_reader.h"
#include "core/trace/trace_tables.h"

namespace tilescope {
namespace {

// Must equal the index's condition word for word, or SQLite does not use the index.
constexpr std::string_view isStreamCopy =
    "type IN ('StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd')";

void addCalls(Trace& trace) {
    for (TraceBody& body : trace.bodies)
        for (std::size_t i = 0; i < body.calls.size(); ++i)
            body.items.push_back({-1, static_cast<std::int32_t>(i)});
}

void addSteps(const Database& db, Trace& trace) {
    const References<ProgramId> programAt(db);
    // The outer loop is over the copies, whatever SQLite estimates their number to be.
    Statement row = db.prepare(
        fmt::format("SELECT s.body, s.position, type, program, ipu, start, cycles, active_tiles, "
                    "active_cycles, bytes_in, bytes_out FROM (SELECT body, position, type, program "
                    "FROM trace_steps WHERE {} ORDER BY body, position) s "
                    "CROSS JOIN trace_step_ipus i ON i.body = s.body AND i.position = s.position "
                    "ORDER BY s.body, s.position",
                    isStreamCopy));
    std::pair<std::int64_t, std::int64_t> at{-1, -1};
    while (row.step()) {
        TraceBody& body = element(trace.bodies, row.integer(0));
        if (const std::pair place{row.integer(0), row.integer(1)}; place != at) {
            body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
            body.steps.push_back({valueAt<ProgramKind>(row, 2), programAt(row, 3), {}});
            at = place;
        }
        body.steps.back().ipus.push_back({idAt<IpuId>(row, 4), row.integer(5), row.integer(6),
                                          row.integer(7), row.integer(8), row.integer(9),
                                          row.integer(10)});
    }
}

} // namespace

std::optional<Trace> readStreamCopies(const std::filesystem::path& file) {
    const Database db(file, Database::Mode::ReadOnly);
    if (db.integer("PRAGMA user_version") < firstVersionWithStreamIndex && hasTracePages(db))
        return {};
    if (db.integer(fmt::format("SELECT count(*) FROM trace_steps WHERE {}", isStreamCopy)) >
        mostStreamCopies)
        return {};
    Trace trace = readOutline(db);
    addCalls(trace);
    addSteps(db, trace);
    return trace;
}

} // namespace tilescope
