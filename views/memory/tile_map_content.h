// What the tile map shows, made on a worker thread.
#pragma once

#include <QString>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/profile/profile.h"

namespace tilescope::views {

/// The quantity of a tile that its colour shows.
struct TileQuantity {
    enum Kind {
        IncludingGaps,
        ExcludingGaps,
        Gaps, ///< the difference of the first two
        AlwaysLive,
        MaxNotAlwaysLive,
        LiveAtStep, ///< of the selected step, always live or not
        NonInterleaved,
        Interleaved,
        Overflowed,
        Variables, ///< the selected ones
        Category
    };
    Kind kind = IncludingGaps;
    MemoryCategory category = MemoryCategory::Variable; ///< of Category
    std::vector<VariableId> variables;                  ///< of Variables; ids of the source
    StepId step;                                        ///< of LiveAtStep; a step of the source
    [[nodiscard]] QString name() const;
};

/// One profile's values, or the difference of two.
struct TileMapSide {
    QString title; ///< "Source", "Target", "Difference" or empty
    std::vector<std::int64_t> values;
    Target machine; ///< its floor plan
    bool difference = false;
    bool placesKnown = true; ///< where tiles are on the chip
};

struct TileMapContent {
    QString quantity;
    std::vector<TileMapSide> sides;
    bool perCent = false;   ///< values are per cent, else bytes
    std::int64_t limit = 0; ///< bytes of a tile
    std::int64_t largest = 0;
    std::int64_t smallest = 0;
    std::int64_t largestDifference = 0; ///< without its sign
};

/// One side, or source, target and their difference. Tiles that a smaller machine lacks are zero;
/// machines that differ in tiles per IPU have no difference. The target's variables are the ones
/// that match the source's; its step is the corresponding one.
TileMapContent tileMapContent(const ProfilePair& profiles, const TileQuantity& quantity,
                              const std::stop_token& stop);

} // namespace tilescope::views
