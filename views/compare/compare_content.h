// What the comparison shows, made on a worker thread.
#pragma once

#include <stop_token>
#include <vector>

#include "views/session/open_profile.h"
#include "views/summary/summary_content.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Headline figures in source, target and their difference. What a side does not have, such as the
/// cycles of what does not fit, is a dash, and so is its difference.
ValueTree headlineFigures(const ProfilePair& profiles, const ProfileFigures& source,
                          const ProfileFigures& target);

/// A sentence of the verdict.
struct VerdictLine {
    enum class Level { Good, Bad, Plain };
    Level level = Level::Plain;
    QString text;
};

/// What came of the change: whether each side fits, which is faster if both run, and the options
/// that differ.
std::vector<VerdictLine> comparisonVerdict(const ProfilePair& profiles,
                                           const ProfileFigures& source,
                                           const ProfileFigures& target, ByteUnits units);

} // namespace tilescope::views
