// The vertices of a planned convolution: which class each tile takes, its worklists and its
// buffers.
#include <QtTest>

#include "core/target/target.h"
#include "simulator/lowering/operations/conv_vertices.h"
#include "tests/support/test_main.h"

namespace conv_vertices_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

/// A convolution of rows x columns positions without padding, on as many tiles as rows are cut in.
ConvPlan planOf(ConvMethod method, ConvGrains grains, std::int64_t rows, std::int64_t columns,
                std::int64_t kernel, std::int64_t tiles = 1) {
    ConvPlan plan;
    plan.method = method;
    plan.convUnits = 16;
    plan.grains = grains;
    plan.problem.inType = DataType::Half;
    plan.problem.partialType = plan.problem.outType = DataType::Float;
    plan.problem.groups = grains.groups;
    plan.problem.inChans = grains.inChans;
    plan.problem.outChans = grains.outChans;
    for (const std::int64_t out : {rows, columns}) {
        FieldDim dim;
        dim.kernel = kernel;
        dim.out = out;
        dim.in = out + kernel - 1;
        plan.problem.field.push_back(dim);
    }
    plan.splits.field = {tiles, 1};
    plan.splits.kernel = {1, 1};
    return plan;
}

struct Made {
    TileSeries worklists, scratch;
    std::vector<VertexUse> uses;
};

Made make(const ConvPlan& plan) {
    const Target target = targetPreset("mk2");
    const ConvTiling tiling(plan);
    const ConvPieces pieces(tiling);
    const ConvVertices vertices(target, plan, pieces);
    return {vertices.worklistBytes(), vertices.scratchBytes(), vertices.uses(vertices.cycles())};
}

std::int64_t cyclesOf(const ConvPlan& plan) {
    const Target target = targetPreset("mk2");
    const ConvTiling tiling(plan);
    const ConvPieces pieces(tiling);
    return ConvVertices(target, plan, pieces).cycles().sum();
}

constexpr ConvGrains amp{1, 16, 16}, slic{1, 4, 4}, hmac{1, 16, 1}, vmac{4, 1, 1};

} // namespace

class ConvVerticesTest : public QObject {
    Q_OBJECT
private slots:
    /// Six workers, six rows of a kernel of one position: a list for all.
    void aRowForEachWorker() {
        const Made made = make(planOf(ConvMethod::Amp, amp, 6, 10, 1));
        QCOMPARE(made.worklists.sum(), std::int64_t(6 * 6));
        QCOMPARE(made.uses.size(), std::size_t(1));
        QVERIFY(made.uses.front().name.starts_with("poplin::ConvPartial1x1Out<"));
    }

    /// Five rows are ten parts of rows: 50 positions in runs of eight or nine.
    void runsThatCrossRows() {
        const Made made = make(planOf(ConvMethod::Amp, amp, 5, 10, 1));
        QCOMPARE(made.worklists.sum(), std::int64_t(10 * 6 + 6 * 4));
        QVERIFY(made.uses.front().name.starts_with("poplin::ConvPartialnx1<"));
    }

    /// Eleven rows over two tiles: five and six.
    void eachTileChooses() {
        const Made made = make(planOf(ConvMethod::Amp, amp, 11, 10, 1, 2));
        QCOMPARE(made.uses.size(), std::size_t(2));
        QCOMPARE(made.worklists.at(TileId(0)), std::int64_t(84));
        QCOMPARE(made.worklists.at(TileId(1)), std::int64_t(36));
        for (const VertexUse& use : made.uses)
            QCOMPARE(use.count.sum(), std::int64_t(1));
    }

    /// Seven rows of two windows of four columns, each with a list a worker.
    void windowsOfSlic() {
        const Made made = make(planOf(ConvMethod::Slic, slic, 6, 10, 7));
        QCOMPARE(made.worklists.sum(), std::int64_t(7 * 2 * (6 * 6 + 6 * 4)));
        QCOMPARE(made.scratch.sum(), std::int64_t(6 * 10 * 4 * 4 + 200));
    }

    void positionsOfHmac() {
        const Made made = make(planOf(ConvMethod::Hmac, hmac, 6, 10, 3));
        QCOMPARE(made.worklists.sum(), std::int64_t(9 * (6 * 6 + 6 * 4)));
        QVERIFY(made.scratch.empty());
    }

    /// An entry of four words for each output and kernel row; sums of each worker.
    void outputsOfVmac() {
        const Made made = make(planOf(ConvMethod::Vmac, vmac, 6, 10, 3));
        QCOMPARE(made.worklists.sum(), std::int64_t(6 * 10 * 3 * 8 + 6 * 4));
        QCOMPARE(made.scratch.sum(), std::int64_t(6 * 6 * 10 * 4 * 4));
        // Five of the 35 outputs are shared by two workers.
        const Made uneven = make(planOf(ConvMethod::Vmac, vmac, 5, 7, 3));
        QCOMPARE(uneven.worklists.sum(), std::int64_t((35 + 5) * 3 * 8 + 6 * 4));
    }

    /// Each of a worker's ten outputs has an entry for each of three kernel rows, of three columns:
    /// 15 cycles and two for each further column (PopLibs poplin/PerformanceEstimation.hpp).
    void cyclesOfVmac() {
        constexpr std::int64_t worker = 19 + 10 * 3 * (15 + 2 * 2);
        constexpr std::int64_t zeroing = 4 + 6 * 10 * 4 / 2, reduction = 9 + 19 * 10;
        QCOMPARE(cyclesOf(planOf(ConvMethod::Vmac, vmac, 6, 10, 3)),
                 std::int64_t(101 + zeroing + 32 + 24 + 6 * worker + reduction));
        // Five of 35 outputs are left over: each worker has one column of the row of each of them.
        constexpr std::int64_t uneven = 19 + 3 * (5 * (15 + 2 * 2) + 5 * 15);
        constexpr std::int64_t zeros = 4 + 35 * 4 / 2, sums = 9 + 19 * 24 / 4;
        QCOMPARE(cyclesOf(planOf(ConvMethod::Vmac, vmac, 5, 7, 3)),
                 std::int64_t(101 + zeros + 32 + 24 + 6 * uneven + sums));
    }

    /// With zeros between the inputs only every other row and column of the kernel meets one.
    void cyclesOfVmacWithDilatedInput() {
        ConvPlan plan = planOf(ConvMethod::Vmac, vmac, 6, 12, 4);
        for (FieldDim& dim : plan.problem.field) {
            dim.in = (dim.in + 1) / 2;
            dim.inDilation = 2;
        }
        constexpr std::int64_t worker = 19 + 4 * 6 * (15 + 2);
        constexpr std::int64_t zeroing = 4 + 6 * 12 * 4 / 2, reduction = 9 + 19 * 48 / 4;
        QCOMPARE(cyclesOf(plan), std::int64_t(101 + zeroing + 32 + 24 + 6 * worker + reduction));
    }
};

TILESCOPE_TEST(ConvVerticesTest, QCoreApplication)

} // namespace conv_vertices_test

#include "conv_vertices_test.moc"
