// Reports agree with each other on every kind of execution.
#include <QtTest>

#include "core/base/error.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "tests/support/compared_figures.h"
#include "tests/support/figures.h"
#include "tests/support/test_main.h"

namespace accounting_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

/// A job of the resources with some options changed; simulated once.
std::shared_ptr<const ProfileView> profileOf(const QString& name, const Options& changed) {
    static std::map<std::pair<QString, Options>, std::shared_ptr<const ProfileView>> known;
    std::shared_ptr<const ProfileView>& profile = known[{name, changed}];
    if (profile)
        return profile;
    const Job job = readJob(TILESCOPE_SOURCE_DIR "/resources/jobs/" + name.toStdString() + ".json");
    RunOptions options;
    Options values = job.options;
    for (const auto& [key, value] : changed)
        values[key] = value;
    setRunOptions(options, values);
    profile = std::make_shared<const ProfileView>(
        std::make_shared<const Profile>(sim::simulateModel(job.model, options)));
    return profile;
}

} // namespace

class AccountingTest : public QObject {
    Q_OBJECT

private slots:
    void reportsAgree_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<Options>("changed");
        QTest::newRow("single") << "resnet50" << Options{{"outline", "off"}};
        QTest::newRow("outlined") << "resnet50" << Options{};
        QTest::newRow("training") << "resnet50_training" << Options{};
        QTest::newRow("pipelined") << "tutorial_pipelined" << Options{};
        QTest::newRow("recomputed") << "tutorial_recompute" << Options{};
        QTest::newRow("replicated")
            << "tutorial_pipelined" << Options{{"target", "pod16"}, {"replicas", "4"}};
        QTest::newRow("overlapped") << "resnet50_overlapped" << Options{};
        QTest::newRow("overlapped in a pipeline")
            << "tutorial_pipelined"
            << Options{{"ioTiles", "32"},
                       {"schedule", "grouped"},
                       {"outputMode", "all"},
                       {"exchangeStrategy", "overlap-inner-loop"}};
        QTest::newRow("waiting for the host") << "resnet50_host_bound" << Options{};
        QTest::newRow("phased") << "tutorial_phased" << Options{};
        QTest::newRow("out of memory") << "demo" << Options{};
    }

    void reportsAgree() {
        QFETCH(QString, job);
        QFETCH(Options, changed);
        const auto profile = profileOf(job, changed);
        const std::string found = contradictions(*profile, figuresOf(*profile));
        QVERIFY2(found.empty(), found.c_str());
    }

    void aSpoiltSumIsFound_data() {
        QTest::addColumn<CostLayer>("layer");
        for (const CostLayer layer : costLayers)
            QTest::newRow(std::string(toString(layer)).c_str()) << layer;
    }

    void aSpoiltSumIsFound() {
        QFETCH(CostLayer, layer);
        const auto profile = profileOf("tutorial_pipelined", {});
        Figures figures = figuresOf(*profile);
        QVERIFY(contradictions(*profile, figures).empty());
        ++figures.layers[static_cast<std::size_t>(layer)].front().measuredCycles;
        QVERIFY(!contradictions(*profile, figures).empty());
    }

    void comparisonsAgree_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<Options>("before");
        QTest::addColumn<QString>("target");
        QTest::addColumn<Options>("after");
        const Options none;
        QTest::newRow("another batch")
            << "resnet50" << none << "resnet50" << Options{{"batchSize", "2"}};
        QTest::newRow("other functions")
            << "resnet50" << none << "resnet50" << Options{{"outline", "off"}};
        QTest::newRow("pipelined") << "tutorial_sequential" << none << "tutorial_pipelined" << none;
        QTest::newRow("overlapped") << "resnet50" << none << "resnet50_overlapped" << none;
        QTest::newRow("phased") << "tutorial_sharded" << none << "tutorial_phased" << none;
        QTest::newRow("out of memory")
            << "demo" << none << "demo" << Options{{"availableMemoryProportion", "0.2"}};
        QTest::newRow("other models") << "resnet50" << none << "matmul_chain" << none;
    }

    void comparisonsAgree() {
        QFETCH(QString, source);
        QFETCH(Options, before);
        QFETCH(QString, target);
        QFETCH(Options, after);
        const ProfilePair pair(profileOf(source, before), profileOf(target, after));
        const std::string found = contradictions(pair, compareProfiles(pair));
        QVERIFY2(found.empty(), found.c_str());
    }

    void aSpoiltComparisonIsFound() {
        const ProfilePair pair(profileOf("tutorial_sequential", {}),
                               profileOf("tutorial_pipelined", {}));
        const Comparison comparison = compareProfiles(pair);
        QVERIFY(contradictions(pair, comparison).empty());
        const auto spoilt = [&](auto spoil) {
            Comparison copy = comparison;
            spoil(copy);
            return !contradictions(pair, copy).empty();
        };
        QVERIFY(spoilt([](Comparison& c) { ++c.cycles.causes.front().after; }));
        QVERIFY(spoilt([](Comparison& c) { ++c.memory.before; }));
        QVERIFY(spoilt([](Comparison& c) { c.metrics[metricNamed("cycles")].target = 1; }));
        QVERIFY(spoilt([](Comparison& c) { c.tables[1].rows.front().before.front() = -1; }));
    }

    /// Places of one function have its costs, each at its own name.
    void placesOfAFunctionAreApart() {
        const auto profile = profileOf("resnet50", {});
        const auto accounting = accountingOf(*profile);
        std::map<OperationId, std::set<std::string>> paths;
        for (const CostPlace& place : accounting->places())
            if (place.operation.valid())
                QVERIFY2(paths[place.operation].insert(place.path).second, place.path.c_str());
        const auto shared = std::find_if(paths.begin(), paths.end(),
                                         [](const auto& one) { return one.second.size() > 1; });
        QVERIFY(shared != paths.end());
        QCOMPARE(accounting->placesOf(shared->first),
                 static_cast<std::int32_t>(shared->second.size()));
    }

    void otherRunsAreByThemselves() {
        const auto profile = profileOf("resnet50", {});
        const auto last = accountingOf(*profile);
        QCOMPARE(last->otherRuns().size() + 1, profile->trace()->runs().size());
        const Accounting first = Accounting::make(*profile, 0);
        QCOMPARE(first.totals().cycles, profile->trace()->runs().front().cycles);
        QVERIFY_THROWS_EXCEPTION(UserError, Accounting::make(*profile, 99));
    }
};

TILESCOPE_TEST(AccountingTest, QCoreApplication)

} // namespace accounting_test

#include "accounting_test.moc"
