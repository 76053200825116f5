// The pages of a long trace. Internal to core/trace.
#pragma once

#include "core/database/database.h"
#include "core/profile/trace.h"

namespace tilescope {

/// Writes what TracePages reads, beside the rows of the trace; nothing for a short trace.
void writeTracePages(const Database& db, const Trace& trace, std::int32_t ipus);

} // namespace tilescope
