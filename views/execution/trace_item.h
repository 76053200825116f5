// What is drawn one below the other over the cycles of an execution.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/counters/counter_columns.h"
#include "views/execution/trace_content.h"
#include "views/query/shared_work.h"
#include "views/session/view_context.h"

namespace tilescope::views {

class CounterTrack;
class TraceSelection;

/// Figures of profiles that several counters are made of, read once for all that read the same.
using CounterCache = std::map<const ProfileView*, CounterColumns>;

/// A range of cycles at a resolution.
struct ItemDetail {
    CycleRange range;
    std::int64_t minimumCycles = 1;   ///< boxes shorter than this may come merged
    Cores cores = Cores::All;         ///< that may work on it
    std::int64_t columns = 0;         ///< of a curve
    CounterCache* counters = nullptr; ///< what counters that are read one by one share, if anything
};

/// A place in an item.
struct ItemPlace {
    double cycle = 0;
    const TrackCurve* curve = nullptr; ///< of a counter
    const TraceLane* lane = nullptr;   ///< of all others, with a box of it
    const TraceBox* box = nullptr;
    std::size_t row = 0;
};

/// A counter, a host or an IPU of a profile. A new kind is a class and a line of trace_items.cpp.
class TraceItem {
public:
    /// `key` tells the item from all others, and is the same in every session.
    TraceItem(const TraceQuestion& question, std::string key, std::string name, bool target);
    virtual ~TraceItem() = default;
    TraceItem(const TraceItem&) = delete;
    TraceItem& operator=(const TraceItem&) = delete;

    [[nodiscard]] const std::string& key() const { return key_; }
    /// Whether the item belongs to the second profile.
    [[nodiscard]] bool target() const { return target_; }
    /// What it draws before anything is read.
    [[nodiscard]] TraceLane empty() const;

    /// On a worker thread: all rows, or the curve.
    [[nodiscard]] virtual TraceLane read(const ItemDetail& detail,
                                         const std::stop_token& stop) const = 0;
    /// The row shown when the lane is folded; `lane` has been read.
    [[nodiscard]] virtual TraceRow folded(const TraceLane& lane) const { return stepsOf(lane); }
    /// The row of the lane, folded ones included, that is its line in the strip over the whole
    /// execution; none (nullptr) without one.
    [[nodiscard]] virtual const TraceRow* strip(const TraceLane& lane) const {
        return &lane.folded;
    }

    /// What is there, for the pointer.
    [[nodiscard]] virtual QString readOut(const ItemPlace& place, const ViewContext& context) const;
    /// The one step there, by its execution index, for a click and the menu; -1 if there is none.
    [[nodiscard]] virtual std::int64_t step(const TraceBox&) const { return -1; }
    /// Selects the step or the range there.
    virtual void click(const ItemPlace& place, TraceSelection& selection) const;

    /// The IPU of a lane that can be shown without others of its kind; none for all other kinds.
    [[nodiscard]] virtual IpuId ipu() const { return {}; }
    /// What is counted over time, in a plot of its own above the lanes; null for lanes of boxes.
    [[nodiscard]] virtual const CounterTrack* counter() const { return nullptr; }

protected:
    /// Of the execution that the axis shows.
    [[nodiscard]] double clockHz() const { return clockHz_; }
    [[nodiscard]] static QString titleOf(const TraceBox& box);

private:
    std::string key_;
    std::string name_;
    bool target_;
    double clockHz_;
};

using TraceItems = std::vector<std::shared_ptr<const TraceItem>>;

} // namespace tilescope::views
