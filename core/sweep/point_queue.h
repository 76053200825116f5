// The remaining points of a sweep, in an order in which they can share work.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sweep/grid.h"

namespace tilescope {

/// Points in groups that differ only on axes for which `isShared` is true, in the order of the
/// grid.
std::vector<std::vector<std::size_t>>
groupsOf(const SweepGrid& grid, const std::vector<std::size_t>& points,
         const std::function<bool(const std::string& key)>& isShared);

/// Hands out points. A taker continues the group that it has begun, then begins one that nobody has
/// taken, then helps with the group with most points left, from its end.
class PointQueue {
public:
    /// Who takes a point: a process and one of its workers.
    using Taker = std::pair<std::size_t, std::size_t>;

    explicit PointQueue(const std::vector<std::vector<std::size_t>>& groups);

    /// None if all points are taken.
    std::optional<std::size_t> next(Taker taker);

private:
    struct Share {
        std::size_t group = 0;
        bool fromEnd = false;
    };

    [[nodiscard]] std::optional<Share> newShare();

    std::vector<std::deque<std::size_t>> groups_;
    std::size_t begun_ = 0; ///< number of groups already begun: the first ones
    std::map<Taker, Share> shares_;
};

} // namespace tilescope
