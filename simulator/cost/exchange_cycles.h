// Cycles of the exchange between tiles.
#pragma once

#include "core/base/ceil_div.h"
#include "core/target/target.h"

namespace tilescope::sim {

/// Exchange of `bytes` received by a tile; `shared` if its neighbour receives the same, so that the
/// two use both their buses.
inline std::int64_t exchangeCycles(const Target& target, std::int64_t bytes, bool shared = false) {
    return ceilDiv(bytes, std::int64_t{target.exchangeBytesPerCycle} *
                              (shared ? target.tilesPerSharedBus : 1));
}

} // namespace tilescope::sim
