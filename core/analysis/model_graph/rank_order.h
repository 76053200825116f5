// Layers of a drawing and the order in them. Internal to the layout.
#pragma once

#include <cstddef>
#include <vector>

namespace tilescope {

/// A stop of an edge in a layer, or a box.
struct RankNode {
    std::size_t rank = 0;
    double width = 0, height = 0;
    bool isTurn = false;
};

/// Between neighbouring layers, from the upper to the lower one.
struct RankLink {
    std::size_t upper = 0, lower = 0;
    double upperX = 0, lowerX = 0; ///< from the middle of each
};

/// Nodes by layer, from left to right.
using Ranks = std::vector<std::vector<std::size_t>>;

/// Sorts the nodes of each layer so that few links cross. Starts with the order of their numbers.
Ranks orderedRanks(const std::vector<RankNode>& nodes, const std::vector<RankLink>& links);

/// How many pairs of links cross.
std::size_t crossings(const Ranks& ranks, const std::vector<RankNode>& nodes,
                      const std::vector<RankLink>& links);

/// The middle of each node: as close to its neighbours' as the order and the distances allow.
std::vector<double> columnsOf(const Ranks& ranks, const std::vector<RankNode>& nodes,
                              const std::vector<RankLink>& links, double boxGap, double turnGap);

} // namespace tilescope
