// Annotations of ONNX nodes about stages.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// True if a node carries `__pipeline_stage` or `__ipu_number`.
bool hasStageHints(const Graph& graph);

/// Assigns forward operations to the stages that their nodes name (Op::stageHint), and stages to
/// IPUs (Graph::stageIpus). A node that names an IPU alone belongs to the stage on that IPU, or,
/// where no node names a stage, to the stage of that number. An operation without a hint belongs to
/// the last stage that it reads from, one that reads none to its first reader's. The IPU of a stage
/// is given by `deviceMapping`, else by its nodes, else by its number. Operations are put in the
/// order of their stages. Throws UserError naming the node for an IPU that does not exist, for a
/// stage with none or two, for a consumer in an earlier stage than its producer and for a stage
/// that stays empty.
void assignHintedStages(Graph& graph, std::int32_t ipus,
                        const std::vector<std::int32_t>& deviceMapping = {});

/// The same for the phases of phased execution (Op::phaseHint, `__execution_phase`); Op::stage
/// becomes the phase.
void assignHintedPhases(Graph& graph, std::int32_t phases);

} // namespace tilescope::sim
