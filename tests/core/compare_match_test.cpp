// Matching items of two programs: names without counters, pairs, plans.
#include <QTest>
#include <set>

#include "core/analysis/compare/match.h"
#include "core/analysis/compare/names.h"
#include "core/analysis/compare/plans.h"
#include "core/base/error.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace compare_match_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// "a" has no signature, "a:Conv" has one, "a:Conv|shape:Conv" two.
std::vector<MatchKey> keys(const QString& words) {
    std::vector<MatchKey> result;
    for (const QString& word : words.split(' ', Qt::SkipEmptyParts)) {
        const QStringList parts = word.split(':');
        MatchKey key{parts[0].toStdString(), {}};
        for (const QString& signature : parts.mid(1))
            key.signatures.push_back(signature.toStdString());
        result.push_back(std::move(key));
    }
    return result;
}

/// "0-0 1-2* 2-": pairs of indices, a star where they are renamed.
QString pairsOf(const std::vector<MatchKey>& source, const std::vector<MatchKey>& target) {
    QStringList words;
    for (const Match& match : matchItems(source, target))
        words << QString("%1-%2%3").arg(
            match.source < 0 ? QString() : QString::number(match.source),
            match.target < 0 ? QString() : QString::number(match.target),
            match.renamed ? QStringLiteral("*") : QString());
    return words.join(' ');
}

} // namespace

class CompareMatchTest : public QObject {
    Q_OBJECT

private slots:
    void countersDoNotMatter() {
        QCOMPARE(text(comparableName("copy165_Copy_a_to_b/ExchangePre")),
                 "copy_Copy_a_to_b/ExchangePre");
        QCOMPARE(text(comparableName("cs0_conv1/Conv_7x7/Convolve/ExchangePre")),
                 "cs_conv1/Conv_7x7/Convolve/ExchangePre");
        QCOMPARE(text(comparableName("layer1/0/call_subgraph(4):2/callInputs")),
                 "layer1/0/call_subgraph():2/callInputs");
        QCOMPARE(text(comparableName("call_subgraph(4)/call_subgraph(12)/x")),
                 "call_subgraph()/call_subgraph()/x");
    }

    void otherNumbersDo() {
        for (const char* name : {"layer1/0/conv2", "copy_weights", "cs/x", "copy12", "css3_x",
                                 "conv1/Reduce0", "call_subgraph(", ""})
            QCOMPARE(text(comparableName(name)), name);
    }

    void namesFollowTheirOperation() {
        QCOMPARE(text(renamedWithin("conv1/Convolve", "conv1", "stem")), "stem/Convolve");
        QCOMPARE(text(renamedWithin("copy3_Copy_x_to_conv1/acts", "conv1", "a/stem")),
                 "copy3_Copy_x_to_a/stem/acts");
        QCOMPARE(text(renamedWithin("conv10/Convolve", "conv1", "stem")), "conv10/Convolve");
        QCOMPARE(text(renamedWithin("myconv1/x", "conv1", "stem")), "myconv1/x");
        QCOMPARE(text(renamedWithin("x", "", "stem")), "x");
    }

    void pairs_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("pairs");
        QTest::newRow("equal") << "a b c"
                               << "a b c"
                               << "0-0 1-1 2-2";
        QTest::newRow("added and removed") << "a b c"
                                           << "x a c y"
                                           << "-0 0-1 1- 2-2 -3";
        QTest::newRow("moved") << "a b"
                               << "b a"
                               << "0-1 1-0";
        QTest::newRow("repeated") << "a a"
                                  << "a a a"
                                  << "0-0 1-1 -2";
        QTest::newRow("counted otherwise") << "copy1_a copy2_b"
                                           << "copy2_a copy3_b"
                                           << "0-0 1-1";
        QTest::newRow("exact before counted") << "copy1_a copy2_a"
                                              << "copy2_a copy1_a"
                                              << "0-1 1-0";
        QTest::newRow("renamed") << "a p:Conv b"
                                 << "a q:Conv b"
                                 << "0-0 1-1* 2-2";
        QTest::newRow("no signature, no guess") << "a p b"
                                                << "a q b"
                                                << "0-0 -1 1- 2-2";
        QTest::newRow("not across neighbours") << "p:Conv a"
                                               << "a q:Conv"
                                               << "0- 1-0 -1";
        QTest::newRow("one more in between") << "p:Conv q:Relu r:Conv"
                                             << "x:Conv y:Relu n:Add z:Conv"
                                             << "0-0* 1-1* -2 2-3*";
        QTest::newRow("second signature") << "p:Conv4:Conv q:Conv8:Conv"
                                          << "x:Conv8:Conv"
                                          << "0- 1-0*";
        QTest::newRow("weaker signature") << "p:Conv4:Conv"
                                          << "x:Conv8:Conv"
                                          << "0-0*";
        QTest::newRow("nothing in the source") << ""
                                               << "a b"
                                               << "-0 -1";
        QTest::newRow("nothing in the target") << "a b"
                                               << ""
                                               << "0- 1-";
    }
    void pairs() {
        QFETCH(QString, source);
        QFETCH(QString, target);
        QTEST(pairsOf(keys(source), keys(target)), "pairs");
    }

    // Every item of either side is in the result once, whatever the names are.
    void nothingIsLostOrTwice() {
        for (int seed = 0; seed < 200; ++seed) {
            std::vector<MatchKey> sides[2];
            unsigned state = static_cast<unsigned>(seed) * 2654435761u + 1;
            const auto next = [&state](unsigned below) {
                state = state * 1664525u + 1013904223u;
                return (state >> 16) % below;
            };
            for (auto& side : sides)
                for (unsigned i = next(12); i > 0; --i)
                    side.push_back({std::string(1, static_cast<char>('a' + next(6))),
                                    {std::string(1, static_cast<char>('A' + next(3)))}});
            std::multiset<std::int32_t> seen[2];
            for (const Match& match : matchItems(sides[0], sides[1])) {
                QVERIFY(match.source >= 0 || match.target >= 0);
                if (match.source >= 0)
                    seen[0].insert(match.source);
                if (match.target >= 0)
                    seen[1].insert(match.target);
            }
            for (int side = 0; side < 2; ++side) {
                QCOMPARE(seen[side].size(), sides[side].size());
                QCOMPARE(std::set<std::int32_t>(seen[side].begin(), seen[side].end()).size(),
                         sides[side].size());
            }
        }
    }

    // Above the limit of the longest common subsequence the first fit is taken.
    void manyRenamedItemsAreStillPaired() {
        std::vector<MatchKey> source;
        std::vector<MatchKey> target;
        for (int i = 0; i < 3000; ++i) {
            source.push_back({"a" + std::to_string(i), {std::to_string(i % 7)}});
            target.push_back({"b" + std::to_string(i), {std::to_string(i % 7)}});
        }
        const std::vector<Match> matches = matchItems(source, target);
        QCOMPARE(matches.size(), std::size_t(3000));
        for (std::size_t i = 0; i < matches.size(); ++i)
            QCOMPARE(matches[i],
                     (Match{static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), true}));
    }

    void plansDifferInTheirChoices() {
        const std::string a = R"({"method":"AMP","partition":{"batch":1,"field":[16,46]},)"
                              R"("grains":{"batch":2},"estimate":{"cycles":10,"tempBytes":7}})";
        const std::string b = R"({"method":"SLIC","partition":{"batch":1,"field":[32,46]},)"
                              R"("grains":{"batch":4},"estimate":{"cycles":99},"tiles":5})";
        QVERIFY(planDifferences(a, a).empty());
        const auto differences = planDifferences(a, b);
        QCOMPARE(text(planText(differences)),
                 "method AMP -> SLIC, field [16,46] -> [32,46], grains batch 2 -> 4, "
                 "tiles none -> 5");
        QCOMPARE(planEstimate(a).cycles, 10);
        QCOMPARE(planEstimate(a).tempBytes, 7);
        QVERIFY(!planEstimate(b).tempBytes);
        QVERIFY(!planEstimate("").cycles);
        // A different estimate alone does not make a different plan.
        QVERIFY(planDifferences(R"({"m":1,"estimate":{"cycles":1}})",
                                R"({"m":1,"estimate":{"cycles":2}})")
                    .empty());
        QCOMPARE(userError([] { (void)planDifferences("{", "[]"); }),
                 "damaged profile: the plan of an operation is not a JSON object");
    }
};

TILESCOPE_TEST(CompareMatchTest)

} // namespace compare_match_test

#include "compare_match_test.moc"
