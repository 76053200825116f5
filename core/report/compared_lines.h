// The lines of the user's program in two profiles, with what each costs before and after.
#pragma once

#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/compare/waterfall.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each line with cycles in a profile that changed, largest change first: both versions
/// of a file by their recorded texts, and by number unless both have one. A line that was moved or
/// edited has one row. "(no line)" is what has none, so that changes add up. Cycles are those of
/// the run over all IPUs, of one execution unless both ran, and divided as the basis says. Empty if
/// neither profile has lines. Throws UserError for a damaged profile, Cancelled after a stop.
Table comparedLinesTable(const ProfilePair& pair, WaterfallBasis basis = WaterfallBasis::Run,
                         const std::stop_token& stop = {});

} // namespace tilescope
