// Traffic when tiles that hold one blocking of a storage need another.
#pragma once

#include <functional>

#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// Traffic that brings every need's elements from where they are stored. Local elements do not
/// move. A tile that an element is sent to counts once per element on either side.
struct Traffic {
    TileSeries received; ///< elements
    TileSeries sent;     ///< elements; sums to the same as received
    TileSeries messages; ///< distinct source blocks a receiving tile listens to
    std::int64_t total = 0;
    /// Tiles that receive each sent element, on average.
    std::int64_t receivers = 1;
    /// Elements that are contiguous at both ends, where that cuts messages; otherwise 0.
    std::int64_t piece = 0;
    /// In that case, elements from one tile that are contiguous on the receiving tile, in one piece
    /// or several.
    std::int64_t landing = 0;
};

/// To how many tiles an element is sent if `received` elements are received and `held` are held.
std::int64_t receiversOf(std::int64_t received, std::int64_t held);

/// Elements by tile: Blocking::elements(), or a table of those that are known.
using ElementsOf = std::function<TileSeries(const Blocking&)>;

/// Exact where both blockings cut the same atoms (dimensions are then independent); where they cut
/// across each other, received is exact for nested cuts and senders share the load by the elements
/// they hold. `atomSizes` are those of the storage.
Traffic trafficBetween(const Blocking& stored, const Blocking& needed,
                       std::span<const std::int64_t> atomSizes,
                       const ElementsOf& elementsOf = &Blocking::elements);

/// Elements that a tile both stores and needs, by tile.
TileSeries localElements(const Blocking& stored, const Blocking& needed,
                         std::span<const std::int64_t> atomSizes);

/// Shares `total` over tiles in proportion to weights; the shares add up to it exactly.
TileSeries shareOut(std::int64_t total, const TileSeries& weights);

} // namespace tilescope::sim
