// The largest users of memory on the whole model, one IPU or one tile, by kind.
#pragma once

#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/target/selection.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// What takes up the memory of a tile, as far as a model's author can change it.
enum class PartKind {
    PeakVariable, ///< not always live, at the peak of the selected tiles
    AlwaysLiveVariable,
    VertexState,  ///< all instances of a vertex type
    VertexCode,   ///< once for each tile that runs the type
    ExchangeCode, ///< of one exchange
};
inline constexpr auto allPartKinds = valuesUpTo<PartKind::ExchangeCode>;
template <>
inline constexpr auto enumNames<PartKind> =
    std::to_array<std::string_view>({"variables at the peak", "always-live variables",
                                     "vertex state", "vertex code", "exchange code"});

/// A variable, a vertex type or an exchange with its bytes on the selected tiles.
struct SizedPart {
    std::string name;
    std::int64_t bytes = 0;
    InsightLink link; ///< where the reports show it
};

/// The parts of a kind with bytes on the selected tiles, largest first, then by name. Throws
/// UserError for a tile or an IPU that the target does not have.
std::vector<SizedPart> largestParts(const ProfileView& profile, PartKind kind,
                                    const TileSelection& selection,
                                    const std::stop_token& stop = {});

} // namespace tilescope
