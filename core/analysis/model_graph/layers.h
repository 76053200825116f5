// Boxes in layers, edges downwards: the drawing of one scope's content.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilescope {

struct GraphPoint {
    double x = 0, y = 0;
    friend bool operator==(const GraphPoint&, const GraphPoint&) = default;
};

/// Distances, in the unit of the boxes.
struct LayerGaps {
    double rows = 32;    ///< between layers, where edges change their column
    double borders = 16; ///< between a border and what is next to it
    double boxes = 22;   ///< between boxes side by side
    double wires = 10;   ///< between an edge and what it passes
    /// Aspect ratio in which boxes without connections are arranged.
    double aspect = 1.6;
    /// Edges over several layers are led around the boxes between, the shortest first, as long as
    /// that takes no more turns than this; others run straight, behind the boxes.
    std::size_t mostTurns = 6000;
};

struct LayerBox {
    enum class Kind {
        Box,
        Top,    ///< a place on the upper border, where edges enter the drawing
        Bottom, ///< on the lower border
    };
    double width = 0, height = 0;
    Kind kind = Kind::Box;
};

/// From the lower border of one box to the upper border of another one; the x are measured from the
/// left of each.
struct LayerEdge {
    std::size_t from = 0, to = 0;
    double fromX = 0, toX = 0;
};

struct LayeredDrawing {
    std::vector<GraphPoint> corners; ///< top left, by box
    /// By edge, from end to end; two points of one x are joined straight, others by a bend.
    std::vector<std::vector<GraphPoint>> paths;
    double width = 0, height = 0;
};

/// An order of n boxes in which as many edges (from, to) as can be run forwards: topological where
/// there is no cycle, by number where there is a choice. Returns the place of each.
std::vector<std::size_t>
acyclicOrder(std::size_t n, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

/// Sugiyama's method (Sugiyama, Tagawa, Toda 1981): layers by longest path, order in a layer by
/// barycentres of neighbours, positions by least squares that keep the order (pool adjacent
/// violators). Parts that no edge joins are side by side in rows. Edges must be acyclic; those of
/// places on the upper border start there and those of places on the lower border end there. Boxes
/// never overlap; every edge leads downwards. The same input gives the same drawing.
LayeredDrawing drawLayers(const std::vector<LayerBox>& boxes, const std::vector<LayerEdge>& edges,
                          const LayerGaps& gaps = {});

} // namespace tilescope
