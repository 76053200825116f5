// The layout of a model's graph: nothing overlaps, edges lead downwards and arrive.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/model_graph/layout.h"
#include "core/analysis/model_graph/rank_order.h"
#include "core/base/error.h"
#include "tests/support/random_model.h"
#include "tests/support/test_main.h"

namespace graph_layout_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr double tolerance = 1e-6;

bool apart(const PlacedBox& a, const PlacedBox& b) {
    return a.right() <= b.x + tolerance || b.right() <= a.x + tolerance ||
           a.bottom() <= b.y + tolerance || b.bottom() <= a.y + tolerance;
}

bool within(const PlacedBox& inner, const PlacedBox& outer) {
    return inner.x >= outer.x - tolerance && inner.right() <= outer.right() + tolerance &&
           inner.y >= outer.y - tolerance && inner.bottom() <= outer.bottom() + tolerance;
}

GraphBoxSize sizeOf(const GraphItem& item) {
    return item.isScope() ? GraphBoxSize{150, 44} : GraphBoxSize{120, 34};
}

struct Laid {
    ModelGraph graph;
    ScopeTree tree;
    std::vector<ModelEdge> edges;
    explicit Laid(std::uint32_t seed, std::size_t operations)
        : graph(randomModel(seed, operations))
        , tree(graph, {})
        , edges(modelEdges(graph)) {}
    [[nodiscard]] GraphLayout layout(const Expansion& expansion, VisibleGraph& visible) const {
        visible = visibleGraph(tree, expansion, edges);
        return layOut({tree, expansion, visible, sizeOf});
    }
};

Expansion partly(const ScopeTree& tree, std::size_t share) {
    Expansion expansion(tree);
    for (std::size_t i = 1; i < tree.scopes().size(); ++i)
        expansion.set(GraphScopeId(i), i % share != 0);
    return expansion;
}

} // namespace

class GraphLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void boxesLieApartAndInTheirFrames_data() {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("share");
        for (int seed = 0; seed < 4; ++seed)
            for (const int share : {1, 2, 3, 1000})
                QTest::addRow("%d, %d", seed, share) << seed << share;
    }
    void boxesLieApartAndInTheirFrames() {
        QFETCH(int, seed);
        QFETCH(int, share);
        const Laid laid(static_cast<std::uint32_t>(seed), 150);
        VisibleGraph visible;
        const GraphLayout layout =
            laid.layout(partly(laid.tree, static_cast<std::size_t>(share)), visible);
        std::set<GraphItem> boxes;
        for (const PlacedBox& box : layout.boxes)
            if (!box.isFrame)
                boxes.insert(box.item);
        QVERIFY(boxes == std::set<GraphItem>(visible.items.begin(), visible.items.end()));
        for (const PlacedBox& a : layout.boxes) {
            QVERIFY(a.x >= -tolerance && a.right() <= layout.width + tolerance);
            QVERIFY(a.y >= -tolerance && a.bottom() <= layout.height + tolerance);
            for (const PlacedBox& b : layout.boxes) {
                if (a.item == b.item)
                    continue;
                const bool nested = (a.isFrame && laid.tree.isWithin(b.item, a.item.scope)) ||
                                    (b.isFrame && laid.tree.isWithin(a.item, b.item.scope));
                QVERIFY2(nested || apart(a, b), "boxes overlap");
                if (a.isFrame && laid.tree.isWithin(b.item, a.item.scope))
                    QVERIFY2(within(b, a), "a box leaves its frame");
            }
        }
    }

    void wiresLeadDownwardsAndArrive() {
        for (std::uint32_t seed = 0; seed < 4; ++seed)
            for (const std::size_t share : {std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
                const Laid laid(seed, 150);
                VisibleGraph visible;
                const GraphLayout layout = laid.layout(partly(laid.tree, share), visible);
                std::map<GraphItem, const PlacedBox*> boxes;
                for (const PlacedBox& box : layout.boxes)
                    boxes[box.item] = &box;
                const auto touches = [](const PlacedBox& box, const GraphPoint& p) {
                    return p.x >= box.x - tolerance && p.x <= box.right() + tolerance &&
                           (std::abs(p.y - box.y) < tolerance ||
                            std::abs(p.y - box.bottom()) < tolerance);
                };
                std::map<std::size_t, std::vector<const PlacedWire*>> ways;
                for (const PlacedWire& wire : layout.wires) {
                    QVERIFY(wire.points.size() >= 2);
                    for (std::size_t i = 1; i < wire.points.size(); ++i)
                        QVERIFY(wire.points[i].y >= wire.points[i - 1].y - tolerance);
                    for (const std::size_t edge : wire.edges)
                        ways[edge].push_back(&wire);
                }
                for (std::size_t e = 0; e < visible.edges.size(); ++e) {
                    // The ends that are not on either box meet each other on a frame's border.
                    const PlacedBox& from = *boxes.at(visible.items[visible.edges[e].from]);
                    const PlacedBox& to = *boxes.at(visible.items[visible.edges[e].to]);
                    bool leaves = false;
                    bool arrives = false;
                    std::vector<GraphPoint> loose;
                    for (const PlacedWire* wire : ways[e])
                        for (const GraphPoint& end : {wire->points.front(), wire->points.back()}) {
                            leaves = leaves || touches(from, end);
                            arrives = arrives || touches(to, end);
                            if (!touches(from, end) && !touches(to, end))
                                loose.push_back(end);
                        }
                    QVERIFY2(leaves && arrives, "an edge does not reach its ends");
                    for (const GraphPoint& a : loose)
                        QVERIFY2(std::count_if(loose.begin(), loose.end(),
                                               [&](const GraphPoint& b) {
                                                   return std::hypot(a.x - b.x, a.y - b.y) < 1e-3;
                                               }) == 2,
                                 "parts of an edge do not meet");
                }
            }
    }

    void forwardEdgesHaveTheirArrowBelow() {
        const std::vector<std::size_t> order = acyclicOrder(4, {{0, 1}, {1, 2}, {2, 0}, {3, 2}});
        QVERIFY(order[0] < order[1] && order[1] < order[2] && order[3] < order[2]);
        const std::vector<std::size_t> chain = acyclicOrder(3, {{2, 1}, {1, 0}});
        QVERIFY(chain[2] < chain[1] && chain[1] < chain[0]);
    }

    void theSameInputGivesTheSameLayout() {
        const Laid laid(5, 200);
        VisibleGraph visible;
        const Expansion expansion = partly(laid.tree, 3);
        const GraphLayout a = laid.layout(expansion, visible);
        const GraphLayout b = laid.layout(expansion, visible);
        QCOMPARE(a.boxes.size(), b.boxes.size());
        for (std::size_t i = 0; i < a.boxes.size(); ++i)
            QVERIFY(a.boxes[i].item == b.boxes[i].item && a.boxes[i].x == b.boxes[i].x &&
                    a.boxes[i].y == b.boxes[i].y);
        QCOMPARE(a.wires.size(), b.wires.size());
        for (std::size_t i = 0; i < a.wires.size(); ++i)
            QVERIFY(a.wires[i].points == b.wires[i].points);
    }

    void aChainStandsInOneColumn() {
        std::vector<LayerBox> boxes(5, LayerBox{100, 30});
        boxes[2].width = 300;
        std::vector<LayerEdge> edges;
        for (std::size_t i = 0; i + 1 < boxes.size(); ++i)
            edges.push_back({i, i + 1, boxes[i].width / 2, boxes[i + 1].width / 2});
        const LayeredDrawing drawing = drawLayers(boxes, edges);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            QCOMPARE(drawing.corners[i].x + boxes[i].width / 2, 150.0);
        QCOMPARE(drawing.width, 300.0);
    }

    void orderAvoidsCrossings() {
        // Two chains whose lower boxes are numbered the other way round.
        const std::vector<RankNode> nodes{
            {0, 10, 10, false}, {0, 10, 10, false}, {1, 10, 10, false}, {1, 10, 10, false}};
        const std::vector<RankLink> links{{0, 3, 0, 0}, {1, 2, 0, 0}};
        QCOMPARE(crossings({{0, 1}, {2, 3}}, nodes, links), std::size_t{1});
        QCOMPARE(crossings(orderedRanks(nodes, links), nodes, links), std::size_t{0});
    }

    void longEdgesGoAroundBoxes() {
        // 0 -> 1 -> 2 and 0 -> 2: the long edge keeps clear of box 1.
        const std::vector<LayerBox> boxes(3, LayerBox{100, 30});
        const LayeredDrawing drawing =
            drawLayers(boxes, {{0, 1, 50, 50}, {1, 2, 50, 50}, {0, 2, 50, 50}});
        const double middle = drawing.corners[1].y + 15;
        const auto& path = drawing.paths[2];
        for (std::size_t i = 1; i < path.size(); ++i)
            if (path[i - 1].y <= middle && path[i].y >= middle) {
                QCOMPARE(path[i - 1].x, path[i].x);
                QVERIFY(path[i].x < drawing.corners[1].x || path[i].x > drawing.corners[1].x + 100);
            }
    }

    void unconnectedBoxesFillRows() {
        const LayeredDrawing drawing =
            drawLayers(std::vector<LayerBox>(100, LayerBox{100, 30}), {});
        QVERIFY(drawing.width > drawing.height / 2 && drawing.width < 4 * drawing.height);
        QVERIFY(drawLayers({}, {}).paths.empty());
    }

    void stops() {
        const Laid laid(1, 100);
        const Expansion expansion(laid.tree);
        const VisibleGraph visible = visibleGraph(laid.tree, expansion, laid.edges);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(
            (void)layOut({laid.tree, expansion, visible, sizeOf, {}, {}, stop.get_token()}),
            Cancelled);
    }
};

TILESCOPE_TEST(GraphLayoutTest, QCoreApplication)

} // namespace graph_layout_test

#include "graph_layout_test.moc"
