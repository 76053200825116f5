// What lines of the program cost together with all that they call.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/analysis/accounting/cost_rows.h"

namespace tilescope {

struct CalledCycles {
    SourceFrameId frame; ///< one of those with the name
    std::int64_t cycles = 0;
};

/// Cycles of lines, functions or files and of all that they call, by name and IPU: those of every
/// operation in whose stack they are, once also where they call themselves. `names` has the same
/// reach as the rows beside which they are shown. Costs as much as there are frames, however deep.
std::map<std::pair<std::string, IpuId>, CalledCycles>
calledCycles(const Accounting& accounting, const SourceNames& names, SourceGrain grain);

} // namespace tilescope
