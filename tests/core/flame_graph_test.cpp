// Flame graphs for other tools.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <map>
#include <sstream>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/flame/flame_tree.h"
#include "core/export/flame_graph.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace flame_graph_test {
using namespace tilescope;
using namespace tilescope::test;

class FlameGraphTest : public QObject {
    Q_OBJECT

private slots:
    void weightsAreThoseOfOperations_data() {
        QTest::addColumn<bool>("lines");
        QTest::newRow("without lines") << false;
        QTest::newRow("with lines") << true;
    }
    void weightsAreThoseOfOperations() {
        QFETCH(bool, lines);
        Profile profile = sampleProfile({.ipus = 2});
        if (lines)
            addLines(profile);
        const auto view = ProfileView::of(profile);
        std::map<IpuId, std::int64_t> wanted;
        for (const CostRow& row : costRows(*view, *accountingOf(*view), CostLayer::Place))
            wanted[row.ipu] += row.measuredCycles;
        std::map<IpuId, std::int64_t> got;
        for (const FlameStack& stack : flameStacks(*view, FlameWeight::Cycles)) {
            QVERIFY(stack.weight > 0 && !stack.frames.empty());
            got[stack.ipu] += stack.weight;
        }
        QCOMPARE(got, wanted);
    }

    void everyWeightHasStacks() {
        const Profile profile = sampleProfile();
        for (const FlameWeight weight : flameWeights)
            QVERIFY2(!flameStacks(*ProfileView::of(profile), weight).empty(),
                     toString(weight).data());
    }

    void theTreeHasTheSameWeights() {
        for (const bool lines : {false, true}) {
            Profile profile = sampleProfile({.ipus = 2});
            if (lines)
                addLines(profile);
            const auto view = ProfileView::of(profile);
            for (const FlameWeight weight : flameWeights) {
                std::int64_t wanted = 0;
                for (const FlameStack& stack : flameStacks(*view, weight))
                    wanted += stack.weight;
                const FlameTree tree = flameTree(*view, weight);
                QCOMPARE(tree.total(), wanted);
                QCOMPARE(tree.lines, lines);
                for (std::size_t i = 0; i < tree.nodes.size(); ++i)
                    verifyNode(tree, FlameNodeId(i));
            }
        }
    }

    // The run takes the same cycles on each.
    void ipusStandInTheirOrder() {
        const Profile profile = sampleProfile({.ipus = 2});
        const auto view = ProfileView::of(profile);
        const FlameTree tree = flameTree(*view, FlameWeight::Cycles);
        const auto& ipus = tree.childrenOf(FlameNodeId(0));
        QCOMPARE(ipus.size(), std::size_t(2));
        QCOMPARE(tree.nodes[ipus[0]].weight, tree.nodes[ipus[1]].weight);
        QCOMPARE(text(tree.nodes[ipus[0]].name), "IPU 0");
        QCOMPARE(text(tree.nodes[ipus[1]].name), "IPU 1");
    }

    void partsOfMatchesCountOnce() {
        FlameTree tree;
        const FlameNodeId root = tree.nodes.add({"a", {}, 0, 0, 10, 0, {}, {}, {}, {}});
        const FlameNodeId child = tree.nodes.add({"b", root, 1, 0, 6, 4, {}, {}, {}, {}});
        tree.nodes.add({"b", child, 2, 0, 2, 2, {}, {}, {}, {}});
        tree.nodes.add({"c", root, 1, 6, 4, 4, {}, {}, {}, {}});
        QCOMPARE(weightOf(tree, {false, true, true, false}), std::int64_t{6});
        QCOMPARE(weightOf(tree, {false, false, true, true}), std::int64_t{6});
        QCOMPARE(weightOf(tree, {true, true, true, true}), std::int64_t{10});
        QCOMPARE(weightOf(tree, {}), std::int64_t{0});
    }

    void stacksAreLinesOfText() {
        std::ostringstream out;
        writeCollapsed(out, {{IpuId(1), {"forward (a;b.py:3)", "back\nward"}, 12}});
        QCOMPARE(text(out.str()), "IPU 1;forward (a,b.py:3);back ward 12\n");
    }

    void speedscopeReadsTheFile() {
        std::ostringstream out;
        writeSpeedscope(out, "net",
                        {{IpuId(0), {"a", "b"}, 3}, {IpuId(0), {"a"}, 4}, {IpuId(1), {"b"}, 5}},
                        FlameWeight::Cycles);
        const QJsonObject file =
            QJsonDocument::fromJson(QByteArray::fromStdString(out.str())).object();
        QCOMPARE(file["name"].toString(), "net, cycles");
        QCOMPARE(file["shared"]["frames"].toArray().size(), 2);
        const QJsonArray profiles = file["profiles"].toArray();
        QCOMPARE(profiles.size(), 2);
        for (const QJsonValue& profile : profiles) {
            QCOMPARE(profile["samples"].toArray().size(), profile["weights"].toArray().size());
            double sum = 0;
            for (const QJsonValue& weight : profile["weights"].toArray())
                sum += weight.toDouble();
            QCOMPARE(profile["endValue"].toDouble(), sum);
            for (const QJsonValue& sample : profile["samples"].toArray())
                for (const QJsonValue& frame : sample.toArray())
                    QVERIFY(frame.toInt() < 2);
        }
    }

private:
    /// Children lie below their parent from its beginning on, the heaviest first.
    static void verifyNode(const FlameTree& tree, FlameNodeId id) {
        const FlameNode& node = tree.nodes[id];
        std::int64_t at = node.begin;
        std::int64_t before = node.weight;
        for (const FlameNodeId each : tree.childrenOf(id)) {
            const FlameNode& child = tree.nodes[each];
            QCOMPARE(child.begin, at);
            QCOMPARE(child.depth, node.depth + 1);
            QVERIFY(child.weight > 0 && child.weight <= before);
            before = child.weight;
            at += child.weight;
        }
        QCOMPARE(at + node.self, node.begin + node.weight);
    }
    static void addLines(Profile& profile) {
        const SourceFileId file = profile.source.files.add({"/home/me/net.py", {}, {}});
        std::int32_t line = 1;
        for (ModelNode& node : profile.modelGraph.nodes)
            node.source.frame = profile.source.frames.add({{}, file, line++, "forward"});
    }
};

TILESCOPE_TEST(FlameGraphTest)

} // namespace flame_graph_test

#include "flame_graph_test.moc"
