// What the host did before the execution.
#include <fmt/format.h>
#include <sqlite3.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/profile/host.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithHostSpans = 6;
// Three years: no compilation takes longer, and arithmetic on it is safe in cycles of any clock.
constexpr double longestHostSeconds = 1e8;

double hostSecondsAt(const Statement& row, int at) {
    const bool isNumber = row.type(at) == SQLITE_FLOAT || row.type(at) == SQLITE_INTEGER;
    const double seconds = isNumber ? row.real(at) : std::nan("");
    if (!(seconds >= 0 && seconds <= longestHostSeconds))
        throw DamagedProfile("a time of the host is impossible");
    return seconds;
}

void writeHostSpans(const Profile& profile, const Database& db) {
    Insert row(db, "host_spans");
    std::int64_t id = 0;
    for (const HostSpan& span : profile.hostSpans)
        row(id++, span.lane, span.name, span.start, span.seconds);
}

} // namespace

std::vector<HostSpan> ProfileReader::hostSpans() const {
    std::vector<HostSpan> spans;
    if (!impl_->has(firstVersionWithHostSpans))
        return spans;
    Statement row =
        impl_->db.prepare("SELECT lane, name, start, seconds FROM host_spans ORDER BY start, id");
    while (row.step()) {
        HostSpan span{row.text(0), row.text(1), hostSecondsAt(row, 2), hostSecondsAt(row, 3)};
        if (span.lane != compilationLane && span.lane != loadingLane && span.lane != callLane)
            throw DamagedProfile(fmt::format("the host has no lane '{:.60}'", span.lane));
        spans.push_back(std::move(span));
    }
    return spans;
}

TableGroup hostTables() {
    return {firstVersionWithHostSpans,
            R"sql(
-- What the host did before the execution (since version 6), in the order in which it began. lane:
-- Compilation (phases, as long as they took), Loading (of the executable, at the target's rates, if
-- it fits) or Host call (since version 9: what the host does for the first run and again for each).
-- start: seconds since the compilation began. The first run begins where the last ends.
CREATE TABLE host_spans(id INTEGER PRIMARY KEY, lane TEXT, name TEXT, start REAL, seconds REAL);
)sql",
            writeHostSpans, [](const ProfileReader& reader, Profile& profile) {
                profile.hostSpans = reader.hostSpans();
            }};
}

} // namespace tilescope
