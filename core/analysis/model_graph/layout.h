// Where the boxes and edges of a model's graph are.
#pragma once

#include <functional>
#include <stop_token>

#include "core/analysis/model_graph/layers.h"
#include "core/analysis/model_graph/visible_graph.h"

namespace tilescope {

struct GraphBoxSize {
    double width = 0, height = 0;
};

/// Room in the frame of an expanded scope.
struct FrameRoom {
    double header = 28; ///< above the content, for the name
    double side = 14;   ///< left, right and below
};

/// The input of a layout.
struct LayoutInput {
    const ScopeTree& tree;
    const Expansion& expansion;
    const VisibleGraph& visible;
    /// Size of an item's box; the minimum size of a frame.
    std::function<GraphBoxSize(const GraphItem&)> size;
    LayerGaps gaps = {};
    FrameRoom room = {};
    std::stop_token stop = {}; ///< ends the work with Cancelled
};

/// An operation, a collapsed scope, or the frame of an expanded one.
struct PlacedBox {
    GraphItem item;
    double x = 0, y = 0, width = 0, height = 0;
    bool isFrame = false;
    [[nodiscard]] double right() const { return x + width; }
    [[nodiscard]] double bottom() const { return y + height; }
};

/// A line from top to bottom that one or more edges of the visible graph take, within one frame.
struct PlacedWire {
    enum class Arrow { None, AtEnd, AtStart };
    std::vector<GraphPoint> points; ///< as those of LayeredDrawing::paths
    std::vector<std::size_t> edges; ///< in VisibleGraph::edges, ascending
    Arrow arrow = Arrow::None;      ///< AtStart: the edge runs upwards
};

struct GraphLayout {
    std::vector<PlacedBox> boxes; ///< frames before what is in them
    std::vector<PlacedWire> wires;
    double width = 0, height = 0;
};

/// Lays out each expanded scope on its own (drawLayers), with places on its border for the edges
/// that enter and leave, and its frame as a box of the scope around it. Boxes and frames never
/// overlap unless one contains the other. The path of an edge is one wire in each frame that it
/// passes; edges with the same ends in a frame share it.
GraphLayout layOut(const LayoutInput& input);

} // namespace tilescope
