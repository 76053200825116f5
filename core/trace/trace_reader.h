// Readers for the trace tables of a profile: as values, the stream copies alone, and the pages of a
// long trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/database/database.h"
#include "core/profile/trace.h"

namespace tilescope {

class LanesInMemory;

/// Reads all bodies, steps, calls and runs. Throws UserError on damage, Cancelled after a stop.
Trace readTrace(const Database& db);

/// Runs and bodies with their calls in the order of their items, but without items and steps.
Trace readOutline(const Database& db);

constexpr bool isStreamCopy(ProgramKind kind) {
    return kind == ProgramKind::StreamCopyBegin || kind == ProgramKind::StreamCopyMid ||
           kind == ProgramKind::StreamCopyEnd;
}

/// From this schema version on a file has an index of the steps that are stream copies.
inline constexpr std::int64_t firstVersionWithStreamIndex = 6;
/// From this version on a long trace has them once more, together: as rows they are all over the
/// file.
inline constexpr std::int64_t firstVersionWithStreamCopies = 16;
/// The most that are read: some 100 MB of steps.
inline constexpr std::int64_t mostStreamCopies = 500'000;

/// Runs, bodies, calls and the steps that are stream copies, with their times; among the items of a
/// body calls come first. None if there are too many, and for a long trace in an older file, as all
/// its steps would have to be searched. Throws UserError on damage.
std::optional<Trace> readStreamCopies(const std::filesystem::path& file);
/// Writes the copies of a long trace, in addition to its rows.
void writeStreamCopies(const Database& db, const Trace& trace);

/// Whether a file has the tables for TracePages: not for a short trace, nor before schema
/// version 5.
bool hasTracePages(const Database& db);

/// The lanes of a trace that is long enough for TracePages; none of a short one. The trace outlives
/// them.
std::shared_ptr<const LanesInMemory> lanesOfLongTrace(const Trace& trace, std::int32_t ipus);
/// Writes the tables for TracePages, in addition to the rows of the trace.
void writeTracePages(const Database& db, const LanesInMemory& lanes);

} // namespace tilescope
