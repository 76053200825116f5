// Streams, and what is in streaming memory: remote buffers and the phases that load them.
#include <fmt/format.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithRemoteBuffers = 4;

void writeStreams(const Profile& profile, const Database& db) {
    Insert row(db, "streams");
    std::int64_t id = 0;
    for (const Stream& s : profile.streams)
        row(id++, s.name, s.toDevice, s.bytes.sum(), s.bytes, s.remoteBuffer);
}

void writeRemote(const Profile& profile, const Database& db) {
    Insert buffer(db, "remote_buffers");
    std::int64_t id = 0;
    for (const RemoteBuffer& b : profile.remoteBuffers)
        buffer(id++, b.name, b.type, b.shape, b.rows, b.rowBytes);
    Insert phase(db, "execution_phases");
    for (std::size_t i = 0; i < profile.phases.size(); ++i)
        phase(i, profile.phases[i]);
}

} // namespace

IdVector<StreamId, Stream> ProfileReader::streams() const {
    IdVector<StreamId, Stream> streams;
    const bool withRemote = impl_->has(firstVersionWithRemoteBuffers);
    const auto buffers = static_cast<std::int64_t>(remoteBuffers().size());
    Statement row = impl_->db.prepare(
        fmt::format("SELECT name, to_device, bytes_by_tile, {} FROM streams ORDER BY id",
                    withRemote ? "remote_buffer" : "NULL"));
    while (row.step())
        streams.add({row.text(0), row.integer(1) != 0, impl_->series(row, 2),
                     row.isNull(3) ? RemoteBufferId() : idBelow<RemoteBufferId>(row, 3, buffers)});
    impl_->checkIds("streams", "id", streams.size());
    return streams;
}

IdVector<RemoteBufferId, RemoteBuffer> ProfileReader::remoteBuffers() const {
    IdVector<RemoteBufferId, RemoteBuffer> buffers;
    if (!impl_->has(firstVersionWithRemoteBuffers))
        return buffers;
    Statement row = impl_->db.prepare(
        "SELECT name, type, shape, rows, row_bytes FROM remote_buffers ORDER BY id");
    while (row.step()) {
        buffers.add({row.text(0), row.text(1), row.text(2), row.integer(3), row.integer(4)});
        if (row.integer(3) < 0 || row.integer(4) < 0)
            throw DamagedProfile(fmt::format("remote buffer '{}' has {} rows of {} bytes",
                                             row.text(0), row.integer(3), row.integer(4)));
    }
    return buffers;
}

std::vector<ProgramId> ProfileReader::phases() const {
    std::vector<ProgramId> phases;
    if (!impl_->has(firstVersionWithRemoteBuffers))
        return phases;
    const std::int64_t programs = impl_->db.integer("SELECT count(*) FROM programs");
    Statement row = impl_->db.prepare("SELECT program FROM execution_phases ORDER BY position");
    while (row.step()) {
        const std::int64_t program = row.integer(0);
        if (program < 0 || program >= programs)
            throw DamagedProfile(
                fmt::format("there is no program {} for an execution phase", program));
        phases.emplace_back(static_cast<std::int32_t>(program));
    }
    return phases;
}

TableGroup streamTables() {
    return {1,
            R"sql(
-- Streams with the host, or (since version 4) with a remote buffer.
CREATE TABLE streams(id INTEGER PRIMARY KEY, name TEXT, to_device INTEGER, bytes INTEGER,
    bytes_by_tile BLOB, remote_buffer INTEGER);
)sql",
            writeStreams, [](const ProfileReader& reader, Profile& profile) {
                profile.streams = reader.streams();
            }};
}

TableGroup remoteTables() {
    return {firstVersionWithRemoteBuffers,
            R"sql(
-- Buffers in streaming memory (since version 4): tensors of one shape and type, a row each.
CREATE TABLE remote_buffers(id INTEGER PRIMARY KEY, name TEXT, type TEXT, shape TEXT,
    rows INTEGER, row_bytes INTEGER);

-- Phased execution (since version 4): the sequence of each phase in the order in which they run,
-- then that of a weight update of its own; no rows if the execution is not phased.
CREATE TABLE execution_phases(position INTEGER PRIMARY KEY, program INTEGER);
)sql",
            writeRemote, [](const ProfileReader& reader, Profile& profile) {
                profile.remoteBuffers = reader.remoteBuffers();
                profile.phases = reader.phases();
            }};
}

} // namespace tilescope
