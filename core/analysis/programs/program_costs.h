// The cost of programs with everything below them.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/trace_index.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Cycles of a program on the IPU that takes longest.
struct ProgramCost {
    /// One execution with everything below it and in the functions it calls: as executed, or the
    /// estimate of the slowest tile for what was not.
    std::int64_t cycles = 0;
    std::int64_t executions = 0; ///< in all runs; 0 for a Sequence or without a trace
    /// All executions in all runs; 0 without a trace. That of a control program is its run's.
    std::int64_t total = 0;
    /// The part of the total that belongs to no program below it: syncs and waits, minus what runs
    /// side by side.
    std::int64_t between = 0;
    friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Whether costs are those of the trace, where there is one, or estimates as if nothing had been
/// executed: those of a profile with a trace cannot be compared with those of one without.
enum class CostBasis : std::uint8_t { Trace, Estimate };

/// Costs of every program. The programs must be a tree; a function that calls itself costs nothing
/// the second time.
std::vector<ProgramCost> programCosts(const ProfileView& profile, const std::stop_token& stop = {},
                                      CostBasis basis = CostBasis::Trace);

} // namespace tilescope
