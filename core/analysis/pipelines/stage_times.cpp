#include "core/analysis/pipelines/stage_times.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"

namespace tilescope {
namespace {

// Days at any clock; a stage has few enough steps that their sum does not overflow.
constexpr std::int64_t longestStep = std::int64_t{1} << 46;

std::int64_t checked(std::int64_t cycles, std::int64_t count = 1) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(cycles, count, &product) || product < 0 || product > longestStep)
        throw UserError("damaged profile: a stage has a step at an impossible time");
    return product;
}

std::int64_t cyclesOn(const std::vector<StepOnIpu>& steps, IpuId ipu) {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const StepOnIpu& s) { return s.ipu == ipu; });
    return found == steps.end() ? 0 : checked(found->cycles);
}

std::int64_t cyclesOn(const TraceCall& call, IpuId ipu) {
    const auto found = std::find_if(call.ipus.begin(), call.ipus.end(),
                                    [&](const CallOnIpu& c) { return c.ipu == ipu; });
    return found == call.ipus.end() ? 0 : checked(found->period, call.count);
}

class Adder {
public:
    explicit Adder(const PipelineParts& parts)
        : parts_(parts) {
        for (std::size_t i = 0; i < parts.pipeline.operations.size(); ++i)
            byName_.emplace(parts.pipeline.operations[i].name, i);
        for (const TraceBody& body : parts.trace.bodies)
            bodies_.emplace(body.program, &body);
        times_.stages.resize(parts.pipeline.stages.size());
        times_.fifos.resize(parts.pipeline.stages.size());
        times_.operations.resize(parts.pipeline.operations.size());
    }

    StageTimes run() {
        for (std::size_t i = 0; i < parts_.pipeline.stages.size(); ++i) {
            const StageRecord& stage = parts_.pipeline.stages[i];
            add(i, stage.forward, false);
            if (stage.backward.valid() && stage.backward != stage.forward)
                add(i, stage.backward, true);
            addFifo(i);
        }
        return std::move(times_);
    }

private:
    void addFifo(std::size_t stage) {
        const StageRecord& record = parts_.pipeline.stages[stage];
        const auto body = bodies_.find(record.fifo);
        if (!record.fifo.valid() || body == bodies_.end())
            return;
        for (const TraceStep& step : body->second->steps)
            times_.fifos[stage] += cyclesOn(step.ipus, record.ipu);
    }

    void add(std::size_t stage, ProgramId function, bool backward) {
        const auto found = bodies_.find(function);
        if (found == bodies_.end())
            return;
        const StageRecord& record = parts_.pipeline.stages[stage];
        std::size_t operation = firstOf(stage);
        std::int64_t waiting = 0; // syncs count for the step that follows
        for (const TraceItem& item : found->second->items) {
            const TraceBody& body = *found->second;
            ProgramId program;
            if (item.step >= 0) {
                const TraceStep& step = body.steps.at(static_cast<std::size_t>(item.step));
                program = step.program;
                waiting += cyclesOn(step.ipus, record.ipu);
            } else {
                const TraceCall& call = body.calls.at(static_cast<std::size_t>(item.call));
                program = call.program;
                waiting += cyclesOn(call, record.ipu);
            }
            if (!program.valid())
                continue;
            operation = originOf(program, operation);
            const bool back =
                backward || (record.backwardFrom.valid() && program >= record.backwardFrom);
            count(times_.stages[stage], waiting, back);
            if (operation < times_.operations.size())
                count(times_.operations[operation], waiting, back);
            waiting = 0;
        }
        count(times_.stages[stage], waiting, backward);
    }

    static void count(PassCycles& cycles, std::int64_t more, bool backward) {
        (backward ? cycles.backward : cycles.forward) += more;
    }

    [[nodiscard]] std::size_t firstOf(std::size_t stage) const {
        const auto& ops = parts_.pipeline.operations;
        return static_cast<std::size_t>(std::find_if(ops.begin(), ops.end(),
                                                     [&](const StagedOperation& op) {
                                                         return op.stage ==
                                                                static_cast<std::int32_t>(stage);
                                                     }) -
                                        ops.begin());
    }

    /// The model's operation that a program came from: the longest scope of its operation's name.
    [[nodiscard]] std::size_t originOf(ProgramId program, std::size_t otherwise) const {
        if (program.index() >= parts_.programs.size())
            return otherwise;
        const OperationId operation = parts_.programs[program].operation;
        if (!operation.valid() || operation.index() >= parts_.operations.size())
            return otherwise;
        std::string_view name = parts_.operations[operation].name;
        while (true) {
            if (const auto found = byName_.find(name); found != byName_.end())
                return found->second;
            const std::size_t slash = name.rfind('/');
            if (slash == std::string_view::npos)
                return otherwise;
            name = name.substr(0, slash);
        }
    }

    const PipelineParts& parts_;
    std::unordered_map<std::string_view, std::size_t> byName_;
    std::map<ProgramId, const TraceBody*> bodies_;
    StageTimes times_;
};

} // namespace

std::map<ProgramId, SlotFunction> slotFunctions(const Pipeline& pipeline) {
    std::map<ProgramId, SlotFunction> functions;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const StageRecord& stage = pipeline.stages[i];
        const auto number = static_cast<std::int32_t>(i);
        if (stage.fifo.valid())
            functions[stage.fifo] = {number, false, false};
        functions[stage.forward] = {number, true, stage.backward == stage.forward};
        if (stage.backward.valid() && stage.backward != stage.forward)
            functions[stage.backward] = {number, false, true};
    }
    return functions;
}

StageTimes stageTimes(const PipelineParts& parts) {
    return Adder(parts).run();
}

std::vector<std::int64_t> workInSlot(const PipelineSlot& slot,
                                     const std::map<ProgramId, SlotFunction>& functions,
                                     const std::vector<PassCycles>& stages,
                                     const std::vector<std::int64_t>& fifos) {
    std::vector<std::int64_t> work(stages.size(), 0);
    for (const ProgramId program : slot.programs) {
        const auto found = functions.find(program);
        if (found == functions.end())
            continue;
        const SlotFunction& f = found->second;
        const auto stage = static_cast<std::size_t>(f.stage);
        if (f.forward)
            work[stage] += stages[stage].forward;
        if (f.backward)
            work[stage] += stages[stage].backward;
        if (!f.forward && !f.backward)
            work[stage] += fifos[stage];
    }
    return work;
}

SlotSums slotSums(const Pipeline& pipeline, const std::vector<PassCycles>& stages,
                  const std::vector<std::int64_t>& fifos) {
    const auto functions = slotFunctions(pipeline);
    SlotSums sums;
    for (const PipelineSlot& slot : pipeline.slotList) {
        const std::vector<std::int64_t> work = workInSlot(slot, functions, stages, fifos);
        const std::int64_t longest = *std::max_element(work.begin(), work.end());
        const auto repeats = static_cast<double>(slot.repeats);
        sums.total += repeats * static_cast<double>(longest);
        for (const std::int64_t one : work) {
            sums.busy += repeats * static_cast<double>(one);
            (one == 0 ? sums.bubble : sums.imbalance) +=
                repeats * static_cast<double>(longest - one);
        }
    }
    return sums;
}

} // namespace tilescope
