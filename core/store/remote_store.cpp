#include "core/store/remote_store.h"

#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {

void writeRemote(const Database& db, const IdVector<RemoteBufferId, RemoteBuffer>& buffers,
                 const std::vector<ProgramId>& phases) {
    Statement buffer = db.prepare("INSERT INTO remote_buffers VALUES(?,?,?,?,?,?)");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const RemoteBuffer& b = buffers[RemoteBufferId(i)];
        buffer.bind(0, static_cast<std::int64_t>(i))
            .bind(1, std::string_view(b.name))
            .bind(2, std::string_view(b.type))
            .bind(3, std::string_view(b.shape))
            .bind(4, b.rows)
            .bind(5, b.rowBytes);
        buffer.run();
    }
    Statement phase = db.prepare("INSERT INTO execution_phases VALUES(?,?)");
    for (std::size_t i = 0; i < phases.size(); ++i) {
        phase.bind(0, static_cast<std::int64_t>(i)).bind(1, std::int64_t{phases[i].value()});
        phase.run();
    }
}

IdVector<RemoteBufferId, RemoteBuffer> readRemoteBuffers(const Database& db) {
    IdVector<RemoteBufferId, RemoteBuffer> buffers;
    if (db.integer("PRAGMA user_version") < firstVersionWithRemoteBuffers)
        return buffers;
    Statement row =
        db.prepare("SELECT name, type, shape, rows, row_bytes FROM remote_buffers ORDER BY id");
    while (row.step()) {
        buffers.add({row.text(0), row.text(1), row.text(2), row.integer(3), row.integer(4)});
        if (row.integer(3) < 0 || row.integer(4) < 0)
            throw DamagedProfile(fmt::format("remote buffer '{}' has {} rows of {} "
                                             "bytes",
                                             row.text(0), row.integer(3), row.integer(4)));
    }
    return buffers;
}

std::vector<ProgramId> readPhases(const Database& db, std::int64_t programs) {
    std::vector<ProgramId> phases;
    if (db.integer("PRAGMA user_version") < firstVersionWithRemoteBuffers)
        return phases;
    Statement row = db.prepare("SELECT program FROM execution_phases ORDER BY position");
    while (row.step()) {
        const std::int64_t program = row.integer(0);
        if (program < 0 || program >= programs)
            throw DamagedProfile(fmt::format("there is no program {} for an execution "
                                             "phase",
                                             program));
        phases.emplace_back(static_cast<std::int32_t>(program));
    }
    return phases;
}

} // namespace tilescope
