// The step program of phased execution: a sequence for each execution phase.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {
namespace {

class PhasedLowering {
public:
    explicit PhasedLowering(LoweringContext& context)
        : context_(context)
        , b_(context.builder())
        , options_(context.options()) {}

    void run() {
        const Graph& graph = context_.graph();
        const bool accumulates = std::any_of(graph.ops.begin(), graph.ops.end(),
                                             [](const Op& op) { return op.pass == Pass::Update; });
        b_.beginControlProgram("outer");
        b_.beginRepeat("batchesPerStep", options_.batch.deviceIterations);
        if (accumulates)
            b_.beginRepeat("accumulationLoop", options_.batch.gradientAccumulation);
        ProgramId update;
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            if (op.pass == Pass::Update && !update.valid()) {
                b_.end(); // the last phase
                b_.end(); // the accumulation
                update = b_.beginSequence("VarUpdateFromAccumulator");
            } else if (!update.valid() && !sequences_.contains(op.executionPhase)) {
                if (!sequences_.empty())
                    b_.end();
                sequences_[op.executionPhase] =
                    b_.beginSequence(fmt::format("phase{}", op.executionPhase));
            }
            lowerOp(context_, OpId(i));
        }
        b_.end(); // the last phase, or the update
        b_.end();
        b_.end();
        if (!options_.host.ignoreData)
            addStreams();
        auto& phases = b_.lowered().profile.phases;
        for (const auto& [phase, sequence] : sequences_)
            phases.push_back(sequence);
        if (update.valid())
            phases.push_back(update);
    }

private:
    /// An input arrives where the first phase begins that reads it, a result leaves at the end of
    /// the phase that makes it.
    void addStreams() {
        const Graph& graph = context_.graph();
        std::map<TensorId, std::int32_t> readIn, madeIn;
        for (const Op& op : graph.ops) {
            for (const TensorId in : op.inputs)
                readIn.try_emplace(in, op.executionPhase);
            for (const TensorId out : op.outputs)
                madeIn.try_emplace(out, op.executionPhase);
        }
        const std::int32_t first = sequences_.begin()->first;
        const auto phaseOf = [&](const auto& phases, TensorId id) {
            const auto found = phases.find(id);
            return found == phases.end() ? first : found->second;
        };
        for (const HostStream& input : inputStreams(context_))
            emitFirst(input, sequences_.at(phaseOf(readIn, input.tensor)));
        for (const HostStream& output : outputStreams(context_)) {
            auto open = b_.moveTo(sequences_.at(phaseOf(madeIn, output.tensor)));
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
    const LoweringOptions& options_;
    std::map<std::int32_t, ProgramId> sequences_; ///< by execution phase
};

} // namespace

void lowerPhased(LoweringContext& context) {
    PhasedLowering(context).run();
}

} // namespace tilescope::sim
