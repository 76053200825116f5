// Options shared by convolutions that are planned together.
#pragma once

#include <compare>
#include <cstdint>

namespace tilescope::sim {

/// Options of poplin::multiconv, with its defaults (PopLibs poplin/ConvPlan.cpp, MultiPlanOptions).
/// Operations that refer to the same object are planned together.
struct MultiConv {
    bool parallel = true;            ///< planType: at the same time, or one after the other
    std::int64_t reservedTiles = 50; ///< perConvReservedTiles: least tiles for each of the others
    double cycleBackOff = 0.1;       ///< how much slower the largest may be, for each other
    friend auto operator<=>(const MultiConv&, const MultiConv&) = default;
};

} // namespace tilescope::sim
