// Exchanges within an IPU.
#include "core/store/distinct_series.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr auto exchangeTable =
    storedTable<Exchange>({.name = "exchange_rows", .from = "exchanges"}, [](auto& to, auto& e) {
        to(rowNumber("id"), field("name", e.name), field("operation", e.operation),
           derived("bytes", e.bytesReceived.sum()), derived("cycles", e.cycles.max().value),
           derived("code_bytes", e.codeBytes.sum()), field("run_bytes", e.runBytes),
           given("received"), given("sent"), given("code"), given("cycles_series"),
           readFrom("received_by_tile", e.bytesReceived), readFrom("sent_by_tile", e.bytesSent),
           readFrom("code_by_tile", e.codeBytes), readFrom("cycles_by_tile", e.cycles));
    });

void writeExchanges(const Profile& profile, const Database& db) {
    SeriesBlobs series(db, "exchange_series");
    RowWriter row(db, exchangeTable);
    for (const Exchange& e : profile.exchanges) {
        const std::int64_t received = series.idOf(e.bytesReceived);
        const std::int64_t sent = series.idOf(e.bytesSent);
        const std::int64_t code = series.idOf(e.codeBytes);
        row(e, received, sent, code, series.idOf(e.cycles));
    }
}

} // namespace

TableGroup exchangeTables() {
    return {1,
            tablesSql(R"sql(
-- Values by tile of exchanges (since version 8), each distinct series once.
CREATE TABLE exchange_series(id INTEGER PRIMARY KEY, data BLOB);
-- Exchanges with the ids of their series (since version 8).
CREATE TABLE exchange_rows{};

-- Internal exchanges. A byte sent to three tiles counts three times on either side.
-- run_bytes: typical contiguous run at the source. code_bytes: 0 where an equal exchange before
-- has the code.
CREATE VIEW exchanges AS
    SELECT id, name, operation, bytes, cycles, code_bytes, run_bytes,
        (SELECT data FROM exchange_series s WHERE s.id = e.received) AS received_by_tile,
        (SELECT data FROM exchange_series s WHERE s.id = e.sent) AS sent_by_tile,
        (SELECT data FROM exchange_series s WHERE s.id = e.code) AS code_by_tile,
        (SELECT data FROM exchange_series s WHERE s.id = e.cycles_series) AS cycles_by_tile
    FROM exchange_rows e;
)sql",
                      exchangeTable),
            {part<&Profile::exchanges>(exchangeTable, writeExchanges)}};
}

} // namespace tilescope
