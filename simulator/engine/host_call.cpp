#include "simulator/engine/host_call.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/options/engine_options.h"
#include "simulator/engine/host_model.h"

namespace tilescope::sim {
namespace {

double frameworkSeconds(Framework framework, const Target& target) {
    switch (framework) {
    case Framework::Popart:
        return target.popartStepSeconds;
    case Framework::Poprt:
        return target.poprtStepSeconds;
    case Framework::Poptorch:
        return target.poptorchStepSeconds;
    case Framework::Tensorflow:
        return target.tensorflowStepSeconds;
    case Framework::Keras:
        return target.kerasStepSeconds;
    case Framework::Poplar:
        break;
    }
    return 0;
}

/// How often a call returns each result.
double returns(const CallOptions& options) {
    switch (options.host.outputMode) {
    case OutputMode::All:
        return static_cast<double>(options.batch.microBatchesOfCall());
    case OutputMode::EveryN:
        return std::floor(static_cast<double>(options.batch.deviceIterations) /
                          static_cast<double>(options.host.outputEvery));
    case OutputMode::Final:
    case OutputMode::Sum:
        break;
    }
    return 1;
}

double threadsFor(std::int64_t streams, const CallOptions& options) {
    const CallbackThreads threads = callbackThreads(options.engine);
    return threads.dedicated ? static_cast<double>(std::max<std::int64_t>(1, streams))
                             : static_cast<double>(std::clamp<std::int64_t>(
                                   threads.workers, 1, std::max<std::int64_t>(1, streams)));
}

} // namespace

std::vector<HostCallPart> hostCall(const Profile& profile, const CallOptions& options,
                                   const Target& target) {
    if (options.machine.ipuModel)
        return {};
    std::int64_t streams = 0;
    double resultBytes = 0;
    for (const Stream& stream : profile.streams) {
        if (isResult(stream))
            resultBytes += static_cast<double>(stream.bytes.sum());
        streams += isResult(stream) || isInput(stream) ? 1 : 0;
    }
    const double threads = threadsFor(streams, options);
    const double replicas = static_cast<double>(options.replication.replicas) /
                            static_cast<double>(options.host.instances);
    std::vector<HostCallPart> parts;
    const auto add = [&](std::string name, double seconds) {
        if (seconds > 0)
            parts.push_back({std::move(name), seconds});
    };
    add(fmt::format("{} step", toString(options.host.framework)),
        frameworkSeconds(options.host.framework, target));
    add("connect streams", static_cast<double>(streams) * target.streamSetupSeconds / threads);
    add("Engine::run", target.engineRunSeconds);
    if (target.hostCopyBytesPerSecond > 0)
        add("copy results",
            resultBytes * replicas * returns(options) / target.hostCopyBytesPerSecond / threads);
    return parts;
}

} // namespace tilescope::sim
