// The bytes that are live at the executed steps of one IPU. Internal to core/live.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/live/liveness_order.h"
#include "core/profile/liveness_curve.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {

/// A body where it was entered.
struct EnteredBody {
    TraceBodyId body;
    std::int32_t base = -1; ///< of its function in the liveness order
    friend auto operator<=>(const EnteredBody&, const EnteredBody&) = default;
};

/// Reads the lanes of one IPU. Not thread-safe.
class LiveSteps {
public:
    /// `bytes` are by step of the order, without what is always live. All outlive this.
    LiveSteps(const TraceLanes& lanes, const LivenessOrder& order, IpuId ipu,
              const StepBytes& bytes)
        : lanes_(lanes)
        , order_(order)
        , bytes_(bytes)
        , ipu_(ipu) {}

    [[nodiscard]] const TraceLanes& lanes() const { return lanes_; }
    [[nodiscard]] IpuId ipu() const { return ipu_; }
    [[nodiscard]] const std::vector<TraceRun>& runs() const { return lanes_.outline().runs; }

    [[nodiscard]] EnteredBody enter(const TraceRun& run) const;
    [[nodiscard]] EnteredBody enter(const EnteredBody& from, const LaneEntry& call) const;
    [[nodiscard]] Repetition repetition(const EnteredBody& at, const LaneEntry& call) const {
        return lanes_.repetition(at.body, call);
    }
    /// Bytes live at a step; none for a sync and for steps that are not in the order.
    [[nodiscard]] std::optional<std::int64_t> bytesOf(const EnteredBody& at,
                                                      const LaneEntry& step) const {
        const std::int32_t number = order_.stepOf(at.base, step.program);
        if (number < 0 || static_cast<std::size_t>(number) >= bytes_.size())
            return {};
        return bytes_[static_cast<std::size_t>(number)];
    }
    /// Whether any step that takes time has bytes, in the body or in what it calls.
    [[nodiscard]] bool hasBytes(const EnteredBody& at);

    /// The place at which a body is being read: it calls others and never itself.
    LaneCursor& cursorOf(TraceBodyId body) {
        return cursors_.try_emplace(body, lanes_, body, ipu_, TraceLanes::Keep::No).first->second;
    }
    /// Releases pages of the file.
    void forgetPages();

private:
    const TraceLanes& lanes_;
    const LivenessOrder& order_;
    const StepBytes& bytes_;
    IpuId ipu_;
    std::map<TraceBodyId, LaneCursor> cursors_;
    std::map<EnteredBody, bool> hasBytes_;
};

} // namespace tilescope
