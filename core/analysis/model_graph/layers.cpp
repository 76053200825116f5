#include "core/analysis/model_graph/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/model_graph/rank_order.h"

namespace tilescope {
namespace {

using Kind = LayerBox::Kind;

/// A connected part: its boxes and edges by their numbers in the whole.
struct Part {
    std::vector<std::size_t> boxes, edges;
};

/// Parts in the order of their first boxes. Places on the borders join nothing, unless all boxes
/// are one part: then they are in it.
std::vector<Part> partsOf(const std::vector<LayerBox>& boxes, const std::vector<LayerEdge>& edges) {
    std::vector<std::size_t> leader(boxes.size());
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
        while (leader[i] != i)
            i = leader[i] = leader[leader[i]];
        return i;
    };
    const auto isBox = [&](std::size_t i) { return boxes[i].kind == Kind::Box; };
    for (const LayerEdge& edge : edges)
        if (isBox(edge.from) && isBox(edge.to)) {
            const std::size_t a = find(edge.from);
            const std::size_t b = find(edge.to);
            leader[std::max(a, b)] = std::min(a, b);
        }
    std::vector<Part> parts;
    std::vector<std::size_t> partOf(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!isBox(i))
            continue;
        if (find(i) == i) {
            partOf[i] = parts.size();
            parts.emplace_back();
        }
        partOf[i] = partOf[find(i)];
        parts[partOf[i]].boxes.push_back(i);
    }
    if (parts.size() == 1)
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (!isBox(i))
                parts[0].boxes.push_back(i);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (isBox(edges[e].from) && isBox(edges[e].to))
            parts[partOf[edges[e].from]].edges.push_back(e);
        else if (parts.size() == 1)
            parts[0].edges.push_back(e);
    return parts;
}

/// Draws one connected part.
class PartDrawing {
public:
    PartDrawing(const std::vector<LayerBox>& boxes, const std::vector<LayerEdge>& edges,
                const Part& part, const LayerGaps& gaps)
        : boxes_(boxes)
        , edges_(edges)
        , part_(part)
        , gaps_(gaps)
        , place_(boxes.size()) {
        for (std::size_t i = 0; i < part.boxes.size(); ++i)
            place_[part.boxes[i]] = i;
    }

    void into(LayeredDrawing& drawing) {
        assignRanks();
        linkRanks();
        const Ranks ranks = orderedRanks(nodes_, links_);
        std::vector<double> x = columnsOf(ranks, nodes_, links_, gaps_.boxes, gaps_.wires);
        placeRows(ranks);
        shiftToZero(x);
        for (std::size_t i = 0; i < part_.boxes.size(); ++i)
            drawing.corners[part_.boxes[i]] = {x[i] - nodes_[i].width / 2, tops_[nodes_[i].rank]};
        for (std::size_t e = 0; e < part_.edges.size(); ++e)
            drawing.paths[part_.edges[e]] = path(e, x);
        drawing.width = width_;
        drawing.height = height_;
    }

private:
    [[nodiscard]] const LayerEdge& edge(std::size_t e) const { return edges_[part_.edges[e]]; }
    [[nodiscard]] RankNode& node(std::size_t box) { return nodes_[place_[box]]; }

    void assignRanks() {
        std::vector<std::vector<std::size_t>> next(part_.boxes.size());
        std::vector<std::size_t> waiting(part_.boxes.size());
        bool hasTop = false;
        for (const std::size_t box : part_.boxes) {
            nodes_.push_back({0, boxes_[box].width, boxes_[box].height, false});
            hasTop = hasTop || boxes_[box].kind == Kind::Top;
        }
        for (std::size_t e = 0; e < part_.edges.size(); ++e) {
            next[place_[edge(e).from]].push_back(place_[edge(e).to]);
            ++waiting[place_[edge(e).to]];
        }
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < waiting.size(); ++i)
            if (waiting[i] == 0)
                order.push_back(i);
        for (std::size_t i = 0; i < part_.boxes.size(); ++i)
            if (hasTop && boxes_[part_.boxes[i]].kind != Kind::Top)
                nodes_[i].rank = 1;
        const std::vector<std::size_t> incoming = waiting;
        std::size_t last = hasTop ? 1 : 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t rank = nodes_[order[i]].rank;
            if (boxes_[part_.boxes[order[i]]].kind == Kind::Box)
                last = std::max(last, rank);
            for (const std::size_t to : next[order[i]]) {
                nodes_[to].rank = std::max(nodes_[to].rank, rank + 1);
                if (--waiting[to] == 0)
                    order.push_back(to);
            }
        }
        for (std::size_t i = 0; i < part_.boxes.size(); ++i) {
            const Kind kind = boxes_[part_.boxes[i]].kind;
            if (kind == Kind::Bottom)
                nodes_[i].rank = last + 1;
            // A box without incoming edges is right above its first reader.
            if (kind != Kind::Box || incoming[i] > 0 || next[i].empty())
                continue;
            std::size_t lowest = last + 1;
            for (const std::size_t to : next[i])
                if (boxes_[part_.boxes[to]].kind == Kind::Box)
                    lowest = std::min(lowest, nodes_[to].rank);
            nodes_[i].rank = lowest - 1;
        }
    }

    /// Adds turns for edges over several layers, as many as are allowed.
    void linkRanks() {
        std::vector<std::size_t> shortestFirst(part_.edges.size());
        std::iota(shortestFirst.begin(), shortestFirst.end(), std::size_t{0});
        const auto span = [&](std::size_t e) {
            return node(edge(e).to).rank - node(edge(e).from).rank;
        };
        std::stable_sort(shortestFirst.begin(), shortestFirst.end(),
                         [&](std::size_t a, std::size_t b) { return span(a) < span(b); });
        turns_.resize(part_.edges.size());
        std::size_t used = 0;
        for (const std::size_t e : shortestFirst) {
            const LayerEdge& one = edge(e);
            used += span(e) - 1;
            if (used > gaps_.mostTurns)
                break;
            std::size_t above = place_[one.from];
            double aboveX = one.fromX - boxes_[one.from].width / 2;
            for (std::size_t r = node(one.from).rank + 1; r < node(one.to).rank; ++r) {
                nodes_.push_back({r, 0, 0, true});
                turns_[e].push_back(nodes_.size() - 1);
                links_.push_back({above, nodes_.size() - 1, aboveX, 0});
                above = nodes_.size() - 1;
                aboveX = 0;
            }
            links_.push_back({above, place_[one.to], aboveX, one.toX - boxes_[one.to].width / 2});
        }
    }

    void placeRows(const Ranks& ranks) {
        double y = 0;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            double height = 0;
            for (const std::size_t one : ranks[r])
                height = std::max(height, nodes_[one].height);
            // Only places on a border have no height.
            const bool atBorder = r > 0 && (height == 0 || bottoms_.back() == tops_.back());
            y += r == 0 ? 0 : atBorder ? gaps_.borders : gaps_.rows;
            tops_.push_back(y);
            bottoms_.push_back(y + height);
            y += height;
        }
        height_ = bottoms_.empty() ? 0 : bottoms_.back();
    }

    void shiftToZero(std::vector<double>& x) {
        double left = std::numeric_limits<double>::max();
        double right = std::numeric_limits<double>::lowest();
        for (std::size_t i = 0; i < x.size(); ++i) {
            left = std::min(left, x[i] - nodes_[i].width / 2);
            right = std::max(right, x[i] + nodes_[i].width / 2);
        }
        for (double& one : x)
            one -= left;
        width_ = x.empty() ? 0 : right - left;
    }

    [[nodiscard]] std::vector<GraphPoint> path(std::size_t e, const std::vector<double>& x) {
        const LayerEdge& one = edge(e);
        const RankNode& from = node(one.from);
        const RankNode& to = node(one.to);
        const double fromX = x[place_[one.from]] - from.width / 2 + one.fromX;
        const double toX = x[place_[one.to]] - to.width / 2 + one.toX;
        std::vector<GraphPoint> points{{fromX, tops_[from.rank] + from.height}};
        // Past taller boxes of its own row.
        if (bottoms_[from.rank] > points.back().y)
            points.push_back({fromX, bottoms_[from.rank]});
        for (const std::size_t turn : turns_[e]) {
            points.push_back({x[turn], tops_[nodes_[turn].rank]});
            points.push_back({x[turn], bottoms_[nodes_[turn].rank]});
        }
        points.push_back({toX, tops_[to.rank]});
        return points;
    }

    const std::vector<LayerBox>& boxes_;
    const std::vector<LayerEdge>& edges_;
    const Part& part_;
    const LayerGaps& gaps_;
    std::vector<std::size_t> place_; ///< by box of the whole
    std::vector<RankNode> nodes_;    ///< boxes of the part, then turns
    std::vector<RankLink> links_;
    std::vector<std::vector<std::size_t>> turns_; ///< by edge of the part
    std::vector<double> tops_, bottoms_;          ///< by layer
    double width_ = 0, height_ = 0;
};

/// Puts parts side by side in rows of about the same width.
class Shelves {
public:
    Shelves(double width, const LayerGaps& gaps)
        : most_(width)
        , gaps_(gaps) {}

    GraphPoint place(double width, double height) {
        if (x_ > 0 && x_ + width > most_) {
            y_ += rowHeight_ + gaps_.boxes;
            x_ = rowHeight_ = 0;
        }
        const GraphPoint corner{x_, y_};
        x_ += width + gaps_.boxes;
        rowHeight_ = std::max(rowHeight_, height);
        right_ = std::max(right_, corner.x + width);
        return corner;
    }
    [[nodiscard]] double width() const { return right_; }
    [[nodiscard]] double height() const { return y_ + rowHeight_; }

private:
    double most_;
    const LayerGaps& gaps_;
    double x_ = 0, y_ = 0, rowHeight_ = 0, right_ = 0;
};

/// Places on the borders, above and below parts that are not connected.
void placeBorders(const std::vector<LayerBox>& boxes, const std::vector<LayerEdge>& edges,
                  const LayerGaps& gaps, LayeredDrawing& drawing) {
    const auto hasKind = [&](Kind kind) {
        return std::any_of(boxes.begin(), boxes.end(),
                           [&](const LayerBox& box) { return box.kind == kind; });
    };
    if (hasKind(Kind::Top)) {
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (boxes[i].kind == Kind::Box)
                drawing.corners[i].y += gaps.borders;
        for (auto& path : drawing.paths)
            for (GraphPoint& point : path)
                point.y += gaps.borders;
        drawing.height += gaps.borders;
    }
    if (hasKind(Kind::Bottom))
        drawing.height += gaps.borders;
    for (const Kind kind : {Kind::Top, Kind::Bottom}) {
        // The mean of the boxes that each leads to, in order and at a distance.
        std::vector<std::pair<double, std::size_t>> wanted;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (boxes[i].kind != kind)
                continue;
            double sum = 0;
            double count = 0;
            for (const LayerEdge& edge : edges)
                if (edge.from == i || edge.to == i) {
                    const bool down = edge.from == i;
                    const std::size_t other = down ? edge.to : edge.from;
                    sum += drawing.corners[other].x + (down ? edge.toX : edge.fromX);
                    ++count;
                }
            wanted.emplace_back(count > 0 ? sum / count : 0, i);
        }
        std::sort(wanted.begin(), wanted.end());
        double x = std::numeric_limits<double>::lowest();
        for (const auto& [mean, i] : wanted) {
            x = std::max(x + gaps.wires, std::clamp(mean, 0.0, drawing.width));
            drawing.corners[i] = {x, kind == Kind::Top ? 0 : drawing.height};
            drawing.width = std::max(drawing.width, x);
        }
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const LayerEdge& edge = edges[e];
        if (boxes[edge.from].kind == Kind::Box && boxes[edge.to].kind == Kind::Box)
            continue;
        const GraphPoint from = drawing.corners[edge.from];
        const GraphPoint to = drawing.corners[edge.to];
        drawing.paths[e] = {{from.x + edge.fromX, from.y + boxes[edge.from].height},
                            {to.x + edge.toX, to.y}};
    }
}

} // namespace

LayeredDrawing drawLayers(const std::vector<LayerBox>& boxes, const std::vector<LayerEdge>& edges,
                          const LayerGaps& gaps) {
    LayeredDrawing drawing;
    drawing.corners.resize(boxes.size());
    drawing.paths.resize(edges.size());
    const std::vector<Part> parts = partsOf(boxes, edges);
    if (parts.size() == 1) {
        PartDrawing(boxes, edges, parts[0], gaps).into(drawing);
        return drawing;
    }
    std::vector<std::pair<double, double>> sizes;
    double area = 0;
    double widest = 0;
    for (const Part& part : parts) {
        PartDrawing(boxes, edges, part, gaps).into(drawing);
        sizes.emplace_back(drawing.width, drawing.height);
        area += (drawing.width + gaps.boxes) * (drawing.height + gaps.boxes);
        widest = std::max(widest, drawing.width);
    }
    Shelves shelves(std::max(widest, std::sqrt(area * gaps.aspect)), gaps);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const GraphPoint corner = shelves.place(sizes[p].first, sizes[p].second);
        const auto shift = [&](GraphPoint& point) {
            point.x += corner.x;
            point.y += corner.y;
        };
        for (const std::size_t box : parts[p].boxes)
            shift(drawing.corners[box]);
        for (const std::size_t edge : parts[p].edges)
            for (GraphPoint& point : drawing.paths[edge])
                shift(point);
    }
    drawing.width = shelves.width();
    drawing.height = shelves.height();
    placeBorders(boxes, edges, gaps, drawing);
    return drawing;
}

} // namespace tilescope
