// How the host keeps up with the IPUs: when the data of an input stream are there.
//
// The host fills each input stream's buffers one after the other, a micro-batch in a buffer, and
// takes `fillCycles` for each: the samples of a micro-batch, shared with the other replicas of the
// instance, at the instance's rate. A buffer is free again when its transfer has ended. Before a
// run the host fills all its buffers.
// - Depth 1: every request is answered after the latency, once the buffer is full.
// - Depth d: a batch waits ready, so that the request costs no latency, as long as the host is
// ahead;
//   a batch that is filled while the IPU waits is seen a latency later.
//
// With jitter one in `batchesOfJitter` micro-batches takes longer by that share of the mean, and
// the others as much less together: an *assumed* pattern for what a host's scheduler and file
// system do. Batches that are ready make up for one that is late, which is what a depth beyond 2 is
// for.
//
// Within this model times are exact. That streams of one replica are filled side by side, that
// replicas of an instance share it evenly, and that the host is ready at the start are *assumed*:
// how an application's threads share a processor is not part of a model. Results are taken at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/options/stage_options.h"

namespace tilescope::sim {

/// What the host does for the input streams of one replica; cycles of the IPU's clock.
struct HostPace {
    std::int64_t fillCycles = 0; ///< for one micro-batch; 0: at once
    std::int64_t latencyCycles = 0;
    std::int32_t depth = 1; ///< buffers of a stream
    double jitter = 0;      ///< share of fillCycles by which one in batchesOfJitter is late

    /// Every request waits for the latency and nothing else, whatever happened before.
    [[nodiscard]] bool isConstant() const { return depth == 1 && fillCycles == 0; }
};

inline constexpr std::int32_t batchesOfJitter = 8;

/// The pace that options ask for; `microBatch` in samples. Throws UserError if a run would take
/// decades.
HostPace hostPace(const CallOptions& options, const Target& target, std::int64_t microBatch);

/// The buffers of one input stream. Times count from a moment that shift() moves.
class InputBuffers {
public:
    explicit InputBuffers(const HostPace& pace);

    /// Cycles that a request at `now` waits for its data.
    [[nodiscard]] std::int64_t waitAt(std::int64_t now) const;
    /// The oldest batch has gone to the IPU.
    void transferred(std::int64_t end);
    /// Makes times count from `cycles` later.
    void shift(std::int64_t cycles);
    /// The state of these buffers after `count` more steps like the one from `before` to here; none
    /// if one of them has just been used for the first time.
    [[nodiscard]] std::optional<InputBuffers> extrapolated(const InputBuffers& before,
                                                           std::int64_t count) const;
    friend bool operator==(const InputBuffers&, const InputBuffers&) = default;

private:
    /// When the next batch is in its buffer; `never_` if it was before the start.
    [[nodiscard]] std::int64_t readyAt() const;

    std::int64_t fillCycles_; ///< of most micro-batches
    std::int64_t lateCycles_; ///< of one in batchesOfJitter
    std::int64_t latencyCycles_;
    std::int32_t turn_ = 0;          ///< of the next micro-batch in the pattern
    std::int64_t filled_;            ///< when the host was done with the batch before
    std::vector<std::int64_t> ends_; ///< of the last transfers, the oldest first, one a buffer
};

/// All input streams by the IPU that they go to, each with times of that IPU's clock.
using InputState = std::map<std::pair<StreamId, IpuId>, InputBuffers>;

/// Makes times count from each IPU's clock.
void shift(InputState& state, const std::vector<std::int64_t>& clock);
/// InputBuffers::extrapolated() of all streams.
std::optional<InputState> extrapolated(const InputState& before, const InputState& after,
                                       std::int64_t count);

/// Whether a stream brings a model's input (not weights, nor rows of streaming memory).
bool isInput(const Stream& stream);
/// Whether it takes a model's result to the host.
bool isResult(const Stream& stream);

/// The control program that copies variables back to the host. The host starts it to save them; no
/// run of the model executes it.
inline constexpr std::string_view weightsToHostProgram = "weightsToHost";
/// A part of a program that the host starts as one of its own (Op::startsProgram).
inline constexpr std::string_view startedByHostProgram = "Engine::run";

} // namespace tilescope::sim
