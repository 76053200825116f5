// Streams, and what is in streaming memory: remote buffers and the phases that load them.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithRemoteBuffers = 4;

constexpr auto streamTable = storedTable<Stream>({"streams"}, [](auto& to, auto& s) {
    to(rowNumber("id"), field("name", s.name), field("to_device", s.toDevice),
       derived("bytes", s.bytes.sum()), field("bytes_by_tile", s.bytes),
       field("remote_buffer", s.remoteBuffer, {}, firstVersionWithRemoteBuffers));
});

void checkBuffer(const RemoteBuffer& buffer) {
    if (buffer.rows < 0 || buffer.rowBytes < 0)
        throw DamagedProfile(fmt::format("remote buffer '{}' has {} rows of {} bytes", buffer.name,
                                         buffer.rows, buffer.rowBytes));
}

constexpr auto bufferTable = storedTable<RemoteBuffer>(
    {.name = "remote_buffers", .since = firstVersionWithRemoteBuffers, .check = checkBuffer},
    [](auto& to, auto& r) {
        to(rowNumber("id"), field("name", r.name), field("type", r.type), field("shape", r.shape),
           field("rows", r.rows, numberAt), field("row_bytes", r.rowBytes, numberAt));
    });

constexpr auto phaseTable = storedTable<ProgramId>(
    {.name = "execution_phases", .since = firstVersionWithRemoteBuffers},
    [](auto& to, auto& id) { to(rowNumber("position"), field("program", id, idAt<ProgramId>)); });

std::vector<ProgramId> readPhases(const ProfileReader::Impl& file) {
    auto phases = readRows<std::vector<ProgramId>>(file.rows(), phaseTable);
    const std::int64_t programs = file.db.integer("SELECT count(*) FROM programs");
    for (const ProgramId program : phases)
        if (!program.valid() || program.value() >= programs)
            throw DamagedProfile(
                fmt::format("there is no program {} for an execution phase", program.value()));
    return phases;
}

void writePhases(const Profile& profile, const Database& db) {
    writeRows(db, phaseTable, profile.phases);
}

} // namespace

TableGroup streamTables() {
    return {1,
            tablesSql(R"sql(
-- Streams with the host, or (since version 4) with a remote buffer.
CREATE TABLE streams{};
)sql",
                      streamTable),
            {part<&Profile::streams>(streamTable)}};
}

TableGroup remoteTables() {
    return {firstVersionWithRemoteBuffers,
            tablesSql(R"sql(
-- Buffers in streaming memory (since version 4): tensors of one shape and type, a row each.
CREATE TABLE remote_buffers{};

-- Phased execution (since version 4): the sequence of each phase in the order in which they run,
-- then that of a weight update of its own; no rows if the execution is not phased.
CREATE TABLE execution_phases{};
)sql",
                      bufferTable, phaseTable),
            {part<&Profile::remoteBuffers>(bufferTable),
             part<&Profile::phases>(writePhases, readPhases)}};
}

} // namespace tilescope
