// Live bytes of every tile, from step to step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// What becomes live and what dies at each step of the liveness order, by class of liveness: the
/// variables of a class are one series. Immutable; shared by threads.
class LiveChanges {
public:
    /// Throws UserError for a damaged profile, as livenessOf() does.
    LiveChanges(const IdVector<VariableId, Variable>& variables,
                const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                std::int32_t tiles);

    [[nodiscard]] std::size_t steps() const { return steps_; }
    [[nodiscard]] std::int32_t tiles() const { return tiles_; }
    /// Bytes of always-live variables.
    [[nodiscard]] const TileSeries& always() const { return always_; }
    /// Adds what is live at a step, but not always.
    void addAt(std::size_t step, std::span<std::int64_t> dense) const;
    /// Adds the change from the previous step to this one; with `factor` -1, undoes it.
    void addChange(std::size_t step, std::int64_t factor, std::span<std::int64_t> dense) const;

private:
    struct Change {
        std::uint32_t step = 0;
        std::uint32_t series = 0;
        bool begins = false; ///< otherwise it ends: it is no longer live at the step
    };

    std::size_t steps_;
    std::int32_t tiles_;
    TileSeries always_;
    std::vector<TileSeries> series_; ///< by class
    std::vector<Change> changes_;    ///< by step
    std::vector<std::size_t> first_; ///< of the changes of each step; one more at the end
};

/// Bytes on each tile at one step. Moving to a nearby step costs the runs of what changes in
/// between, to any other step those of what is live there; never a pass over the variables. Not
/// thread-safe.
class LiveBytes {
public:
    explicit LiveBytes(std::shared_ptr<const LiveChanges> changes);

    /// Always-live ones included, by tile; valid until the next call. Throws UserError for a step
    /// that does not exist.
    const std::vector<std::int64_t>& at(StepId step);

private:
    void begin(std::size_t step);

    std::shared_ptr<const LiveChanges> changes_;
    std::vector<std::int64_t> bytes_;
    std::size_t step_ = 0;
    bool begun_ = false;
};

} // namespace tilescope
