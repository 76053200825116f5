// How much an execution exchanges at once.
#pragma once

#include "core/trace/trace_index.h"

namespace tilescope {

/// Whether steps of a kind move data between tiles, of one IPU or of several.
bool exchangesData(ProgramKind kind);

/// The most bytes that the tiles of an IPU receive in a cycle, over all of an exchange's cycles. Of
/// a trace that stays in its file that of parts of the execution, each 1/500 of it, so as not to
/// read it all.
double largestExchangeRate(const TraceIndex& index, std::int32_t ipus);

} // namespace tilescope
