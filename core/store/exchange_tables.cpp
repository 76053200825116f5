// Exchanges within an IPU.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/distinct_series.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeExchanges(const Profile& profile, const Database& db) {
    SeriesBlobs series(db, "exchange_series");
    Insert row(db, "exchange_rows");
    std::int64_t id = 0;
    for (const Exchange& e : profile.exchanges) {
        const std::int64_t received = series.idOf(e.bytesReceived);
        const std::int64_t sent = series.idOf(e.bytesSent);
        const std::int64_t code = series.idOf(e.codeBytes);
        const std::int64_t cycles = series.idOf(e.cycles);
        row(id++, e.name, e.operation, e.bytesReceived.sum(), e.cycles.max().value,
            e.codeBytes.sum(), e.runBytes, received, sent, code, cycles);
    }
}

} // namespace

IdVector<ExchangeId, Exchange> ProfileReader::exchanges() const {
    IdVector<ExchangeId, Exchange> exchanges;
    const References<OperationId> operationAt(impl_->db, "operations");
    Statement row = impl_->db.prepare(
        "SELECT name, operation, received_by_tile, sent_by_tile, code_by_tile, cycles_by_tile, "
        "run_bytes FROM exchanges ORDER BY id");
    while (row.step())
        exchanges.add({row.text(0), operationAt(row, 1), impl_->series(row, 2),
                       impl_->series(row, 3), impl_->series(row, 4), impl_->series(row, 5),
                       amountAt(row, 6)});
    impl_->checkIds("exchanges", "id", exchanges.size());
    return exchanges;
}

TableGroup exchangeTables() {
    return {1,
            R"sql(
-- Values by tile of exchanges (since version 8), each distinct series once.
CREATE TABLE exchange_series(id INTEGER PRIMARY KEY, data BLOB);
-- Exchanges with the ids of their series (since version 8).
CREATE TABLE exchange_rows(id INTEGER PRIMARY KEY, name TEXT, operation INTEGER, bytes INTEGER,
    cycles INTEGER, code_bytes INTEGER, run_bytes INTEGER,
    received INTEGER, sent INTEGER, code INTEGER, cycles_series INTEGER);

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
            writeExchanges, [](const ProfileReader& reader, Profile& profile) {
                profile.exchanges = reader.exchanges();
            }};
}

} // namespace tilescope
