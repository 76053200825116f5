#include "core/report/run_fields.h"

#include "core/profile/run_samples.h"

namespace tilescope {

std::vector<Field> runSampleFields(const ProfileInfo& info) {
    const RunSamples run = runSamplesOf(info);
    const auto known = [&](std::int64_t value) {
        return info.has(ProfilePart::Run) ? Cell(value) : Cell();
    };
    return {{"batchSize", "Micro-batch", known(run.microBatch), Unit::Count},
            {"gradientAccumulation", "Gradient accumulation", known(run.accumulation), Unit::Count},
            {"deviceIterations", "Device iterations", known(run.iterations), Unit::Count},
            {"replicas", "Replicas", run.replicas, Unit::Count},
            {"samplesOfRun", "Samples of a run", known(run.samples()), Unit::Count}};
}

std::vector<Field> runTimeFields(const ProfileInfo& info) {
    const auto timed = [&](double value) { return info.hasExecution ? Cell(value) : Cell(); };
    const auto hosted = [&](double value) {
        return info.has(ProfilePart::HostTimes) ? timed(value) : Cell();
    };
    return {{"seconds", "Run on the machine", timed(info.seconds()), Unit::Seconds},
            {"hostCallSeconds", "Host's call", hosted(info.hostCallSeconds), Unit::Seconds},
            {"callSeconds", "Run with the host's call", hosted(info.callSeconds()), Unit::Seconds},
            {"throughput", "Samples per second", hosted(info.throughput), Unit::Rate}};
}

} // namespace tilescope
