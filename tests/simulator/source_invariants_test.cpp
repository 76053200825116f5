// Costs by lines of the program, in every kind of execution: they move between lines and are never
// lost or counted twice.
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/flame/flame_tree.h"
#include "core/analysis/insights/wait_causes.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace source_invariants_test {
using namespace tilescope;
using namespace tilescope::test;
using Options = std::map<std::string, std::string>;

namespace {

/// What adds up, of an IPU.
struct Sums {
    std::int64_t cycles = 0, copies = 0, once = 0, bytes = 0, code = 0, alwaysLive = 0;
    double flops = 0;
    friend bool operator==(const Sums& a, const Sums& b) {
        return a.cycles == b.cycles && a.copies == b.copies && a.once == b.once &&
               a.bytes == b.bytes && a.code == b.code && a.alwaysLive == b.alwaysLive &&
               std::abs(a.flops - b.flops) <= 1e-9 * std::abs(a.flops);
    }
};

std::map<IpuId, Sums> sumsOf(const std::vector<CostRow>& rows) {
    std::map<IpuId, Sums> sums;
    for (const CostRow& row : rows) {
        Sums& of = sums[row.ipu];
        of.cycles += row.measuredCycles;
        of.copies += row.measuredCopies;
        of.once += row.cyclesOnce();
        of.bytes += row.bytesExchanged;
        of.code += row.memory.code();
        of.alwaysLive += row.memory.alwaysLive;
        of.flops += row.flops;
    }
    return sums;
}

/// Lines for all operations but every eleventh: layers at a few lines of two files, called by a
/// function that calls itself, some through a library.
void addLines(Profile& profile) {
    SourceCode& source = profile.source;
    const SourceFileId script = source.files.add({"/home/me/train.py", {}, "a\nb\nc\n"});
    const SourceFileId model = source.files.add({"/home/me/net/model.py", {}, {}});
    const SourceFileId library =
        source.files.add({"/usr/lib/torch/linear.py", SourceOrigin::Library, {}});
    SourceFrameId caller = source.frames.add({{}, script, 3, "<module>"});
    for (int depth = 0; depth < 3; ++depth)
        caller = source.frames.add({caller, model, 40, "recursive"});
    std::vector<SourceFrameId> lines;
    for (std::int32_t line = 1; line <= 7; ++line)
        lines.push_back(source.frames.add({caller, model, line, "forward"}));
    for (std::size_t i = 0; i < 3; ++i)
        lines.push_back(source.frames.add({lines[i], library, 114, "forward"}));
    std::size_t at = 0;
    for (ModelNode& node : profile.modelGraph.nodes)
        if (++at % 11 != 0)
            node.source = {lines[at % lines.size()], node.phase == ModelPhase::Update
                                                         ? SourceLink::Update
                                                         : SourceLink::Written};
    source.anchors = {{SourceAnchorKind::Model, SourceFrameId(0)},
                      {SourceAnchorKind::Optimizer, SourceFrameId(0)},
                      {SourceAnchorKind::Call, caller}};
}

Profile profileOf(const QString& name, const Options& changed) {
    const Job job = readJob(TILESCOPE_SOURCE_DIR "/resources/jobs/" + name.toStdString() + ".json");
    Options values = job.options;
    for (const auto& [key, value] : changed)
        values[key] = value;
    RunOptions options;
    setRunOptions(options, values);
    Profile profile = sim::simulateModel(job.model, options);
    addLines(profile);
    return profile;
}

} // namespace

class SourceInvariantsTest : public QObject {
    Q_OBJECT

    const QTemporaryDir cache_;

    void verify(const ProfileView& profile) {
        const auto accounting = accountingOf(profile);
        const std::vector<CostRow> places = costRows(profile, *accounting, CostLayer::Place);
        const std::map<IpuId, Sums> wanted = sumsOf(places);
        for (const CostLayer layer :
             {CostLayer::Line, CostLayer::Function, CostLayer::File, CostLayer::Stack})
            for (const SourceReach reach : {SourceReach::Mine, SourceReach::Libraries})
                QVERIFY2(sumsOf(costRows(profile, *accounting, layer, 1, {}, reach)) == wanted,
                         toString(layer).data());
        // The sums are those of the run.
        const RunTotals& totals = accounting->totals();
        std::int64_t all = 0;
        for (std::size_t ipu = 0; ipu < totals.measured.size(); ++ipu) {
            const std::int64_t cycles = wanted.at(IpuId(ipu)).cycles;
            QCOMPARE(cycles, totals.cycles + totals.overlapped.at(ipu));
            all += cycles;
        }
        if (totals.run >= 0)
            QCOMPARE(flameTree(profile, FlameWeight::Cycles).total(), all);
        verifyWaits(profile, places);
    }

    /// All cycles without an operation, and each once.
    static void verifyWaits(const ProfileView& profile, const std::vector<CostRow>& places) {
        std::map<IpuId, std::int64_t> waits;
        for (const CostRow& row : places)
            if (!row.kind.empty() && row.measuredCycles > 0)
                waits[row.ipu] += row.measuredCycles;
        std::map<IpuId, std::int64_t> caused;
        for (const CausedWait& wait : causedWaits(profile)) {
            QVERIFY(wait.cycles > 0 && (wait.anchor.has_value() || wait.node.valid()));
            caused[wait.ipu] += wait.cycles;
        }
        QVERIFY(caused == waits);
    }

private slots:
    void costsAreNeverLost_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<Options>("changed");
        QTest::newRow("one IPU, functions") << "resnet50" << Options{};
        QTest::newRow("one IPU, no functions") << "resnet50" << Options{{"outline", "off"}};
        QTest::newRow("waiting for the host") << "resnet50_host_bound" << Options{};
        QTest::newRow("overlapped") << "resnet50_overlapped" << Options{};
        QTest::newRow("sharded") << "tutorial_sharded" << Options{};
        QTest::newRow("pipelined") << "tutorial_pipelined" << Options{};
        QTest::newRow("grouped") << "tutorial_grouped" << Options{};
        QTest::newRow("interleaved") << "tutorial_interleaved" << Options{};
        QTest::newRow("sequential") << "tutorial_sequential" << Options{};
        QTest::newRow("recomputed") << "tutorial_recompute" << Options{};
        QTest::newRow("phased") << "tutorial_phased" << Options{};
        QTest::newRow("replicated")
            << "tutorial_pipelined" << Options{{"target", "pod16"}, {"replicas", "4"}};
        QTest::newRow("offloaded") << "tutorial_pipelined" << Options{{"offload", "optimizer"}};
        QTest::newRow("out of memory") << "demo" << Options{};
    }
    void costsAreNeverLost() {
        QFETCH(QString, job);
        QFETCH(Options, changed);
        const Profile profile = profileOf(job, changed);
        verify(*ProfileView::of(profile));
    }

    void costsOfACachedProgramAreNeverLost() {
        const Options cached{{"executableCache", cache_.path().toStdString()}};
        for (int i = 0; i < 2; ++i) {
            const Profile profile = profileOf("tutorial_pipelined", cached);
            verify(*ProfileView::of(profile));
        }
    }

    void waitsForALongerStageAreThoseOfItsOperations() {
        const Profile profile = profileOf("tutorial_pipelined", {});
        const auto view = ProfileView::of(profile);
        std::int64_t ofOperations = 0;
        for (const CausedWait& wait : causedWaits(*view))
            if (wait.kind == LossKind::StageImbalance) {
                QVERIFY(wait.node.valid());
                ofOperations += wait.cycles;
            }
        QVERIFY(ofOperations > 0);
    }
};

TILESCOPE_TEST(SourceInvariantsTest)

} // namespace source_invariants_test

#include "source_invariants_test.moc"
