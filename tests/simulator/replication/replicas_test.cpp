// Several replicas: the additions to a training step, the effect of sharing and streaming memory on
// the chip's memory, and what stays unchanged.
#include <QtTest>

#include <algorithm>
#include <map>

#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/category_bytes.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace replicas_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Settings = std::map<std::string, std::string>;

Profile trained(const Settings& settings, const std::string& model = "mlp") {
    RunOptions options;
    const Settings base{{"mode", "training"},
                        {"tilesPerIpu", "64"},
                        {"batchSize", "16"},
                        {"gradientAccumulation", "4"},
                        {"optimizer", "adam"}};
    setRunOptions(options, base);
    setRunOptions(options, settings);
    return simulateModel(model, options);
}

Profile pipelined(const Settings& settings) {
    Settings all{{"ipus", "2"},
                 {"execution", "pipelined"},
                 {"gradientAccumulation", "8"},
                 {"recompute", "pipeline"}};
    all.insert(settings.begin(), settings.end());
    return trained(all);
}

const Profile& alone() {
    static const Profile profile = trained({});
    return profile;
}

const Profile& four() {
    static const Profile profile = trained({{"replicas", "4"}});
    return profile;
}

std::int64_t bytesNamed(const Profile& p, const std::string& prefix) {
    std::int64_t sum = 0;
    for (const Variable& v : p.variables)
        if (v.name.starts_with(prefix) && v.alwaysLive)
            sum += v.bytes.sum();
    return sum;
}

std::size_t operationsOfType(const Profile& p, const std::string& type) {
    return static_cast<std::size_t>(
        std::count_if(p.operations.begin(), p.operations.end(),
                      [&](const Operation& op) { return op.type == type; }));
}

std::size_t programsOfKind(const Profile& p, ProgramKind kind) {
    return static_cast<std::size_t>(
        std::count_if(p.programs.begin(), p.programs.end(),
                      [&](const Program& program) { return program.kind == kind; }));
}

} // namespace

class ReplicasTest : public QObject {
    Q_OBJECT

private slots:
    void everyProfileIsSound_data() {
        QTest::addColumn<Settings>("settings");
        const auto row = [](const char* name, const Settings& settings) {
            QTest::newRow(name) << settings;
        };
        row("two", {{"replicas", "2"}});
        row("a POD256", {{"replicas", "256"}});
        row("no accumulation", {{"replicas", "4"}, {"gradientAccumulation", "1"}});
        row("together", {{"replicas", "4"}, {"maxCrossReplicaBufferSize", "1000000000"}});
        row("together without accumulation", {{"replicas", "4"},
                                              {"gradientAccumulation", "1"},
                                              {"maxCrossReplicaBufferSize", "1000000"}});
        row("mean", {{"replicas", "4"}, {"accumulationReduction", "mean"}});
        row("sharded", {{"replicas", "4"}, {"replicatedTensorSharding", "on"}});
        row("sharded LAMB in half", {{"replicas", "8"},
                                     {"replicatedTensorSharding", "on"},
                                     {"optimizer", "lamb"},
                                     {"precision", "half"},
                                     {"accumulationType", "half"}});
        row("state off the chip", {{"offload", "optimizer"}});
        row("activations off the chip", {{"offload", "activations"}});
        row("weights off the chip", {{"offload", "weights"}});
        row("all off the chip, sharded", {{"replicas", "4"},
                                          {"replicatedTensorSharding", "on"},
                                          {"offload", "optimizer,activations,weights"}});
        row("all off the chip, recomputed",
            {{"recompute", "standard"}, {"offload", "optimizer,activations,weights"}});
        row("no accumulation, all off the chip",
            {{"gradientAccumulation", "1"}, {"offload", "optimizer,activations,weights"}});
        row("pipelined replicas", {{"replicas", "4"},
                                   {"ipus", "2"},
                                   {"execution", "pipelined"},
                                   {"gradientAccumulation", "8"},
                                   {"replicatedTensorSharding", "on"},
                                   {"offload", "optimizer"}});
        row("pipelined stashes off the chip", {{"ipus", "2"},
                                               {"execution", "pipelined"},
                                               {"gradientAccumulation", "8"},
                                               {"offload", "activations,weights"}});
        row("grouped FIFOs off the chip", {{"ipus", "2"},
                                           {"execution", "pipelined"},
                                           {"schedule", "grouped"},
                                           {"gradientAccumulation", "8"},
                                           {"offload", "activations"}});
        row("interleaved FIFOs off the chip", {{"ipus", "2"},
                                               {"execution", "pipelined"},
                                               {"schedule", "interleaved"},
                                               {"gradientAccumulation", "8"},
                                               {"offload", "activations"}});
        row("sharded over IPUs",
            {{"ipus", "2"}, {"execution", "sharded"}, {"replicas", "2"}, {"offload", "weights"}});
        row("phased replicas",
            {{"ipus", "2"}, {"execution", "phased"}, {"phases", "3"}, {"replicas", "2"}});
        row("inference weights off the chip", {{"mode", "inference"},
                                               {"optimizer", "sgd"},
                                               {"gradientAccumulation", "1"},
                                               {"offload", "weights"}});
    }
    void everyProfileIsSound() {
        QFETCH(Settings, settings);
        const Profile profile = trained(settings);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(profile.info.hasExecution);
    }

    /// A replicated graph is compiled and timed once: rings are repeats, so that their length does
    /// not show in the program.
    void moreReplicasTakeNoMoreProgram() {
        const Profile many = trained({{"replicas", "64"}});
        QCOMPARE(many.programs.size(), four().programs.size());
        QCOMPARE(many.exchanges.size(), four().exchanges.size());
        QCOMPARE(many.trace.bodies.size(), four().trace.bodies.size());
        QVERIFY(many.info.cycles > four().info.cycles);
    }

    void replicasAreSamples() {
        QCOMPARE(four().info.replicas, std::int64_t(4));
        const double seconds = four().info.callSeconds();
        QCOMPARE(four().info.throughput, 16 * 4 * 4 / seconds);
        QVERIFY(four().info.throughput < 4 * alone().info.throughput);
        QVERIFY(four().info.throughput > alone().info.throughput);
    }

    void gradientsAreSummedOnce() {
        // Weights and biases of three layers.
        QCOMPARE(operationsOfType(four(), "ReplicatedAllReduceInplace"), std::size_t(6));
        QCOMPARE(operationsOfType(alone(), "ReplicatedAllReduceInplace"), std::size_t(0));
        const Profile together =
            trained({{"replicas", "4"}, {"maxCrossReplicaBufferSize", "1000000000"}});
        QCOMPARE(operationsOfType(together, "ReplicatedAllReduceInplace"), std::size_t(1));
        QVERIFY(together.info.cycles < four().info.cycles);
    }

    void inferenceHasNothingToSum() {
        const Settings inference{
            {"mode", "inference"}, {"optimizer", "sgd"}, {"gradientAccumulation", "1"}};
        Settings replicated = inference;
        replicated["replicas"] = "16";
        const Profile one = trained(inference);
        const Profile many = trained(replicated);
        QCOMPARE(many.info.cycles, one.info.cycles);
        // Only the host has more to do: it copies the results of all.
        QVERIFY(many.info.hostCallSeconds > one.info.hostCallSeconds);
        const double ratio = many.info.throughput / (16 * one.info.throughput);
        QVERIFY2(ratio > 0.98 && ratio < 1, qPrintable(QString::number(ratio)));
        QCOMPARE(programsOfKind(many, ProgramKind::GlobalExchange), std::size_t(0));
    }

    /// What a ring's steps have: each replica gets as much as it gives.
    void ringsMoveTheGradients() {
        std::int64_t moved = 0;
        for (const Program& program : four().programs) {
            if (program.kind != ProgramKind::GlobalExchange)
                continue;
            const Exchange& exchange = four().exchanges[program.exchange];
            QVERIFY(exchange.bytesSent == exchange.bytesReceived);
            const Program& body = four().programs[program.parent];
            moved += exchange.bytesSent.sum() * four().programs[body.parent].count;
        }
        // Float gradients of 784-512-512-10 with biases, three quarters there and back, in blocks
        // that are rounded up on each tile.
        const double gradients = 4.0 * (784 * 512 + 512 * 512 + 512 * 10 + 512 + 512 + 10);
        const double ratio = static_cast<double>(moved) / (1.5 * gradients);
        QVERIFY2(ratio >= 1 && ratio < 1.02, qPrintable(QString::number(ratio)));
    }

    /// Between the data and what goes round a ring: a fragment in each step, on the chip.
    void fragmentsAreCopiedOnTheChip() {
        std::size_t scattered = 0, gathered = 0;
        for (const Program& program : four().programs) {
            if (program.kind != ProgramKind::DoExchange || !program.name.ends_with("/fragment"))
                continue;
            const Program& step = four().programs[program.parent];
            const auto global =
                std::find_if(step.children.begin(), step.children.end(), [](ProgramId child) {
                    return four().programs[child].kind == ProgramKind::GlobalExchange;
                });
            QVERIFY(global != step.children.end());
            QCOMPARE(four().exchanges[program.exchange].bytesReceived.sum(),
                     four().exchanges[four().programs[*global].exchange].bytesSent.sum());
            ++(program.name.find("/reduceScatter/") != std::string::npos ? scattered : gathered);
        }
        QVERIFY(scattered > 0);
        QCOMPARE(gathered, scattered);
        QVERIFY(std::none_of(
            alone().programs.begin(), alone().programs.end(),
            [](const Program& program) { return program.name.ends_with("/fragment"); }));
    }

    void shardsDivideTheState() {
        const Profile sharded = trained({{"replicas", "4"}, {"replicatedTensorSharding", "on"}});
        for (const char* moment : {"Accl1___", "Accl2___"}) {
            const auto whole = static_cast<double>(bytesNamed(four(), moment));
            const double ratio = whole / static_cast<double>(bytesNamed(sharded, moment));
            // Biases and the last layer are too small to share.
            QVERIFY2(ratio > 3.8 && ratio <= 4, qPrintable(QString::number(ratio)));
        }
        QCOMPARE(bytesNamed(sharded, "Accum___"), bytesNamed(four(), "Accum___"));
        QCOMPARE(operationsOfType(sharded, "ReplicatedAllGather"), std::size_t(2));
    }

    /// A gradient that is scattered is not summed before; one that is too small to shard is.
    void shardsKeepOutOfTheSum() {
        const Profile both = trained({{"replicas", "4"},
                                      {"replicatedTensorSharding", "on"},
                                      {"maxCrossReplicaBufferSize", "1000000000"}});
        QCOMPARE(operationsOfType(both, "ReplicatedAllGather"), std::size_t(2));
        std::vector<std::string> sums;
        for (const Operation& op : both.operations)
            if (op.type == "ReplicatedAllReduceInplace")
                sums.push_back(op.outputShape);
        QCOMPARE(sums.size(), std::size_t(1));
        QVERIFY(sums.front() != "[512,784]" && sums.front() != "[784,512]");
    }

    void stateMovesOut() {
        const Profile moved = trained({{"offload", "optimizer"}});
        QCOMPARE(bytesNamed(moved, "Accl"), std::int64_t(0));
        std::int64_t rows = 0;
        for (const RemoteBuffer& buffer : moved.remoteBuffers)
            rows += buffer.rows * buffer.rowBytes;
        QCOMPARE(rows, bytesNamed(alone(), "Accl"));
        QVERIFY(moved.info.cycles > alone().info.cycles);
    }

    void activationsMoveOut() {
        const Profile moved = pipelined({{"offload", "activations"}});
        const Profile here = pipelined({});
        QVERIFY(!moved.remoteBuffers.empty());
        QVERIFY(here.remoteBuffers.empty());
        const auto stashes = [](const Profile& p) {
            return std::count_if(p.variables.begin(), p.variables.end(),
                                 [](const Variable& v) { return v.name.ends_with("/stash"); });
        };
        QVERIFY(stashes(here) > 0);
        QCOMPARE(stashes(moved), std::ptrdiff_t(0));
        QVERIFY(moved.info.cycles > here.info.cycles);
    }

    void weightsMoveOut() {
        const Profile moved = trained({{"offload", "weights"}});
        QVERIFY(bytesNamed(alone(), "dense2.weight") > 0);
        QCOMPARE(bytesNamed(moved, "dense2.weight"), std::int64_t(0));
        // For the forward pass, the backward pass and the update.
        std::map<std::string, int> loads;
        for (const Operation& op : moved.operations)
            if (op.type == "RemoteLoad")
                ++loads[op.name.substr(0, op.name.find('/'))];
        QCOMPARE(loads["dense2.weight"], 3);
    }

    /// Code between IPUs grows with the replicas, what stays on an IPU hardly.
    void globalExchangeCodeGrows() {
        const Profile one = pipelined({});
        const Profile many = pipelined({{"replicas", "4"}});
        const auto ratio = [&](MemoryCategory category) {
            return static_cast<double>(bytesOf(many, category)) /
                   static_cast<double>(bytesOf(one, category));
        };
        QVERIFY(ratio(MemoryCategory::GlobalExchangeCode) > 2);
        QVERIFY(ratio(MemoryCategory::InternalExchangeCode) < 1.2);
        QVERIFY(ratio(MemoryCategory::ControlCode) < 1.5);
        QVERIFY(ratio(MemoryCategory::HostExchangeCode) < 1.05);
    }
};

TILESCOPE_TEST(ReplicasTest, QCoreApplication)

} // namespace replicas_test

#include "replicas_test.moc"
