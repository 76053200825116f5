// Why a run takes longer or shorter: from the source's cycles to the target's, in one step for each
// kind of loss.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/insights/run_losses.h"

namespace tilescope {

struct WaterfallStep {
    std::optional<LossKind> kind; ///< none: steps too small to show, and rounding
    std::int64_t before = 0;      ///< cycles of the kind in the source's run
    std::int64_t after = 0;
    std::string place; ///< the largest of the side with more cycles; may be empty
    [[nodiscard]] std::int64_t difference() const { return after - before; }
    [[nodiscard]] std::string name() const;
};

/// Steps whose differences add up to `after` minus `before`, largest first, the remainder last.
struct Waterfall {
    std::int64_t before = 0; ///< cycles of the source's run, or of a sample
    std::int64_t after = 0;
    bool perSample = false; ///< all cycles are of one sample
    std::vector<WaterfallStep> steps;
};

/// The unit of all cycles: a run, a sample, or a sample only if the runs differ in their samples.
enum class WaterfallBasis { Run, Sample, SampleIfRunsDiffer };

/// What cycles of both sides are divided by; 1 without samples.
struct SampleDivisors {
    double source = 1;
    double target = 1;
    bool perSample = false;
};
SampleDivisors divisorsOn(WaterfallBasis basis, double sourceSamples, double targetSamples);

/// `sourceSamples`, `targetSamples`: of a run.
Waterfall waterfallOf(const RunLosses& source, double sourceSamples, const RunLosses& target,
                      double targetSamples,
                      WaterfallBasis basis = WaterfallBasis::SampleIfRunsDiffer);

/// Of two profiles; none unless both have run. Throws UserError for a damaged profile, Cancelled
/// after a stop.
std::optional<Waterfall> waterfallBetween(const ProfileView& source, const ProfileView& target,
                                          WaterfallBasis basis = WaterfallBasis::SampleIfRunsDiffer,
                                          const std::stop_token& stop = {});

/// The inputs of the waterfall of two profiles, from which it can be made on either basis.
struct WaterfallParts {
    RunLosses source;
    RunLosses target;
    double sourceSamples = 1;
    double targetSamples = 1;
    [[nodiscard]] Waterfall on(WaterfallBasis basis) const {
        return waterfallOf(source, sourceSamples, target, targetSamples, basis);
    }
};

/// Likewise.
std::optional<WaterfallParts> waterfallParts(const ProfileView& source, const ProfileView& target,
                                             const std::stop_token& stop = {});

} // namespace tilescope
