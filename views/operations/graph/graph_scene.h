// A layout of the model's graph, ready to be painted.
#pragma once

#include <QFont>
#include <QPainterPath>
#include <QRectF>
#include <map>
#include <optional>

#include "core/analysis/model_graph/layout.h"
#include "views/operations/graph/graph_model.h"

namespace tilescope::views {

/// The visible part of the model for an expansion: boxes, lines, and the lines of each item. One
/// unit is a pixel at 100 %. Made on a worker thread, then only read.
struct GraphScene {
    std::shared_ptr<const GraphModel> model;
    Expansion expansion;
    VisibleGraph visible;
    GraphLayout layout;
    std::vector<QString> labels;     ///< by box, short enough for it
    std::vector<QPainterPath> wires; ///< by wire of the layout
    std::vector<QRectF> wireBounds;
    std::vector<QString> wireLabels; ///< shape and type of the tensor, or how many there are
    std::map<GraphItem, std::size_t> boxOf;
    std::map<GraphItem, std::vector<std::size_t>> edgesOf; ///< visible edges of a box, either way

    [[nodiscard]] QRectF rectOf(std::size_t box) const;
    [[nodiscard]] QRectF bounds() const { return {0, 0, layout.width, layout.height}; }
    /// The innermost box at a point, or the frame if there is none within it; none on empty paper.
    [[nodiscard]] std::optional<std::size_t> boxAt(const QPointF& point) const;
    /// The box to which an arrow key leads from another: along its edges for up and down, the next
    /// in the same row for left and right.
    [[nodiscard]] std::optional<std::size_t> neighbour(std::size_t box, Qt::Key key) const;
};

std::shared_ptr<const GraphScene> makeScene(std::shared_ptr<const GraphModel> model,
                                            Expansion expansion, const QFont& font,
                                            const std::stop_token& stop);

/// Height of the name of a frame.
double frameHeader(const QFont& font);

} // namespace tilescope::views
