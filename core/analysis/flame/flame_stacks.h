// Costs by stack, for flame graphs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/base/enum_names.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// What the width of a box in a flame graph is.
enum class FlameWeight : std::uint8_t {
    Cycles,     ///< measured in the run; where nothing ran, estimated for one execution
    Flops,      ///< of all executions in the run, or of one
    Code,       ///< bytes on all tiles
    AlwaysLive, ///< bytes on all tiles
};
inline constexpr auto flameWeights = valuesUpTo<FlameWeight::AlwaysLive>;
template <>
inline constexpr auto enumNames<FlameWeight> =
    std::to_array<std::string_view>({"cycles", "flops", "code", "alwaysLive"});

/// Of a row of the accounting; without a run (not `executed`) of one execution.
std::int64_t flameWeightOf(const CostRow& row, FlameWeight weight, bool executed);

/// A chain of calls on an IPU with what it costs by itself.
struct FlameStack {
    IpuId ipu;
    std::vector<std::string> frames; ///< outermost first: "forward (model.py:72)", then the pass
    std::int64_t weight = 0;         ///< more than 0
};

/// The stacks of the program's lines or, in a profile without lines, the parts of the operations'
/// paths; what belongs to no operation has one frame by its kind, "(sync)". The weights of an IPU
/// add up to the total of Operations.
std::vector<FlameStack> flameStacks(const ProfileView& profile, FlameWeight weight,
                                    const std::stop_token& stop = {});

} // namespace tilescope
