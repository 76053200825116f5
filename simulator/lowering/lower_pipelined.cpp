// The step program of a pipeline: a function for each stage program, called slot by slot.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "simulator/lowering/lower_op.h"
#include "simulator/pipeline/schedule.h"

namespace tilescope::sim {
namespace {

/// Fills the functions first, since layouts follow from them, then the program that calls them.
class PipelineLowering {
public:
    explicit PipelineLowering(LoweringContext& context)
        : context_(context)
        , b_(context.builder())
        , options_(context.options())
        , schedule_(options_.schedule, options_.target.ipus, options_.isTraining(),
                    options_.isTraining() ? options_.gradientAccumulation
                                          : options_.deviceIterations) {}

    void run() {
        for (std::int32_t p = 0; p < schedule_.programs; ++p)
            mains_.push_back(function(fmt::format("main_stage{}", p)));
        if (schedule_.usesFifo())
            for (std::int32_t s = 0; s < schedule_.stages; ++s)
                fifos_.push_back(function(fmt::format("fifo_stage{}", s)));
        copyFunction_ = function("ipuCopies");

        b_.beginControlProgram("outer");
        const bool repeats = schedule_.training;
        if (repeats)
            b_.beginRepeat("outerloop", options_.deviceIterations);
        const ProgramId inner = b_.beginSequence("inner");
        b_.end();
        const ProgramId update = b_.beginSequence("VarUpdateFromAccumulator");
        b_.end();

        lowerOps(update);
        emitCopies();
        makeStreams();

        auto open = b_.moveTo(inner);
        slots("fill", schedule_.rampUp, 1);
        slots("main", schedule_.main, schedule_.mainRepeats);
        slots("flush", schedule_.rampDown, 1);
        b_.resume(std::move(open));
        if (repeats)
            b_.end();
        b_.end();
        if (b_.lowered().profile.programs[update].children.empty())
            removeFromParent(update);
    }

private:
    ProgramId function(const std::string& name) {
        const ProgramId id = b_.beginFunction(name);
        b_.end();
        return id;
    }

    void removeFromParent(ProgramId id) {
        auto& programs = b_.lowered().profile.programs;
        std::erase(programs[programs[id].parent].children, id);
    }

    [[nodiscard]] std::int32_t programOf(const Op& op) const {
        return op.phase == Phase::Backward ? schedule_.backwardProgram(op.stage)
                                           : schedule_.forwardProgram(op.stage);
    }

    void lowerOps(ProgramId update) {
        const Graph& graph = context_.graph();
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            if (std::holds_alternative<IpuCopyAttributes>(op.attributes)) {
                context_.setCurrent(OpId(i));
                copies_.push_back(placeIpuCopy(context_, op));
                b_.setIpu(IpuId(0));
                continue;
            }
            ProgramId into = mains_[static_cast<std::size_t>(programOf(op))];
            if (op.phase == Phase::Update)
                into = update;
            else if (std::holds_alternative<FifoAttributes>(op.attributes))
                into = fifos_[static_cast<std::size_t>(op.stage)];
            auto open = b_.moveTo(into);
            lowerOp(context_, OpId(i));
            b_.resume(std::move(open));
        }
    }

    void emitCopies() {
        auto open = b_.moveTo(copyFunction_);
        emitIpuCopies(b_, "ipuCopies/ipuCopy", copies_);
        b_.resume(std::move(open));
    }

    void makeStreams() {
        if (options_.ignoreData)
            return;
        inputs_ = inputStreams(context_);
        outputs_ = outputStreams(context_);
    }

    void slots(const std::string& name, const std::vector<Slot>& list, std::int64_t repeats) {
        if (list.empty() || repeats == 0)
            return;
        if (repeats > 1)
            b_.beginRepeat(name == "main" ? "innerLoop" : name, repeats);
        else
            b_.beginSequence(name);
        for (const Slot& slot : list)
            emitSlot(slot);
        b_.end();
    }

    /// A slot: streams in, stage programs, streams out, FIFOs, and all copies between IPUs at once.
    void emitSlot(const Slot& slot) {
        if (slot.empty())
            return;
        // Labels arrive with the last stage's forward; results leave after it.
        for (const std::int32_t p : slot)
            if (p < schedule_.stages)
                emitStreams(b_, inputs_, p);
        for (const std::int32_t p : slot)
            call(mains_[static_cast<std::size_t>(p)]);
        for (const std::int32_t p : slot)
            if (p < schedule_.stages)
                emitStreams(b_, outputs_, p);
        if (schedule_.usesFifo())
            for (std::int32_t s = 0; s < schedule_.stages; ++s)
                if (runs(slot, schedule_.forwardProgram(s)) ||
                    runs(slot, schedule_.backwardProgram(s)))
                    call(fifos_[static_cast<std::size_t>(s)]);
        if (!copies_.empty())
            call(copyFunction_);
    }

    static bool runs(const Slot& slot, std::int32_t program) {
        return std::find(slot.begin(), slot.end(), program) != slot.end();
    }

    void call(ProgramId function) {
        const std::string name = b_.lowered().profile.programs[function].name;
        if (!b_.lowered().profile.programs[function].children.empty())
            b_.call(name, function);
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const RunOptions& options_;
    PipelineSchedule schedule_;
    std::vector<ProgramId> mains_, fifos_;
    ProgramId copyFunction_;
    std::vector<IpuCopy> copies_;
    std::vector<HostStream> inputs_, outputs_;
};

} // namespace

void lowerPipelined(LoweringContext& context) {
    PipelineLowering(context).run();
}

} // namespace tilescope::sim
