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

std::string withChecksums(std::string profile) {
    renewChecksums(std::as_writable_bytes(std::span(profile)));
    return profile;
}

} // namespace tilescope::test
