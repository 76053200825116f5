// What the host did before the execution.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

// Three years: no compilation takes longer, and arithmetic on it is safe in cycles of any clock.
constexpr double longestHostSeconds = 1e8;

double hostSecondsAt(const Statement& row, int at) {
    const bool isNumber = row.isNumber(at);
    const double seconds = isNumber ? row.real(at) : std::nan("");
    if (!(seconds >= 0 && seconds <= longestHostSeconds))
        throw DamagedProfile("a time of the host is impossible");
    return seconds;
}

void checkLane(const HostSpan& span) {
    if (span.lane != compilationLane && span.lane != loadingLane && span.lane != callLane)
        throw DamagedProfile(fmt::format("the host has no lane '{:.60}'", span.lane));
}

constexpr auto spanTable = storedTable<HostSpan>(
    {.name = "host_spans", .since = 6, .order = "start, id", .check = checkLane},
    [](auto& to, auto& h) {
        to(rowNumber("id"), field("lane", h.lane), field("name", h.name),
           field("start", h.start, hostSecondsAt), field("seconds", h.seconds, hostSecondsAt));
    });

} // namespace

TableGroup hostTables() {
    return {spanTable.since,
            tablesSql(R"sql(
-- What the host did before the execution (since version 6), in the order in which it began. lane:
-- Compilation (phases, as long as they took), Loading (of the executable, at the target's rates, if
-- it fits) or Host call (since version 9: what the host does for the first run and again for each).
-- start: seconds since the compilation began. The first run begins where the last ends.
CREATE TABLE host_spans{};
)sql",
                      spanTable),
            {part<&Profile::hostSpans>(spanTable)}};
}

} // namespace tilescope
