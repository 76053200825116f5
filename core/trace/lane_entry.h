// The activity of a body of a trace on one IPU, as the sorted entries that analyses and the file
// share.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/profile/kinds.h"
#include "core/trace/trace_statistics.h"

namespace tilescope {

/// A step or a call of a body on one IPU; cycles count from the start of the body.
struct LaneEntry {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t item = 0;  ///< place among the body's items
    std::int32_t call = -1; ///< index into TraceBody::calls; negative for a step
    std::int32_t onIpu = 0; ///< index into TraceStep::ipus or TraceCall::ipus; 0 for a paged step
    ProgramId program;      ///< of a step; none for a Sync and for calls
    ProgramKind kind = ProgramKind::Call;
    friend bool operator==(const LaneEntry&, const LaneEntry&) = default;
};

/// Entries of a lane are summed up in blocks of this size.
inline constexpr std::size_t entriesPerBlock = 64;

/// A summary of a block of entries, available without reading them.
struct LaneBlock {
    std::int64_t begin = 0;  ///< of its first entry; no other begins earlier
    std::int64_t maxEnd = 0; ///< largest end of its entries and all before it in the lane
    std::int32_t item = 0;   ///< of its first entry
    /// Its first and last step with a program; item and program negative if there is none.
    struct Named {
        std::int32_t item = -1;
        ProgramId program;
        friend bool operator==(const Named&, const Named&) = default;
    };
    Named first;
    Named last;
    TraceSums before; ///< sums of all blocks in front of it
    friend bool operator==(const LaneBlock&, const LaneBlock&) = default;
};

} // namespace tilescope
