// In which order the variables of a tile get their places. Internal to placement.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/memory/tile_placer.h"

namespace tilescope::sim {

/// Code, which lies in the plain region.
constexpr bool isExecutable(MemoryCategory category) {
    switch (category) {
    case MemoryCategory::VertexCode:
    case MemoryCategory::ControlCode:
    case MemoryCategory::InternalExchangeCode:
    case MemoryCategory::HostExchangeCode:
    case MemoryCategory::GlobalExchangeCode:
        return true;
    default:
        return false;
    }
}

/// Vertex state, too, must lie within reach of the base of the plain region (16-bit offsets).
constexpr bool isPlainOnly(MemoryCategory category) {
    return isExecutable(category) || category == MemoryCategory::VertexInstanceState ||
           category == MemoryCategory::VertexFieldData || category == MemoryCategory::Stack;
}

/// What comes first among variables that are not always live and not bound to a region.
enum class FirstOfLives { Largest, Messages };

/// Puts requests in order, one tile after the other in the same memory.
class PlacementOrder {
public:
    /// By rank, then the largest, then by variable; valid until the next call. Throws UserError
    /// where the requests are too many and too large to be counted.
    const std::vector<std::uint32_t>& of(const std::vector<PlaceRequest>& requests,
                                         FirstOfLives first);
    /// The same by weight.
    const std::vector<std::uint32_t>& of(const std::vector<PlaceRequest>& requests,
                                         const std::vector<double>& weights);

private:
    std::vector<std::uint64_t> keys_, sorted_;
    std::vector<std::uint32_t> order_;
};

} // namespace tilescope::sim
