// Cycles of a pipeline's functions. Internal to core/analysis.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "core/analysis/execution/pipeline.h"

namespace tilescope {

/// Parts of one profile, borrowed, so that the whole trace is read once for everything computed
/// from it.
struct PipelineParts {
    const ProfileInfo& info;
    const Pipeline& pipeline;
    const Trace& trace;
    const IdVector<ProgramId, Program>& programs;
    const IdVector<OperationId, Operation>& operations;
    const IdVector<VariableId, Variable>& variables;
};

/// Cycles of one micro-batch.
struct PassCycles {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    std::int64_t again = 0; ///< of the backward cycles, what is computed again
    [[nodiscard]] std::int64_t sum() const { return forward + backward; }
};

/// What a function called in a slot does.
struct SlotFunction {
    std::int32_t stage = 0;
    bool forward = false;
    bool backward = false; ///< neither: it advances FIFOs
};
std::map<ProgramId, SlotFunction> slotFunctions(const Pipeline& pipeline);

struct StageTimes {
    std::vector<PassCycles> stages;
    std::vector<std::int64_t> fifos;    ///< of one call, by stage
    std::vector<PassCycles> operations; ///< by Pipeline::operations
};

/// Adds up the steps of the stage functions. Steps that come from no operation of the model
/// (losses, accumulators, stashes) count for the one before them in their function.
StageTimes stageTimes(const PipelineParts& parts);

/// The Call of each function of each slot: the n-th slot that calls a function and the n-th Call of
/// it, in the order of the program tree, belong together.
std::vector<std::vector<ProgramId>> slotCalls(const Pipeline& pipeline,
                                              const IdVector<ProgramId, Program>& programs);

/// Compute and exchange cycles, by stage's IPU, of what follows the slots in the body that runs all
/// of them: the weight update. `calls` from slotCalls().
std::vector<std::int64_t> updateTimes(const PipelineParts& parts,
                                      const std::vector<std::vector<ProgramId>>& calls);

/// Cycles of all slots of one iteration: each takes as long as its busiest IPU.
/// Floating-point, since a damaged file may repeat slots more often than whole numbers hold.
struct SlotSums {
    double total = 0;     ///< from the first slot to the last
    double busy = 0;      ///< summed over the IPUs
    double bubble = 0;    ///< summed over IPUs that run nothing in a slot
    double imbalance = 0; ///< summed over IPUs that are done early
    /// The last two, by IPU with a stage, ascending.
    std::vector<double> bubbles = {}, imbalances = {};
};
SlotSums slotSums(const Pipeline& pipeline, const std::vector<PassCycles>& stages,
                  const std::vector<std::int64_t>& fifos);

/// True for the name of a scope and for those within it.
bool isBelow(std::string_view name, std::string_view scope);

/// Cycles that each stage takes in one slot.
std::vector<std::int64_t> workInSlot(const PipelineSlot& slot,
                                     const std::map<ProgramId, SlotFunction>& functions,
                                     const std::vector<PassCycles>& stages,
                                     const std::vector<std::int64_t>& fifos);

/// Cycles of stages summed by the IPU that runs them; of IPUs with a stage, ascending.
std::vector<std::int64_t> workByIpu(const Pipeline& pipeline,
                                    const std::vector<std::int64_t>& ofStages);

/// The contiguous split between blocks of the model (scopes) with the least longest stage. None is
/// looked for where stages share an IPU.
BetterSplit betterSplit(const Pipeline& pipeline, const StageTimes& times, std::int64_t stepCycles);

} // namespace tilescope
