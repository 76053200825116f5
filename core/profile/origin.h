// Where the figures of a profile come from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"

namespace tilescope {

/// How the times of a profile came about.
enum class OriginKind : std::uint8_t {
    Simulated,   ///< by TileScope
    Measured,    ///< on an IPU
    PoplarModel, ///< by Poplar's own model of an IPU (IpuModel)
    Estimated,   ///< compiled by Poplar, but never run: its estimates
};
inline constexpr auto originKinds = valuesUpTo<OriginKind::Estimated>;
template <>
inline constexpr auto enumNames<OriginKind> =
    std::to_array<std::string_view>({"simulated", "measured", "poplarModel", "estimated"});
template <>
inline constexpr auto enumTitles<OriginKind> = std::to_array<std::string_view>(
    {"Simulated", "Measured", "Poplar's model", "Poplar's estimates"});

/// Of an imported profile: what made the original.
struct Origin {
    OriginKind kind = OriginKind::Simulated;
    std::string tool;    ///< "Poplar"; empty for TileScope itself
    std::string version; ///< of the tool; empty if it is not known
    std::string digest;  ///< SHA-256 of the original file; empty if it is not known
    friend bool operator==(const Origin&, const Origin&) = default;
};

/// "Measured, Poplar 3.3.0", or "Simulated".
inline std::string originText(const Origin& origin) {
    std::string text(displayName(origin.kind));
    if (!origin.tool.empty())
        text += ", " + origin.tool;
    if (!origin.version.empty())
        text += " " + origin.version;
    return text;
}

} // namespace tilescope
