// The step program of a pipeline: a function for each stage program, called slot by slot.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "simulator/lowering/modes/io_tiles.h"
#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/modes/output_returns.h"
#include "simulator/lowering/operations/lower_op.h"
#include "simulator/schedule/pipeline_schedule.h"

namespace tilescope::sim {
namespace {

/// Fills the functions first, since layouts follow from them, then the program that calls them.
class PipelineLowering {
public:
    explicit PipelineLowering(LoweringContext& context)
        : context_(context)
        , b_(context.builder())
        , options_(context.options())
        , schedule_(scheduleOf(options_.batch, options_.execution, options_.host,
                               context.graph().stages())) {}

    void run() {
        for (std::int32_t p = 0; p < schedule_.programs; ++p)
            mains_.push_back(function(fmt::format("main_stage{}", p)));
        if (schedule_.usesFifo())
            for (std::int32_t s = 0; s < schedule_.stages; ++s)
                fifos_.push_back(function(fmt::format("fifo_stage{}", s)));
        makeCopyFunctions();

        b_.beginControlProgram("outer");
        const ProgramId init = schedule_.stages > 1 ? sequence("Init") : ProgramId();
        const bool repeats = schedule_.training;
        const bool everyN = options_.host.outputMode == OutputMode::EveryN;
        if (repeats)
            b_.beginRepeat("outerloop", options_.batch.deviceIterations /
                                            (everyN ? options_.host.outputEvery : 1));
        if (everyN)
            b_.beginRepeat("returnPeriod", options_.host.outputEvery);
        const ProgramId inner = sequence("inner");
        const ProgramId update = hasUpdate() ? sequence("VarUpdateFromAccumulator") : ProgramId();

        lowerOps(update);
        emitCopies();
        makeStreams();
        recordStages();
        if (init.valid())
            startBuffers(init);

        auto open = b_.moveTo(inner);
        allSlots();
        b_.resume(std::move(open));
        endLoops(repeats, everyN);
        b_.end();
    }

private:
    /// Closes the loops around the slots; results not returned yet are sent after each n-th weight
    /// update, or after all.
    void endLoops(bool repeats, bool everyN) {
        if (everyN)
            b_.end();
        if (repeats && !everyN)
            b_.end();
        if (returns_)
            returns_->afterLoops();
        if (everyN)
            b_.end();
    }

    ProgramId function(const std::string& name) {
        const ProgramId id = b_.beginFunction(name);
        b_.end();
        return id;
    }

    /// Buffers are read, and copies sent, in slots before the first that writes them.
    void startBuffers(ProgramId init) {
        auto open = b_.moveTo(init);
        std::set<VariableId> started;
        for (const VariableId id : context_.startedEmpty()) {
            const Variable& variable = b_.lowered().profile.variables[id];
            if (!variable.alwaysLive && started.insert(id).second)
                b_.writeUndef("Init/" + variable.name, id);
        }
        b_.resume(std::move(open));
    }

    [[nodiscard]] bool hasUpdate() const {
        const auto& ops = context_.graph().ops;
        return std::any_of(ops.begin(), ops.end(),
                           [](const Op& op) { return op.pass == Pass::Update; });
    }

    ProgramId sequence(const std::string& name) {
        const ProgramId id = b_.beginSequence(name);
        b_.end();
        return id;
    }

    [[nodiscard]] std::int32_t programOf(const Op& op) const {
        return op.pass == Pass::Backward ? schedule_.backwardProgram(op.stage)
                                         : schedule_.forwardProgram(op.stage);
    }

    /// The updates of all IPUs are in one sequence, one IPU after the other (PopART's
    /// AccumulateOuterFragmentSchedule Serial). That orders programs, not IPUs: without an exchange
    /// between them they run side by side, as traces of the original show. PopART's overlapping
    /// schedules differ only where updates have collectives.
    void lowerOps(ProgramId update) {
        const Graph& graph = context_.graph();
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            if (std::holds_alternative<IpuCopyAttributes>(op.attributes)) {
                context_.setCurrent(OpId(i));
                copies_[copyGroupOf(programOf(op))].push_back(placeIpuCopy(context_, op));
                b_.setIpu(IpuId(0));
                continue;
            }
            ProgramId into = mains_[static_cast<std::size_t>(programOf(op))];
            if (op.pass == Pass::Update)
                into = update;
            else if (std::holds_alternative<FifoAttributes>(op.attributes))
                into = fifos_[static_cast<std::size_t>(op.stage)];
            const std::size_t programs = b_.lowered().profile.programs.size();
            const std::size_t variables = b_.lowered().profile.variables.size();
            auto open = b_.moveTo(into);
            lowerOp(context_, OpId(i));
            b_.resume(std::move(open));
            recordBuffer(op, variables);
            if (op.pass == Pass::Backward)
                recordBackward(op, ProgramId(programs));
        }
    }

    /// In sequence only one stage runs in a slot, and only its results are copied; else the copies
    /// of all stages are one exchange (popart docs/notes/transforms/pipelining.md).
    [[nodiscard]] bool copiesByProgram() const { return schedule_.kind == Schedule::Sequential; }

    [[nodiscard]] std::size_t copyGroupOf(std::int32_t program) const {
        return copiesByProgram() ? static_cast<std::size_t>(program) : 0;
    }

    void makeCopyFunctions() {
        const std::int32_t groups = copiesByProgram() ? schedule_.programs : 1;
        copies_.resize(static_cast<std::size_t>(groups));
        for (std::int32_t g = 0; g < groups; ++g)
            copyFunctions_.push_back(
                function(copiesByProgram() ? fmt::format("ipuCopies_stage{}", g) : "ipuCopies"));
    }

    void emitCopies() {
        for (std::size_t g = 0; g < copies_.size(); ++g) {
            auto open = b_.moveTo(copyFunctions_[g]);
            emitIpuCopies(b_, b_.lowered().profile.programs[copyFunctions_[g]].name + "/ipuCopy",
                          copies_[g]);
            b_.resume(std::move(open));
        }
    }

    StageRecord& record(std::int32_t stage) {
        auto& stages = b_.lowered().profile.pipeline.stages;
        stages.resize(static_cast<std::size_t>(schedule_.stages));
        return stages[static_cast<std::size_t>(stage)];
    }

    /// Notes the variable that holds an activation while it waits.
    void recordBuffer(const Op& op, std::size_t firstVariable) {
        if (std::holds_alternative<StashAttributes>(op.attributes) &&
            !context_.isOffChip(op.outputs[0]))
            record(op.stage).buffers.push_back(context_.variableOf(op.outputs[0]));
        if (!std::holds_alternative<FifoAttributes>(op.attributes))
            return;
        const auto& variables = b_.lowered().profile.variables;
        for (std::size_t i = firstVariable; i < variables.size(); ++i)
            if (variables[VariableId(i)].name == op.name)
                record(op.stage).buffers.push_back(VariableId(i));
    }

    /// Where forward and backward share a function, its backward part begins with `first`.
    void recordBackward(const Op& op, ProgramId first) {
        StageRecord& stage = record(op.stage);
        if (schedule_.forwardProgram(op.stage) == schedule_.backwardProgram(op.stage) &&
            !stage.backwardFrom.valid() && first.index() < b_.lowered().profile.programs.size())
            stage.backwardFrom = first;
    }

    void recordStages() {
        Pipeline& pipeline = b_.lowered().profile.pipeline;
        pipeline.schedule = toString(schedule_.kind);
        pipeline.microBatches = schedule_.microBatches;
        pipeline.iterations = schedule_.training ? options_.batch.deviceIterations : 1;
        pipeline.operations = context_.graph().staged;
        for (std::int32_t s = 0; s < schedule_.stages; ++s) {
            StageRecord& stage = record(s);
            stage.ipu = context_.graph().ipuOf(s);
            stage.forward = mains_[static_cast<std::size_t>(schedule_.forwardProgram(s))];
            if (schedule_.training)
                stage.backward = mains_[static_cast<std::size_t>(schedule_.backwardProgram(s))];
            if (!fifos_.empty() && !isEmpty(fifos_[static_cast<std::size_t>(s)]))
                stage.fifo = fifos_[static_cast<std::size_t>(s)];
            stage.bufferDepth = schedule_.bufferDepth(s);
        }
    }

    void makeStreams() {
        if (options_.host.ignoreData)
            return;
        if (options_.machine.ioTiles > 0) {
            makeIoTileCopies();
            return;
        }
        inputs_ = inputStreams(context_);
        returns_.emplace(context_);
        if (options_.host.outputMode != OutputMode::Sum)
            return;
        // Slots share the sums' code.
        for (std::int32_t s = 0; s < schedule_.stages; ++s) {
            sums_.push_back(function(fmt::format("outputSum_stage{}", s)));
            auto open = b_.moveTo(sums_.back());
            returns_->afterMicroBatch(s);
            b_.resume(std::move(open));
        }
    }

    /// Slots share the code of the copies between a stage's I/O tiles and its others.
    void makeIoTileCopies() {
        io_.emplace(context_);
        const auto copies = [&](const char* name, std::vector<ProgramId>& functions, auto copy) {
            for (std::int32_t s = 0; s < schedule_.stages; ++s) {
                functions.push_back(function(fmt::format("{}_stage{}", name, s)));
                auto open = b_.moveTo(functions.back());
                ((*io_).*copy)(s);
                b_.resume(std::move(open));
            }
        };
        copies("IoTileCopyIn", copiesIn_, &IoTileStreams::copyIn);
        copies("IoTileCopyOut", copiesOut_, &IoTileStreams::copyOut);
    }

    void returnResults(std::int32_t stage) {
        if (!sums_.empty())
            call(sums_[static_cast<std::size_t>(stage)]);
        else if (returns_)
            returns_->afterMicroBatch(stage);
    }

    /// The slots before and after a slot, whose transfers may overlap with it.
    struct Neighbours {
        Slot before, after;
    };

    void allSlots() {
        const SlotMoves fifos = fifoMovesOf(schedule_);
        slots(PipelinePart::RampUp, {schedule_.rampUp, fifos.rampUp}, 1,
              {{}, firstOf(schedule_.main)});
        // Overlapping transfers are the same in all repetitions.
        slots(PipelinePart::Main, {schedule_.main, fifos.main}, schedule_.mainRepeats,
              {firstOf(schedule_.main), firstOf(schedule_.main)});
        slots(PipelinePart::RampDown, {schedule_.rampDown, fifos.rampDown}, 1,
              {firstOf(schedule_.main), {}});
    }

    struct SlotList {
        const std::vector<Slot>& programs;
        const std::vector<FifoMoves>& fifos;
    };

    void moveFifos(const std::vector<std::int32_t>& stages, std::vector<ProgramId>& called) {
        if (schedule_.usesFifo())
            for (const std::int32_t s : stages)
                if (const ProgramId fifo = fifos_[static_cast<std::size_t>(s)]; !isEmpty(fifo)) {
                    call(fifo);
                    called.push_back(fifo);
                }
    }

    static Slot firstOf(const std::vector<Slot>& slots) {
        return slots.empty() ? Slot() : slots.front();
    }

    /// `around`: the slots before and after the whole list.
    void slots(PipelinePart part, const SlotList& slots, std::int64_t repeats,
               const Neighbours& around) {
        const std::vector<Slot>& list = slots.programs;
        if (list.empty() || repeats == 0)
            return;
        if (repeats > 1)
            b_.beginRepeat("innerLoop", repeats);
        else
            b_.beginSequence(part == PipelinePart::RampUp ? "fill"
                             : part == PipelinePart::Main ? "main"
                                                          : "flush");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Neighbours beside{i > 0 ? list[i - 1] : around.before,
                                    i + 1 < list.size() ? list[i + 1] : around.after};
            b_.lowered().profile.pipeline.slotList.push_back(
                {part, repeats, emitSlot(list[i], slots.fifos[i], beside)});
        }
        b_.end();
    }

    template <class Do> void eachForward(const Slot& slot, const Do& work) {
        for (const std::int32_t p : slot)
            if (p < schedule_.stages)
                work(p);
    }

    /// Labels arrive with the last stage's forward.
    void beforePrograms(const Slot& slot, const Neighbours& beside) {
        if (!io_) {
            eachForward(slot, [&](std::int32_t s) { emitStreams(b_, inputs_, s); });
            return;
        }
        const auto copyIn = [&](std::int32_t s) { call(copiesIn_[static_cast<std::size_t>(s)]); };
        const auto load = [&](std::int32_t s) { io_->load(s); };
        if (schedule_.transfers == HostTransfers::InSlot) {
            eachForward(slot, load);
            eachForward(slot, copyIn);
            return;
        }
        eachForward(beside.before,
                    [&](std::int32_t s) { call(copiesOut_[static_cast<std::size_t>(s)]); });
        eachForward(slot, copyIn);
        eachForward(beside.before, [&](std::int32_t s) { io_->store(s); });
        eachForward(beside.after, load);
    }

    /// Results leave after the last stage's forward.
    void afterPrograms(const Slot& slot) {
        if (!io_) {
            eachForward(slot, [&](std::int32_t s) { returnResults(s); });
            return;
        }
        if (schedule_.transfers == HostTransfers::Beside)
            return;
        eachForward(slot, [&](std::int32_t s) { call(copiesOut_[static_cast<std::size_t>(s)]); });
        eachForward(slot, [&](std::int32_t s) { io_->store(s); });
    }

    /// A slot: streams in, stage programs, streams out, FIFOs, and copies between IPUs; where
    /// transfers run beside the programs, those of the slots before and after come first. Returns
    /// the functions of stages that it calls.
    std::vector<ProgramId> emitSlot(const Slot& slot, const FifoMoves& moves,
                                    const Neighbours& beside) {
        std::vector<ProgramId> called;
        beforePrograms(slot, beside);
        if (slot.empty())
            return called;
        moveFifos(moves.before, called);
        for (const std::int32_t p : slot) {
            call(mains_[static_cast<std::size_t>(p)]);
            called.push_back(mains_[static_cast<std::size_t>(p)]);
        }
        afterPrograms(slot);
        moveFifos(moves.after, called);
        if (copiesByProgram())
            for (const std::int32_t p : slot)
                call(copyFunctions_[static_cast<std::size_t>(p)]);
        else
            call(copyFunctions_.front());
        return called;
    }

    [[nodiscard]] bool isEmpty(ProgramId function) {
        return b_.lowered().profile.programs[function].children.empty();
    }

    void call(ProgramId function) {
        const std::string name = b_.lowered().profile.programs[function].name;
        if (!isEmpty(function))
            b_.call(name, function);
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const LoweringOptions& options_;
    PipelineSchedule schedule_;
    std::vector<ProgramId> mains_, fifos_;
    std::vector<ProgramId> copyFunctions_;
    std::vector<std::vector<IpuCopy>> copies_; ///< by function
    std::vector<HostStream> inputs_;
    std::optional<OutputReturns> returns_;        ///< none without streams
    std::vector<ProgramId> sums_;                 ///< functions by stage, where results are summed
    std::optional<IoTileStreams> io_;             ///< instead of the two, where there are I/O tiles
    std::vector<ProgramId> copiesIn_, copiesOut_; ///< functions by stage
};

} // namespace

void lowerPipelined(LoweringContext& context) {
    PipelineLowering(context).run();
}

} // namespace tilescope::sim
