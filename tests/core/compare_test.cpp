// Two profiles compared: nothing differs from itself, causes add up, thresholds fail closed.
#include <QTest>
#include <cmath>
#include <limits>
#include <set>

#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/threshold.h"
#include "core/analysis/liveness/liveness.h"
#include "core/base/error.h"
#include "core/trace/trace_index.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace compare_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

ProfilePair pairOf(const Profile& a, const Profile& b) {
    return ProfilePair(ProfileView::of(a), ProfileView::of(b));
}

Comparison compared(const Profile& a, const Profile& b) {
    return compareProfiles(pairOf(a, b));
}

const ComparedTable& table(const Comparison& comparison, const std::string& key) {
    for (const ComparedTable& found : comparison.tables)
        if (found.key == key)
            return found;
    throw std::runtime_error("no table " + key);
}

const ComparedRow* row(const ComparedTable& table, const std::string& name) {
    for (const ComparedRow& found : table.rows)
        if (found.name == name)
            return &found;
    return nullptr;
}

std::int64_t sumOf(const CauseList& list) {
    std::int64_t sum = 0;
    for (const Cause& cause : list.causes)
        sum += cause.difference();
    return sum;
}

std::optional<double> metric(const Profile& profile, const char* name) {
    return metricValues(*ProfileView::of(profile))[metricNamed(name)];
}

/// The profile with every operation, and everything named after it, renamed.
Profile renamed(Profile p, const std::string& prefix) {
    for (Operation& operation : p.operations) {
        const std::string old = operation.name;
        operation.name = prefix + old;
        const auto follow = [&](std::string& name) {
            if (const auto at = name.find(old);
                at != std::string::npos && name.find(prefix) == std::string::npos)
                name.insert(at, prefix);
        };
        for (Variable& v : p.variables)
            if (v.operation.valid() && p.operations[v.operation].name == operation.name)
                follow(v.name);
        for (ComputeSet& set : p.computeSets)
            if (set.operation.valid() && p.operations[set.operation].name == operation.name)
                follow(set.name);
    }
    return p;
}

ThresholdResult check(const std::string& limit, const Profile& a, const Profile& b) {
    return checkThreshold(parseThreshold(limit), metricValues(*ProfileView::of(a)),
                          metricValues(*ProfileView::of(b)));
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT
    Profile a_ = sampleProfile();
    Profile b_ = sampleProfile({.changed = true});

    static std::vector<Profile> samples() {
        return {sampleProfile(),
                sampleProfile({.changed = true}),
                sampleProfile({.ipus = 2}),
                sampleProfile({.tooLarge = true}),
                sampleProfile({.withCopy = true}),
                sampleProfile({.repeats = 1'000'000'000'000}),
                Profile()};
    }

private slots:
    void nothingDiffersFromItself() {
        for (const Profile& profile : samples()) {
            const Comparison comparison = compared(profile, profile);
            QVERIFY(comparison.empty());
            QVERIFY(comparison.memory.causes.empty() && comparison.cycles.causes.empty());
            for (const ComparedTable& table : comparison.tables)
                QCOMPARE(table.changes(), std::size_t(0));
        }
    }

    // In either direction: the same number of differences, with opposite signs.
    void swappingTurnsTheSignRound() {
        const std::vector<Profile> profiles = samples();
        for (const Profile& a : profiles)
            for (const Profile& b : profiles) {
                const Comparison there = compared(a, b);
                const Comparison back = compared(b, a);
                QCOMPARE(there.empty(), back.empty());
                QCOMPARE(there.memory.before, back.memory.after);
                QCOMPARE(there.memory.causes.size(), back.memory.causes.size());
                QCOMPARE(there.cycles.causes.size(), back.cycles.causes.size());
                for (std::size_t i = 0; i < there.tables.size(); ++i)
                    QCOMPARE(there.tables[i].rows.size(), back.tables[i].rows.size());
            }
    }

    void perSampleDividesWorkAndNotTiles() {
        Profile a = test::sampleProfile();
        Profile b = a;
        b.info.batchSize = 2 * a.info.batchSize;
        b.info.throughput = 2 * a.info.throughput;
        const Comparison comparison = perSample(compared(a, b));
        QVERIFY(comparison.perSample);
        const auto shareOf = [&](const char* name) {
            const ComparedMetric& metric = comparison.metrics[metricNamed(name)];
            return *metric.target / *metric.source;
        };
        QCOMPARE(shareOf("maxTile"), 1.0);
        QCOMPARE(shareOf("alwaysLive"), 0.5);
        QCOMPARE(shareOf("cycles"), 0.5);
        QCOMPARE(shareOf("throughput"), 2.0);
        const ComparedTable& variables = comparison.tables[1];
        for (const ComparedRow& row : variables.rows) {
            QVERIFY(std::abs(*row.before[0] - 2 * *row.after[0]) <= 1);
            QCOMPARE(row.before[1], row.after[1]); // the largest part on a tile
            QCOMPARE(row.before[2], row.after[2]);
        }
    }

    void causesAddUp() {
        const std::vector<Profile> profiles = samples();
        for (const Profile& a : profiles)
            for (const Profile& b : profiles) {
                const Comparison comparison = compared(a, b);
                for (const CauseList* list : {&comparison.memory, &comparison.cycles}) {
                    QCOMPARE(sumOf(*list), list->after - list->before);
                    double shares = 0;
                    for (const Cause& cause : list->causes)
                        shares += std::abs(cause.share);
                    if (!list->causes.empty())
                        QVERIFY(std::abs(shares - 1) < 1e-6);
                }
                const MemorySummary& memory = comparison.sourceMemory;
                QCOMPARE(comparison.memory.before, memory.alwaysLive + memory.maxNotAlwaysLive);
            }
    }

    // One IPU does one thing after the other: a run consists of its steps only.
    void cyclesOfAllStepsAreThoseOfTheRun() {
        const Comparison comparison = compared(a_, b_);
        QCOMPARE(comparison.cycleBasis, CycleBasis::Executed);
        const TraceIndex index(a_.trace, 1, a_.info.target.tilesPerIpu);
        const TraceRun& main = a_.trace.runs.back();
        const TraceStatistics all =
            index.statistics(IpuId(0), {main.start, main.start + main.cycles});
        QCOMPARE(comparison.cycles.before, all.sums.total());
    }

    void whatDoesNotFitIsComparedByEstimates() {
        const Comparison comparison = compared(sampleProfile({.tooLarge = true}), a_);
        QCOMPARE(comparison.cycleBasis, CycleBasis::Estimated);
        QVERIFY(comparison.cycles.before > 0);
        QVERIFY(!comparison.metrics[metricNamed("cycles")].source);
        QVERIFY(comparison.metrics[metricNamed("cycles")].target);
        QVERIFY(!comparison.metrics[metricNamed("cycles")].difference());
    }

    void changesOfTheSample() {
        const Comparison comparison = compared(a_, b_);
        QVERIFY(!comparison.empty());
        const ComparedTable& variables = table(comparison, "variables");
        std::set<std::string_view> states;
        for (const ComparedRow& row : variables.rows)
            states.insert(row.state());
        QVERIFY(states.contains("changed"));
        QVERIFY(states.contains("same"));
        // The largest change comes first.
        for (std::size_t i = 1; i < variables.rows.size(); ++i)
            QVERIFY(std::abs(variables.rows[i - 1].difference(0)) >=
                    std::abs(variables.rows[i].difference(0)));
    }

    void planChangesAreNamedAndStandAtTheirCauses() {
        Profile other = a_;
        Operation& conv = other.operations[OperationId(0)];
        conv.plan = R"({"method":"SLIC","estimate":{"cycles":5,"tempBytes":9}})";
        for (ComputeSet& set : other.computeSets)
            if (set.operation == OperationId(0))
                set.cycles = set.cycles.scaled(2);
        Profile source = a_;
        source.trace = {};
        source.info.hasExecution = false;
        const Comparison comparison = compared(source, other);
        QCOMPARE(comparison.plans.size(), std::size_t(1));
        QCOMPARE(text(comparison.plans[0].name), "conv1");
        QCOMPARE(comparison.plans[0].targetEstimate.tempBytes, 9);
        QVERIFY(!comparison.cycles.causes.empty());
        QCOMPARE(text(comparison.cycles.causes[0].name), "conv1");
        QVERIFY(comparison.cycles.causes[0].planChange.find("SLIC") != std::string::npos);
    }

    void renamedOperationsKeepWhatIsTheirs() {
        const Comparison comparison = compared(a_, renamed(a_, "model/"));
        for (const ComparedRow& row : table(comparison, "operations").rows) {
            QCOMPARE(row.state(), std::string_view("renamed"));
            QCOMPARE(text(row.targetName), "model/" + text(row.name));
            QCOMPARE(row.before, row.after);
        }
        for (const char* key : {"variables", "computeSets"})
            for (const ComparedRow& row : table(comparison, key).rows)
                QVERIFY2(row.source >= 0 && row.target >= 0, row.name.c_str());
        QVERIFY(comparison.memory.causes.empty());
        QVERIFY(comparison.cycles.causes.empty());
    }

    // Items that match in the tables also match in all other queries of the pair.
    void thePairMatchesAsTheTablesDo() {
        for (const Profile& other : {renamed(a_, "model/"), b_, sampleProfile({.ipus = 2})}) {
            const ProfilePair pair = pairOf(a_, other);
            const Comparison comparison = compareProfiles(pair);
            std::size_t both = 0;
            for (const ComparedRow& row : table(comparison, "variables").rows) {
                const std::vector<VariableId> found =
                    pair.matching->targetsOf({VariableId(row.source)});
                QCOMPARE(found.empty() ? -1 : found[0].value(), row.source < 0 ? -1 : row.target);
                both += row.source >= 0 && row.target >= 0 ? 1 : 0;
            }
            QVERIFY(both > 0);
            for (const ComparedRow& row : table(comparison, "programs").rows)
                QCOMPARE(pair.matching->programs()->targetOf(ProgramId(row.source)).value(),
                         row.source < 0 ? -1 : row.target);
        }
    }

    void renamedStepsMatchInTheirTurn() {
        const Profile other = renamed(a_, "model/");
        const ProfilePair pair = pairOf(a_, other);
        for (std::size_t i = 0; i < a_.steps.size(); ++i) {
            QCOMPARE(pair.matching->targetOf(StepId(i)).value(), static_cast<int>(i));
            QCOMPARE(pair.matching->sourceOf(StepId(i)).value(), static_cast<int>(i));
        }
        // A step that the other side lacks maps to the same place there, if it has that many steps.
        Profile none = a_;
        none.steps = {};
        QVERIFY(!pairOf(a_, none).matching->targetOf(StepId(0)).valid());
        QVERIFY(!pair.matching->targetOf(StepId(a_.steps.size())).valid());
        QVERIFY(!pair.matching->targetOf(StepId()).valid());
    }

    void anAddedOperationIsOne() {
        Profile more = a_;
        Operation extra;
        extra.name = "extra/gelu";
        extra.type = "Gelu";
        const OperationId id = more.operations.add(extra);
        Variable v;
        v.name = "extra/gelu/out";
        v.operation = id;
        v.alwaysLive = true;
        v.bytes = TileSeries(TileId(0), 10, 100);
        more.variables.add(v);
        const Comparison comparison = compared(a_, more);
        const ComparedRow* operation = row(table(comparison, "operations"), "extra/gelu");
        QVERIFY(operation);
        QCOMPARE(operation->state(), std::string_view("added"));
        QCOMPARE(operation->difference(1), 1000);
        QCOMPARE(comparison.memory.causes.size(), std::size_t(1));
        QCOMPARE(text(comparison.memory.causes[0].use), "Variables, always live");
        QCOMPARE(comparison.memory.causes[0].difference(), 1000);
        QCOMPARE(compared(more, a_).tables[0].changes(), std::size_t(1));
    }

    void operationsStandSideBySide() {
        const Comparison comparison = compared(a_, b_);
        const LivenessSeries live = livenessOf(a_.info.target, a_.variables, a_.livenessClasses,
                                               a_.steps.size(), TileSelection::all());
        std::int32_t last = -1;
        for (const AlignedOperation& o : comparison.aligned) {
            if (!o.source.valid())
                continue;
            QVERIFY(last < o.source.value());
            last = o.source.value();
            QCOMPARE(a_.programs[a_.steps[o.sourceStep]].operation, o.source);
            QVERIFY(o.liveBefore >= live.notAlwaysLive[o.sourceStep.index()]);
        }
        QCOMPARE(last + 1, static_cast<std::int32_t>(a_.operations.size()));
    }

    void executionsGoThroughRepeatsAndCalls() {
        const auto counts = executionCounts(a_.programs, a_.controlPrograms);
        for (std::size_t i = 0; i < a_.programs.size(); ++i)
            if (a_.programs[ProgramId(i)].name == "layer1/conv/Convolve")
                QCOMPARE(counts[i], 10 * 2);
        Profile p = a_;
        for (Program& program : p.programs)
            if (program.kind == ProgramKind::Repeat)
                program.count = std::numeric_limits<std::int64_t>::max();
        for (const std::int64_t count : executionCounts(p.programs, p.controlPrograms))
            QVERIFY(count >= 0);
        p.programs[p.functions[0]].children.push_back(p.functions[0]);
        QCOMPARE(userError([&] { (void)executionCounts(p.programs, p.controlPrograms); }),
                 "damaged profile: its programs call themselves");
    }

    void metricsAreThoseOfTheSummary() {
        const MemorySummary memory = memorySummary(*ProfileView::of(a_));
        QCOMPARE(metric(a_, "maxTile"), double(memory.maxTile.includingGaps));
        QCOMPARE(metric(a_, "alwaysLive"), double(memory.alwaysLive));
        QCOMPARE(metric(a_, "cycles"), double(a_.info.cycles));
        QVERIFY(!metric(sampleProfile({.tooLarge = true}), "cycles"));
        std::set<std::string> names;
        for (const Metric& m : allMetrics()) {
            QVERIFY2(names.insert(m.name).second, m.name.c_str());
            QVERIFY2(!m.meaning.empty() && !m.title.empty(), m.name.c_str());
        }
        QVERIFY(userError([] { (void)metricNamed("maxTiles"); })
                    .startsWith("unknown metric 'maxTiles'. Did you mean 'maxTile'? The metrics "
                                "are maxTile, "));
    }

    void thresholds_data() {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<bool>("exceeded");
        // Source 100, target 110 tiles over the limit.
        QTest::newRow("percent above") << "tilesOverLimit>+9%" << true;
        QTest::newRow("percent at") << "tilesOverLimit>+10%" << false;
        QTest::newRow("percent or equal") << "tilesOverLimit>=+10%" << true;
        QTest::newRow("percent without sign") << "tilesOverLimit > 9 %" << true;
        QTest::newRow("change") << "tilesOverLimit>+9" << true;
        QTest::newRow("change not reached") << "tilesOverLimit>+10" << false;
        QTest::newRow("value") << "tilesOverLimit>109" << true;
        QTest::newRow("value not reached") << "tilesOverLimit>110" << false;
        QTest::newRow("less") << "tilesOverLimit<+11%" << true;
        QTest::newRow("no fall") << "tilesOverLimit<-1%" << false;
        QTest::newRow("less or equal") << "tilesOverLimit<=110" << true;
    }
    void thresholds() {
        QFETCH(QString, limit);
        std::vector<std::optional<double>> source(allMetrics().size(), 0.0);
        std::vector<std::optional<double>> target = source;
        source[metricNamed("tilesOverLimit")] = 100;
        target[metricNamed("tilesOverLimit")] = 110;
        QTEST(checkThreshold(parseThreshold(limit.toStdString()), source, target).exceeded,
              "exceeded");
    }

    void unitsOfThresholds() {
        QCOMPARE(parseThreshold("maxTile>600KiB").limit, 600.0 * 1024);
        QCOMPARE(parseThreshold("maxTile>+1.5MB").limit, 1.5e6);
        QVERIFY(parseThreshold("maxTile>+1.5MB").kind == Threshold::Kind::Change);
        QCOMPARE(parseThreshold("seconds>2ms").limit, 2e-3);
        QCOMPARE(parseThreshold("throughput<-2.5%").limit, -2.5);
    }

    // Growth from zero exceeds any percentage.
    void aChangeFromNothingExceedsEveryPercentage() {
        std::vector<std::optional<double>> source(allMetrics().size(), 0.0);
        std::vector<std::optional<double>> target = source;
        const Threshold limit = parseThreshold("tilesOverLimit>+1000%");
        QVERIFY(!checkThreshold(limit, source, target).exceeded);
        target[metricNamed("tilesOverLimit")] = 1;
        const ThresholdResult result = checkThreshold(limit, source, target);
        QVERIFY(result.exceeded);
        QCOMPARE(text(result.text), "tilesOverLimit>+1000%: 0 -> 1 (from nothing)");
    }

    void thresholdsFailClosed_data() {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<QString>("error");
        QTest::newRow("unknown metric") << "maxtile>+2%"
                                        << "unknown metric 'maxtile'";
        QTest::newRow("no metric") << ">+2%"
                                   << "unknown metric ''";
        QTest::newRow("no relation") << "maxTile+2%"
                                     << "it has no comparison";
        QTest::newRow("empty") << ""
                               << "it has no comparison";
        QTest::newRow("no limit") << "maxTile>"
                                  << "it has no limit";
        QTest::newRow("no number") << "maxTile>+x%"
                                   << "'+x%' is not a number";
        QTest::newRow("two signs") << "maxTile>+-2%"
                                   << "'+-2%' is not a number";
        QTest::newRow("infinite") << "maxTile>inf"
                                  << "'inf' is not a number";
        QTest::newRow("not a number") << "maxTile>nan"
                                      << "'nan' is not a number";
        QTest::newRow("wrong unit") << "cycles>2KiB"
                                    << "'KiB' is not a unit of cycles";
        QTest::newRow("more behind") << "maxTile>2%%"
                                     << "'%%' is not a unit of maxTile";
        QTest::newRow("absent") << "cycles>+2%"
                                << "the target has no metric 'cycles'";
    }
    void thresholdsFailClosed() {
        QFETCH(QString, limit);
        QFETCH(QString, error);
        const Profile large = sampleProfile({.tooLarge = true});
        const QString said = userError([&] { (void)check(limit.toStdString(), a_, large); });
        QVERIFY2(said.contains(error), qPrintable(said));
    }
};

TILESCOPE_TEST(CompareTest)

} // namespace compare_test

#include "compare_test.moc"
