#include "core/analysis/execution/pipeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/analysis/execution/stage_times.h"

namespace tilescope {
namespace {

std::string hintFor(const ProfileInfo& info) {
    if (!info.has(ProfilePart::Pipeline))
        return "Whether the execution is pipelined is not known: " +
               info.coverage.why(ProfilePart::Pipeline) + ".";
    const bool training = info.mode == "training";
    const char* count = training ? "--gradient-accumulation" : "--device-iterations";
    if (info.target.ipus > 1)
        return fmt::format("The execution is not pipelined: its {} IPUs work one after the other. "
                           "--execution pipelined with {} N lets them work at the same time.",
                           info.target.ipus, count);
    return fmt::format("The execution is not pipelined. --execution pipelined --ipus N with {} "
                       "of 2N or more makes a pipeline of N stages.",
                       count);
}

std::string labelOf(const MicroBatchCall& f) {
    if (f.forward && f.backward)
        return fmt::format("F{0} B{0}", f.stage);
    return fmt::format("{}{}", f.forward ? "F" : "B", f.stage);
}

double shareOf(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/// Fills a report from the pipeline's record and the cycles of its functions.
class Reporter {
public:
    explicit Reporter(const PipelineParts& parts)
        : parts_(parts)
        , pipeline_(parts.pipeline)
        , times_(stageTimes(parts))
        , functions_(slotFunctions(parts.pipeline))
        , calls_(microBatchCalls(parts.pipeline, parts.programs))
        , updates_(updateTimes(parts, slotCalls(parts.pipeline, parts.programs)))
        , step_(parts.info.hasExecution && !parts.trace.runs.empty()
                    ? parts.trace.runs.back().cycles
                    : 0) {}

    PipelineReport run() {
        report_.schedule = pipeline_.schedule;
        report_.microBatches = pipeline_.microBatches;
        report_.iterations = pipeline_.iterations;
        for (std::size_t i = 0; i < pipeline_.slotList.size(); ++i)
            addSlot(pipeline_.slotList[i], calls_[i]);
        for (std::size_t i = 0; i < pipeline_.stages.size(); ++i)
            addStage(i);
        addShares();
        report_.better = betterSplit(pipeline_, times_, step_);
        return std::move(report_);
    }

private:
    void addSlot(const PipelineSlot& slot, const std::vector<MicroBatchCall>& calls) {
        (slot.part == PipelinePart::RampUp ? report_.rampUpSlots
         : slot.part == PipelinePart::Main ? report_.mainSlots
                                           : report_.rampDownSlots) += slot.repeats;
        PipelineSlotTime time{slot.part, slot.repeats, {}, calls, 0, 0};
        for (const MicroBatchCall& call : calls)
            if (call.forward || call.backward)
                time.programs.push_back(labelOf(call));
        report_.busySlots += time.programs.empty() ? 0 : slot.repeats;
        const std::vector<std::int64_t> work =
            workByIpu(pipeline_, workInSlot(slot, functions_, times_.stages, times_.fifos));
        double sum = 0;
        for (const std::int64_t one : work) {
            time.cycles = std::max(time.cycles, one);
            sum += static_cast<double>(one);
        }
        time.occupancy =
            shareOf(sum, static_cast<double>(time.cycles) * static_cast<double>(work.size()));
        report_.slotTimes.push_back(std::move(time));
    }

    void addStage(std::size_t at) {
        const StageRecord& record = pipeline_.stages[at];
        PipelineStage stage;
        stage.stage = static_cast<std::int32_t>(at);
        stage.ipu = record.ipu;
        stage.forwardCycles = times_.stages[at].forward;
        stage.backwardCycles = times_.stages[at].backward;
        stage.recomputeCycles = times_.stages[at].again;
        stage.updateCycles = updates_[at];
        stage.fifoCycles = times_.fifos[at];
        stage.fifoDepth = record.bufferDepth;
        for (const VariableId variable : record.buffers)
            stage.fifoBytes += parts_.variables[variable].bytes.sum();
        double work = 0;
        for (const PipelineSlot& slot : pipeline_.slotList)
            work +=
                static_cast<double>(slot.repeats) *
                static_cast<double>(workInSlot(slot, functions_, times_.stages, times_.fifos)[at]);
        stage.occupancy = shareOf(iterations() * work, static_cast<double>(step_));
        const auto longest = static_cast<std::size_t>(std::max(report_.longestStage, 0));
        if (report_.longestStage < 0 || stage.cycles() > report_.stages[longest].cycles())
            report_.longestStage = stage.stage;
        report_.stages.push_back(stage);
    }

    void addShares() {
        const std::vector<PassCycles> even = evenStages();
        const SlotSums equal = slotSums(pipeline_, even, std::vector<std::int64_t>(even.size(), 0));
        const auto count = static_cast<double>(
            workByIpu(pipeline_, std::vector<std::int64_t>(even.size(), 0)).size());
        report_.scheduleUtilisation = shareOf(equal.busy, equal.total * count);
        if (step_ <= 0)
            return;
        const SlotSums sums = slotSums(pipeline_, times_.stages, times_.fifos);
        const double all = count * static_cast<double>(step_);
        report_.utilisation = shareOf(iterations() * sums.busy, all);
        report_.bubbleShare = shareOf(iterations() * sums.bubble, all);
        report_.imbalanceShare = shareOf(iterations() * sums.imbalance, all);
        report_.overheadShare =
            std::max(0.0, 1 - report_.utilisation - report_.bubbleShare - report_.imbalanceShare);
        addWaits(sums);
    }

    void addWaits(const SlotSums& sums) {
        std::set<IpuId> ipus;
        for (const StageRecord& stage : pipeline_.stages)
            ipus.insert(stage.ipu);
        std::size_t at = 0;
        for (const IpuId ipu : ipus) {
            if (at == sums.bubbles.size())
                break;
            report_.waits.push_back({ipu, std::llround(iterations() * sums.bubbles[at]),
                                     std::llround(iterations() * sums.imbalances[at])});
            ++at;
        }
    }

    /// Stages if every IPU had equally much to do, spread evenly over its own stages.
    [[nodiscard]] std::vector<PassCycles> evenStages() const {
        std::map<IpuId, std::int64_t> onIpu;
        for (const StageRecord& stage : pipeline_.stages)
            ++onIpu[stage.ipu];
        constexpr std::int64_t each = 720720; // of an IPU: divisible by 1 to 16
        std::vector<PassCycles> even;
        for (const StageRecord& stage : pipeline_.stages)
            even.push_back({each / onIpu.at(stage.ipu), each / onIpu.at(stage.ipu)});
        return even;
    }

    [[nodiscard]] double iterations() const { return static_cast<double>(pipeline_.iterations); }

    const PipelineParts& parts_;
    const Pipeline& pipeline_;
    StageTimes times_;
    std::map<ProgramId, SlotFunction> functions_;
    std::vector<std::vector<MicroBatchCall>> calls_; ///< by slot
    std::vector<std::int64_t> updates_;              ///< by stage
    std::int64_t step_ = 0;                          ///< cycles
    PipelineReport report_;
};

} // namespace

PipelineReport pipelineReport(const ProfileView& profile, const std::stop_token& stop) {
    const auto pipeline = profile.pipeline(stop);
    if (pipeline->empty()) {
        PipelineReport report;
        report.hint = hintFor(profile.info());
        return report;
    }
    const auto trace = profile.wholeTrace(stop);
    const auto programs = profile.programs(stop);
    const auto operations = profile.operations(stop);
    const auto variables = profile.variables(stop);
    return Reporter({profile.info(), *pipeline, *trace, *programs, *operations, *variables}).run();
}

PipelineReport pipelineReport(const Profile& profile) {
    return pipelineReport(*ProfileView::of(profile));
}

} // namespace tilescope
