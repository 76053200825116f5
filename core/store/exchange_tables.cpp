// Exchanges within an IPU.
#include "core/store/distinct_series.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr auto exchangeTable =
    storedTable<Exchange>({"exchange_rows", firstVersionWithSeries}, [](auto& to, auto& e) {
        to(rowNumber("id"), field("name", e.name), field("operation", e.operation),
           derived("bytes", e.bytesReceived.sum()), derived("cycles", e.cycles.max().value),
           derived("code_bytes", e.codeBytes.sum()), field("run_bytes", e.runBytes),
           givenBack("received"), givenBack("sent"), givenBack("code"), givenBack("cycles_series"));
    });

/// As older files have them.
constexpr auto olderExchangeTable = storedTable<Exchange>({"exchanges"}, [](auto& to, auto& e) {
    to(rowNumber("id"), field("name", e.name), field("operation", e.operation),
       field("run_bytes", e.runBytes), field("received_by_tile", e.bytesReceived),
       field("sent_by_tile", e.bytesSent), field("code_by_tile", e.codeBytes),
       field("cycles_by_tile", e.cycles));
});

constexpr std::string_view exchangeSeriesTable = "exchange_series";

void writeExchanges(const Profile& profile, const Database& db) {
    SeriesBlobs series(db, exchangeSeriesTable);
    RowWriter row(db, exchangeTable);
    for (const Exchange& e : profile.exchanges) {
        const std::int64_t received = series.idOf(e.bytesReceived);
        const std::int64_t sent = series.idOf(e.bytesSent);
        const std::int64_t code = series.idOf(e.codeBytes);
        row(e, received, sent, code, series.idOf(e.cycles));
    }
}

IdVector<ExchangeId, Exchange> readExchanges(const ProfileReader::Impl& file) {
    using Exchanges = IdVector<ExchangeId, Exchange>;
    if (!file.has(firstVersionWithSeries))
        return readRows<Exchanges>(file.rows(), olderExchangeTable);
    Exchanges exchanges;
    StoredSeries series(file.rows(), exchangeSeriesTable);
    exchanges.reserve(rowsOf(file.rows(), exchangeTable));
    eachRow(file.rows(), exchangeTable, [&](Exchange& e, const Statement& given) {
        e.bytesReceived = series.of(given, 0);
        e.bytesSent = series.of(given, 1);
        e.codeBytes = series.of(given, 2);
        e.cycles = series.of(given, 3);
        exchanges.add(std::move(e));
    });
    return exchanges;
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
            {part<&Profile::exchanges>(writeExchanges, readExchanges)}};
}

} // namespace tilescope
