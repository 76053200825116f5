// The order of execution of a prepared graph: lowering makes a program of it, the machine computes
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/profile/pipeline.h"
#include "simulator/graph/graph.h"
#include "simulator/schedule/pipeline_schedule.h"
#include "simulator/schedule/reruns.h"

namespace tilescope::sim {

/// Operations that run one after the other, in the graph's order.
struct ScheduleSection {
    enum class Kind : std::uint8_t {
        Program, ///< a stage program, an execution phase, or all of a micro-batch
        Fifos,   ///< advances a stage's FIFOs
        Copies,  ///< one exchange between IPUs: all sources are read before any target is written
        Update,  ///< of the weights
    };
    Kind kind = Kind::Program;
    /// Stage program (of copies: the one after which they run), stage of FIFOs or execution phase;
    /// -1: all there is.
    std::int32_t number = -1;
};
using SectionId = Id<struct SectionTag>;

/// Where an operation runs.
struct ScheduledOp {
    SectionId section;
    std::vector<std::int32_t> again; ///< groups that run again right before it (Reruns::before)
};

/// Sections that run one after the other. Inputs that belong to one of its programs arrive before
/// all, results leave after `first`.
struct ScheduleSlot {
    std::vector<SectionId> first; ///< FIFOs that advance before the programs, and these
    std::vector<SectionId> then;  ///< the other FIFOs, copies between IPUs
};

/// Slots that repeat together. Only a pipeline has a part before the main one and one after it.
struct SchedulePart {
    PipelinePart part = PipelinePart::Main;
    std::int64_t repeats = 1;
    std::vector<ScheduleSlot> slotList;
};

/// One call of the host: iterations of all parts, each with the update after it. A program runs for
/// the next micro-batch each time.
struct ExecutionSchedule {
    std::int64_t iterations = 1;
    std::vector<SchedulePart> parts;
    /// The programs come first, those of a pipeline with their number as id.
    IdVector<SectionId, ScheduleSection> sections;
    SectionId update;                ///< none without weight updates
    IdVector<OpId, ScheduledOp> ops; ///< of the graph
    /// The programs that the graph's inputs arrive for and that its outputs leave after.
    std::vector<SectionId> inputs, outputs;
    std::optional<PipelineSchedule> pipeline;
    Reruns reruns;

    [[nodiscard]] bool isUpdate(OpId op) const { return ops[op].section == update; }
};

/// The schedule of a prepared graph, whose stages or phases and groups to recompute are assigned.
ExecutionSchedule executionSchedule(const Graph& prepared, const BatchOptions& batch,
                                    const ExecutionOptions& execution, const HostOptions& host);

/// The operation that decides where an input arrives, its first reader, or where a result leaves,
/// its maker; none for a tensor that no operation names.
OpId hostOpOf(const Graph& graph, TensorId id);

} // namespace tilescope::sim
