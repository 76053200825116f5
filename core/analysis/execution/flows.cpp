#include "core/analysis/execution/flows.h"

#include <algorithm>

#include "core/trace/range_programs.h"

namespace tilescope {
namespace {

FlowEnd endOf(const MicroBatchRun& run, const TraceIndex& trace) {
    return {run.ipu, run.range, trace.stepAtCycle(run.ipu, run.range.begin), run.part};
}

bool isWithin(const MicroBatchPart& part, const MicroBatchRun& run) {
    return run.part.iteration == part.iteration && run.part.stage == part.stage &&
           (!part.forward || run.part.forward) && (!part.backward || run.part.backward);
}

/// Those of the stage that a step belongs to, from the way of its micro-batch.
void addStages(Flows& flows, const ProfileView& profile, const ExecutedStep& step,
               const std::stop_token& stop) {
    const auto batches = microBatchesOf(profile, stop);
    const auto part = batches->count() > 0 ? batches->partOf(step) : std::nullopt;
    if (!part)
        return;
    const auto trace = profile.trace(stop);
    constexpr std::int64_t touched = 2; // where one iteration follows another
    std::vector<MicroBatchRun> way = batches->runsOf(part->number, *trace, cyclesOf(step), touched);
    std::erase_if(way,
                  [&](const MicroBatchRun& run) { return run.part.iteration != part->iteration; });
    const auto own =
        std::ranges::find_if(way, [&](const MicroBatchRun& run) { return isWithin(*part, run); });
    if (own == way.end())
        return;
    const auto add = [&](FlowKind kind, const MicroBatchRun& from, const MicroBatchRun& to) {
        flows.list.push_back({kind, endOf(from, *trace), endOf(to, *trace)});
    };
    if (own != way.begin())
        add(FlowKind::Stage, *(own - 1), *own);
    if (own + 1 != way.end())
        add(FlowKind::Stage, *own, *(own + 1));
    for (auto other = way.begin(); other != way.end(); ++other) {
        const bool isBeside = other >= own ? other - own <= 1 : own - other <= 1;
        if (isBeside || other->part.stage != own->part.stage)
            continue; // beside it the output itself
        if (own->part.forward && other->part.backward)
            add(FlowKind::Backward, *own, *other);
        else if (own->part.backward && other->part.forward)
            add(FlowKind::Backward, *other, *own);
    }
}

FlowEnd endOf(const StepOnIpu& on, const ExecutedStep& step) {
    return {on.ipu, {on.start, on.start + on.cycles}, step.index};
}

/// Sender and receiver, as far as bytes tell them.
void addExchange(Flows& flows, const ExecutedStep& step) {
    std::vector<const StepOnIpu*> senders;
    std::vector<const StepOnIpu*> receivers;
    for (const StepOnIpu& on : step.ipus) {
        if (on.bytesOut > 0)
            senders.push_back(&on);
        if (on.bytesIn > 0)
            receivers.push_back(&on);
    }
    if (senders.size() > 1 && receivers.size() > 1) {
        flows.isCollective = true;
        return;
    }
    for (const StepOnIpu* sender : senders)
        for (const StepOnIpu* receiver : receivers)
            if (sender->ipu != receiver->ipu)
                flows.list.push_back({FlowKind::Exchange, endOf(*sender, step),
                                      endOf(*receiver, step),
                                      senders.size() > 1 ? sender->bytesOut : receiver->bytesIn});
}

/// Each IPU with the host's callback, which takes the same cycles.
void addStream(Flows& flows, const ProfileView& profile, const ExecutedStep& step,
               const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const auto streams = profile.streams(stop);
    if (!step.program.valid() || step.program.index() >= programs->size())
        return;
    const StreamId stream = (*programs)[step.program].stream;
    if (!stream.valid() || stream.index() >= streams->size() ||
        (*streams)[stream].remoteBuffer.valid())
        return;
    for (const StepOnIpu& on : step.ipus) {
        const FlowEnd ipu = endOf(on, step);
        FlowEnd host = ipu;
        host.ipu = {};
        if ((*streams)[stream].toDevice)
            flows.list.push_back({FlowKind::Stream, host, ipu, on.bytesIn});
        else
            flows.list.push_back({FlowKind::Stream, ipu, host, on.bytesOut});
    }
}

} // namespace

Flows flowsOf(const ProfileView& profile, const ExecutedStep& step, const std::stop_token& stop) {
    Flows flows;
    if (step.ipus.empty())
        return flows;
    switch (step.kind) {
    case ProgramKind::GlobalExchange:
        addExchange(flows, step);
        break;
    case ProgramKind::StreamCopyBegin:
    case ProgramKind::StreamCopyMid:
    case ProgramKind::StreamCopyEnd:
        addStream(flows, profile, step, stop);
        break;
    default:
        break;
    }
    addStages(flows, profile, step, stop);
    return flows;
}

} // namespace tilescope
