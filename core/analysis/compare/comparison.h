// Two profiles compared: everything that `tilescope diff` prints and the comparison's page shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/compare/costs.h"
#include "core/analysis/compare/differences.h"
#include "core/analysis/compare/match.h"
#include "core/analysis/compare/metrics.h"
#include "core/analysis/compare/plans.h"
#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/memory/summary.h"

namespace tilescope {

/// A metric in both profiles; none where a profile lacks it.
struct ComparedMetric {
    std::optional<double> source;
    std::optional<double> target;
    [[nodiscard]] bool changed() const { return source != target; }
    /// Target minus source; none unless both have it.
    [[nodiscard]] std::optional<double> difference() const;
    /// The difference as a share of the source; none if that is zero or one side lacks the metric.
    [[nodiscard]] std::optional<double> relative() const;
};

/// An operation of both profiles whose plan differs.
struct PlanChange {
    OperationId source;
    OperationId target;
    std::string name; ///< the source's
    std::vector<PlanDifference> differences;
    PlanEstimate sourceEstimate;
    PlanEstimate targetEstimate;
};

/// Why memory or cycles changed: one operation and one use of bytes or cycles.
struct Cause {
    OperationId source; ///< none where the source lacks the operation
    OperationId target; ///< both none: what belongs to no operation
    std::string name;   ///< of the operation, or "(whole program)"
    std::string use;    ///< for example "Messages, at the peak", "Exchange"
    std::int64_t before = 0;
    std::int64_t after = 0;
    double share = 0;       ///< of all changes in absolute terms; negative if against the total
                            ///< change
    std::string planChange; ///< planText() where the operation's plan changed
    [[nodiscard]] std::int64_t difference() const { return after - before; }
};

/// Causes, largest difference first, which add up to the change from `before` to `after`.
struct CauseList {
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::vector<Cause> causes;
};

struct ComparedColumn {
    std::string key;   ///< "bytes"
    std::string title; ///< "Bytes"
    Unit unit = Unit::Count;
    MetricBetter better = MetricBetter::Less;
    bool ofTile = false; ///< as of a metric
};

/// An item of one or both profiles with its values. Ids are -1 where a profile lacks it.
struct ComparedRow {
    std::int32_t source = -1;
    std::int32_t target = -1;
    std::string name;       ///< the source's, otherwise the target's
    std::string targetName; ///< only if its name differs
    std::string kind;       ///< category, operator, kind of program; may be empty
    std::string detail;     ///< what else differs: shape, type, plan
    std::vector<std::optional<std::int64_t>> before; ///< by column; none where there is no item
    std::vector<std::optional<std::int64_t>> after;
    [[nodiscard]] bool changed() const;
    /// "added", "removed", "renamed", "changed" or "same".
    [[nodiscard]] std::string_view state() const;
    /// Target minus source; a missing item counts as 0.
    [[nodiscard]] std::int64_t difference(std::size_t column) const;
};

/// Items of one kind, largest change of the first column first, then of the next.
struct ComparedTable {
    std::string key;   ///< "variables"
    std::string title; ///< "Variables"
    std::vector<ComparedColumn> columns;
    std::vector<ComparedRow> rows = {};
    [[nodiscard]] std::size_t changes() const;
};

/// An operation on the common axis of both programs: what is live while it runs, and how long it
/// takes. The order is that of the models; operations that only one of them has are merged in
/// between.
struct AlignedOperation {
    OperationId source;
    OperationId target;
    std::string name;
    StepId sourceStep; ///< first step of the operation; none if it has no steps
    StepId targetStep;
    std::optional<std::int64_t> liveBefore; ///< most not-always-live bytes at its steps
    std::optional<std::int64_t> liveAfter;
    std::int64_t cyclesBefore = 0;
    std::int64_t cyclesAfter = 0;
};

struct Comparison {
    ProfileInfo source;
    ProfileInfo target;
    MemorySummary sourceMemory;
    MemorySummary targetMemory;
    std::vector<ComparedMetric> metrics; ///< as allMetrics() has them
    std::vector<OptionChange> options;
    std::vector<PlanChange> plans;     ///< largest change of expected temporary memory first
    std::size_t plannedOperations = 0; ///< that both profiles have a plan for
    CycleBasis cycleBasis = CycleBasis::Executed; ///< Estimated if one side was not executed
    CauseList memory; ///< of always live plus peak not always live, all tiles
    CauseList cycles; ///< of the steps of a run
    /// Operations, variables, compute sets, exchanges, vertices, programs.
    std::vector<ComparedTable> tables;
    std::vector<AlignedOperation> aligned;
    StepId sourcePeak; ///< step with the most not-always-live bytes
    StepId targetPeak;
    bool perSample = false;     ///< see perSample()
    std::string sourcePeakName; ///< "DoExchange (conv1/ExchangePre)"; empty without steps
    std::string targetPeakName;

    /// True if nothing differs that is determined by the programs themselves: compile times, file
    /// names and dates are ignored.
    [[nodiscard]] bool empty() const;
};

/// Compares the profiles of a pair. Throws UserError for a damaged one, Cancelled after a stop.
Comparison compareProfiles(const ProfilePair& pair, const std::stop_token& stop = {});

/// Samples processed by a run of the main program, gradient accumulation and replicas included.
double samplesOfRun(const ProfileInfo& info);

/// The comparison per sample: bytes are divided by the samples of a micro-batch, cycles and seconds
/// by those of a run. Figures of single tiles, rates, counts and plans stay unchanged. Values are
/// rounded; causes and tables are sorted by their new changes.
Comparison perSample(Comparison comparison);

} // namespace tilescope
