// Phased execution: the model runs part after part, with the weights of one part on the chip.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/options/execution_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Which IPUs run which phase (PopART executionPhaseSettings): with two stages even phases run on
/// IPUs 0, 2, ..., odd ones on 1, 3, ... (ping-pong), with one stage all on all. The IPUs of a
/// phase share it as sharded execution does.
struct PhasePlan {
    std::int32_t phases = 1; ///< of the forward pass
    std::int32_t stages = 1;
    std::int32_t ipusOfPhase = 1;

    /// Forward phase p has its backward pass in phase 2 * phases - 2 - p: the same IPUs' turn.
    [[nodiscard]] std::int32_t backwardOf(std::int32_t phase) const {
        return 2 * phases - 2 - phase;
    }
    [[nodiscard]] std::int32_t phaseOfPart(std::int32_t part) const { return part / ipusOfPhase; }
    [[nodiscard]] std::int32_t ipuOfPart(std::int32_t part) const {
        return part % ipusOfPhase * stages + phaseOfPart(part) % stages;
    }
};

/// Assigns forward operations to parts (Op::stage), `ipusOfPhase` of them a phase: phases as the
/// options' split names, as ONNX nodes are annotated (`__execution_phase`), or else as many as the
/// options require, of about equal cost. `costs` gives a number for each operation and is called
/// only if something has to be balanced. Throws UserError for phases that do not exist or stay
/// empty, and if their number is not given.
PhasePlan assignPhases(Graph& graph, const ExecutionOptions& options, std::int32_t ipus,
                       const std::function<std::vector<double>()>& costs);

/// Turns the parts of a complete graph (with its backward pass) into execution phases and IPUs, and
/// puts operations in the order of their phases. Weights and their optimizer state move to remote
/// buffers, except for tensors of fewer than two elements (PopART minElementsForOffChip).
void placePhases(Graph& graph, const PhasePlan& plan, PhaseSchedule schedule, std::int32_t ipus);

} // namespace tilescope::sim
