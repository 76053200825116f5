// The program of the profiling tutorial (graphcore/examples, tutorials/poplar/tut4_profiling)
// against the figures of its published profile, an IPU Model of a Mk2 with SDK 2.0.
#include <QtTest>

#include "core/analysis/liveness/liveness.h"
#include "simulator/frontend/operation_list.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace tutorial_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

constexpr double kB = 1024;
constexpr double MB = 1024 * kB;

Profile simulated(const std::string& shapes) {
    const std::string job = R"({"model": {"name": "chain", "variables": {)" + shapes + R"(},
        "operations": [{"name": "m4", "type": "matMul", "inputs": ["m1", "m2"]},
                       {"name": "m5", "type": "matMul", "inputs": ["m4", "m3"]}]}})";
    RunOptions options;
    options.planning.linearInputs = true;
    options.machine.ipuModel = true;
    return simulate(importOperationList(job, "chain.json", {}), options);
}

const Profile& source() {
    static const Profile profile =
        simulated(R"("m1": [800, 500], "m2": [500, 400], "m3": [400, 200])");
    return profile;
}

const Profile& target() {
    static const Profile profile =
        simulated(R"("m1": [1600, 700], "m2": [700, 400], "m3": [400, 200])");
    return profile;
}

double alwaysLive(const Profile& profile, const std::string& name) {
    for (std::size_t v = 0; v < profile.variables.size(); ++v) {
        const Variable& variable = profile.variables[VariableId(v)];
        if (variable.alwaysLive && variable.name == name)
            return static_cast<double>(variable.bytes.sum());
    }
    return 0;
}

std::vector<std::int64_t> notAlwaysLive(const Profile& profile) {
    return livenessOf(profile.info.target, profile.variables, profile.livenessClasses,
                      profile.steps.size(), TileSelection::all())
        .notAlwaysLive;
}

bool within(double simulated, double published, double tolerance) {
    const bool good = std::abs(simulated / published - 1) <= tolerance;
    if (!good)
        qWarning("simulated %.0f, published %.0f", simulated, published);
    return good;
}

/// Bytes live while the leaf with this name runs.
double liveAt(const Profile& profile, const std::string& name) {
    const auto live = notAlwaysLive(profile);
    for (std::size_t s = 0; s < profile.steps.size(); ++s)
        if (profile.programs[profile.steps[StepId(s)]].name == name)
            return static_cast<double>(live[s]);
    return 0;
}

/// The tutorial's case that does not fit, as its first edition has it: the program for hardware,
/// which compiles code, with these matrices.
const Profile& outOfMemory() {
    static const Profile profile = [] {
        const std::string job =
            R"({"model": {"name": "chain", "variables": {"m1": [9000, 6000], "m2": [6000, 300],
                                                         "m3": [300, 200]},
                "operations": [{"name": "m4", "type": "matMul", "inputs": ["m1", "m2"]},
                               {"name": "m5", "type": "matMul", "inputs": ["m4", "m3"]}]}})";
        RunOptions options;
        options.planning.linearInputs = true;
        return simulate(importOperationList(job, "chain.json", {}), options);
    }();
    return profile;
}

} // namespace

class TutorialTest : public QObject {
    Q_OBJECT

private slots:
    /// The published tree in order, with two differences: its second program of the engine is not
    /// public, and the merged copies before m5's Convolve need no OnTileCopy here.
    void programTree() {
        QStringList steps;
        for (std::size_t s = 0; s < source().steps.size(); ++s) {
            const Program& program = source().programs[source().steps[StepId(s)]];
            QString step = QString::fromUtf8(toString(program.kind).data(),
                                             qsizetype(toString(program.kind).size()));
            if (program.computeSet.valid() || program.exchange.valid())
                step += QString(" (%1)").arg(QString::fromStdString(program.name));
            steps.append(step);
        }
        const QStringList published{
            "StreamCopyBegin",
            "StreamCopyMid",
            "StreamCopyEnd",
            "StreamCopyBegin",
            "StreamCopyMid",
            "StreamCopyEnd",
            "DoExchange (copy7_switchControlBroadcast7/ExchangePre)",
            "WriteUndef",
            "WriteUndef",
            "DoExchange (copy6_Copy_{ValuePadder/padding,m2}_to_m4/Conv_1/preRegroup/ExchangePre)",
            "OnTileExecute "
            "(copy6_Copy_{ValuePadder/padding,m2}_to_m4/Conv_1/preRegroup/OnTileCopy-0)",
            "OnTileExecute (m4/Conv_1/Transpose_#0)",
            "DoExchange "
            "(copy1_Copy_m4/Conv_1/partialTranspose_to_m4/Conv_1/actsRearranged/ExchangePre)",
            "DoExchange (cs0_m4/Conv_1/Convolve/ExchangePre)",
            "OnTileExecute (m4/Conv_1/Convolve/PreArrange-0)",
            "OnTileExecute (m4/Conv_1/Convolve)",
            "DoExchange (cs2_m4/Conv_1/Reduce0/ExchangePre)",
            "OnTileExecute (m4/Conv_1/Reduce0)",
            "WriteUndef",
            "DoExchange "
            "(copy8_Copy_{m3,m4/Conv_1/partialReduceOut}_to_m5/Conv_1/preRegroup/ExchangePre)",
            "OnTileExecute (m5/Conv_1/Transpose_#0)",
            "WriteUndef",
            "DoExchange (copy9_Copy_m5/Conv_1/partialTranspose_to_{m5/Conv_1/actsRearranged,"
            "m5/Conv_1/weightsRearranged}/ExchangePre)",
            "DoExchange (cs3_m5/Conv_1/Convolve/ExchangePre)",
            "OnTileExecute (m5/Conv_1/Convolve)",
            "DoExchange (cs5_m5/Conv_1/Reduce0/ExchangePre)",
            "OnTileExecute (m5/Conv_1/Reduce0)"};
        QCOMPARE(steps, published);
    }

    /// "Out of memory on tile 1: 674752 bytes used but tiles only have 638976 bytes of memory".
    void theLargeMatricesDoNotFit() {
        const Profile& profile = outOfMemory();
        QVERIFY(!profile.info.fits);
        const auto used = double(profile.tileMemory[TileId(1)].includingGaps);
        QVERIFY(within(used, 674'752, 0.10));
        QVERIFY(profile.tileMemory[TileId(1)].overflowed > 0);
    }

    void counts() {
        // Published: 9. One is the OnTileCopy that is not needed here, with its vertices.
        QCOMPARE(source().computeSets.size(), std::size_t(8));
        QVERIFY(within(double(source().info.vertices), 16'877, 0.08));
        QVERIFY(within(double(source().info.edges), 77'137, 0.10));
    }

    void alwaysLiveList_data() {
        QTest::addColumn<bool>("isTarget");
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("published");
        const auto row = [](bool isTarget, const char* name, double bytes) {
            QTest::addRow("%s %s", isTarget ? "target" : "source", name)
                << isTarget << QString(name) << bytes;
        };
        row(false, "m1", 1.526 * MB); // 800 x 500 floats, printed as 1.5 MB
        row(false, "m2", 781 * kB);
        row(false, "m3", 313 * kB);
        row(false, "vertexInstanceState", 271 * kB);
        row(false, "instrumentationResults", 66.0 * kB);
        row(false, "m4/Conv_1/worklists", 49.2 * kB);
        row(false, "m5/Conv_1/worklists", 47.5 * kB);
        row(false, "hostExchangePacketHeader", 12.1 * kB);
        row(false, "copyDescriptor", 3.1 * kB);
        row(false, "controlId", 8);
        row(true, "m1", 4.272 * MB);
        row(true, "m2", 1.068 * MB);
        row(true, "m3", 313 * kB);
        row(true, "vertexInstanceState", 323 * kB);
        row(true, "instrumentationResults", 66.4 * kB);
        row(true, "m4/Conv_1/worklists", 49.2 * kB);
        row(true, "hostExchangePacketHeader", 12.1 * kB);
        row(true, "controlId", 8);
    }
    void alwaysLiveList() {
        QFETCH(bool, isTarget);
        QFETCH(QString, name);
        QFETCH(double, published);
        QVERIFY(within(alwaysLive(isTarget ? target() : source(), name.toStdString()), published,
                       0.10));
    }

    /// Equal constants are stored once.
    void theTargetSharesWorklists() { QCOMPARE(alwaysLive(target(), "m5/Conv_1/worklists"), 0.0); }

    void liveness_data() {
        QTest::addColumn<QString>("step");
        QTest::addColumn<double>("megabytes");
        QTest::newRow("m4 regrouped") << "m4/Conv_1/Transpose_#0" << 1.5;
        QTest::newRow("m4 gathered") << "cs0_m4/Conv_1/Convolve/ExchangePre" << 45.0;
        QTest::newRow("m4 padded") << "m4/Conv_1/Convolve/PreArrange-0" << 45.0;
        QTest::newRow("m4 convolved") << "m4/Conv_1/Convolve" << 53.0;
        QTest::newRow("m4 partials") << "cs2_m4/Conv_1/Reduce0/ExchangePre" << 17.0;
        QTest::newRow("m4 reduced") << "m4/Conv_1/Reduce0" << 11.0;
        QTest::newRow("m5 gathered") << "cs3_m5/Conv_1/Convolve/ExchangePre" << 19.0;
        QTest::newRow("m5 convolved") << "m5/Conv_1/Convolve" << 24.0;
        QTest::newRow("m5 partials") << "cs5_m5/Conv_1/Reduce0/ExchangePre" << 11.0;
        QTest::newRow("m5 reduced") << "m5/Conv_1/Reduce0" << 7.0;
    }
    void liveness() {
        QFETCH(QString, step);
        QFETCH(double, megabytes);
        QVERIFY(within(liveAt(source(), step.toStdString()), megabytes * MB, 0.15));
    }

    void peaksOfTheTarget() {
        QVERIFY(within(liveAt(target(), "m4/Conv_1/Convolve"), 90 * MB, 0.15));
        QVERIFY(within(liveAt(target(), "m5/Conv_1/Convolve"), 44 * MB, 0.15));
    }

    void memory() {
        double includingGaps = 0, excludingGaps = 0, interleaved = 0;
        for (std::size_t t = 0; t < source().tileMemory.size(); ++t) {
            const TileMemory& tile = source().tileMemory[TileId(t)];
            includingGaps += double(tile.includingGaps);
            excludingGaps += double(tile.excludingGaps);
            interleaved += double(tile.interleaved);
        }
        QVERIFY(within(includingGaps, 307'309'104, 0.05));
        QVERIFY(within(excludingGaps, 59'894'241, 0.05));
        QCOMPARE(interleaved, 8'960'000.0);
        QVERIFY(within(double(source().tileMemory[TileId(700)].excludingGaps), 41.8 * kB, 0.10));
        // Half of it are blocks to be transposed: which tile has the remainder is not public.
        QVERIFY(within(double(source().tileMemory[TileId(1471)].excludingGaps), 1.8 * kB, 0.6));
    }

    void cycles() {
        QVERIFY(source().info.hasExecution);
        QVERIFY(within(double(source().info.cycles), 34'655, 0.15));
    }
};

TILESCOPE_TEST(TutorialTest)

} // namespace tutorial_test

#include "tutorial_test.moc"
