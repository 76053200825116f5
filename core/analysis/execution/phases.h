// What phased execution does phase by phase, and what is kept in streaming memory meanwhile.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// A phase on one of the IPUs that take part in it, once.
struct PhaseRow {
    std::string name; ///< "phase2", "VarUpdateFromAccumulator"
    IpuId ipu;
    std::int64_t start = 0;        ///< since the loop around the phases began
    std::int64_t cycles = 0;       ///< from its first step to the end of its last, waits included
    std::int64_t remoteCycles = 0; ///< loads and stores, with their syncs
    std::int64_t linkCycles = 0;   ///< exchanges between IPUs
    std::int64_t otherCycles = 0;  ///< compute, exchanges and streams with the host
    std::int64_t bytesLoaded = 0, bytesStored = 0; ///< from and to remote buffers
};

/// A remote buffer and how often one run copies rows of it.
struct RemoteBufferRow {
    RemoteBuffer buffer;
    std::int64_t loads = 0, stores = 0;
    [[nodiscard]] std::int64_t bytes() const { return buffer.rows * buffer.rowBytes; }
};

/// What the analysis reads of a profile; `trace` may be empty.
struct PhaseParts {
    const IdVector<ProgramId, Program>& programs;
    const IdVector<StreamId, Stream>& streams;
    const IdVector<RemoteBufferId, RemoteBuffer>& buffers;
    const std::vector<ProgramId>& phases;
    const Trace& trace;
};

/// In the order of the phases, then of the IPUs; empty without phases or without an execution.
std::vector<PhaseRow> phaseTable(const PhaseParts& parts);

/// In the order of the buffers.
std::vector<RemoteBufferRow> remoteBufferTable(const PhaseParts& parts);

} // namespace tilescope
