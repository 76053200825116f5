// The step program of phased execution: a sequence for each execution phase.
#include <algorithm>
#include <fmt/format.h>

#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {
namespace {

class PhasedLowering {
public:
    PhasedLowering(LoweringContext& context, const ExecutionSchedule& schedule)
        : context_(context)
        , b_(context.builder())
        , schedule_(schedule) {}

    void run() {
        b_.beginControlProgram("outer");
        b_.beginRepeat("batchesPerStep", schedule_.iterations);
        if (schedule_.update.valid())
            b_.beginRepeat("accumulationLoop", schedule_.parts.front().repeats);
        for (std::size_t i = 0; i < schedule_.ops.size(); ++i) {
            begin(schedule_.ops[OpId(i)].section);
            lowerOp(context_, OpId(i), schedule_.ops[OpId(i)].again);
        }
        b_.end(); // the last phase, or the update
        b_.end();
        b_.end();
        if (!context_.options().host.ignoreData)
            addStreams();
        b_.lowered().profile.phases = sequences_;
    }

private:
    /// Sections follow each other: a further one ends the one before.
    void begin(SectionId section) {
        if (section.index() < sequences_.size())
            return;
        if (!sequences_.empty())
            b_.end(); // the last phase
        if (section == schedule_.update)
            b_.end(); // the accumulation
        sequences_.push_back(
            b_.beginSequence(section == schedule_.update
                                 ? "VarUpdateFromAccumulator"
                                 : fmt::format("phase{}", schedule_.sections[section].number)));
    }

    /// An input arrives where its phase begins, a result leaves at the end of its phase.
    void addStreams() {
        const Graph& graph = context_.graph();
        const auto sequenceOf = [&](const std::vector<TensorId>& tensors,
                                    const std::vector<SectionId>& sections, TensorId id) {
            const auto at = std::find(tensors.begin(), tensors.end(), id) - tensors.begin();
            return sequences_.at(sections[static_cast<std::size_t>(at)].index());
        };
        for (const HostStream& input : inputStreams(context_))
            emitFirst(input, sequenceOf(graph.inputs, schedule_.inputs, input.tensor));
        for (const HostStream& output : outputStreams(context_)) {
            auto open = b_.moveTo(sequenceOf(graph.outputs, schedule_.outputs, output.tensor));
            emitStreams(b_, {output});
            b_.resume(std::move(open));
        }
    }

    void emitFirst(const HostStream& input, ProgramId sequence) {
        auto open = b_.moveTo(sequence);
        const std::size_t computed = b_.childCount();
        emitStreams(b_, {input});
        auto& children = b_.lowered().profile.programs[sequence].children;
        std::rotate(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(computed),
                    children.end());
        b_.resume(std::move(open));
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const ExecutionSchedule& schedule_;
    std::vector<ProgramId> sequences_; ///< by section
};

} // namespace

void lowerPhased(LoweringContext& context, const ExecutionSchedule& schedule) {
    PhasedLowering(context, schedule).run();
}

} // namespace tilescope::sim
