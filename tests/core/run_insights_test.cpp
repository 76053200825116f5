// Insights about the run: which steps they are about, and that their figures match the run.
#include <QTest>
#include <algorithm>
#include <map>

#include "core/analysis/insights/insights.h"
#include "core/base/units.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace run_insights_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<Insight> all(const Profile& profile, std::string_view rule) {
    std::vector<Insight> found;
    for (const Insight& insight : findInsights(profile))
        if (insight.rule == rule)
            found.push_back(insight);
    return found;
}

double valueOf(const Insight& insight, std::string_view label) {
    for (const Evidence& e : insight.evidence)
        if (e.label == label)
            return e.value;
    return -1;
}

/// Copies with the host are exchanges instead, and only one IPU has much to exchange.
void exchangeOn(Profile& profile, IpuId ipu) {
    for (TraceBody& body : profile.trace.bodies)
        for (TraceStep& step : body.steps) {
            if (step.kind == ProgramKind::StreamCopyMid)
                step.kind = ProgramKind::DoExchange;
            if (step.kind == ProgramKind::DoExchange)
                for (StepOnIpu& on : step.ipus)
                    if (on.ipu != ipu)
                        on.cycles = 1;
        }
}

/// A second operation equal to conv1, which runs after it.
OperationId addSecondConv(Profile& p) {
    const Operation conv1 = p.operations[OperationId(0)];
    const OperationId added = p.operations.add(conv1);
    p.operations[added].name = "conv1b";
    std::map<ProgramId, ProgramId> twins;
    const std::size_t programs = p.programs.size();
    for (std::size_t i = 0; i < programs; ++i) {
        Program twin = p.programs[ProgramId(i)];
        if (isControl(twin.kind) || twin.operation != OperationId(0))
            continue;
        twin.operation = added;
        if (twin.computeSet.valid()) {
            ComputeSet set = p.computeSets[twin.computeSet];
            set.operation = added;
            twin.computeSet = p.computeSets.add(set);
        }
        if (twin.exchange.valid()) {
            Exchange exchange = p.exchanges[twin.exchange];
            exchange.operation = added;
            twin.exchange = p.exchanges.add(exchange);
        }
        const ProgramId id = p.programs.add(twin);
        p.programs[twin.parent].children.push_back(id);
        twins[ProgramId(i)] = id;
    }
    Copy copy = p.copies[CopyId(0)];
    copy.program = twins.at(copy.program);
    copy.computeSet = p.programs[copy.program].computeSet;
    if (copy.exchange.valid())
        for (const auto& [first, second] : twins)
            if (p.programs[first].exchange == copy.exchange) {
                copy.exchange = p.programs[second].exchange;
                break;
            }
    p.copies.add(copy);
    for (TraceBody& body : p.trace.bodies) {
        const std::size_t steps = body.steps.size();
        for (std::size_t i = 0; i < steps; ++i)
            if (const auto twin = twins.find(body.steps[i].program); twin != twins.end()) {
                TraceStep step = body.steps[i];
                step.program = twin->second;
                body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
                body.steps.push_back(step);
            }
    }
    return added;
}

} // namespace

class RunInsightsTest : public QObject {
    Q_OBJECT

private slots:
    // The IPU that computes least may just wait: the one that exchanges most counts.
    void exchangesAreThoseOfTheIpuThatHasMost_data() {
        QTest::addColumn<int>("ipu");
        QTest::newRow("first") << 0;
        QTest::newRow("second") << 1;
    }
    void exchangesAreThoseOfTheIpuThatHasMost() {
        QFETCH(int, ipu);
        Profile p = sampleProfile({.ipus = 2});
        exchangeOn(p, IpuId(ipu));
        const auto found = all(p, "exchangeBound");
        QCOMPARE(found.size(), std::size_t(1));
        const QString title = text(found[0].title);
        QVERIFY2(title.endsWith(QString(" of the cycles of IPU %1 are exchange").arg(ipu)),
                 qPrintable(title));
        // Its steps are listed with their cycles there.
        QCOMPARE(valueOf(found[0], "conv1/PreArrange-0/ExchangePre"), 10 * 1024.0);
    }

    void oneIpuNeedsNoName() {
        Profile p = sampleProfile();
        exchangeOn(p, IpuId(0));
        QVERIFY(text(all(p, "exchangeBound").at(0).title).endsWith(" of the cycles are exchange"));
    }

    // A card counts all executions in the run.
    void copiesAreCountedAsOftenAsTheyRun() {
        const auto found = all(sampleProfile({.withCopy = true}), "stridedCopies");
        QCOMPARE(found.size(), std::size_t(1));
        const Insight& card = found[0];
        QCOMPARE(valueOf(card, "strided copies"), 10.0 * sample::copyCycles);
        QCOMPARE(valueOf(card, "strided copies"), static_cast<double>(card.cost.cycles));
        QCOMPARE(valueOf(card, "all steps of the operation"),
                 10.0 * (sample::copyCycles + sample::convCycles + 1024));
        QCOMPARE(valueOf(card, "executions of the longest copy"), 10.0);
    }

    void copiesOfRepeatedLayersAreOneCard() {
        Profile p = sampleProfile({.withCopy = true});
        const std::int64_t once = all(p, "stridedCopies").at(0).cost.cycles;
        addSecondConv(p);
        const auto found = all(p, "stridedCopies");
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY2(found[0].title.starts_with("'conv1' and 1 like it spend "),
                 found[0].title.c_str());
        QCOMPARE(found[0].cost.cycles, 2 * once);
        QCOMPARE(valueOf(found[0], "strided copies"), static_cast<double>(once));
        const auto named = std::find_if(found[0].evidence.begin(), found[0].evidence.end(),
                                        [](const Evidence& e) { return e.text == "conv1b"; });
        QVERIFY(named != found[0].evidence.end());
        // Other operations are not grouped with them.
        p.copies[CopyId(1)].wantedOrder = "[C][N]";
        QCOMPARE(all(p, "stridedCopies").size(), std::size_t(2));
    }

    // Losses close to zero are not worth another run.
    void shortRunsThatCostNothingAreNotTold() {
        Profile p = sampleProfile();
        QCOMPARE(all(p, "shortRunCopies").size(), std::size_t(1));
        for (TraceBody& body : p.trace.bodies)
            for (TraceStep& step : body.steps)
                if (step.kind == ProgramKind::DoExchange)
                    for (StepOnIpu& on : step.ipus)
                        on.cycles = 1;
        QVERIFY(all(p, "shortRunCopies").empty());
    }

    // A larger batch fills matrix units only where there are any at work.
    void onlyWorkOfMatrixUnitsHasTheirUtilisation() {
        Profile p = sampleProfile();
        p.operations[OperationId(0)].flops = 1000;
        const auto advised = all(p, "longestOperations").at(0);
        QVERIFY2(text(advised.reason).contains("of what the matrix units can do"),
                 advised.reason.c_str());
        QVERIFY(valueOf(advised, "FLOP utilisation") > 0);
        p.operations[OperationId(0)].plan.clear();
        for (VertexType& type : p.vertexTypes)
            type.name = "popops::EncodeOneHot<unsigned int,half>";
        const auto other = all(p, "longestOperations").at(0);
        QVERIFY2(text(other.reason).contains("does not use the matrix units"),
                 other.reason.c_str());
        QVERIFY(other.advice.empty());
        QCOMPARE(valueOf(other, "FLOP utilisation"), -1.0);
        // Without a plan in the file the vertices decide.
        for (VertexType& type : p.vertexTypes)
            type.name = "poplin::ConvPartialnx1<half,float,true,false,16,4,false>";
        QVERIFY(text(all(p, "longestOperations").at(0).reason).contains("matrix units can do"));
    }

    void theFullestTileIsToldWithTheMean() {
        const Profile p = sampleProfile();
        std::int64_t sum = 0;
        for (const TileMemory& tile : p.tileMemory)
            sum += tile.includingGaps;
        const auto mean = sum / static_cast<std::int64_t>(p.tileMemory.size());
        const Insight tiles = all(p, "worstTiles").at(0);
        QCOMPARE(valueOf(tiles, "mean of all tiles"), static_cast<double>(mean));
        QCOMPARE(tiles.cost.bytes, std::llround(tiles.evidence[0].value) - mean);
        QVERIFY2(
            text(tiles.title).contains(text(formatBytes(tiles.cost.bytes)) + " more than the mean"),
            tiles.title.c_str());
    }

    // The rows of repeated code are parts of the gain.
    void repeatedCodeIsListedByWhatItWouldSpare() {
        Profile p = sampleProfile();
        for (const OperationId id : {OperationId(0), OperationId(2)}) {
            p.operations[id].plan = "{\"method\": \"AMP\"}";
            p.operations[id].outputShape = "[1,64,56,56]";
        }
        for (Exchange& e : p.exchanges)
            e.codeBytes = TileSeries(TileId(0), 1472, 4000);
        const Insight found = all(p, "repeatedCode").at(0);
        QCOMPARE(found.evidence.size(), std::size_t(2));
        QCOMPARE(found.evidence[1].value, found.evidence[0].value);
        QCOMPARE(text(found.evidence[1].label), "all but one of 2 operations like 'conv1'");
    }
};

TILESCOPE_TEST(RunInsightsTest)

} // namespace run_insights_test

#include "run_insights_test.moc"
