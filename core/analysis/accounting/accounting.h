// Cost accounting: assigns every executed step to a place of the model. All reports take their
// figures from here.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/accounting/call_sites.h"
#include "core/analysis/accounting/step_costs.h"
#include "core/profile/model_graph.h"
#include "core/view/profile_view.h"

namespace tilescope {

using PlaceId = Id<struct PlaceTag>;

/// A step of a place on one IPU.
struct PlacedStep {
    ProgramId program; ///< none for syncs and idle time
    CostKind kind = CostKind::Other;
    StepEstimate once;           ///< one execution as estimated, with its IPU
    std::int64_t executions = 0; ///< in the run
    std::int64_t cycles = 0;     ///< measured, of all executions in the run
};

/// An operation where the model runs it, or, by kind, steps that belong to no operation.
struct CostPlace {
    std::string path;      ///< debug path at the place; "(sync)" without an operation
    OperationId operation; ///< whose program runs; several places may share it. None: see kind
    ModelNodeId node;      ///< none where the profile does not record it
    CostKind kind = CostKind::Other; ///< of a place without an operation
    ModelPhase pass = ModelPhase::Forward;
    std::int32_t stage = 0;
    std::vector<PlacedStep> steps;
};

/// One Engine::run as a whole, by IPU.
struct RunTotals {
    std::int32_t run = -1; ///< index into the trace's runs; -1 without a trace
    std::string name;      ///< "Engine::run #1 (main)"
    std::int64_t cycles = 0;
    std::vector<std::int64_t> measured;   ///< all steps, idle time too
    std::vector<std::int64_t> overlapped; ///< while other steps run: measured - cycles
};

/// Costs of a run by place. If nothing was executed, places only have estimates.
class Accounting {
public:
    /// `run`: index into the trace's runs; -1 for the last, which Summary is about. Throws
    /// UserError if there is no such run, or for a damaged file.
    static Accounting make(const ProfileView& profile, std::int32_t run = -1,
                           const std::stop_token& stop = {});

    /// Operations of the model in order of execution, then steps without an operation, by kind.
    [[nodiscard]] const IdVector<PlaceId, CostPlace>& places() const { return places_; }
    [[nodiscard]] const RunTotals& totals() const { return totals_; }
    /// Runs other than the chosen one: the upload of weights, the download of results.
    [[nodiscard]] const std::vector<TraceRun>& otherRuns() const { return otherRuns_; }
    /// Places that share the program of an operation; 1 for most.
    [[nodiscard]] std::int32_t placesOf(OperationId operation) const;

private:
    friend class AccountingMaker;
    IdVector<PlaceId, CostPlace> places_;
    RunTotals totals_;
    std::vector<TraceRun> otherRuns_;
    std::vector<std::int32_t> placesOf_; ///< by operation
};

/// The accounting of the last run, computed once per view.
std::shared_ptr<const Accounting> accountingOf(const ProfileView& profile,
                                               const std::stop_token& stop = {});

} // namespace tilescope
