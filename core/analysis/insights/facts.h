// A profile as seen by the rules of insights. Internal to core/analysis/insights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/execution/pipeline.h"
#include "core/analysis/insights/insights.h"
#include "core/analysis/insights/largest_parts.h"
#include "core/analysis/liveness/liveness.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// The last run: the main program, after the one that loads weights.
struct MainRun {
    CycleRange range;
    TraceStatistics worst; ///< of the IPU that computes least
    IpuId ipu;
    /// Cycles as a share of the run.
    [[nodiscard]] double share(std::int64_t cycles) const;
};

/// Steps of the program.
using Steps = std::vector<ProgramId>;

/// The parts of a profile and derived figures that several rules need.
class Facts {
public:
    /// Both must outlive the facts. Throws UserError for a damaged profile, Cancelled after a stop.
    Facts(const ProfileView& profile, const std::stop_token& stop);

    [[nodiscard]] const ProfileInfo& info() const { return profile_.info(); }
    // Parts live as long as the profile.
    [[nodiscard]] const auto& operations() const { return *profile_.operations(stop_); }
    [[nodiscard]] const auto& livenessClasses() const { return *profile_.livenessClasses(stop_); }
    [[nodiscard]] const auto& variables() const { return *profile_.variables(stop_); }
    [[nodiscard]] const auto& vertexTypes() const { return *profile_.vertexTypes(stop_); }
    [[nodiscard]] const auto& computeSets() const { return *profile_.computeSets(stop_); }
    [[nodiscard]] const auto& exchanges() const { return *profile_.exchanges(stop_); }
    [[nodiscard]] const auto& copies() const { return *profile_.copies(stop_); }
    [[nodiscard]] const auto& streams() const { return *profile_.streams(stop_); }
    [[nodiscard]] const auto& tileMemory() const { return *profile_.tileMemory(stop_); }
    [[nodiscard]] const auto& steps() const { return *profile_.steps(stop_); }
    [[nodiscard]] const auto& programs() const { return *programs_; }
    [[nodiscard]] const ProfileValues& values() const { return *profile_.values(stop_); }
    [[nodiscard]] const TraceIndex& trace() const { return *profile_.trace(stop_); }
    [[nodiscard]] const PipelineReport& pipeline() const { return pipeline_; }
    /// Of all tiles.
    [[nodiscard]] const LivenessSeries& liveness() const { return liveness_; }
    /// The first tile with the most bytes including gaps; none without tiles.
    [[nodiscard]] TileId fullestTile() const { return fullest_; }
    /// Whether the model computes in half precision, by an option or by itself.
    [[nodiscard]] bool isHalf() const;
    /// None if nothing ran.
    [[nodiscard]] const std::optional<MainRun>& run() const { return run_; }
    [[nodiscard]] const Accounting& accounting() const { return *accounting_; }
    /// Operations at their places, by IPU; then what belongs to none.
    [[nodiscard]] const std::vector<CostRow>& places() const { return places_; }
    /// Cycles of steps in the run on one IPU; if nothing ran, estimated with one execution each.
    [[nodiscard]] std::int64_t cyclesOn(IpuId ipu, const Steps& steps) const;
    /// Likewise on the IPU that spends most on them.
    [[nodiscard]] std::int64_t cyclesOf(const Steps& steps) const;
    /// How often the run executes a step, on the IPU where it runs most often; 0 if nothing ran.
    [[nodiscard]] std::int64_t executionsOf(ProgramId step) const;
    /// Whether a program copies with streaming memory.
    [[nodiscard]] bool isRemote(ProgramId program) const;
    /// The name of an operation, or "no operation".
    [[nodiscard]] std::string nameOf(OperationId id) const;
    /// Exchange and control code: vertices already share their code, and their state is data.
    [[nodiscard]] std::int64_t ownCodeOf(OperationId id) const;
    /// Live bytes of a tile.
    [[nodiscard]] LivenessSeries livenessOn(TileId tile) const;
    [[nodiscard]] std::vector<SizedPart> largest(PartKind kind) const; ///< over all tiles

private:
    const ProfileView& profile_;
    const std::stop_token& stop_;
    ProfileView::Part<IdVector<ProgramId, Program>> programs_; ///< asked for step by step
    PipelineReport pipeline_;
    LivenessSeries liveness_;
    TileId fullest_;
    std::shared_ptr<const Accounting> accounting_;
    std::vector<CostRow> places_;
    std::optional<MainRun> run_;
    std::vector<std::map<IpuId, ProgramExecutions>> executed_; ///< by program
};

} // namespace tilescope
