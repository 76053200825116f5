// A profile made by hand, small enough to compute by head and consistent in every respect: what
// tests of the store, the analyses, the command line and the window share.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope::test {

struct SampleOptions {
    std::int32_t ipus = 1; ///< 1 or 2; with 2 there is a global exchange in the main program
    std::int32_t tilesPerIpu = 1472;
    std::int64_t repeats = 10; ///< of the main program's Repeat
    /// A changed model for comparisons: larger activations, another layer, a variable less.
    bool changed = false;
    /// Activations so large that some tiles overflow; the profile then has no execution.
    bool tooLarge = false;
    /// The input is put in order in place, by a strided copy after conv1's exchange.
    bool withCopy = false;
    /// The model's graph is recorded, as it is since schema version 5.
    bool withGraph = true;
    /// The program recorded tracepoints, a graph and a heat map.
    bool withRecord = false;
    /// It was computed: sampleValues().
    bool withValues = false;
};

/// Operations: conv1 (Conv), relu1 (Relu), layer1/conv (Conv; its function is called twice in each
/// repetition), prob (Softmax).
/// Control programs: 0 weightsFromHost (three stream copies), 1 main (input, Repeat, output).
/// One function: layer1.
/// The model's graph: input -> conv1 -> relu1 -> layer1/conv -> layer1/again/conv -> prob, where
/// layer1/again/conv reads relu1's result as well and runs the function of layer1/conv.
Profile sampleProfile(const SampleOptions& options = {});

/// Sizes that sampleProfile() uses, for tests that compute expected values from them.
namespace sample {
inline constexpr std::int64_t conv1WeightBytes = 2048; ///< on each of the first 64 tiles of an IPU
inline constexpr std::int64_t inputBytes = 4096;       ///< on each tile of the first half
inline constexpr std::int64_t conv1OutBytes = 8192;    ///< on tiles of the first half, plus 1024
                                                       ///< on the second half
inline constexpr std::int64_t partialsBytes = 16384;   ///< on every tile
inline constexpr std::int64_t stackBytes = 512;        ///< on every tile
inline constexpr std::int64_t copyCycles = 21000;      ///< of the strided copy, where there is one
inline constexpr std::int64_t convCycles = 12000;      ///< slowest tile of conv1's compute set
} // namespace sample

} // namespace tilescope::test
