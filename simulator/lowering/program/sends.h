// What tiles send in an exchange.
#pragma once

#include <algorithm>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// However many tiles listen, a tile sends a byte once: at most all that it holds of what is read.
inline TileSeries sendsOnce(const Profile& profile, const TileSeries& sent,
                            const std::vector<VariableId>& reads) {
    TileSeries held;
    for (const VariableId source : reads)
        held += profile.variables[source].bytes;
    return TileSeries::zip(
        sent, held, [](std::int64_t sends, std::int64_t holds) { return std::min(sends, holds); });
}

} // namespace tilescope::sim
