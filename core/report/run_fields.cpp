#include "core/report/run_fields.h"

#include "core/profile/run_samples.h"

namespace tilescope {

std::vector<Field> runSampleFields(const ProfileInfo& info) {
    const RunSamples run = runSamplesOf(info);
    return {{"batchSize", "Micro-batch", run.microBatch, Unit::Count},
            {"gradientAccumulation", "Gradient accumulation", run.accumulation, Unit::Count},
            {"deviceIterations", "Device iterations", run.iterations, Unit::Count},
            {"replicas", "Replicas", run.replicas, Unit::Count},
            {"samplesOfRun", "Samples of a run", run.samples(), Unit::Count}};
}

std::vector<Field> runTimeFields(const ProfileInfo& info) {
    const auto timed = [&](double value) { return info.hasExecution ? Cell(value) : Cell(); };
    return {{"seconds", "Run on the machine", timed(info.seconds()), Unit::Seconds},
            {"hostCallSeconds", "Host's call", timed(info.hostCallSeconds), Unit::Seconds},
            {"callSeconds", "Run with the host's call", timed(info.callSeconds()), Unit::Seconds},
            {"throughput", "Samples per second", timed(info.throughput), Unit::Rate}};
}

} // namespace tilescope
