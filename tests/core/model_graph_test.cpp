// The model's graph: scopes, their visible parts, costs, and two graphs merged into one.
#include <QTest>
#include <set>

#include "core/analysis/model_graph/costs.h"
#include "core/analysis/model_graph/merged_graph.h"
#include "tests/support/qt_text.h"
#include "tests/support/random_model.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace model_graph_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Expansions: all collapsed, all expanded, and random ones in between.
std::vector<Expansion> someExpansions(const ScopeTree& tree) {
    std::vector<Expansion> all{Expansion(tree), Expansion(tree), startingExpansion(tree)};
    all[1].setAll(true);
    for (std::uint32_t share = 2; share < 6; ++share) {
        Expansion some(tree);
        for (std::size_t i = 1; i < tree.scopes().size(); ++i)
            some.set(GraphScopeId(i), (i * 2654435761U >> 7U) % share != 0);
        all.push_back(some);
    }
    return all;
}

QStringList labels(const ScopeTree& tree, const std::vector<GraphItem>& items) {
    QStringList texts;
    for (const GraphItem& item : items)
        texts << text(tree.labelOf(item)) + (item.isScope() ? "/" : "");
    return texts;
}

GraphCosts sumOf(const VisibleGraph& visible, const NodeCosts& nodes, const ScopeCosts& scopes) {
    GraphCosts sum;
    for (const GraphItem& item : visible.items)
        sum += item.isScope() ? scopes[item.scope] : nodes[item.node];
    return sum;
}

ModelGraph named(const QStringList& names) {
    ModelGraph graph;
    for (const QString& name : names)
        graph.nodes.add({name.toStdString(), "Op", {}, ModelPhase::Forward, 0, {}, {}});
    return graph;
}

} // namespace

class ModelGraphTest : public QObject {
    Q_OBJECT

private slots:
    void scopesAreDebugPaths() {
        const ScopeTree tree(named({"a", "b/x/1", "b/x/2", "c/d/e/only", "b/y", "b"}), {});
        QCOMPARE(labels(tree, tree[tree.root()].children), QStringList({"a", "b/", "c/d/e/only"}));
        const GraphScopeId b = tree.find("b");
        QVERIFY(b.valid());
        QCOMPARE(labels(tree, tree[b].children), QStringList({"x/", "y", "b"}));
        QCOMPARE(tree[b].operations, 4);
        QCOMPARE(tree[tree.find("b/x")].depth, 2);
        QVERIFY(!tree.find("c/d").valid());
        QVERIFY(tree.isWithin(GraphItem::of(ModelNodeId(1)), b));
        QVERIFY(!tree.isWithin(GraphItem::of(ModelNodeId(0)), b));
        QVERIFY(tree.childTowards(tree.root(), GraphItem::of(ModelNodeId(1))) == GraphItem::of(b));
    }

    void phasesAndStagesStandInFront() {
        ModelGraph graph = named({"l/a", "l/b", "l/a/grad", "l/b/grad"});
        graph.nodes[ModelNodeId(1)].stage = 1;
        graph.nodes[ModelNodeId(2)].phase = ModelPhase::Backward;
        graph.nodes[ModelNodeId(3)].phase = ModelPhase::Backward;
        const GraphGrouping grouping = usualGrouping(graph);
        QVERIFY(grouping.phases && grouping.stages);
        const ScopeTree tree(graph, grouping);
        QCOMPARE(labels(tree, tree[tree.root()].children),
                 QStringList({"forward/", "backward/stage 0/l/"}));
        QVERIFY(!usualGrouping(named({"a"})).phases);
    }

    void alikeScopesAreCounted() {
        const ScopeTree tree(
            named({"l0/a", "l0/b", "l1/a", "l1/b", "l2/a", "l2/c", "l3/x/a", "l3/x/b", "l3/y"}),
            {});
        QCOMPARE(tree[tree.find("l0")].alike, 3); // l1 and l3/x too
        QCOMPARE(tree[tree.find("l2")].alike, 1);
        QCOMPARE(tree[tree.find("l3/x")].alike, 3);
    }

    void deepAndOddNamesAreScopesToo() {
        std::string deep;
        for (int i = 0; i < 5000; ++i)
            deep += "a/";
        ModelGraph graph = named({"", "/", "//", "x/"});
        graph.nodes.add({deep + "1", "", {}, ModelPhase::Forward, 0, {}, {}});
        graph.nodes.add({deep + "2", "", {}, ModelPhase::Forward, 0, {}, {}});
        const ScopeTree tree(graph, {});
        QCOMPARE(tree[tree.root()].operations, 6);
        QVERIFY(tree.scopes().size() < 100);
    }

    void startShowsAFewBoxes_data() {
        QTest::addColumn<int>("operations");
        for (const int operations : {3, 100, 1000, 5000})
            QTest::addRow("%d", operations) << operations;
    }
    void startShowsAFewBoxes() {
        QFETCH(int, operations);
        const ModelGraph graph = randomModel(1, static_cast<std::size_t>(operations));
        const ScopeTree tree(graph, {});
        const VisibleGraph visible = visibleGraph(tree, startingExpansion(tree), {});
        const std::size_t atLeast = tree[tree.root()].children.size();
        QVERIFY2(visible.items.size() <= std::max<std::size_t>(40, atLeast),
                 qPrintable(QString::number(visible.items.size())));
        QVERIFY(visible.items.size() >= std::min<std::size_t>(3, atLeast));
    }

    void sumsOverWhatShowsAreTheTotal() {
        for (std::uint32_t seed = 0; seed < 8; ++seed) {
            const ModelGraph graph = randomModel(seed, 400);
            const ScopeTree tree(graph, {});
            const NodeCosts costs = randomCosts(seed, graph.nodes.size());
            const ScopeCosts sums = scopeCosts(tree, costs);
            GraphCosts total;
            for (const GraphCosts& one : costs)
                total += one;
            QVERIFY(sums[tree.root()] == total);
            for (const Expansion& expansion : someExpansions(tree)) {
                const VisibleGraph visible = visibleGraph(tree, expansion, {});
                QVERIFY(sumOf(visible, costs, sums) == total);
                std::size_t operations = 0;
                for (const GraphItem& item : visible.items)
                    operations +=
                        item.isScope() ? static_cast<std::size_t>(tree[item.scope].operations) : 1;
                QCOMPARE(operations, graph.nodes.size());
            }
        }
    }

    void edgesAreThoseOfTheMembers() {
        for (std::uint32_t seed = 0; seed < 8; ++seed) {
            const ModelGraph graph = randomModel(seed, 300);
            const ScopeTree tree(graph, {});
            const std::vector<ModelEdge> edges = modelEdges(graph);
            QVERIFY(!edges.empty());
            for (const Expansion& expansion : someExpansions(tree)) {
                const VisibleGraph visible = visibleGraph(tree, expansion, edges);
                // Computed from each operation's visible item.
                std::set<std::pair<GraphItem, GraphItem>> expected;
                for (const ModelEdge& edge : edges) {
                    const GraphItem from = visibleItem(tree, expansion, GraphItem::of(edge.from));
                    const GraphItem to = visibleItem(tree, expansion, GraphItem::of(edge.to));
                    if (from != to)
                        expected.emplace(from, to);
                }
                std::set<std::pair<GraphItem, GraphItem>> found;
                std::set<std::size_t> members;
                for (const VisibleEdge& edge : visible.edges) {
                    QVERIFY(found.emplace(visible.items[edge.from], visible.items[edge.to]).second);
                    for (const std::size_t member : edge.members)
                        QVERIFY(members.insert(member).second);
                }
                QVERIFY(found == expected);
            }
        }
    }

    void edgesRunFromMakersToReaders() {
        const Profile profile = sampleProfile();
        const std::vector<ModelEdge> edges = modelEdges(profile.modelGraph);
        QStringList texts;
        for (const ModelEdge& edge : edges)
            texts << text(profile.modelGraph.nodes[edge.from].name + ">" +
                          profile.modelGraph.nodes[edge.to].name);
        QCOMPARE(texts, QStringList({"conv1>relu1", "relu1>layer1/conv", "relu1>layer1/again/conv",
                                     "layer1/conv>layer1/again/conv", "layer1/again/conv>prob"}));
    }

    void inputsAndOutputsBecomeNodes() {
        const ModelGraph graph = withEnds(sampleProfile().modelGraph);
        QCOMPARE(graph.nodes.size(), std::size_t{7});
        QCOMPARE(text(graph.nodes[ModelNodeId(0)].name), "input");
        QCOMPARE(text(graph.nodes[ModelNodeId(0)].type), "Input");
        QCOMPARE(text(graph.nodes[ModelNodeId(6)].type), "Output");
        QCOMPARE(modelEdges(graph).size(), modelEdges(sampleProfile().modelGraph).size() + 2);
    }

    void nodesHaveTheCostsOfTheirPlaces() {
        const ProfileView profile(std::make_shared<const Profile>(sampleProfile()));
        const std::vector<CostRow> rows =
            costRows(profile, *accountingOf(profile), CostLayer::Place);
        const NodeCosts costs = nodeCosts(*profile.modelGraph(), rows);
        std::size_t found = 0;
        for (const CostRow& row : rows) {
            if (!row.node.valid())
                continue;
            ++found;
            const GraphCosts& cost = costs[row.node];
            QCOMPARE(cost.measuredCycles, row.measuredCycles);
            QCOMPARE(cost.codeBytes, row.memory.code());
            QCOMPARE(cost.temporaryBytes, row.memory.atPeak);
        }
        QCOMPARE(found, profile.modelGraph()->nodes.size());
        // The peak is in the function, where the partials are live beside conv1's result.
        std::int64_t atPeak = 0;
        for (const CostRow& row : rows)
            atPeak += row.memory.atPeak;
        QCOMPARE(atPeak, 1472 * sample::partialsBytes + 736 * (sample::conv1OutBytes + 1024));
        // Inputs that are nodes of their own come first.
        const ModelGraph ends = withEnds(*profile.modelGraph());
        const NodeCosts shifted = nodeCosts(ends, rows, firstInside(*profile.modelGraph()));
        for (std::size_t i = 0; i < ends.nodes.size(); ++i)
            if (ends.nodes[ModelNodeId(i)].name == "conv1")
                QCOMPARE(shifted[ModelNodeId(i)].measuredCycles,
                         costs[ModelNodeId(0)].measuredCycles);
    }

    void twoGraphsAreOne() {
        const ModelGraph source = sampleProfile().modelGraph;
        const ModelGraph target = sampleProfile({.changed = true}).modelGraph;
        const MergedGraph merged = mergedGraph(source, target);
        QStringList names;
        for (std::size_t i = 0; i < merged.graph.nodes.size(); ++i)
            names << text(merged.graph.nodes[ModelNodeId(i)].name) +
                         (merged.presence(ModelNodeId(i)) == Presence::Both         ? ""
                          : merged.presence(ModelNodeId(i)) == Presence::SourceOnly ? "-"
                                                                                    : "+");
        QCOMPARE(names, QStringList({"conv1", "relu1", "layer1/conv", "layer1/again/conv",
                                     "layer2/conv+", "prob"}));
        // prob reads layer1's result in the source, layer2's in the target.
        QCOMPARE(merged.edges.size(), modelEdges(source).size() + 2);
        const ScopeTree tree(merged.graph, {});
        QVERIFY(scopePresence(tree, merged)[tree.find("layer1")] == Presence::Both);
        QVERIFY(mergedGraph(target, source).presence(ModelNodeId(4)) == Presence::SourceOnly);
    }

    void aGraphMergedWithItselfIsItself() {
        const ModelGraph graph = randomModel(3, 200);
        const MergedGraph merged = mergedGraph(graph, graph);
        QVERIFY(merged.graph == graph);
        QVERIFY(merged.edges == modelEdges(graph));
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            QVERIFY(merged.presence(ModelNodeId(i)) == Presence::Both);
    }

    void callsMatchWithoutTheirNumbers() {
        const MergedGraph merged =
            mergedGraph(named({"l/call_subgraph(2)", "l/a"}), named({"l/a", "l/call_subgraph(5)"}));
        QCOMPARE(merged.graph.nodes.size(), std::size_t{2});
    }
};

TILESCOPE_TEST(ModelGraphTest, QCoreApplication)

} // namespace model_graph_test

#include "model_graph_test.moc"
