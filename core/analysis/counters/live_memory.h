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

/// Which step of the liveness order runs when, and what is live at it on the IPU. Between steps,
/// while it waits, an IPU holds what it held at the last; before its first step that is what is
/// always live. Of each 64 steps the extremes are kept once they were asked for: the first question
/// about a long trace reads the steps in its range, later ones take time for their columns only.
/// For several threads.
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

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

} // namespace tilescope
