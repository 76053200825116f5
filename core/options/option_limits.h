// Bounds of numbers among the run options. Internal to core/options.
#pragma once

#include <cstdint>

namespace tilescope::limits {

// A tile of memory holds fewer bytes than this; larger batches cannot be meant.
inline constexpr std::int64_t mostBatch = 1'000'000;
inline constexpr std::int64_t mostIterations = 1'000'000'000'000;
// A POD256.
inline constexpr std::int64_t mostIpus = 256;
// More than all operations of any model together.
inline constexpr double mostOutlineThreshold = 1e9;
// Every phase has an operation, and no model has more of them than this.
inline constexpr std::int64_t mostPhases = 100'000;
inline constexpr std::int64_t mostPhaseStages = 2;
// Tiles stand in islands of four.
inline constexpr std::int64_t leastTiles = 4;
// More than a POD256 has on its chips.
inline constexpr std::int64_t mostBufferBytes = 1'000'000'000'000;
// PopTorch's bounds of numIOTiles.
inline constexpr std::int64_t leastIoTiles = 32;
inline constexpr std::int64_t mostIoTiles = 192;
// Each keeps a batch in the host's memory; more change nothing that a run shows.
inline constexpr std::int64_t mostPrefetchDepth = 1000;
// More than any host prepares; the time of a sample stays above zero.
inline constexpr double mostSamplesPerSecond = 1e12;
inline constexpr double leastLossScaling = 1e-6;
inline constexpr double mostLossScaling = 1e9;

} // namespace tilescope::limits
