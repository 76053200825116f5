// The pipelining tutorial of PopTorch (graphcore/tutorials, tutorials/pytorch/pipelining) against
// the figures in its picture of a weight update in the Graph Analyser.
#include <QTest>
#include <array>
#include <cmath>
#include <optional>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "core/trace/range_programs.h"
#include "core/trace/trace_index.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace pipelining_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

/// One weight update, as the picture shows.
const Profile& update() {
    static const Profile profile = [] {
        const Job job = readJob(TILESCOPE_SOURCE_DIR "/resources/jobs/tutorial_pipelined.json");
        RunOptions options;
        setRunOptions(options, job.options);
        options.batch.deviceIterations = 1;
        // PopTorch's default for a pipeline in training (popart_compiler, Compiler.cpp).
        options.memory.recompute = Recompute::Pipeline;
        return simulateModel(job.model, options);
    }();
    return profile;
}

const TraceIndex& trace() {
    static const TraceIndex index(update().trace, update().info.target.ipus,
                                  update().info.target.tilesPerIpu);
    return index;
}

CycleRange run() {
    const TraceRun& last = update().trace.runs.back();
    return {last.start, last.start + last.cycles};
}

} // namespace

class PipeliningTest : public QObject {
    Q_OBJECT

private slots:
    /// What comes over the links is what the layers say: 4.1, 5.0, 1.8 and 0.64 MB in the picture,
    /// which counts what the exchange adds.
    void exchangeByIpu() {
        constexpr std::array published{4.1e6, 5.0e6, 1.8e6, 0.64e6};
        for (std::size_t ipu = 0; ipu < published.size(); ++ipu) {
            const TraceStatistics moved = trace().statistics(IpuId(ipu), run());
            const double ratio = static_cast<double>(moved.sums.globalBytesIn) / published[ipu];
            QVERIFY2(ratio > 0.8 && ratio < 1.05,
                     qPrintable(QString("IPU %1: %2").arg(ipu).arg(ratio)));
        }
    }

    /// 1,211,970 cycles are visible.
    void cycles() {
        const double ratio = static_cast<double>(update().info.cycles) / 1'211'970;
        QVERIFY2(ratio > 0.85 && ratio < 1.0, qPrintable(QString::number(ratio)));
    }

    /// A micro-batch, 40 images in float, takes some 38,000 cycles to load.
    void loadsOfImages() {
        constexpr std::int64_t imageBytes = 40 * 28 * 28 * 4;
        int loads = 0;
        for (std::int64_t i = 0; i < trace().stepCount(); ++i) {
            const ExecutedStep step = trace().stepAt(i);
            for (const StepOnIpu& on : step.ipus) {
                if (step.kind != ProgramKind::StreamCopyMid || on.bytesIn != imageBytes)
                    continue;
                ++loads;
                const double ratio = static_cast<double>(on.cycles) / 38'000;
                QVERIFY2(ratio > 0.95 && ratio < 1.05, qPrintable(QString::number(ratio)));
            }
        }
        QCOMPARE(loads, 10);
    }

    /// 99.8 % on each IPU, whatever it does.
    void tileBalance() {
        constexpr std::array published{0.9980, 0.9983, 0.9978, 0.9988};
        for (std::size_t ipu = 0; ipu < published.size(); ++ipu) {
            const std::optional<double> balance =
                stepBalance(trace(), IpuId(ipu), run(), update().info.target.tilesPerIpu);
            QVERIFY(balance.has_value());
            QVERIFY2(std::abs(*balance - published[ipu]) < 0.006,
                     qPrintable(QString::number(*balance)));
        }
    }
};

TILESCOPE_TEST(PipeliningTest)

} // namespace pipelining_test

#include "pipelining_test.moc"
