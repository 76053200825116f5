// The trace tables of a profile: as values, the stream copies alone, and the pages of a long trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/database/database.h"
#include "core/profile/trace.h"

namespace tilescope {

/// Reads all bodies, steps, calls and runs. Throws UserError on damage, Cancelled after a stop.
Trace readTrace(const Database& db);

/// Runs and bodies with their calls in the order of their items, but without items and steps.
Trace readOutline(const Database& db);

/// From this schema version on a file has an index of the steps that are stream copies.
inline constexpr std::int64_t firstVersionWithStreamIndex = 6;
/// More are not read: some 100 MB of steps.
inline constexpr std::int64_t mostStreamCopies = 500'000;

/// Runs, bodies, calls and those steps that are stream copies, with their times; of the items of a
/// body calls come first. None if there are too many, and in an older file of a long trace, all of
/// whose steps would have to be looked at. Throws UserError on damage.
std::optional<Trace> readStreamCopies(const std::filesystem::path& file, bool isLong);

/// Writes what TracePages reads, beside the rows of the trace; nothing for a short trace.
void writeTracePages(const Database& db, const Trace& trace, std::int32_t ipus);

} // namespace tilescope
