// Phased execution in the profile: what is on the chip when, and what moves.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/analysis/execution/phases.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/prepare/prepare.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace phased_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Layers named s0, s1, ... with weights w0, w1, ..., alike.
Graph layers(int count) {
    GraphBuilder b;
    TensorId x = b.input({4, 16});
    std::vector<TensorId> weights;
    for (int i = 0; i < count; ++i) {
        const std::string scope = "s" + std::to_string(i);
        weights.push_back(b.weight({16, 16}));
        x = b.matMul(scope + "/fc", x, weights.back());
        x = b.unary(scope + "/relu", ElementwiseFunction::Relu, x);
    }
    Graph graph = b.finish({x});
    for (int i = 0; i < count; ++i)
        graph.tensors[weights[static_cast<std::size_t>(i)]].name = "w" + std::to_string(i);
    return graph;
}

RunOptions phased(int phases, int ipus, bool training) {
    RunOptions options;
    options.machine.target.ipus = ipus;
    options.machine.target.tilesPerIpu = 4;
    options.execution.scheme = Execution::Phased;
    options.batch.mode = training ? "training" : "inference";
    for (int i = 1; i < phases; ++i)
        options.execution.split.push_back("s" + std::to_string(i));
    return options;
}

/// The phase (an index into Profile::phases) that a program belongs to; -1 for none.
int phaseOf(const Profile& profile, ProgramId program) {
    for (; program.valid(); program = profile.programs[program].parent) {
        const auto found = std::find(profile.phases.begin(), profile.phases.end(), program);
        if (found != profile.phases.end())
            return static_cast<int>(found - profile.phases.begin());
    }
    return -1;
}

constexpr int always = -2;

/// Phases in which variables of a name are live, functions that phases call left out.
std::set<int> livePhases(const Profile& profile, const std::string& name) {
    std::set<int> phases;
    for (const Variable& variable : profile.variables) {
        if (variable.name != name)
            continue;
        if (variable.alwaysLive)
            phases.insert(always);
        else if (variable.liveness.valid())
            for (const StepInterval& live : profile.livenessClasses[variable.liveness].intervals)
                for (auto step = live.first.value(); step < live.end.value(); ++step)
                    if (const int phase = phaseOf(profile, profile.steps[StepId(step)]); phase >= 0)
                        phases.insert(phase);
    }
    return phases;
}

/// "load w0" and "store w0" of each phase, in order.
std::vector<QStringList> remoteCopies(const Profile& profile) {
    std::vector<QStringList> list(profile.phases.size());
    for (const ProgramId id : profile.steps) {
        const Program& program = profile.programs[id];
        if (program.kind != ProgramKind::StreamCopyMid ||
            !profile.streams[program.stream].remoteBuffer.valid())
            continue;
        const QString name = text(program.name).section('/', 1);
        list.at(static_cast<std::size_t>(phaseOf(profile, id)))
            << (profile.streams[program.stream].toDevice ? "load " : "store ") + name;
    }
    return list;
}

} // namespace

class PhasedTest : public QObject {
    Q_OBJECT

private slots:
    void operationsRunInTheOrderOfTheirPhases() {
        RunOptions options = phased(3, 2, true);
        options.outline.enabled = false;
        const Graph graph = preparedGraph(layers(3), options);
        checkGraph(graph);
        std::int32_t last = 0;
        std::map<std::int32_t, std::set<std::int32_t>> ipus;
        for (const Op& op : graph.ops) {
            QVERIFY2(op.executionPhase >= last, op.name.c_str());
            last = op.executionPhase;
            if (!std::holds_alternative<IpuCopyAttributes>(op.attributes))
                ipus[op.executionPhase].insert(op.stage);
        }
        // Forward 0 1 2, backward 2 3 4: even ones on IPU 0, odd ones on IPU 1.
        const std::map<std::int32_t, std::set<std::int32_t>> expected{
            {0, {0}}, {1, {1}}, {2, {0}}, {3, {1}}, {4, {0}}};
        QVERIFY(ipus == expected);
    }

    void weightsAreOnTheChipInTheirPhasesOnly() {
        const Profile profile = simulate(layers(4), phased(4, 1, true));
        QCOMPARE(profile.phases.size(), std::size_t(7));
        QCOMPARE(livePhases(profile, "w0"), (std::set<int>{0, 6}));
        QCOMPARE(livePhases(profile, "w1"), (std::set<int>{1, 5}));
        QCOMPARE(livePhases(profile, "w2"), (std::set<int>{2, 4}));
        QCOMPARE(livePhases(profile, "w3"), (std::set<int>{3}));
    }

    void whatIsNeededInTheNextTurnStays() {
        // IPU 0 has phases 0, 2, 4, 6; w2 is read in 2 and 4.
        const auto copies = remoteCopies(simulate(layers(4), phased(4, 2, true)));
        QCOMPARE(copies[2], QStringList{"load w2"});
        QCOMPARE(copies[4], QStringList{"store w2"});
        QCOMPARE(copies[6], (QStringList{"load w0", "store w0"}));
    }

    void inferenceStoresNothing() {
        const Profile profile = simulate(layers(3), phased(3, 1, false));
        const std::vector<QStringList> expected{{"load w0"}, {"load w1"}, {"load w2"}};
        QVERIFY(remoteCopies(profile) == expected);
        // Weights of one shape are rows of one buffer.
        QCOMPARE(profile.remoteBuffers.size(), std::size_t(1));
        QCOMPARE(text(profile.remoteBuffers[RemoteBufferId(0)].name), "RB_0");
        QCOMPARE(profile.remoteBuffers[RemoteBufferId(0)].rows, 3);
        QCOMPARE(profile.remoteBuffers[RemoteBufferId(0)].rowBytes, 16 * 16 * 4);
    }

    /// PopART's Interleaving moves optimizer state next to the update, Batch all at once.
    void optimizerStateComesOnDemand() {
        RunOptions options = phased(2, 1, true);
        options.training.optimizer = Optimizer::Momentum;
        QCOMPARE(remoteCopies(simulate(layers(2), options))[2],
                 (QStringList{"load w0", "load Accl1___w0", "store w0", "store Accl1___w0"}));
        options.execution.phaseSchedule = PhaseSchedule::Batch;
        const Profile batched = simulate(layers(4), [&] {
            RunOptions wide = options;
            wide.execution.split = {"s2"};
            return wide;
        }());
        const QStringList moved = remoteCopies(batched)[2];
        QCOMPARE(moved.filter("load ").size(), 4);
        QVERIFY(moved.mid(0, 4).filter("load ").size() == 4);
        QVERIFY(moved.mid(4).filter("store ").size() == 4);
    }

    void accumulatorsComeWithEachMicroBatchAndTheUpdate() {
        RunOptions options = phased(2, 1, true);
        options.batch.gradientAccumulation = 8;
        const Profile profile = simulate(layers(2), options);
        const auto copies = remoteCopies(profile);
        QCOMPARE(copies.size(), std::size_t(4));
        QCOMPARE(copies[2], (QStringList{"load Accum___w0", "store Accum___w0"}));
        QVERIFY(copies[3].contains("load Accum___w0") && copies[3].contains("store w0") &&
                copies[3].contains("store Accum___w1"));
        std::int64_t loads = 0;
        for (const RemoteBufferRow& row : remoteBufferTable(
                 {profile.programs, profile.streams, profile.remoteBuffers, profile.phases, {}}))
            loads += row.loads;
        // Eight times two weights and two accumulators (the input's gradient is not needed, so that
        // the first weight is needed once), then all four.
        QCOMPARE(loads, 8 * 4 + 4);
    }

    void streamingMemoryHasItsBandwidth() {
        RunOptions options = phased(2, 1, false);
        const auto cyclesOfLoads = [&](double bytesPerSecond) {
            options.machine.target.streamingMemoryBytesPerSecond = bytesPerSecond;
            const Profile profile = simulate(layers(2), options);
            std::vector<std::int64_t> cycles;
            for (const TraceBody& body : profile.trace.bodies)
                for (const TraceStep& step : body.steps)
                    if (step.kind == ProgramKind::StreamCopyMid &&
                        profile.streams[profile.programs[step.program].stream].remoteBuffer.valid())
                        cycles.push_back(step.ipus.front().cycles);
            return cycles;
        };
        const double clock = options.machine.target.clockHz;
        QCOMPARE(cyclesOfLoads(clock), (std::vector<std::int64_t>{1024, 1024}));
        QCOMPARE(cyclesOfLoads(4 * clock), (std::vector<std::int64_t>{256, 256}));
    }

    /// The IPU whose turn is next loads while the other computes.
    void pingPongLoadsAhead() {
        RunOptions options = phased(2, 2, false);
        const Profile profile = simulate(layers(2), options);
        const auto rows = phaseTable({profile.programs, profile.streams, profile.remoteBuffers,
                                      profile.phases, profile.trace});
        const auto find = [&](const std::string& name, int ipu) {
            return *std::find_if(rows.begin(), rows.end(), [&](const PhaseRow& row) {
                return row.name == name && row.ipu == IpuId(ipu);
            });
        };
        const PhaseRow first = find("phase0", 0);
        const PhaseRow second = find("phase1", 1);
        QVERIFY(second.start < first.start + first.cycles);
        QCOMPARE(second.bytesLoaded, 16 * 16 * 4);
        QVERIFY(second.linkCycles > 0);
        // With one IPU no other one can load meanwhile.
        const Profile serial = simulate(layers(2), phased(2, 1, false));
        const auto one = phaseTable(
            {serial.programs, serial.streams, serial.remoteBuffers, serial.phases, serial.trace});
        QCOMPARE(one.size(), std::size_t(2));
        QVERIFY(one[1].start >= one[0].start + one[0].cycles);
        QCOMPARE(one[1].linkCycles, 0);
    }

    void everyWayKeepsTheInvariants_data() {
        QTest::addColumn<int>("ipus");
        QTest::addColumn<int>("stages");
        QTest::addColumn<bool>("training");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<bool>("batch");
        for (const auto& [ipus, stages] : {std::pair(1, 1), {2, 2}, {2, 1}, {4, 2}})
            for (const bool training : {false, true})
                for (const int accumulation : {1, 3})
                    for (const bool batch : {false, true})
                        for (const auto recompute :
                             {Recompute::None, Recompute::Standard, Recompute::All})
                            if (training || (accumulation == 1 && recompute == Recompute::None))
                                QTest::addRow("%d ipus %d stages %d %d %d %d", ipus, stages,
                                              training, accumulation, int(recompute), batch)
                                    << ipus << stages << training << accumulation << int(recompute)
                                    << batch;
    }
    void everyWayKeepsTheInvariants() {
        QFETCH(int, ipus);
        QFETCH(int, stages);
        QFETCH(bool, training);
        QFETCH(int, accumulation);
        QFETCH(int, recompute);
        QFETCH(bool, batch);
        RunOptions options = phased(4, ipus, training);
        options.execution.phaseStages = stages;
        options.batch.gradientAccumulation = accumulation;
        options.memory.recompute = static_cast<Recompute>(recompute);
        options.training.optimizer = training ? Optimizer::AdamW : Optimizer::Sgd;
        options.batch.deviceIterations = 2;
        if (batch)
            options.execution.phaseSchedule = PhaseSchedule::Batch;
        const Profile profile = simulate(layers(4), options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(!livePhases(profile, "w1").contains(always));
    }

    /// A weight that two phases read is loaded by both, and updated once.
    void sharedWeights() {
        GraphBuilder b;
        const TensorId x = b.input({4, 16});
        const TensorId w = b.weight({16, 16});
        TensorId y = b.matMul("s0/fc", x, w);
        y = b.matMul("s1/fc", y, b.weight({16, 16}));
        y = b.matMul("s2/fc", y, b.weight({16, 16}));
        Graph graph = b.finish({b.matMul("s3/fc", y, w)});
        graph.tensors[w].name = "shared";
        for (const int ipus : {1, 2}) {
            const Profile profile = simulate(graph, phased(4, ipus, true));
            const std::string wrong = complaints(profile);
            QVERIFY2(wrong.empty(), wrong.c_str());
            int stores = 0;
            for (const QStringList& copies : remoteCopies(profile))
                stores += static_cast<int>(copies.count("store shared"));
            QCOMPARE(stores, 1);
        }
    }

    void balancedPhasesOfAWholeModel() {
        RunOptions options;
        options.execution.scheme = Execution::Phased;
        options.execution.phases = 3;
        options.batch.mode = "training";
        options.training.optimizer = Optimizer::Adam;
        const Profile profile = simulateModel("mnist-cnn", options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(profile.phases.size(), std::size_t(5));
        QTemporaryDir directory;
        const auto file = std::filesystem::path(directory.path().toStdString()) / "profile.pop";
        writeProfile(profile, file);
        const Profile loaded = ProfileReader(file).load();
        QVERIFY(loaded.phases == profile.phases);
        QVERIFY(!loaded.remoteBuffers.empty());
        QCOMPARE(loaded.remoteBuffers.size(), profile.remoteBuffers.size());
        for (std::size_t i = 0; i < loaded.remoteBuffers.size(); ++i)
            QVERIFY(loaded.remoteBuffers[RemoteBufferId(i)] ==
                    profile.remoteBuffers[RemoteBufferId(i)]);
        QCOMPARE(loaded.streams.size(), profile.streams.size());
        for (std::size_t i = 0; i < loaded.streams.size(); ++i)
            QCOMPARE(loaded.streams[StreamId(i)].remoteBuffer.value(),
                     profile.streams[StreamId(i)].remoteBuffer.value());
    }

    void refusals_data() {
        QTest::addColumn<int>("phases");
        QTest::addColumn<QString>("split");
        QTest::addColumn<QString>("error");
        QTest::newRow("none")
            << 0 << ""
            << "option execution (--execution): 'phased' needs phases; give their number by "
               "--phases N, name where they begin by --split NAME,NAME, or "
               "annotate ONNX nodes with __execution_phase";
        QTest::newRow("too many") << 7 << ""
                                  << "option phases (--phases): the model has 6 operations, too "
                                     "few for 7 phases; choose --phases 6 or fewer";
        QTest::newRow("unknown") << 0 << "s7"
                                 << "option split (--split): the model has no operation or scope "
                                    "'s7' Did you mean 's0'?; it has s0, s1, s2";
        QTest::newRow("both") << 4 << "s1"
                              << "option phases (--phases): --split names 2 phases, not 4; leave "
                                 "--phases out";
    }
    void refusals() {
        QFETCH(int, phases);
        QFETCH(QString, split);
        QFETCH(QString, error);
        RunOptions options = phased(1, 1, false);
        options.execution.phases = phases;
        if (!split.isEmpty())
            options.execution.split = {split.toStdString()};
        QCOMPARE(userError([&] { simulate(layers(3), options); }), error);
    }
};

TILESCOPE_TEST(PhasedTest)

} // namespace phased_test

#include "phased_test.moc"
