// Cost of each call of the engine on the host, and the results that it returns.
#include <QTest>
#include <algorithm>

#include "core/options/option_error.h"
#include "core/profile/host.h"
#include "core/trace/trace_index.h"
#include "simulator/engine/host_call.h"
#include "simulator/engine/host_model.h"
#include "simulator/report_contents.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace host_call_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

Profile ran(const Options& values, const std::string& model = "mnist-tutorial") {
    return simulateModel(model, optionsOf(values));
}

Options pipelined(Options more) {
    more.merge(Options{{"ipus", "4"},
                       {"execution", "pipelined"},
                       {"split", "B2,B3,B4"},
                       {"mode", "training"},
                       {"gradientAccumulation", "8"},
                       {"batchSize", "4"}});
    return more;
}

/// Executions of stream copies to the host.
std::int64_t resultsSent(const Profile& p) {
    const TraceIndex index(p.trace, p.info.target.ipus, p.info.target.tilesPerIpu);
    const auto executions = index.executions(p.programs.size());
    std::int64_t sent = 0;
    for (std::size_t i = 0; i < p.programs.size(); ++i) {
        const Program& program = p.programs[ProgramId(i)];
        if (program.kind == ProgramKind::StreamCopyMid && !p.streams[program.stream].toDevice)
            sent += executions[i].count;
    }
    return sent;
}

double partOf(const Profile& p, const std::string& name) {
    for (const HostSpan& span : p.hostSpans)
        if (span.lane == callLane && span.name == name)
            return span.seconds;
    return 0;
}

} // namespace

class HostCallTest : public QObject {
    Q_OBJECT

private slots:
    /// More batches in a call share its cost, for which the guides advise device iterations.
    void deviceIterationsShareTheCall() {
        double last = 0;
        for (const char* iterations : {"1", "10", "100", "1000"}) {
            const Profile p = ran({{"deviceIterations", iterations}, {"batchSize", "16"}});
            QVERIFY(p.info.hostCallSeconds > 0);
            QVERIFY2(p.info.throughput > last * 1.001, iterations);
            last = p.info.throughput;
            const double samples = 16.0 * std::stod(iterations);
            QCOMPARE(p.info.throughput, samples / (p.info.seconds() + p.info.hostCallSeconds));
        }
    }

    void frameworksDiffer() {
        double last = -1;
        for (const char* framework :
             {"poplar", "popart", "poprt", "poptorch", "tensorflow", "keras"}) {
            const Profile p = ran({{"framework", framework}});
            QVERIFY2(p.info.hostCallSeconds > last, framework);
            last = p.info.hostCallSeconds;
            QCOMPARE(partOf(p, std::string(framework) + " step") > 0,
                     std::string(framework) != "poplar");
        }
    }

    void partsAreTheSum() {
        const Profile p = ran({{"deviceIterations", "5"}});
        const Target& target = p.info.target;
        QCOMPARE(partOf(p, "popart step"), target.popartStepSeconds);
        QCOMPARE(partOf(p, "Engine::run"), target.engineRunSeconds);
        QCOMPARE(partOf(p, "connect streams"), 2 * target.streamSetupSeconds);
        // Ten probabilities of each of five batches.
        QCOMPARE(partOf(p, "copy results"), 5 * 40 / target.hostCopyBytesPerSecond);
        double sum = 0;
        double end = 0;
        for (const HostSpan& span : p.hostSpans) {
            QVERIFY(span.start >= end - 1e-9);
            end = span.start + span.seconds;
            sum += span.lane == callLane ? span.seconds : 0;
        }
        QVERIFY(std::abs(sum - p.info.hostCallSeconds) < 1e-12);
    }

    void threadsShareTheStreams() {
        RunOptions options = optionsOf({});
        options.engine.given["streamCallbacks.multiThreadMode"] = "dedicated";
        const Profile p = simulateModel("mnist-tutorial", options);
        QCOMPARE(partOf(p, "connect streams"), p.info.target.streamSetupSeconds);
    }

    void theIpuModelAnswersAtOnce() {
        QCOMPARE(ran({{"ipuModel", "on"}}).info.hostCallSeconds, 0.0);
    }

    void modesSendWhatTheySay_data() {
        QTest::addColumn<Options>("options");
        QTest::addColumn<int>("sent");
        const Options twelve{{"deviceIterations", "12"}};
        const auto row = [](const char* name, Options options, int sent, Options more) {
            options.merge(more);
            QTest::newRow(name) << options << sent;
        };
        const Options every{{"outputMode", "every-n"}, {"outputEvery", "4"}};
        row("all", {}, 12, twelve);
        row("final", {{"outputMode", "final"}}, 1, twelve);
        row("sum", {{"outputMode", "sum"}}, 1, twelve);
        row("every-n", every, 3, twelve);
        row("every one", {{"outputMode", "every-n"}, {"outputEvery", "1"}}, 12, twelve);
        row("trained, all", {{"mode", "training"}, {"gradientAccumulation", "2"}}, 24, twelve);
        row("trained, final",
            {{"mode", "training"}, {"gradientAccumulation", "2"}, {"outputMode", "final"}}, 1,
            twelve);
        row("pipelined, all", pipelined({}), 96, twelve);
        row("pipelined, final", pipelined({{"outputMode", "final"}}), 1, twelve);
        row("pipelined, sum", pipelined({{"outputMode", "sum"}}), 1, twelve);
        row("pipelined, every-n", pipelined(every), 3, twelve);
        row("pipelined inference, sum",
            {{"ipus", "4"}, {"execution", "pipelined"}, {"outputMode", "sum"}}, 1, twelve);
    }
    void modesSendWhatTheySay() {
        QFETCH(Options, options);
        QFETCH(int, sent);
        const Profile p = ran(options);
        const std::string wrong = complaints(p);
        QVERIFY2(wrong.empty(), wrong.c_str());
        // Training has results of its own, the loss among them.
        const std::int64_t results = std::count_if(p.streams.begin(), p.streams.end(), isResult);
        QCOMPARE(resultsSent(p), sent * results);
    }

    /// "Returning more costs speed."
    void returningMoreCostsSpeed() {
        const auto rate = [](const char* mode) {
            return ran({{"deviceIterations", "100"}, {"outputMode", mode}}).info.throughput;
        };
        QVERIFY(rate("final") > rate("sum"));
        QVERIFY(rate("sum") > rate("all"));
    }

    void stepsOfKeras() {
        const Options keras{{"framework", "keras"}, {"target", "pod4"}, {"replicas", "2"}};
        Options good = keras;
        good["stepsPerExecution"] = "8";
        const Profile p = ran(good);
        QCOMPARE(p.info.deviceIterations, 4);
        Options bad = keras;
        bad["stepsPerExecution"] = "7";
        QCOMPARE(userError([&] { static_cast<void>(ran(bad)); }),
                 "option stepsPerExecution (--steps-per-execution): 7 is not a multiple of 2: 2 "
                 "replicas take as many micro-batches each; choose 8 or another multiple");
    }

    void theExecutionIsLeftOut() {
        RunOptions options = optionsOf({});
        options.engine.given["autoReport.outputExecutionProfile"] = "false";
        const Profile part = wantedPart(simulateModel("mnist-tutorial", options), options.engine);
        QVERIFY(!part.info.hasExecution);
        QVERIFY(part.trace.bodies.empty());
        QVERIFY(!part.programs.empty() && wantsProfile(options.engine));
        options.engine.given["autoReport.outputGraphProfile"] = "false";
        QVERIFY(!wantsProfile(options.engine));
    }

    void countersTakeMemory() {
        const auto counted = [](const char* level) {
            RunOptions options = optionsOf({});
            options.engine.given["debug.computeInstrumentationLevel"] = level;
            const Profile p = simulateModel("mnist-tutorial", options);
            std::int64_t bytes = 0;
            for (const Variable& variable : p.variables)
                if (variable.category == MemoryCategory::InstrumentationResults)
                    bytes += variable.bytes.sum();
            return bytes;
        };
        QVERIFY(counted("vertex") > counted("tile"));
        QVERIFY(counted("tile") > counted("ipu"));
        QCOMPARE(counted("ipu"), counted("device"));
        QCOMPARE(counted("off"), 0);
    }
};

TILESCOPE_TEST(HostCallTest)

} // namespace host_call_test

#include "host_call_test.moc"
