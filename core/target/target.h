// The machines that TileScope supports. Every constant of an IPU is a row of constants.def.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// One IPU model and the machine around it. A value type: presets are copied and then adjusted
/// (tiles per IPU, number of IPUs).
struct Target {
    std::string name;         ///< "mk1", "mk2", "bow", "c600", "pod16", "bow-pod64"
    std::string architecture; ///< Poplar's name: "ipu1", "ipu2", "ipu21"
    std::string description;  ///< for people: "GC200 (Mk2)"
    std::int32_t ipus = 1;
#define TARGET_CONSTANT(type, name, initial, unit, since, source) type name = initial;
#include "core/target/constants.def"
#undef TARGET_CONSTANT

    [[nodiscard]] std::int32_t totalTiles() const {
        return ipus * tilesPerIpu;
    }
    [[nodiscard]] std::int64_t bytesPerIpu() const {
        return bytesPerTile * tilesPerIpu;
    }
    friend bool operator==(const Target&, const Target&) = default;
};

/// The presets: single IPUs in order of age, then machines in order of size.
const std::vector<Target>& targetPresets();

/// A preset by name; throws UserError that lists the names (and the nearest one).
Target targetPreset(std::string_view name);

/// Whether a constant was published or is our assumption, and where it comes from.
struct TargetConstant {
    std::string name;  ///< field of Target
    std::string value; ///< as text
    std::string unit;
    bool assumed = false;
    std::string source;
};

/// Every constant of a target with its source, for `tilescope targets --json` and the window.
std::vector<TargetConstant> targetConstants(const Target& target);

/// Calls visit(name, field, since) for every field, those that are not constants first. `since` is
/// the first schema version of a profile that has the field.
template <class AnyTarget, class Visitor>
void visitTargetFields(AnyTarget& target, Visitor&& visit) {
    visit("name", target.name, 1);
    visit("architecture", target.architecture, 1);
    visit("description", target.description, 1);
    visit("ipus", target.ipus, 1);
#define TARGET_CONSTANT(type, name, initial, unit, since, source) visit(#name, target.name, since);
#include "core/target/constants.def"
#undef TARGET_CONSTANT
}

/// The physical (column order) id of a tile on its IPU: software ids run in supertile pairs down
/// the columns. *Assumed*: the real map is not public; this one keeps neighbours on one bus.
std::int32_t physicalTileId(const Target& target, std::int32_t tileOnIpu);

/// Columns of the exchange, and tiles of an island, which are side by side in their column.
/// Published for GC2 (16 columns x 19 rows x 4 tiles); ipu21's logical map of 23 rows x 64 is the
/// same with more rows.
inline constexpr std::int32_t chipColumns = 16;
inline constexpr std::int32_t tilesPerIsland = 4;

} // namespace tilescope
