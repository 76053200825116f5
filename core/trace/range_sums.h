// Sums over a range of one IPU's execution, without unrolling. Internal to core/trace.
#pragma once

#include "core/trace/lane_cursor.h"

namespace tilescope {

/// Sums from the lanes of one IPU. Cycles `from` and `to` count from the start of the body.
class RangeSums {
public:
    RangeSums(const TraceLanes& lanes, IpuId ipu)
        : lanes_(lanes)
        , ipu_(ipu) {}

    /// Sums of the steps in [from, to); those that the range cuts count in part.
    [[nodiscard]] TraceSums ofBody(TraceBodyId body, std::int64_t from, std::int64_t to) const;

    /// Cycles of [from, to) in which at least one step runs. `sums` are those of the range: their
    /// total unless steps overlap.
    [[nodiscard]] std::int64_t busy(TraceBodyId body, std::int64_t from, std::int64_t to,
                                    const TraceSums& sums) const;

private:
    [[nodiscard]] TraceSums ofEntry(TraceBodyId body, const LaneEntry& entry, std::int64_t from,
                                    std::int64_t to) const;
    [[nodiscard]] TraceSums ofCall(const Repetition& r, std::int64_t from, std::int64_t to) const;
    struct Group;
    [[nodiscard]] std::int64_t busy(TraceBodyId body, std::int64_t from, std::int64_t to) const;
    [[nodiscard]] std::int64_t busy(TraceBodyId body, const Group& group) const;
    [[nodiscard]] std::int64_t busy(const Repetition& r, std::int64_t from, std::int64_t to) const;

    const TraceLanes& lanes_;
    IpuId ipu_;
};

} // namespace tilescope
