#include "core/analysis/execution/phases.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

Table phaseRows(const std::vector<PhaseRow>& rows, const ReportRequest& request,
                const std::string& emptyText) {
    Table table{"phases",
                rows.empty() ? "" : "Phases",
                {{"phase", "Phase"},
                 {"ipu", "IPU"},
                 {"start", "Start", Unit::Cycles},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"remoteCycles", "Remote buffers", Unit::Cycles},
                 {"linkCycles", "Between IPUs", Unit::Cycles},
                 {"otherCycles", "Other steps", Unit::Cycles},
                 {"bytesLoaded", "Loaded", Unit::Bytes},
                 {"bytesStored", "Stored", Unit::Bytes}},
                {},
                emptyText};
    for (const PhaseRow& row : rows)
        if (request.wants(row.name))
            table.add({row.name, std::int64_t{row.ipu.value()}, row.start, row.cycles,
                       row.remoteCycles, row.linkCycles, row.otherCycles, row.bytesLoaded,
                       row.bytesStored});
    return table;
}

Table bufferRows(const std::vector<RemoteBufferRow>& rows) {
    Table table{"remoteBuffers",
                rows.empty() ? "" : "Remote buffers",
                {{"buffer", "Buffer"},
                 {"type", "Type"},
                 {"shape", "Shape of a row"},
                 {"rows", "Rows"},
                 {"rowBytes", "Row", Unit::Bytes},
                 {"bytes", "Bytes", Unit::Bytes},
                 {"loads", "Loads of a run"},
                 {"stores", "Stores of a run"}},
                {},
                "no remote buffers"};
    for (const RemoteBufferRow& row : rows)
        table.add({row.buffer.name, row.buffer.type, row.buffer.shape, row.buffer.rows,
                   row.buffer.rowBytes, row.bytes(), row.loads, row.stores});
    return table;
}

} // namespace

Document phasesReport(const ProfileReader& reader, const ReportRequest& request) {
    const auto programs = reader.programs();
    const auto streams = reader.streams();
    const auto buffers = reader.remoteBuffers();
    const auto phases = reader.phases();
    const Trace trace = reader.trace();
    const PhaseParts parts{programs, streams, buffers, phases, trace};
    const std::vector<RemoteBufferRow> remote = remoteBufferTable(parts);
    std::int64_t bytes = 0;
    for (const RemoteBufferRow& row : remote)
        bytes += row.bytes();
    Document document;
    document.fields = {{"remoteBytes", "Streaming memory", bytes, Unit::Bytes}};
    document.tables = {phaseRows(phaseTable(parts), request,
                                 phases.empty()
                                     ? "not a phased execution; --execution phased makes one"
                                     : "phases without an execution: it does not fit"),
                       bufferRows(remote)};
    return document;
}

} // namespace tilescope
