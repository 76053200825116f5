// Exchanges within an IPU.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeExchanges(const Profile& profile, const Database& db) {
    Insert row(db, "exchanges");
    std::int64_t id = 0;
    for (const Exchange& e : profile.exchanges)
        row(id++, e.name, e.operation, e.bytesReceived.sum(), e.cycles.max().value,
            e.codeBytes.sum(), e.runBytes, e.bytesReceived, e.bytesSent, e.codeBytes, e.cycles);
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
                       row.integer(6)});
    impl_->checkIds("exchanges", "id", exchanges.size());
    return exchanges;
}

TableGroup exchangeTables() {
    return {1,
            R"sql(
-- Internal exchanges. A byte sent to three tiles counts three times on either side.
-- run_bytes: typical contiguous run at the source.
CREATE TABLE exchanges(id INTEGER PRIMARY KEY, name TEXT, operation INTEGER, bytes INTEGER,
    cycles INTEGER, code_bytes INTEGER, run_bytes INTEGER,
    received_by_tile BLOB, sent_by_tile BLOB, code_by_tile BLOB, cycles_by_tile BLOB);
)sql",
            writeExchanges, [](const ProfileReader& reader, Profile& profile) {
                profile.exchanges = reader.exchanges();
            }};
}

} // namespace tilescope
