// A profile as the rules of insights read it. Internal to core/analysis/insights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/analysis/insights/largest_parts.h"
#include "core/analysis/liveness/liveness.h"
#include "core/analysis/operations/operation_groups.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// The last run: the main program, after the one that loads weights.
struct MainRun {
    CycleRange range;
    TraceStatistics worst; ///< of the IPU that does least computing
    IpuId ipu;
    /// Cycles as a share of the run.
    [[nodiscard]] double share(std::int64_t cycles) const;
};

/// The parts of a profile and what several rules need of them.
class Facts {
public:
    /// The parts must outlive the facts.
    explicit Facts(const InsightParts& parts);

    [[nodiscard]] const ProfileInfo& info() const { return p_.info; }
    [[nodiscard]] const auto& operations() const { return p_.operations; }
    [[nodiscard]] const auto& livenessClasses() const { return p_.livenessClasses; }
    [[nodiscard]] const auto& variables() const { return p_.variables; }
    [[nodiscard]] const auto& vertexTypes() const { return p_.vertexTypes; }
    [[nodiscard]] const auto& computeSets() const { return p_.computeSets; }
    [[nodiscard]] const auto& exchanges() const { return p_.exchanges; }
    [[nodiscard]] const auto& copies() const { return p_.copies; }
    [[nodiscard]] const auto& streams() const { return p_.streams; }
    [[nodiscard]] const auto& tileMemory() const { return p_.tileMemory; }
    [[nodiscard]] const auto& steps() const { return p_.steps; }
    [[nodiscard]] const TraceIndex& trace() const { return p_.trace; }
    [[nodiscard]] const PipelineReport& pipeline() const { return p_.pipeline; }
    [[nodiscard]] const auto& programs() const { return p_.programs; }

    [[nodiscard]] const LivenessSeries& liveness() const { return liveness_; } ///< of all tiles
    /// The first tile with the most bytes including gaps; none without tiles.
    [[nodiscard]] TileId fullestTile() const { return fullest_; }
    [[nodiscard]] const std::optional<MainRun>& run() const {
        return run_;
    } ///< none if nothing ran
    /// Costs of the operations of the model.
    [[nodiscard]] const std::vector<OperationGroup>& groups() const { return groups_; }
    /// Of a step in all its executions; `once` if nothing ran.
    [[nodiscard]] std::int64_t cyclesOf(ProgramId program, std::int64_t once) const;
    /// The name of an operation, or "no operation".
    [[nodiscard]] std::string nameOf(OperationId id) const;
    /// Live bytes of a tile.
    [[nodiscard]] LivenessSeries livenessOn(TileId tile) const;
    [[nodiscard]] MemoryParts memory() const; ///< for largestParts()

private:
    const InsightParts& p_;
    LivenessSeries liveness_;
    TileId fullest_;
    std::optional<MainRun> run_;
    std::vector<ProgramExecutions> executions_;
    std::vector<OperationGroup> groups_;
};

} // namespace tilescope
