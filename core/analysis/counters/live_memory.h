// Live memory over the time of an execution.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

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
    /// False where bounds stand for extremes: the sums of what each IPU has least and most in a
    /// column, perhaps at different moments.
    bool exact = true;
};

/// **Live memory at a moment**: what is resident on each IPU at that moment, added up over the
/// IPUs. On an IPU that is what is live at the step that runs, of several that overlap the most;
/// between steps, while it waits, what was live at the step that began last; before the first what
/// is always live. The extremes of a column are those of its moments, so that the largest of any
/// columns of a range is the same. Curves over steps of the program (LivenessSeries) are something
/// else: there all IPUs are at one step, though at a moment of a pipeline each is at its own.
///
/// The first question about a range reads its steps, repetitions once; what is kept of them lets
/// later ones take time for their columns only. For several threads.
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
    /// Of several IPUs together. Not exact only where IPUs repeat different work beside each other
    /// for so many steps that they cannot be gone through.
    [[nodiscard]] LiveColumns columns(const std::vector<IpuId>& ipus, const CycleColumns& columns,
                                      const std::stop_token& stop = {}) const;

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

} // namespace tilescope
