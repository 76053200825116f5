// The peak exchange rate of an execution.
#pragma once

#include "core/trace/trace_index.h"

namespace tilescope {

/// Whether steps of a kind move data between tiles, of one IPU or of several.
bool exchangesData(ProgramKind kind);

/// The most bytes that the tiles of an IPU receive per cycle, averaged over an exchange's cycles.
/// For a trace that stays in its file, averaged over parts of the execution, each 1/500 of it, to
/// avoid reading all of it.
double largestExchangeRate(const TraceIndex& index, std::int32_t ipus);

} // namespace tilescope
