// The pipelining tutorial of PopTorch (graphcore/tutorials, tutorials/pytorch/pipelining) against
// the figures in its picture of a weight update in the Graph Analyser.
#include <QTest>
#include <array>

#include "core/options/job.h"
#include "core/options/option_table.h"
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

/// Sums of executed steps of an IPU in the run.
struct Moved {
    double globalIn = 0;
    double waitedFor = 0; ///< tile cycles in which a tile of a compute set was done before others
};

Moved movedOn(std::int32_t ipu) {
    Moved moved;
    for (std::int64_t i = 0; i < trace().stepCount(); ++i) {
        const ExecutedStep step = trace().stepAt(i);
        for (const StepOnIpu& on : step.ipus) {
            if (on.ipu != IpuId(ipu) || on.start < run().begin)
                continue;
            if (step.kind == ProgramKind::GlobalExchange)
                moved.globalIn += static_cast<double>(on.bytesIn);
            if (step.kind == ProgramKind::OnTileExecute)
                moved.waitedFor +=
                    static_cast<double>(on.cycles * on.activeTiles - on.activeCycles);
        }
    }
    return moved;
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
            const double ratio = movedOn(static_cast<std::int32_t>(ipu)).globalIn / published[ipu];
            QVERIFY2(ratio > 0.8 && ratio < 1.05,
                     qPrintable(QString("IPU %1: %2").arg(ipu).arg(ratio)));
        }
    }

    /// 1,211,970 cycles are visible.
    void cycles() {
        const double ratio = static_cast<double>(update().info.cycles) / 1'211'970;
        QVERIFY2(ratio > 0.75 && ratio < 1.0, qPrintable(QString::number(ratio)));
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

    /// 99.8 % on each IPU, whatever it does: what no tile waits for within a compute set.
    void tileBalance() {
        const Target& target = update().info.target;
        for (std::int32_t ipu = 0; ipu < target.ipus; ++ipu) {
            const double all = static_cast<double>(run().cycles()) * target.tilesPerIpu;
            const double balance = 1 - movedOn(ipu).waitedFor / all;
            QVERIFY2(balance > 0.985 && balance <= 1, qPrintable(QString::number(balance)));
        }
    }
};

TILESCOPE_TEST(PipeliningTest)

} // namespace pipelining_test

#include "pipelining_test.moc"
