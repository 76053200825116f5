// The tables of remote buffers and execution phases. Internal to core/store.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "core/database/database.h"
#include "core/profile/remote.h"

namespace tilescope {

/// Older files know neither remote buffers nor phases.
inline constexpr std::int64_t firstVersionWithRemoteBuffers = 4;

void writeRemote(const Database& db, const IdVector<RemoteBufferId, RemoteBuffer>& buffers,
                 const std::vector<ProgramId>& phases);

/// Empty for an older file. Throws UserError on rows that cannot be.
IdVector<RemoteBufferId, RemoteBuffer> readRemoteBuffers(const Database& db);

/// The same; `programs`: how many there are.
std::vector<ProgramId> readPhases(const Database& db, std::int64_t programs);

} // namespace tilescope
