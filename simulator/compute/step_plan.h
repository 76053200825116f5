// The order in which a prepared graph's operations run, and when their values can be freed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/schedule/pipeline_schedule.h"

namespace tilescope::sim {

/// An operation of a section, and the tensors that are not read after it.
struct PlannedOp {
    OpId op;
    std::vector<TensorId> last;
};
/// Operations in the order in which they run, recomputed ones at each place where they do.
using Section = std::vector<PlannedOp>;

/// The sections of one graph: those of the step program for the outermost graph, a single one for a
/// function.
struct GraphPlan {
    std::vector<Section> programs; ///< of a pipeline's stages; else one for each micro-batch
    std::vector<Section> fifos;    ///< by stage, of a schedule that uses them
    /// Copies between IPUs by the program after which they run; all in the first one where a
    /// schedule has one exchange a slot.
    std::vector<std::vector<OpId>> copies;
    Section update;                         ///< after all micro-batches
    std::vector<std::int32_t> inputStages;  ///< by input of the graph
    std::vector<std::int32_t> outputStages; ///< by output
};

struct StepPlan {
    std::optional<PipelineSchedule> schedule;
    GraphPlan top;
    std::vector<GraphPlan> functions;
};

StepPlan planStep(const Graph& prepared, const BatchOptions& batch,
                  const ExecutionOptions& execution, const HostOptions& host);

} // namespace tilescope::sim
