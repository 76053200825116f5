// What a measured profile says about the simulated machine: steps of both that match, and the
// constants that they determine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/profile/kinds.h"
#include "core/target/target.h"

namespace tilescope {

/// Where most of some values lie.
struct Spread {
    std::int64_t count = 0;
    double p10 = 0;
    double median = 0;
    double p90 = 0;
};

/// A program that both profiles execute, with the mean cycles of one execution.
struct MatchedStep {
    ProgramId simulated;
    ProgramId measured;
    ProgramKind kind = ProgramKind::OnTileExecute;
    std::int64_t executions = 0; ///< simulated
    double simulatedCycles = 0;
    double measuredCycles = 0;
};

/// All steps of a kind. Syncs have no programs: those of a kind are one step.
struct CalibratedKind {
    ProgramKind kind = ProgramKind::OnTileExecute;
    std::int64_t simulatedCycles = 0; ///< of all executions, as everywhere here
    std::int64_t measuredCycles = 0;
    double simulatedMatched = 0; ///< share of the cycles in steps that match
    double measuredMatched = 0;
    /// Measured by simulated cycles of matched steps, as often as they were simulated.
    double ratio = 0;
    Spread ratios; ///< of steps
};

/// A constant that the measured steps determine.
struct FittedConstant {
    std::string name; ///< field of Target
    std::string unit;
    double simulated = 0;
    Spread fitted;
    bool differs = false; ///< by more than `calibrationTolerance`
};

struct Calibration {
    std::vector<CalibratedKind> kinds; ///< by the measured cycles
    std::vector<MatchedStep> steps;    ///< by the simulated cycles of all executions
    /// Of the cycles in steps other than syncs, the smaller share of both sides that match.
    double matched = 0;
    std::vector<FittedConstant> constants;
    std::string whyNoConstants; ///< a sentence; empty if they were looked for
};

/// Below it, the programs are not the same, and constants fitted to them would mean nothing.
inline constexpr double leastMatched = 0.6;
/// A relative difference that is no finding.
inline constexpr double calibrationTolerance = 0.02;
/// A constant with fewer values is not fitted.
inline constexpr std::int64_t leastValues = 3;

/// Compares a simulated profile, the pair's source, with a measured one, its target. Constants are
/// medians, so that outliers do not move them; only constants that are *assumed* for the simulated
/// machine are fitted, and never formulas of vertices. Both profiles must be present.
Calibration calibrate(const ProfilePair& pair, const std::stop_token& stop = {});

/// The simulated machine with the constants that differ.
Target calibratedTarget(const Calibration& calibration, const Target& simulated);

} // namespace tilescope
