#include "simulator/engine/host_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/options/engine_options.h"
#include "core/options/option_error.h"

namespace tilescope::sim {
namespace {

// Before all times, and so far from them that sums do not reach it.
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
// Decades at any clock; a trace's clocks overflow a little later.
constexpr double longestRun = 1e18;

std::int64_t moved(std::int64_t time, std::int64_t cycles) {
    return time == never ? never : time + cycles;
}

bool prefetches(const CallOptions& options) {
    return engineSwitch(options.engine, "exchange.enablePrefetch", true);
}

std::int64_t fillCycles(const CallOptions& options, const Target& target, std::int64_t microBatch) {
    const double replicas = static_cast<double>(options.replication.replicas) /
                            static_cast<double>(options.host.instances);
    const double cycles = std::ceil(static_cast<double>(microBatch) * replicas /
                                    options.host.hostRate * target.clockHz);
    const double batches = static_cast<double>(options.batch.deviceIterations) *
                           static_cast<double>(options.batch.gradientAccumulation);
    if (cycles * batches > longestRun)
        throw OptionError(
            "hostRate", fmt::format("at {} samples a second the {} "
                                    "micro-batches of a run take {:.0f} years; give a higher rate, "
                                    "or fewer --device-iterations",
                                    options.host.hostRate, batches,
                                    cycles * batches / target.clockHz / (365 * 24 * 3600.0)));
    return static_cast<std::int64_t>(cycles);
}

} // namespace

HostPace hostPace(const CallOptions& options, const Target& target, std::int64_t microBatch) {
    HostPace pace;
    pace.latencyCycles = static_cast<std::int64_t>(target.hostLatencySeconds * target.clockHz);
    pace.depth = prefetches(options) ? options.host.prefetchDepth : 1;
    pace.jitter = options.host.hostJitter;
    if (options.host.hostRate > 0)
        pace.fillCycles = fillCycles(options, target, microBatch);
    return pace;
}

InputBuffers::InputBuffers(const HostPace& pace)
    : fillCycles_(pace.fillCycles)
    , lateCycles_(pace.fillCycles)
    , latencyCycles_(pace.latencyCycles)
    , filled_(never)
    , ends_(static_cast<std::size_t>(pace.depth), never) {
    constexpr std::int64_t others = batchesOfJitter - 1;
    const auto late = static_cast<std::int64_t>(static_cast<double>(fillCycles_) * pace.jitter);
    fillCycles_ -= late / others;
    lateCycles_ += late / others * others;
}

std::int64_t InputBuffers::readyAt() const {
    const bool late = turn_ == batchesOfJitter - 1;
    return moved(std::max(filled_, ends_.front()), late ? lateCycles_ : fillCycles_);
}

std::int64_t InputBuffers::waitAt(std::int64_t now) const {
    const std::int64_t ready = readyAt();
    if (ends_.size() == 1)
        return latencyCycles_ + (ready == never ? 0 : std::max<std::int64_t>(0, ready - now));
    return ready == never ? 0 : std::max<std::int64_t>(0, ready + latencyCycles_ - now);
}

void InputBuffers::transferred(std::int64_t end) {
    filled_ = readyAt();
    if (lateCycles_ != fillCycles_)
        turn_ = (turn_ + 1) % batchesOfJitter;
    ends_.erase(ends_.begin());
    ends_.push_back(end);
}

void InputBuffers::shift(std::int64_t cycles) {
    filled_ = moved(filled_, -cycles);
    for (std::int64_t& end : ends_)
        end = moved(end, -cycles);
}

std::optional<InputBuffers> InputBuffers::extrapolated(const InputBuffers& before,
                                                       std::int64_t count) const {
    InputBuffers result = *this;
    bool known = turn_ == before.turn_;
    const auto extrapolate = [&](std::int64_t& time, std::int64_t earlier) {
        if (time == never || earlier == never)
            known = known && time == earlier;
        else {
            std::int64_t further = 0;
            known = known && !__builtin_mul_overflow(count, time - earlier, &further) &&
                    !__builtin_add_overflow(time, further, &time);
        }
    };
    extrapolate(result.filled_, before.filled_);
    for (std::size_t i = 0; i < ends_.size(); ++i)
        extrapolate(result.ends_[i], before.ends_[i]);
    return known ? std::optional(std::move(result)) : std::nullopt;
}

void shift(InputState& state, const std::vector<std::int64_t>& clock) {
    for (auto& [key, buffers] : state)
        buffers.shift(clock[key.second.index()]);
}

std::optional<InputState> extrapolated(const InputState& before, const InputState& after,
                                       std::int64_t count) {
    InputState result;
    for (const auto& [key, buffers] : after) {
        const auto earlier = before.find(key);
        if (earlier == before.end())
            return std::nullopt;
        std::optional<InputBuffers> later = buffers.extrapolated(earlier->second, count);
        if (!later)
            return std::nullopt;
        result.emplace(key, *std::move(later));
    }
    return result;
}

bool isInput(const Stream& stream) {
    // PopART's names: "h2d_" is followed by the tensor's (popx, irlowering.cpp).
    return stream.toDevice && !stream.remoteBuffer.valid() && stream.name.starts_with("h2d_");
}

bool isResult(const Stream& stream) {
    return !stream.toDevice && stream.name.starts_with("anchor_d2h_");
}

} // namespace tilescope::sim
