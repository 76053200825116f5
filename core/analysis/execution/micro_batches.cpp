#include "core/analysis/execution/micro_batches.h"

#include <algorithm>

#include "core/analysis/execution/stage_times.h"
#include "core/base/saturating.h"
#include "core/trace/lanes.h"

namespace tilescope {
namespace {

/// The end of the neighbouring slots that are repeated together with the first of them.
std::size_t endOfBlock(const Pipeline& pipeline, std::size_t from) {
    const PipelineSlot& first = pipeline.slotList[from];
    std::size_t end = from + 1;
    while (end < pipeline.slotList.size() && pipeline.slotList[end].part == first.part &&
           pipeline.slotList[end].repeats == first.repeats)
        ++end;
    return end;
}

/// Steps that one execution of the callee of a Call or Repeat takes; 0 if nothing calls it.
std::map<ProgramId, std::int64_t> stepsOfCallees(const TraceIndex& trace) {
    std::map<ProgramId, std::int64_t> steps;
    for (const TraceBody& body : trace.lanes().outline().bodies)
        for (const TraceCall& call : body.calls)
            steps.emplace(call.program, trace.lanes().stepCount(call.callee));
    return steps;
}

const StepOnIpu* on(const ExecutedStep& step, IpuId ipu) {
    const auto found = std::find_if(step.ipus.begin(), step.ipus.end(),
                                    [&](const StepOnIpu& each) { return each.ipu == ipu; });
    return found == step.ipus.end() ? nullptr : &*found;
}

/// The cycles of consecutive steps on an IPU; empty if neither end of them runs there.
CycleRange rangeOn(const TraceIndex& trace, IpuId ipu, std::int64_t first, std::int64_t steps) {
    const std::int64_t end = saturatingSum(first, steps);
    if (first < 0 || steps <= 0 || end > trace.stepCount())
        return {};
    const ExecutedStep begins = trace.stepAt(first);
    const ExecutedStep ends = trace.stepAt(end - 1);
    const StepOnIpu* from = on(begins, ipu);
    const StepOnIpu* to = on(ends, ipu);
    if (from == nullptr || to == nullptr)
        return {};
    return {from->start, to->start + to->cycles};
}

/// The repeats around a call of a slot, by their places among its callers.
struct Loops {
    std::optional<std::size_t> block; ///< of the slots that are repeated together
    std::optional<std::size_t> step;  ///< of all slots
};

Loops loopsAround(const std::map<ProgramId, std::int64_t>& repeats, std::int64_t iterations,
                  const std::vector<ProgramId>& callers, std::size_t call,
                  std::int64_t slotRepeats) {
    Loops loops;
    for (std::size_t at = call; at-- > 0 && !loops.step;) {
        const auto found = repeats.find(callers[at]);
        if (found == repeats.end())
            continue;
        if (!loops.block && slotRepeats > 1 && found->second == slotRepeats)
            loops.block = at;
        else if (iterations > 1 && found->second == iterations)
            loops.step = at;
    }
    return loops;
}

} // namespace

/// Finds the runs of one micro-batch.
class MicroBatches::RunFinder {
public:
    RunFinder(const MicroBatches& of, const TraceIndex& trace, CycleRange range,
              std::int64_t mostIterations)
        : of_(of)
        , trace_(trace)
        , range_(range)
        , most_(std::max<std::int64_t>(1, mostIterations))
        , steps_(stepsOfCallees(trace)) {}

    void add(std::vector<MicroBatchRun>& runs, std::int64_t number, std::size_t slot,
             const MicroBatchCall& call) const {
        const std::int64_t repeats = of_.pipeline_.slotList[slot].repeats;
        const std::int64_t after = saturatingDifference(number, call.first);
        if (call.first <= 0 || call.stride <= 0 || after < 0 || after % call.stride != 0 ||
            after / call.stride >= repeats || !call.call.valid())
            return;
        const auto first = trace_.findCall(call.call);
        if (!first)
            return;
        const std::vector<ProgramId> callers = trace_.placeOf(first->firstStep).callers;
        const auto at = std::find(callers.begin(), callers.end(), call.call);
        const Loops loops = loopsAround(of_.repeats_, of_.iterations(), callers,
                                        static_cast<std::size_t>(at - callers.begin()), repeats);
        std::int64_t from = first->firstStep;
        if (loops.block)
            from = saturatingSum(
                from, saturatingProduct(after / call.stride, stepsOf(callers[*loops.block])));
        const Iterations in = loops.step ? inSight(callers[*loops.step]) : Iterations{};
        const IpuId ipu = of_.pipeline_.stages[static_cast<std::size_t>(call.stage)].ipu;
        for (std::int64_t i = in.first; i < in.end; ++i) {
            const CycleRange cycles =
                rangeOn(trace_, ipu, saturatingSum(from, saturatingProduct(i, in.steps)),
                        stepsOf(call.call));
            if (cycles.cycles() > 0)
                runs.push_back(
                    {{number, i, call.stage, call.forward, call.backward}, call.call, ipu, cycles});
        }
    }

private:
    struct Iterations {
        std::int64_t first = 0;
        std::int64_t end = 1;
        std::int64_t steps = 0; ///< that one takes
    };
    [[nodiscard]] Iterations inSight(ProgramId loop) const {
        const auto whole = trace_.findCall(loop);
        if (!whole)
            return {};
        const std::int64_t all = of_.iterations();
        const std::int64_t length = std::max<std::int64_t>(1, whole->range.cycles() / all);
        const auto at = [&](std::int64_t cycle) {
            return std::clamp<std::int64_t>((cycle - whole->range.begin) / length, 0, all - 1);
        };
        const std::int64_t first = at(range_.begin);
        return {first, std::min(at(range_.end) + 1, first + most_), stepsOf(loop)};
    }
    [[nodiscard]] std::int64_t stepsOf(ProgramId program) const {
        const auto found = steps_.find(program);
        return found == steps_.end() ? 0 : found->second;
    }

    const MicroBatches& of_;
    const TraceIndex& trace_;
    CycleRange range_;
    std::int64_t most_;
    std::map<ProgramId, std::int64_t> steps_;
};

std::int64_t MicroBatchCall::in(std::int64_t repetition) const {
    return saturatingSum(first, saturatingProduct(stride, repetition));
}

std::vector<std::vector<MicroBatchCall>>
microBatchCalls(const Pipeline& pipeline, const IdVector<ProgramId, Program>& programs) {
    const auto functions = slotFunctions(pipeline);
    const auto calls = slotCalls(pipeline, programs);
    std::map<ProgramId, std::int64_t> done; // micro-batches of the slots before, by function
    std::vector<std::vector<MicroBatchCall>> bySlot(pipeline.slotList.size());
    for (std::size_t begin = 0; begin < bySlot.size();) {
        const std::size_t end = endOfBlock(pipeline, begin);
        std::map<ProgramId, std::int64_t> inBlock;
        for (std::size_t slot = begin; slot < end; ++slot)
            for (const ProgramId function : pipeline.slotList[slot].programs)
                ++inBlock[function];
        std::map<ProgramId, std::int64_t> here;
        for (std::size_t slot = begin; slot < end; ++slot) {
            const std::vector<ProgramId>& functionsOfSlot = pipeline.slotList[slot].programs;
            for (std::size_t i = 0; i < functionsOfSlot.size(); ++i) {
                const auto found = functions.find(functionsOfSlot[i]);
                if (found == functions.end())
                    continue;
                const SlotFunction& f = found->second;
                MicroBatchCall call{calls[slot][i], f.stage, f.forward, f.backward, 0, 0};
                if (f.forward || f.backward) {
                    call.first = saturatingSum(done[found->first], ++here[found->first]);
                    call.stride = inBlock[found->first];
                }
                bySlot[slot].push_back(call);
            }
        }
        for (const auto& [function, count] : inBlock)
            done[function] = saturatingSum(
                done[function], saturatingProduct(count, pipeline.slotList[begin].repeats));
        begin = end;
    }
    return bySlot;
}

MicroBatches::MicroBatches(Pipeline pipeline, const IdVector<ProgramId, Program>& programs)
    : pipeline_(std::move(pipeline))
    , calls_(microBatchCalls(pipeline_, programs)) {
    for (std::size_t slot = 0; slot < calls_.size(); ++slot)
        for (std::size_t i = 0; i < calls_[slot].size(); ++i)
            if (calls_[slot][i].call.valid() && calls_[slot][i].first > 0)
                places_.emplace(calls_[slot][i].call, Place{slot, i});
    for (std::size_t i = 0; i < programs.size(); ++i)
        if (const Program& program = programs[ProgramId(i)]; program.kind == ProgramKind::Repeat)
            repeats_.emplace(ProgramId(i), program.count);
}

std::optional<MicroBatchPart> MicroBatches::partOf(const ExecutedStep& step) const {
    for (std::size_t at = step.callers.size(); at-- > 0;) {
        const auto found = places_.find(step.callers[at]);
        if (found == places_.end())
            continue;
        const MicroBatchCall& call = calls_[found->second.slot][found->second.call];
        const Loops loops = loopsAround(repeats_, iterations(), step.callers, at,
                                        pipeline_.slotList[found->second.slot].repeats);
        MicroBatchPart part{call.in(loops.block ? step.repetitions[*loops.block] : 0),
                            loops.step ? step.repetitions[*loops.step] : 0, call.stage,
                            call.forward, call.backward};
        const ProgramId from = pipeline_.stages[static_cast<std::size_t>(call.stage)].backwardFrom;
        // Of what the joint function calls, the call says which pass it is in.
        const ProgramId own = at + 1 < step.callers.size() ? step.callers[at + 1] : step.program;
        if (part.forward && part.backward && from.valid() && own.valid()) {
            part.backward = own >= from;
            part.forward = !part.backward;
        }
        return part;
    }
    return {};
}

std::vector<MicroBatchRun> MicroBatches::runsOf(std::int64_t number, const TraceIndex& trace,
                                                CycleRange range,
                                                std::int64_t mostIterations) const {
    std::vector<MicroBatchRun> runs;
    const RunFinder finder(*this, trace, range, mostIterations);
    for (std::size_t slot = 0; slot < calls_.size(); ++slot)
        for (const MicroBatchCall& call : calls_[slot])
            finder.add(runs, number, slot, call);
    std::sort(runs.begin(), runs.end(), [](const MicroBatchRun& a, const MicroBatchRun& b) {
        return a.range.begin < b.range.begin;
    });
    return runs;
}

std::shared_ptr<const MicroBatches> microBatchesOf(const ProfileView& profile, Stop stop) {
    return profile.derived<MicroBatches>(
        [&] { return MicroBatches(*profile.pipeline(stop), *profile.programs(stop)); });
}

} // namespace tilescope
