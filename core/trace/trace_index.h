// A window on an execution that is never unrolled: repeats and calls are skipped by arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/trace/trace_statistics.h"

namespace tilescope {

class TraceLanes;

/// Cycles [begin, end) of the profile's clock.
struct CycleRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t cycles() const { return end - begin; }
    friend bool operator==(const CycleRange&, const CycleRange&) = default;
};

/// The share of a span taken by steps of each kind, in 255ths.
using KindShares = std::array<std::uint8_t, programKinds.size()>;

/// A step, or neighbours that are too narrow to tell apart, on one IPU.
struct TraceSpan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    ProgramKind kind = ProgramKind::OnTileExecute; ///< the kind with most cycles if merged
    ProgramId program;                             ///< none for a Sync or if merged
    std::int64_t firstStep = 0;                    ///< execution index of the (first) step
    std::int64_t steps = 1;                        ///< how many are merged
    std::int32_t run = 0;
    /// Of a merged span its first and last step with a program, where they are known.
    struct Named {
        std::int64_t step = -1; ///< execution index
        ProgramId program;
        friend bool operator==(const Named&, const Named&) = default;
    };
    Named first;
    Named last;
    KindShares shares{}; ///< if merged; less than all where nothing runs in between
    [[nodiscard]] bool merged() const { return steps > 1; }
    friend bool operator==(const TraceSpan&, const TraceSpan&) = default;
};

/// One executed step with everything recorded about it.
struct ExecutedStep {
    std::int64_t index = 0; ///< place in the order of execution, from 0
    std::int32_t run = 0;
    ProgramKind kind = ProgramKind::OnTileExecute;
    ProgramId program;                     ///< none for a Sync
    std::vector<ProgramId> callers;        ///< calls and repeats around it, outermost first
    std::vector<std::int64_t> repetitions; ///< of each caller, from 0
    std::vector<StepOnIpu> ipus;           ///< `start` is absolute here
};

/// The first execution of a Call or Repeat, all its repetitions.
struct ExecutedCall {
    std::int64_t firstStep = 0; ///< place in the order of execution
    CycleRange range;           ///< from its first step on any IPU to its last
};

/// The set of programs to look for, by id; programs beyond its end are not in it.
using ProgramSet = std::vector<bool>;

/// How often a program is executed in all runs, and for how long: of a step the cycles of the IPU
/// that takes longest, every time; of a Call or Repeat only how often.
struct ProgramExecutions {
    std::int64_t count = 0;
    std::int64_t cycles = 0;
    friend bool operator==(const ProgramExecutions&, const ProgramExecutions&) = default;
};

/// An index over a trace. Cheap to copy (shares what it holds). Safe for several threads.
class TraceIndex {
public:
    /// Throws UserError if the trace of a damaged profile calls itself, names a body or an IPU that
    /// does not exist, nests absurdly deep, or names impossible times and counts. `ipus` and
    /// `tilesPerIpu` are the target's.
    TraceIndex(Trace trace, std::int32_t ipus, std::int32_t tilesPerIpu);

    /// For lanes that may stay in their file (TracePages): the index holds summaries of every 64
    /// steps of an IPU and what was read last, and calls read the rest as needed. They throw
    /// UserError where the file is damaged.
    TraceIndex(std::shared_ptr<const TraceLanes> lanes, std::int32_t tilesPerIpu);
    /// The searchable form of the trace, for other analyses of the core.
    [[nodiscard]] const TraceLanes& lanes() const { return *lanes_; }

    [[nodiscard]] const std::vector<TraceRun>& runs() const;
    /// The cycle at which the last step on any IPU ends.
    [[nodiscard]] std::int64_t totalCycles() const;
    /// Executed steps, all runs.
    [[nodiscard]] std::int64_t stepCount() const;
    [[nodiscard]] bool empty() const { return stepCount() == 0; }

    /// The activity of one IPU in a range, in order of start. Neighbours that together take less
    /// than `minimumCycles` are merged into one span (in whole summaries if these are narrow
    /// enough), so the answer holds at most about 2 x range / minimumCycles spans for each level of
    /// nesting, and takes as long. Which spans are merged depends on minimumCycles alone, not on
    /// the range, so that panning moves a picture without changing it. Spans keep their whole
    /// extent: the first and last may reach beyond the range, and merged parts may lie before it.
    /// With minimumCycles <= 1 nothing is merged.
    [[nodiscard]] std::vector<TraceSpan> spans(IpuId ipu, CycleRange range,
                                               std::int64_t minimumCycles) const;

    /// Sums over a range of one IPU; steps that the range cuts count in part.
    [[nodiscard]] TraceStatistics statistics(IpuId ipu, CycleRange range) const;

    /// A step by its index in the order of execution. Throws UserError if there is none.
    [[nodiscard]] ExecutedStep stepAt(std::int64_t index) const;
    /// The same without kind, program and IPUs, by arithmetic alone.
    [[nodiscard]] ExecutedStep placeOf(std::int64_t index) const;

    /// The index of the step that runs on an IPU at a cycle, or -1 between steps.
    [[nodiscard]] std::int64_t stepAtCycle(IpuId ipu, std::int64_t cycle) const;

    /// The next (or with `forward` false the previous) step after index `from` whose program is
    /// `program`, skipping calls by arithmetic; -1 if there is none.
    [[nodiscard]] std::int64_t findProgram(ProgramId program, std::int64_t from,
                                           bool forward = true) const;

    /// Likewise for any program of a set.
    [[nodiscard]] std::int64_t findAny(const ProgramSet& wanted, std::int64_t from,
                                       bool forward = true) const;
    /// How many of the steps with an index below `before` belong to programs of a set.
    [[nodiscard]] std::int64_t countAny(const ProgramSet& wanted, std::int64_t before) const;
    /// Of every program, [0, programs), without unrolling anything. Saturates.
    [[nodiscard]] std::vector<ProgramExecutions> executions(std::size_t programs) const;
    /// For every control program, function and body of a repeat: cycles from its begin to its end
    /// on the IPU that takes longest, with syncs, waits and what runs side by side. Zeros for other
    /// programs. Saturates.
    [[nodiscard]] std::vector<ProgramExecutions> bodyExecutions(std::size_t programs) const;

    /// The first execution of a Call or Repeat; none if it is never executed.
    [[nodiscard]] std::optional<ExecutedCall> findCall(ProgramId program) const;

private:
    std::shared_ptr<const TraceLanes> lanes_;
    std::int32_t tilesPerIpu_;
};

/// A box of a flame graph: row 0 is the run, rows below are the repeats, calls and named sequences
/// around the steps ("outerloop 3 of 10", "fill", "main_stage0"; a call below the scopes of its
/// debug path), then the parts of the steps' names between slashes, so neighbours with a common
/// prefix share a box. The number in front of an exchange's name ("cs12_", "copy3_Copy_SOURCE_to_")
/// is not part of the path, so that it is under the operation it is for; the box of the exchange
/// itself has its whole name.
struct FlameSpan {
    std::int32_t row = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::string name;
    ProgramKind kind = ProgramKind::OnTileExecute; ///< with the most cycles below it
    std::int64_t firstStep = 0;
    std::int64_t steps = 0;
    bool leaf = false;   ///< a step, as opposed to a name that steps share
    KindShares shares{}; ///< of a leaf that is a merged span
};

/// Boxes by row, then by begin. A sync is a box under what the steps before and after it share; a
/// merged span is a box without a name under what its first and last step share.
std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs, IpuId ipu,
                                 CycleRange range, std::int64_t minimumCycles);
/// Likewise for spans of the index that do not overlap.
std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs,
                                 const std::vector<TraceSpan>& spans);

/// Removes the stream copies that overlap other steps, as those on I/O tiles overlap compute, from
/// spans in order of start, and returns them.
std::vector<TraceSpan> takeOverlappingStreams(std::vector<TraceSpan>& spans);

} // namespace tilescope
