// What boxes of an execution are coloured by, read on a worker thread on demand.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "views/plot/legend_bar.h"
#include "views/plot/trace/box_colours.h"
#include "views/session/preferences.h"

namespace tilescope::views {

/// Adds the operation, balance or bytes to boxes. A box of several steps has the value of all their
/// cycles (TraceIndex::statistics() of the range) or the operations with most cycles. Thread-safe.
class BoxTints {
public:
    BoxTints(ProfilePair profiles, ColourBy by)
        : profiles_(std::move(profiles))
        , by_(by) {}

    [[nodiscard]] ColourBy by() const { return by_; }
    /// All boxes of a lane of an IPU of one of the profiles.
    void tint(TraceLane& lane, const ProfileView& profile, IpuId ipu,
              const std::stop_token& stop) const;

    /// What the colours mean.
    struct Legend {
        ColourBy by = ColourBy::Kind;
        std::vector<std::string> types = {}; ///< of operations, those with most cycles first
        double largest = 0;                  ///< bytes in a cycle at the end of the scale
        std::int64_t microBatches = 0;       ///< of a step

        [[nodiscard]] std::vector<LegendBar::Entry> entries(const Theme& theme,
                                                            const Preferences& preferences) const;
        [[nodiscard]] std::vector<LegendBar::Entry> microBatchEntries(const Theme& theme) const;
        [[nodiscard]] static std::vector<LegendBar::Entry> changeEntries(const Theme& theme);
        /// Another line of the read-out of a box; empty if it has nothing of the kind.
        [[nodiscard]] QString readOut(const BoxTint& tint, const Preferences& preferences) const;
    };
    [[nodiscard]] std::shared_ptr<const Legend> legend(const std::stop_token& stop) const;

private:
    struct Reader;
    [[nodiscard]] Legend readLegend(const std::stop_token& stop) const;
    /// The colour of each program's operation; negative for none.
    [[nodiscard]] std::vector<std::int16_t> coloursOf(const ProfileView& profile,
                                                      const std::stop_token& stop) const;

    ProfilePair profiles_;
    ColourBy by_;
    LazyPart<Legend> legend_;
    /// The cycles that an execution of each program's match takes on average in the other profile;
    /// negative for none.
    [[nodiscard]] std::vector<double> cyclesOfMatches(bool ofTarget,
                                                      const std::stop_token& stop) const;
    LazyPart<std::vector<std::int16_t>> source_, target_; ///< by program
    LazyPart<std::vector<double>> sourceMatches_, targetMatches_;
};

} // namespace tilescope::views
