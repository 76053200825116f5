#include "core/profile/run_samples.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

std::int64_t accumulationOf(const ProfileInfo& info, std::int64_t others) {
    const auto option = info.options.find("gradientAccumulation");
    if (option != info.options.end()) {
        std::int64_t value = 1;
        const std::string& text = option->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (info.mode != "training")
            return 1;
        if (error == std::errc() && end == text.data() + text.size() && value > 0)
            return value;
    }
    constexpr double most = 1e15; // what a damaged profile may exceed
    const double counted =
        std::round(info.throughput * info.callSeconds() / static_cast<double>(others));
    return counted >= 1 && counted < most ? static_cast<std::int64_t>(counted) : 1;
}

} // namespace

std::int64_t RunSamples::samples() const {
    return saturatingProduct(saturatingProduct(microBatch, accumulation),
                             saturatingProduct(iterations, replicas));
}

RunSamples runSamplesOf(const ProfileInfo& info) {
    RunSamples run{info.batchSize, 1, info.deviceIterations, info.replicas};
    for (std::int64_t* factor : {&run.microBatch, &run.iterations, &run.replicas})
        *factor = std::max<std::int64_t>(1, *factor);
    run.accumulation = accumulationOf(info, run.samples());
    return run;
}

} // namespace tilescope
