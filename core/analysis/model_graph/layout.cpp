#include "core/analysis/model_graph/layout.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/error.h"

namespace tilescope {
namespace {

/// Where edges pass the border of a frame.
struct Port {
    bool top = false;
    bool incoming = false; ///< they lead into the frame
    std::vector<std::size_t> edges;
};

/// An expanded scope, measured from its own corner.
struct Frame {
    GraphLayout layout;
    std::vector<double> portX; ///< by port
};

/// A line of a level, downwards between two of its children or a child and a port.
struct Line {
    std::size_t upper = 0, lower = 0; ///< children, then ports
    bool upwards = false;             ///< the edge that it represents leads from the lower to the
                                      ///< upper
    std::vector<std::size_t> edges;
    std::size_t upperPort = 0, lowerPort = 0; ///< of the children, where they are frames
};

class Arranger {
public:
    explicit Arranger(const LayoutInput& input)
        : in_(input)
        , slots_(input.tree.scopes().size())
        , nodeSlots_(input.tree.operations()) {}

    GraphLayout run() {
        std::vector<std::size_t> all(in_.visible.edges.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        return arrange(in_.tree.root(), all, {}).layout;
    }

private:
    using Lines = std::vector<Line>;

    [[nodiscard]] bool isFrame(const GraphItem& item) const {
        return item.isScope() && in_.expansion.isExpanded(item.scope);
    }
    std::size_t& slotOf(const GraphItem& item) {
        return item.isScope() ? slots_[item.scope.index()] : nodeSlots_[item.node.index()];
    }
    std::size_t childAt(GraphScopeId scope, std::size_t visibleItem) {
        return slotOf(in_.tree.childTowards(scope, in_.visible.items[visibleItem]));
    }

    Frame arrange(GraphScopeId scope, const std::vector<std::size_t>& inner,
                  const std::vector<Port>& ports) {
        if (in_.stop.stop_requested())
            throw Cancelled();
        const std::vector<GraphItem>& children = in_.tree[scope].children;
        for (std::size_t i = 0; i < children.size(); ++i)
            slotOf(children[i]) = i;
        std::vector<std::vector<std::size_t>> within(children.size());
        Lines lines = innerLines(scope, inner, within);
        addPortLines(scope, ports, lines);
        std::vector<std::vector<Port>> childPorts(children.size());
        for (Line& line : lines)
            addChildPorts(line, children, childPorts);
        std::vector<Frame> frames(children.size());
        for (std::size_t i = 0; i < children.size(); ++i)
            if (isFrame(children[i]))
                frames[i] = arrange(children[i].scope, within[i], childPorts[i]);
        return assemble(scope, ports, lines, frames);
    }

    /// Lines between children; edges within one child are collected in `within`.
    Lines innerLines(GraphScopeId scope, const std::vector<std::size_t>& inner,
                     std::vector<std::vector<std::size_t>>& within) {
        std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> between;
        for (const std::size_t e : inner) {
            const std::size_t from = childAt(scope, in_.visible.edges[e].from);
            const std::size_t to = childAt(scope, in_.visible.edges[e].to);
            if (from == to)
                within[from].push_back(e);
            else
                between[{from, to}].push_back(e);
        }
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        pairs.reserve(between.size());
        for (const auto& [ends, edges] : between)
            pairs.push_back(ends);
        const std::vector<std::size_t> order = acyclicOrder(within.size(), pairs);
        Lines lines;
        for (auto& [ends, edges] : between) {
            const bool upwards = order[ends.first] > order[ends.second];
            Line line;
            line.upper = upwards ? ends.second : ends.first;
            line.lower = upwards ? ends.first : ends.second;
            line.upwards = upwards;
            line.edges = std::move(edges);
            lines.push_back(std::move(line));
        }
        return lines;
    }

    void addPortLines(GraphScopeId scope, const std::vector<Port>& ports, Lines& lines) {
        const std::size_t children = in_.tree[scope].children.size();
        for (std::size_t p = 0; p < ports.size(); ++p) {
            std::map<std::size_t, std::vector<std::size_t>> byChild;
            for (const std::size_t e : ports[p].edges) {
                const VisibleEdge& edge = in_.visible.edges[e];
                byChild[childAt(scope, ports[p].incoming ? edge.to : edge.from)].push_back(e);
            }
            for (auto& [child, edges] : byChild) {
                Line line;
                line.upper = ports[p].top ? children + p : child;
                line.lower = ports[p].top ? child : children + p;
                line.upwards = ports[p].top != ports[p].incoming;
                line.edges = std::move(edges);
                lines.push_back(std::move(line));
            }
        }
    }

    /// The places on the borders of children that are frames, where a line ends.
    void addChildPorts(Line& line, const std::vector<GraphItem>& children,
                       std::vector<std::vector<Port>>& childPorts) const {
        const auto add = [&](std::size_t end, bool top) {
            if (end >= children.size() || !isFrame(children[end]))
                return std::size_t{0};
            const bool incoming = top != line.upwards;
            childPorts[end].push_back({top, incoming, line.edges});
            return childPorts[end].size() - 1;
        };
        line.upperPort = add(line.upper, false);
        line.lowerPort = add(line.lower, true);
    }

    Frame assemble(GraphScopeId scope, const std::vector<Port>& ports, const Lines& lines,
                   std::vector<Frame>& frames) {
        const std::vector<GraphItem>& children = in_.tree[scope].children;
        std::vector<LayerBox> boxes;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const GraphBoxSize own = in_.size(children[i]);
            boxes.push_back({own.width, own.height, LayerBox::Kind::Box});
            if (isFrame(children[i])) {
                boxes[i].width = frames[i].layout.width;
                boxes[i].height = frames[i].layout.height;
            }
        }
        for (const Port& port : ports)
            boxes.push_back({0, 0, port.top ? LayerBox::Kind::Top : LayerBox::Kind::Bottom});
        std::vector<LayerEdge> edges;
        const auto attach = [&](std::size_t end, std::size_t port) {
            return end < children.size() && isFrame(children[end]) ? frames[end].portX[port]
                                                                   : boxes[end].width / 2;
        };
        for (const Line& line : lines)
            edges.push_back({line.upper, line.lower, attach(line.upper, line.upperPort),
                             attach(line.lower, line.lowerPort)});
        const LayeredDrawing drawing = drawLayers(boxes, edges, in_.gaps);
        return framed(scope, drawing, boxes, lines, frames, ports.size());
    }

    /// Content and, but for the root, the frame around it.
    Frame framed(GraphScopeId scope, const LayeredDrawing& drawing,
                 const std::vector<LayerBox>& boxes, const Lines& lines, std::vector<Frame>& frames,
                 std::size_t ports) {
        const std::vector<GraphItem>& children = in_.tree[scope].children;
        const bool isRoot = scope == in_.tree.root();
        const GraphBoxSize least = isRoot ? GraphBoxSize() : in_.size(GraphItem::of(scope));
        const double side = isRoot ? 0 : in_.room.side;
        const double top = isRoot ? 0 : in_.room.header;
        Frame frame;
        frame.layout.width = std::max(least.width, drawing.width + 2 * side);
        frame.layout.height = top + drawing.height + (isRoot ? 0 : in_.room.side);
        const double left = (frame.layout.width - drawing.width) / 2;
        if (!isRoot)
            frame.layout.boxes.push_back(
                {GraphItem::of(scope), 0, 0, frame.layout.width, frame.layout.height, true});
        for (std::size_t i = 0; i < children.size(); ++i) {
            const GraphPoint corner{drawing.corners[i].x + left, drawing.corners[i].y + top};
            if (isFrame(children[i]))
                take(frame.layout, std::move(frames[i].layout), corner);
            else
                frame.layout.boxes.push_back(
                    {children[i], corner.x, corner.y, boxes[i].width, boxes[i].height, false});
        }
        for (std::size_t p = 0; p < ports; ++p)
            frame.portX.push_back(drawing.corners[children.size() + p].x + left);
        for (std::size_t l = 0; l < lines.size(); ++l)
            frame.layout.wires.push_back(
                wire(lines[l], drawing.paths[l], {left, top}, children, frame.layout.height));
        return frame;
    }

    [[nodiscard]] PlacedWire wire(const Line& line, const std::vector<GraphPoint>& path,
                                  GraphPoint corner, const std::vector<GraphItem>& children,
                                  double height) const {
        PlacedWire made;
        made.edges = line.edges;
        for (const GraphPoint& point : path)
            made.points.push_back({point.x + corner.x, point.y + corner.y});
        // Places on the borders are on the frame, beyond header and margin.
        if (line.upper >= children.size())
            made.points.insert(made.points.begin(), {made.points.front().x, 0});
        if (line.lower >= children.size())
            made.points.push_back({made.points.back().x, height});
        const std::size_t end = line.upwards ? line.upper : line.lower;
        if (end < children.size() && !isFrame(children[end]))
            made.arrow = line.upwards ? PlacedWire::Arrow::AtStart : PlacedWire::Arrow::AtEnd;
        return made;
    }

    static void take(GraphLayout& into, GraphLayout&& part, GraphPoint corner) {
        for (PlacedBox& box : part.boxes) {
            box.x += corner.x;
            box.y += corner.y;
        }
        for (PlacedWire& wire : part.wires)
            for (GraphPoint& point : wire.points) {
                point.x += corner.x;
                point.y += corner.y;
            }
        into.boxes.insert(into.boxes.end(), std::make_move_iterator(part.boxes.begin()),
                          std::make_move_iterator(part.boxes.end()));
        into.wires.insert(into.wires.end(), std::make_move_iterator(part.wires.begin()),
                          std::make_move_iterator(part.wires.end()));
    }

    const LayoutInput& in_;
    std::vector<std::size_t> slots_;     ///< of a scope among its siblings
    std::vector<std::size_t> nodeSlots_; ///< of an operation
};

} // namespace

GraphLayout layOut(const LayoutInput& input) {
    return Arranger(input).run();
}

} // namespace tilescope
