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

namespace tilescope::sim {
namespace {

using Kind = ScheduleSection::Kind;

/// Fills the functions of the sections first, since layouts follow from them, then the program that
/// calls them.
class PipelineLowering {
public:
    PipelineLowering(LoweringContext& context, const ExecutionSchedule& schedule)
        : context_(context)
        , b_(context.builder())
        , options_(context.options())
        , schedule_(schedule)
        , pipeline_(*schedule.pipeline) {}

    void run() {
        for (const ScheduleSection& section : schedule_.sections)
            programs_.add(section.kind == Kind::Update ? ProgramId() : function(nameOf(section)));

        b_.beginControlProgram("outer");
        const ProgramId init = pipeline_.stages > 1 ? sequence("Init") : ProgramId();
        const bool repeats = pipeline_.training;
        const bool everyN = options_.host.outputMode == OutputMode::EveryN;
        if (repeats)
            b_.beginRepeat("outerloop",
                           schedule_.iterations / (everyN ? options_.host.outputEvery : 1));
        if (everyN)
            b_.beginRepeat("returnPeriod", options_.host.outputEvery);
        const ProgramId inner = sequence("inner");
        if (schedule_.update.valid())
            programs_[schedule_.update] = sequence(nameOf(schedule_.sections[schedule_.update]));

        lowerOps();
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
    static std::string nameOf(const ScheduleSection& section) {
        switch (section.kind) {
        case Kind::Program:
            return fmt::format("main_stage{}", section.number);
        case Kind::Fifos:
            return fmt::format("fifo_stage{}", section.number);
        case Kind::Copies:
            return section.number < 0 ? "ipuCopies"
                                      : fmt::format("ipuCopies_stage{}", section.number);
        case Kind::Update:
            return "VarUpdateFromAccumulator";
        }
        return {};
    }

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

    ProgramId sequence(const std::string& name) {
        const ProgramId id = b_.beginSequence(name);
        b_.end();
        return id;
    }

    /// The updates of all IPUs are in one sequence, one IPU after the other (PopART's
    /// AccumulateOuterFragmentSchedule Serial). That orders programs, not IPUs: without an exchange
    /// between them they run side by side, as traces of the original show. PopART's overlapping
    /// schedules differ only where updates have collectives.
    void lowerOps() {
        const Graph& graph = context_.graph();
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            const ScheduledOp& scheduled = schedule_.ops[OpId(i)];
            if (schedule_.sections[scheduled.section].kind == Kind::Copies) {
                context_.setCurrent(OpId(i));
                copies_[scheduled.section].push_back(placeIpuCopy(context_, op));
                b_.setIpu(IpuId(0));
                continue;
            }
            const std::size_t programs = b_.lowered().profile.programs.size();
            const std::size_t variables = b_.lowered().profile.variables.size();
            auto open = b_.moveTo(programs_[scheduled.section]);
            lowerOp(context_, OpId(i), scheduled.again);
            b_.resume(std::move(open));
            recordBuffer(op, variables);
            if (op.pass == Pass::Backward)
                recordBackward(op, ProgramId(programs));
        }
    }

    void emitCopies() {
        for (const auto& [section, copies] : copies_) {
            auto open = b_.moveTo(programs_[section]);
            emitIpuCopies(b_, b_.lowered().profile.programs[programs_[section]].name + "/ipuCopy",
                          copies);
            b_.resume(std::move(open));
        }
    }

    StageRecord& record(std::int32_t stage) {
        auto& stages = b_.lowered().profile.pipeline.stages;
        stages.resize(static_cast<std::size_t>(pipeline_.stages));
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
                record(op.stage).buffers.emplace_back(i);
    }

    /// Where forward and backward share a function, its backward part begins with `first`.
    void recordBackward(const Op& op, ProgramId first) {
        StageRecord& stage = record(op.stage);
        if (pipeline_.forwardProgram(op.stage) == pipeline_.backwardProgram(op.stage) &&
            !stage.backwardFrom.valid() && first.index() < b_.lowered().profile.programs.size())
            stage.backwardFrom = first;
    }

    void recordStages() {
        Pipeline& pipeline = b_.lowered().profile.pipeline;
        pipeline.schedule = toString(pipeline_.kind);
        pipeline.microBatches = pipeline_.microBatches;
        pipeline.iterations = schedule_.iterations;
        pipeline.operations = context_.graph().staged;
        for (std::int32_t s = 0; s < pipeline_.stages; ++s) {
            StageRecord& stage = record(s);
            stage.ipu = context_.graph().ipuOf(s);
            stage.forward = programs_[SectionId(pipeline_.forwardProgram(s))];
            if (pipeline_.training)
                stage.backward = programs_[SectionId(pipeline_.backwardProgram(s))];
            stage.bufferDepth = pipeline_.bufferDepth(s);
        }
        for (std::size_t i = 0; i < schedule_.sections.size(); ++i) {
            const ScheduleSection& section = schedule_.sections[SectionId(i)];
            if (section.kind == Kind::Fifos && !isEmpty(programs_[SectionId(i)]))
                record(section.number).fifo = programs_[SectionId(i)];
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
        for (std::int32_t s = 0; s < pipeline_.stages; ++s) {
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
            for (std::int32_t s = 0; s < pipeline_.stages; ++s) {
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
        ScheduleSlot before, after;
    };

    void allSlots() {
        // Overlapping transfers are the same in all repetitions.
        ScheduleSlot steady;
        for (const SchedulePart& part : schedule_.parts)
            if (part.part == PipelinePart::Main)
                steady = part.slotList.front();
        for (const SchedulePart& part : schedule_.parts)
            slots(part, {part.part == PipelinePart::RampUp ? ScheduleSlot() : steady,
                         part.part == PipelinePart::RampDown ? ScheduleSlot() : steady});
    }

    /// `around`: the slots before and after the whole part.
    void slots(const SchedulePart& part, const Neighbours& around) {
        if (part.repeats > 1)
            b_.beginRepeat("innerLoop", part.repeats);
        else
            b_.beginSequence(part.part == PipelinePart::RampUp ? "fill"
                             : part.part == PipelinePart::Main ? "main"
                                                               : "flush");
        const std::vector<ScheduleSlot>& list = part.slotList;
        for (std::size_t i = 0; i < list.size(); ++i)
            b_.lowered().profile.pipeline.slotList.push_back(
                {part.part, part.repeats,
                 emitSlot(list[i], {i > 0 ? list[i - 1] : around.before,
                                    i + 1 < list.size() ? list[i + 1] : around.after})});
        b_.end();
    }

    template <class Do> void eachForward(const ScheduleSlot& slot, const Do& work) {
        for (const SectionId id : slot.first)
            if (const ScheduleSection& section = schedule_.sections[id];
                section.kind == Kind::Program && section.number < pipeline_.stages)
                work(section.number);
    }

    /// Labels arrive with the last stage's forward.
    void beforePrograms(const ScheduleSlot& slot, const Neighbours& beside) {
        if (!io_) {
            eachForward(slot, [&](std::int32_t s) { emitStreams(b_, inputs_, s); });
            return;
        }
        const auto copyIn = [&](std::int32_t s) { call(copiesIn_[static_cast<std::size_t>(s)]); };
        const auto load = [&](std::int32_t s) { io_->load(s); };
        if (pipeline_.transfers == HostTransfers::InSlot) {
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
    void afterPrograms(const ScheduleSlot& slot) {
        if (!io_) {
            eachForward(slot, [&](std::int32_t s) { returnResults(s); });
            return;
        }
        if (pipeline_.transfers == HostTransfers::Beside)
            return;
        eachForward(slot, [&](std::int32_t s) { call(copiesOut_[static_cast<std::size_t>(s)]); });
        eachForward(slot, [&](std::int32_t s) { io_->store(s); });
    }

    /// Streams in, the sections until results leave, streams out and the other sections; where
    /// transfers run beside the programs, those of the slots before and after come first. Returns
    /// the functions of stages that it calls.
    std::vector<ProgramId> emitSlot(const ScheduleSlot& slot, const Neighbours& beside) {
        std::vector<ProgramId> called;
        beforePrograms(slot, beside);
        callAll(slot.first, called);
        afterPrograms(slot);
        callAll(slot.then, called);
        return called;
    }

    void callAll(const std::vector<SectionId>& sections, std::vector<ProgramId>& called) {
        for (const SectionId id : sections) {
            call(programs_[id]);
            const Kind kind = schedule_.sections[id].kind;
            if (kind == Kind::Program || (kind == Kind::Fifos && !isEmpty(programs_[id])))
                called.push_back(programs_[id]);
        }
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
    const ExecutionSchedule& schedule_;
    const PipelineSchedule& pipeline_;
    IdVector<SectionId, ProgramId> programs_; ///< functions, but for the update
    std::map<SectionId, std::vector<IpuCopy>> copies_;
    std::vector<HostStream> inputs_;
    std::optional<OutputReturns> returns_;        ///< none without streams
    std::vector<ProgramId> sums_;                 ///< functions by stage, where results are summed
    std::optional<IoTileStreams> io_;             ///< instead of the two, where there are I/O tiles
    std::vector<ProgramId> copiesIn_, copiesOut_; ///< functions by stage
};

} // namespace

void lowerPipelined(LoweringContext& context, const ExecutionSchedule& schedule) {
    PipelineLowering(context, schedule).run();
}

} // namespace tilescope::sim
