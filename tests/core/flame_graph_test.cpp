// Flame graphs for other tools.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <sstream>

#include "core/analysis/accounting/cost_rows.h"
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
