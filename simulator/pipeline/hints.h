// What annotations of ONNX nodes say about stages.
#pragma once

#include <cstdint>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// True if a node carries `__pipeline_stage` or `__ipu_number`.
bool hasStageHints(const Graph& graph);

/// Assigns forward operations to the stages that their nodes name (Op::stageHint); one without a
/// hint belongs to the last stage that it reads from, one that reads none to its first reader's.
/// Operations are put in the order of their stages. Throws UserError naming the node for a stage
/// that no IPU runs, for a consumer in an earlier stage than its producer and for a stage that
/// stays empty.
void assignHintedStages(Graph& graph, std::int32_t stages);

/// The same for the phases of phased execution (Op::phaseHint, `__execution_phase`); Op::stage
/// becomes the phase.
void assignHintedPhases(Graph& graph, std::int32_t phases);

} // namespace tilescope::sim
