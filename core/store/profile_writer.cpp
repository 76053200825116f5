#include "core/store/profile_writer.h"

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/database/database.h"
#include "core/store/schema.h"
#include "core/store/table_group.h"

namespace tilescope {

void writeProfile(const Profile& profile, const std::filesystem::path& file) {
    AtomicFile atomic(file);
    Database db(atomic.temporaryPath(), Database::Mode::Create, file);
    // The file is new and is renamed only when complete: no journal is needed.
    db.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;");
    db.execute("BEGIN");
    db.execute(profileSchemaSql());
    db.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={};",
                           profileApplicationId, profileSchemaVersion));
    for (const TableGroup& group : tableGroups())
        for (const StoredPart& part : group.parts)
            if (part.write)
                part.write(profile, db);
    for (const TableGroup& group : tableGroups())
        db.execute(group.indexes);
    db.execute("COMMIT");
    db.close();
    atomic.commit();
}

} // namespace tilescope
