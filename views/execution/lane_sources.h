// Where the lanes of an execution come from.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "views/execution/trace_content.h"
#include "views/query/shared_work.h"

namespace tilescope::views {

/// A range of cycles at a resolution: boxes shorter than `minimumCycles` may come merged.
struct LaneDetail {
    CycleRange range;
    std::int64_t minimumCycles = 1;
    Cores cores = Cores::All; ///< that may work on it
};

/// What a click on a box leads to.
struct LaneClick {
    enum class To {
        Range, ///< the cycles of the box
        Step,  ///< a step of the lane's profile, by its execution index
        Copy,  ///< the step of a copy with the host, by the cycle at which it begins
    } to = To::Range;
    std::int64_t at = 0;
    CycleRange range;
};

/// A lane of the execution trace. A new kind of lane is a class and a line of laneSources().
class LaneSource {
public:
    /// `key` tells the lane from all others, and is the same in every session.
    LaneSource(std::string key, std::string name, bool target)
        : key_(std::move(key))
        , name_(std::move(name))
        , target_(target) {}
    virtual ~LaneSource() = default;
    LaneSource(const LaneSource&) = delete;
    LaneSource& operator=(const LaneSource&) = delete;

    [[nodiscard]] const std::string& key() const { return key_; }
    /// Whether the lane belongs to the second profile.
    [[nodiscard]] bool target() const { return target_; }
    /// The lane without rows.
    [[nodiscard]] TraceLane empty() const;

    /// On a worker thread: all rows.
    [[nodiscard]] virtual TraceLane read(const LaneDetail& detail,
                                         const std::stop_token& stop) const = 0;
    /// The row shown when the lane is folded; `lane` has been read.
    [[nodiscard]] virtual TraceRow folded(const TraceLane& lane) const { return stepsOf(lane); }
    /// Its line in the strip over the whole execution, if it has one there.
    [[nodiscard]] virtual std::optional<TraceRow> strip(const TraceLane& lane) const {
        return stepsOf(lane);
    }
    [[nodiscard]] virtual LaneClick click(const TraceBox& box) const;
    /// The IPU of a lane that can be shown without others of its kind; none for all other kinds.
    [[nodiscard]] virtual IpuId ipu() const { return {}; }

private:
    std::string key_;
    std::string name_;
    bool target_;
};

using LaneSources = std::vector<std::shared_ptr<const LaneSource>>;

/// The lanes that a question asks for, from top to bottom: source first, then target, each with its
/// kinds of lanes one after the other.
LaneSources laneSources(const TraceQuestion& question);

/// What is to be read of a lane.
enum class LaneWish { Nothing, Rows, Folded };

/// Reads lanes, several at a time. `wishes`: one per lane; lanes beyond its end are read in full.
std::vector<TraceLane> readLanes(const LaneSources& sources, const LaneDetail& detail,
                                 const std::vector<LaneWish>& wishes, const std::stop_token& stop);

} // namespace tilescope::views
