// Live memory over the time of an execution.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/for_each.h"
#include "core/trace/cycle_columns.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Bytes in a column of time.
struct LiveExtremes {
    std::int64_t least = 0;
    std::int64_t most = 0;
    friend bool operator==(const LiveExtremes&, const LiveExtremes&) = default;
};

/// Bytes in each column of time.
struct LiveColumns {
    std::vector<LiveExtremes> columns;
    /// False if these are bounds instead of extremes: the sums of each IPU's least and most in a
    /// column, perhaps at different moments.
    bool exact = true;
};

/// **Live memory at a moment**: what is resident on each IPU at that moment, added up over the
/// IPUs. On an IPU that is what is live at the running step (of several that overlap, the step with
/// most); between steps, while it waits, what was live at the step that began last; before the
/// first step, what is always live. The extremes of a column are those of its moments, so the
/// maximum over the columns of a range does not depend on the columns. Curves over steps of the
/// program (LivenessSeries) differ: there all IPUs are at the same step, whereas at a moment of a
/// pipeline each is at its own.
///
/// The first query of a range reads its steps, repetitions once; what is kept of them makes the
/// cost of later queries depend on their columns only. Thread-safe.
class LiveMemory {
public:
    LiveMemory(const ProfileView& profile, Stop stop);
    ~LiveMemory();
    LiveMemory(LiveMemory&&) noexcept;
    LiveMemory& operator=(LiveMemory&&) = delete;

    /// Of one IPU in each column. Throws UserError for an IPU that does not exist, Cancelled after
    /// a stop.
    [[nodiscard]] std::vector<LiveExtremes> columns(IpuId ipu, const CycleColumns& columns,
                                                    const std::stop_token& stop = {}) const;
    /// Of several IPUs together. Inexact only where IPUs repeat different work at the same time for
    /// so many steps that they cannot be visited. `each` distributes what is read over threads.
    [[nodiscard]] LiveColumns columns(const std::vector<IpuId>& ipus, const CycleColumns& columns,
                                      const std::stop_token& stop = {},
                                      const ForEach& each = {}) const;

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

} // namespace tilescope
