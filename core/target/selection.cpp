#include "core/target/selection.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope {

TileRange TileSelection::range(const Target& target) const {
    if (tile_.valid()) {
        if (tile_.value() >= target.totalTiles())
            throw UserError(fmt::format("there is no tile {}: tiles are 0 to {}", tile_.value(),
                                        target.totalTiles() - 1));
        return {tile_.value(), tile_.value() + 1};
    }
    if (ipu_.valid()) {
        if (ipu_.value() >= target.ipus)
            throw UserError(
                fmt::format("there is no IPU {}: IPUs are 0 to {}", ipu_.value(), target.ipus - 1));
        return {ipu_.value() * target.tilesPerIpu, (ipu_.value() + 1) * target.tilesPerIpu};
    }
    return {0, target.totalTiles()};
}

std::string TileSelection::label() const {
    if (tile_.valid())
        return fmt::format("Tile {}", tile_.value());
    return ipu_.valid() ? fmt::format("IPU {}", ipu_.value()) : "All tiles";
}

} // namespace tilescope
