#include "tests/support/profile_sql.h"

#include <span>
#include <sqlite3.h>

#include "core/base/atomic_file.h"
#include "core/database/page_checksum.h"

namespace tilescope::test {

std::string changeProfile(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* db = nullptr;
    sqlite3_open(file.c_str(), &db);
    char* error = nullptr;
    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error);
    const std::string complaint = error == nullptr ? "" : error;
    sqlite3_free(error);
    sqlite3_close(db);
    writeFileAtomically(file, withChecksums(readFile(file)));
    return complaint;
}

std::string toSchemaVersion7() {
    return R"sql(
PRAGMA legacy_alter_table = ON;
CREATE TABLE old_tiles(variable INTEGER, first_tile INTEGER, tiles INTEGER, bytes INTEGER,
    PRIMARY KEY(variable, first_tile)) WITHOUT ROWID;
INSERT INTO old_tiles SELECT * FROM variable_tiles;
CREATE TABLE old_sets(compute_set INTEGER PRIMARY KEY, name TEXT, operation INTEGER,
    cycles INTEGER, cycles_by_tile BLOB);
INSERT INTO old_sets SELECT * FROM compute_sets;
CREATE TABLE old_exchanges(id INTEGER PRIMARY KEY, name TEXT, operation INTEGER, bytes INTEGER,
    cycles INTEGER, code_bytes INTEGER, run_bytes INTEGER,
    received_by_tile BLOB, sent_by_tile BLOB, code_by_tile BLOB, cycles_by_tile BLOB);
INSERT INTO old_exchanges SELECT * FROM exchanges;
DROP VIEW variable_tiles; DROP VIEW compute_sets; DROP VIEW exchanges;
DROP VIEW variable_series; DROP TABLE variable_runs; DROP TABLE compute_set_series; DROP TABLE compute_set_rows;
DROP TABLE exchange_series; DROP TABLE exchange_rows;
ALTER TABLE old_tiles RENAME TO variable_tiles;
ALTER TABLE old_sets RENAME TO compute_sets;
ALTER TABLE old_exchanges RENAME TO exchanges;
ALTER TABLE variables DROP COLUMN series;
PRAGMA user_version = 7;
)sql";
}

std::string withChecksums(std::string profile) {
    renewChecksums(std::as_writable_bytes(std::span(profile)));
    return profile;
}

} // namespace tilescope::test
