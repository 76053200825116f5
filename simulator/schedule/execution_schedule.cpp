#include "simulator/schedule/execution_schedule.h"

#include <algorithm>
#include <utility>

namespace tilescope::sim {
namespace {

using Kind = ScheduleSection::Kind;

class ScheduleBuilder {
public:
    explicit ScheduleBuilder(const Graph& graph)
        : graph_(graph) {
        made_.reruns = Reruns(graph);
    }

    void addMicroBatches(const BatchOptions& batch) {
        made_.iterations = batch.deviceIterations;
        made_.parts = {{PipelinePart::Main, batch.microBatchesOfUpdate(), {}}};
        beginPhase(graph_.ops.empty() ? -1 : graph_.ops[OpId(0)].executionPhase);
    }

    void addPipeline(PipelineSchedule pipeline, const BatchOptions& batch) {
        made_.iterations = pipeline.training ? batch.deviceIterations : 1;
        made_.pipeline = std::move(pipeline);
        addPipelineSections();
        addPart(PipelinePart::RampUp, made_.pipeline->rampUp, 1);
        addPart(PipelinePart::Main, made_.pipeline->main, made_.pipeline->mainRepeats);
        addPart(PipelinePart::RampDown, made_.pipeline->rampDown, 1);
    }

    ExecutionSchedule finish() {
        for (std::size_t i = 0; i < graph_.ops.size(); ++i)
            made_.ops.add({sectionOf(graph_.ops[OpId(i)]), made_.reruns.before(OpId(i))});
        for (const TensorId id : graph_.inputs)
            made_.inputs.push_back(hostSectionOf(id));
        for (const TensorId id : graph_.outputs)
            made_.outputs.push_back(hostSectionOf(id));
        return std::move(made_);
    }

private:
    void addPipelineSections() {
        const PipelineSchedule& pipeline = *made_.pipeline;
        for (std::int32_t program = 0; program < pipeline.programs; ++program)
            made_.sections.add({Kind::Program, program});
        if (pipeline.usesFifo())
            for (std::int32_t stage = 0; stage < pipeline.stages; ++stage)
                fifos_.push_back(made_.sections.add({Kind::Fifos, stage}));
        // In sequence only one stage runs in a slot, and only its results are copied; else the
        // copies of all stages are one exchange (popart docs/notes/transforms/pipelining.md).
        const bool isSequential = pipeline.kind == Schedule::Sequential;
        for (std::int32_t program = 0; program < pipeline.programs; ++program)
            copies_.push_back(isSequential || program == 0
                                  ? made_.sections.add({Kind::Copies, isSequential ? program : -1})
                                  : copies_.front());
        backwardLast_.resize(fifos_.size());
    }

    void addPart(PipelinePart part, const std::vector<Slot>& slots, std::int64_t repeats) {
        if (slots.empty() || repeats == 0)
            return;
        made_.parts.push_back({part, repeats, {}});
        for (const Slot& programs : slots)
            made_.parts.back().slotList.push_back(slotOf(programs));
    }

    ScheduleSlot slotOf(const Slot& programs) {
        ScheduleSlot slot;
        for (std::size_t stage = 0; stage < fifos_.size(); ++stage)
            moveFifos(stage, programs, slot);
        for (const std::int32_t program : programs)
            slot.first.emplace_back(program);
        for (const std::int32_t program : programs)
            if (const SectionId copies = copies_[static_cast<std::size_t>(program)];
                slot.then.empty() || slot.then.back() != copies)
                slot.then.push_back(copies);
        return slot;
    }

    /// FIFOs advance after the forward program that fills them; where no more micro-batches enter,
    /// once between two backward programs, so that each reads its own micro-batch. Forward and
    /// backward take turns in an interleaved schedule: there they advance before the second one.
    void moveFifos(std::size_t stage, const Slot& programs, ScheduleSlot& slot) {
        const PipelineSchedule& pipeline = *made_.pipeline;
        const auto runs = [&](std::int32_t program) {
            return std::find(programs.begin(), programs.end(), program) != programs.end();
        };
        const bool forward = runs(pipeline.forwardProgram(static_cast<std::int32_t>(stage)));
        const bool backward = runs(pipeline.backwardProgram(static_cast<std::int32_t>(stage)));
        const bool takesTurns = pipeline.kind == Schedule::Interleaved && pipeline.training;
        if (takesTurns && backward && backwardLast_[stage])
            slot.first.push_back(fifos_[stage]);
        if (forward || (backward && !takesTurns && pipeline.kind != Schedule::Sequential))
            slot.then.push_back(fifos_[stage]);
        if (forward || backward)
            backwardLast_[stage] = backward;
    }

    [[nodiscard]] std::int32_t programOf(const Op& op) const {
        return op.pass == Pass::Backward ? made_.pipeline->backwardProgram(op.stage)
                                         : made_.pipeline->forwardProgram(op.stage);
    }

    SectionId sectionOf(const Op& op) {
        if (made_.pipeline && op.pass != Pass::Update &&
            std::holds_alternative<IpuCopyAttributes>(op.attributes))
            return copies_[static_cast<std::size_t>(programOf(op))];
        // A copy to another IPU for an update is part of it.
        if (op.pass == Pass::Update || made_.update.valid()) {
            if (!made_.update.valid())
                made_.update = made_.sections.add({Kind::Update, -1});
            return made_.update;
        }
        if (made_.pipeline)
            return std::holds_alternative<FifoAttributes>(op.attributes)
                       ? fifos_[static_cast<std::size_t>(op.stage)]
                       : SectionId(programOf(op));
        if (made_.sections.back().number != op.executionPhase)
            beginPhase(op.executionPhase);
        return SectionId(made_.sections.size() - 1);
    }

    /// Without phases there is one, of all operations.
    void beginPhase(std::int32_t phase) {
        made_.parts.front().slotList.push_back({{made_.sections.add({Kind::Program, phase})}, {}});
    }

    [[nodiscard]] SectionId hostSectionOf(TensorId id) const {
        const OpId op = hostOpOf(graph_, id);
        if (made_.pipeline)
            return SectionId(made_.pipeline->forwardProgram(op.valid() ? graph_.ops[op].stage : 0));
        return op.valid() && !made_.isUpdate(op) ? made_.ops[op].section : SectionId(0);
    }

    const Graph& graph_;
    ExecutionSchedule made_;
    std::vector<SectionId> fifos_;   ///< by stage
    std::vector<SectionId> copies_;  ///< by program
    std::vector<bool> backwardLast_; ///< by stage, whether its last program was a backward one
};

} // namespace

ExecutionSchedule executionSchedule(const Graph& prepared, const BatchOptions& batch,
                                    const ExecutionOptions& execution, const HostOptions& host) {
    ScheduleBuilder builder(prepared);
    if (execution.isPipelined())
        builder.addPipeline(scheduleOf(batch, execution, host, prepared.stages()), batch);
    else
        builder.addMicroBatches(batch);
    return builder.finish();
}

OpId hostOpOf(const Graph& graph, TensorId id) {
    const bool isInput = graph.tensors[id].role == TensorRole::Input;
    OpId keeper;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        const auto& named = isInput ? op.inputs : op.outputs;
        if (std::find(named.begin(), named.end(), id) == named.end())
            continue;
        // What keeps an input for a later stage comes first in the graph and runs last in a slot.
        const bool keeps = isInput && std::holds_alternative<FifoAttributes>(op.attributes);
        if (!keeps)
            return OpId(i);
        if (!keeper.valid())
            keeper = OpId(i);
    }
    return keeper;
}

} // namespace tilescope::sim
