// The cycles of each IPU split by kind of loss. Internal to core/analysis/insights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/insights/facts.h"
#include "core/analysis/insights/losses.h"

namespace tilescope {

/// Cycles of one IPU by kind of loss.
using LossCycles = std::array<std::int64_t, lossKinds.size()>;

/// A run, by IPU. The cycles of each IPU add up to those of the run, and so do the means.
struct LossSplit {
    std::vector<LossCycles> ipus;
    std::array<std::vector<LossPlace>, lossKinds.size()> places; ///< with cycles, largest first

    /// Of all IPUs.
    [[nodiscard]] LossCycles mean() const;
    [[nodiscard]] std::int64_t mean(LossKind kind) const {
        return mean()[static_cast<std::size_t>(kind)];
    }
};

/// Parts of cycles as whole ones that add up to the rounded sum: those with the largest remainders
/// are rounded up.
LossCycles wholeCycles(const std::array<double, lossKinds.size()>& parts);

/// IPUs of a pipeline meet at the syncs of each slot. One that waits there has no stage to run,
/// waits for a longer one, or for the copies of another IPU with the host, with streaming memory or
/// with a third one; the remainder is the sync itself.
LossSplit splitOf(const Facts& facts);

} // namespace tilescope
