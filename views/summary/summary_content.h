// What the summary shows, made on a worker thread.
#pragma once

#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/memory/summary.h"
#include "core/view/profile_view.h"
#include "views/plot/series/step_plot.h"
#include "views/tables/cell_text.h"

namespace tilescope::views {

/// One profile's figures.
struct ProfileFigures {
    MemorySummary memory;
    std::vector<std::int64_t> tileBytes; ///< including gaps, by tile
    std::vector<TileId> fullest;         ///< a few, the fullest first
    std::int64_t variables = 0;          ///< on all tiles: a variable on two tiles counts twice
    std::int64_t computeSets = 0;
    std::int64_t steps = 0;
    std::int64_t operations = 0;
    std::vector<Message> messages;
};
ProfileFigures readFigures(const ProfileView& profile, const std::stop_token& stop);

/// A sentence: does it fit, and how well.
QString verdictText(const ProfileInfo& info, const MemorySummary& memory, ByteUnits units);

/// Run options and engine options, by name; two columns of values if there are two profiles.
Table optionsTable(const ProfilePair& profiles);

/// The compiler's messages.
Table messagesTable(const ProfilePair& profiles, const ProfileFigures& source,
                    const ProfileFigures* target);

} // namespace tilescope::views
