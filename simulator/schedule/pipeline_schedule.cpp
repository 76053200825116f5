#include "simulator/schedule/pipeline_schedule.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/options/option_error.h"

namespace tilescope::sim {
namespace {

/// Programs that run in slot t if a new micro-batch enters every `period` slots, of `count`.
Slot active(std::int64_t t, std::int64_t period, std::int32_t programs, std::int64_t count) {
    Slot slot;
    for (std::int32_t p = 0; p < programs; ++p) {
        const std::int64_t since = t - p;
        if (since >= 0 && since % period == 0 && since / period < count)
            slot.push_back(p);
    }
    return slot;
}

/// Interleaved takes turns between forward and backward; without a backward no IPU is used twice
/// in a slot, all rotations are allowed, and a micro-batch enters every slot as in grouped.
Schedule inForce(Schedule kind, bool training) {
    return kind == Schedule::Interleaved && !training ? Schedule::Grouped : kind;
}

std::int32_t programsOf(Schedule kind, std::int32_t stages, bool training) {
    if (!training)
        return stages;
    return kind == Schedule::PopArt ? 2 * stages - 1 : 2 * stages;
}

} // namespace

PipelineSchedule::PipelineSchedule(Schedule kind_, std::int32_t stages_, bool training_,
                                   std::int64_t microBatches_, HostTransfers transfers_)
    : kind(kind_)
    , stages(stages_)
    , training(training_)
    , microBatches(microBatches_)
    , transfers(transfers_)
    , programs(programsOf(kind_, stages_, training_)) {
    const auto slots = [&](std::int64_t from, std::int64_t to, std::int64_t period) {
        std::vector<Slot> list;
        for (std::int64_t t = from; t < to; ++t)
            list.push_back(active(t, period, programs, microBatches));
        return list;
    };
    if (transfers == HostTransfers::Beside) {
        rampUp = slots(-1, programs, 1);
        mainRepeats = microBatches - programs - 1;
        main = slots(programs, programs + 1, 1);
        rampDown = slots(microBatches - 1, microBatches + programs, 1);
        return;
    }
    switch (inForce(kind_, training_)) {
    case Schedule::PopArt:
        rampUp = slots(0, programs - 1, 1);
        mainRepeats = microBatches - (programs - 1);
        main = slots(programs - 1, programs, 1);
        rampDown = slots(microBatches, microBatches + programs - 1, 1);
        return;
    case Schedule::Grouped:
        rampUp = slots(0, programs, 1);
        mainRepeats = microBatches - programs;
        main = slots(programs, programs + 1, 1);
        rampDown = slots(microBatches, microBatches + programs, 1);
        break;
    case Schedule::Interleaved:
        rampUp = slots(0, programs, 2);
        mainRepeats = (2 * microBatches - programs) / programs;
        main = slots(programs, std::int64_t{2} * programs, 2);
        rampDown = slots(2 * microBatches, 2 * microBatches + programs, 2);
        break;
    case Schedule::Sequential:
        mainRepeats = microBatches;
        main = slots(0, programs, programs);
        break;
    }
    if (mainRepeats == 0)
        main.clear();
}

std::int64_t PipelineSchedule::bufferDepth(std::int32_t stage) const {
    return training ? rowsBetween(forwardProgram(stage), backwardProgram(stage)) : 0;
}

std::int64_t PipelineSchedule::rowsBetween(std::int32_t from, std::int32_t to) const {
    const std::int64_t apart = to - from;
    if (apart <= 0)
        return 0;
    switch (inForce(kind, training)) {
    case Schedule::PopArt:
        return apart + 1;
    case Schedule::Grouped:
        return apart - 1;
    case Schedule::Interleaved:
        return (apart - 1) / 2;
    case Schedule::Sequential:
        return 0;
    }
    return 0;
}

std::int64_t PipelineSchedule::busySlots() const {
    const auto busy = [](const std::vector<Slot>& slots) {
        return static_cast<std::int64_t>(
            std::count_if(slots.begin(), slots.end(), [](const Slot& s) { return !s.empty(); }));
    };
    return busy(rampUp) + mainRepeats * busy(main) + busy(rampDown);
}

double PipelineSchedule::utilisation() const {
    const auto g = static_cast<double>(microBatches);
    const double n = stages;
    // Forward and backward of a balanced stage take as long as each other.
    switch (kind) {
    case Schedule::PopArt:
    case Schedule::Grouped:
    case Schedule::Interleaved:
        return g / (g + n - 1);
    case Schedule::Sequential:
        return 1 / n;
    }
    return 0;
}

MicroBatchRule microBatchRule(Schedule kind, std::int32_t stages, bool training,
                              HostTransfers transfers) {
    const std::int32_t programs = programsOf(kind, stages, training);
    if (transfers == HostTransfers::Beside)
        return {programs + 2, 1};
    switch (inForce(kind, training)) {
    case Schedule::PopArt:
        return {programs, 1};
    case Schedule::Grouped:
        return {programs, programs};
    case Schedule::Interleaved:
        return {std::max(1, programs / 2), std::max(1, programs / 2)};
    case Schedule::Sequential:
        break;
    }
    return {1, 1};
}

void checkMicroBatches(Schedule kind, std::int32_t stages, bool training, std::int64_t microBatches,
                       HostTransfers transfers) {
    const MicroBatchRule rule = microBatchRule(kind, stages, training, transfers);
    if (microBatches >= rule.least && microBatches % rule.multipleOf == 0)
        return;
    const char* option = training ? "gradientAccumulation" : "deviceIterations";
    const std::int64_t up = std::max(rule.least, (microBatches + rule.multipleOf - 1) /
                                                     rule.multipleOf * rule.multipleOf);
    throw OptionError(
        option,
        fmt::format(
            "{} {} pipeline of {} stages{} needs at least {} micro-batches{}; {} were asked "
            "for, {} would do",
            kind == Schedule::Interleaved ? "an" : "a", toString(kind), stages,
            transfers == HostTransfers::Beside ? " whose transfers run beside other micro-batches"
                                               : "",
            rule.least,
            rule.multipleOf > 1 ? fmt::format(", a multiple of {}", rule.multipleOf) : "",
            microBatches, up));
}

HostTransfers hostTransfersOf(const HostOptions& options) {
    return options.overlaps() ? HostTransfers::Beside : HostTransfers::InSlot;
}

PipelineSchedule scheduleOf(const BatchOptions& batch, const ExecutionOptions& execution,
                            const HostOptions& host, std::int32_t stages) {
    return {execution.schedule, stages, batch.isTraining(), batch.microBatchesOfPipeline(),
            hostTransfersOf(host)};
}

void checkDeviceMapping(Schedule kind, const std::vector<IpuId>& stageIpus, bool training) {
    const auto stages = static_cast<std::int32_t>(stageIpus.size());
    if (stages < 2 || inForce(kind, training) != Schedule::Interleaved)
        return;
    const PipelineSchedule schedule(kind, stages, training,
                                    2 * microBatchRule(kind, stages, training).least);
    for (const Slot& slot : schedule.main)
        for (std::size_t i = 0; i < slot.size(); ++i)
            for (std::size_t j = i + 1; j < slot.size(); ++j) {
                const std::int32_t a = schedule.stageOf(slot[i]);
                const std::int32_t b = schedule.stageOf(slot[j]);
                if (stageIpus[static_cast<std::size_t>(a)] !=
                    stageIpus[static_cast<std::size_t>(b)])
                    continue;
                throw OptionError(
                    "deviceMapping",
                    fmt::format(
                        "in an interleaved pipeline an IPU "
                        "runs one stage at a time, but stages {} and {} would run on IPU {} in the "
                        "same slot; choose --schedule grouped or popart, or another IPU for one",
                        std::min(a, b), std::max(a, b),
                        stageIpus[static_cast<std::size_t>(a)].value()));
            }
}

} // namespace tilescope::sim
