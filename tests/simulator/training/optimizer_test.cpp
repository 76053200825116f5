// Operations and state of each optimizer, for one weight.
#include <QtTest>

#include "simulator/training/optimizer.h"
#include "support/graph_builder.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace optimizer_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class OptimizerTest : public QObject {
    Q_OBJECT

    static Graph trained(Optimizer optimizer, std::int64_t accumulation) {
        GraphBuilder g(DataType::Half);
        RunOptions options;
        options.batch.mode = "training";
        options.training.optimizer = optimizer;
        options.batch.gradientAccumulation = accumulation;
        return trainingGraph(g.finish({g.matMul("fc", g.input({4, 8}), g.weight({8, 4}))}),
                             options);
    }

    /// Suffixes of the operations on the weight in a phase.
    static QStringList opsOf(const Graph& graph, Pass pass) {
        QStringList list;
        for (const Op& op : graph.ops)
            if (op.pass == pass && op.name.starts_with("w0_"))
                list << text(op.name).mid(3);
        return list;
    }

    static QStringList stateOf(const Graph& graph) {
        QStringList list;
        for (const Tensor& tensor : graph.tensors)
            if (tensor.layoutOf.valid() && tensor.name.starts_with("Acc")) {
                list << text(tensor.name);
                if (tensor.type != DataType::Float || tensor.role != TensorRole::Weight)
                    list << "in half, or not kept";
            }
        list.sort();
        return list;
    }

private slots:
    void updates_data() {
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<QStringList>("update");
        QTest::addColumn<QStringList>("state");
        const auto row = [](const char* name, Optimizer optimizer, QStringList update,
                            QStringList state) {
            QTest::newRow(name) << static_cast<int>(optimizer) << update << state;
        };
        row("sgd", Optimizer::Sgd, {"var_update", "accumulator_zero"}, {"Accum___w0"});
        row("momentum", Optimizer::Momentum, {"accl1", "var_update", "accumulator_zero"},
            {"Accl1___w0", "Accum___w0"});
        const QStringList adam{"accl1",       "accl2",      "step",
                               "adamupdater", "var_update", "accumulator_zero"};
        const QStringList adamState{"Accl1___w0", "Accl2___w0", "Accum___w0"};
        row("adam", Optimizer::Adam, adam, adamState);
        row("adamw", Optimizer::AdamW, adam, adamState);
        row("lamb", Optimizer::Lamb,
            {"accl1", "accl2", "step", "adamupdater", "lambR1Sq", "lambR2Sq", "lambRatio",
             "lambScale", "var_update", "accumulator_zero"},
            adamState);
        row("lars", Optimizer::Lars,
            {"larsSquares", "larsWeightNorm", "larsGradientNorm", "larsDecayedNorm", "larsNorms",
             "larsRatio", "larsDecay", "larsScale", "accl1", "var_update", "accumulator_zero"},
            {"Accl1___w0", "Accum___w0"});
    }
    void updates() {
        QFETCH(int, optimizer);
        QFETCH(QStringList, update);
        QFETCH(QStringList, state);
        const Graph graph = trained(static_cast<Optimizer>(optimizer), 8);
        checkGraph(graph);
        QCOMPARE(opsOf(graph, Pass::Backward), QStringList{"accumulate"});
        QCOMPARE(opsOf(graph, Pass::Update), update);
        QCOMPARE(stateOf(graph), state);
        const auto steps =
            std::count_if(graph.tensors.begin(), graph.tensors.end(), [](const Tensor& tensor) {
                return tensor.name == "Step___w0" && tensor.shape.empty() &&
                       tensor.role == TensorRole::Weight && tensor.type == DataType::Float;
            });
        QCOMPARE(steps, update.contains("step") ? 1 : 0);
    }

    /// Moments are kept in their own type and without the loss's scale, which SGD needs no step
    /// for.
    void gradientsAreUnscaledForMoments() {
        RunOptions options;
        options.batch.mode = "training";
        options.training.optimizer = Optimizer::Adam;
        options.batch.gradientAccumulation = 8;
        options.training.accumulationType = Precision::Half;
        options.training.lossScaling = 128;
        const auto build = [&] {
            GraphBuilder g(DataType::Half);
            return trainingGraph(g.finish({g.matMul("fc", g.input({4, 8}), g.weight({8, 4}))}),
                                 options);
        };
        Graph graph = build();
        checkGraph(graph);
        QCOMPARE(opsOf(graph, Pass::Update).mid(0, 3),
                 (QStringList{"gradientCast", "gradientUnscale", "accl1"}));
        options.training.optimizer = Optimizer::Sgd;
        graph = build();
        QCOMPARE(opsOf(graph, Pass::Update), (QStringList{"var_update", "accumulator_zero"}));
    }

    /// A table that a product shares: the product's gradient is added to the accumulator, and then
    /// the rows of the look-up, without a gradient of the table's size in between.
    void sharedTableIsAccumulatedInParts() {
        GraphBuilder g(DataType::Half);
        RunOptions options;
        options.batch.mode = "training";
        options.batch.gradientAccumulation = 8;
        const TensorId table = g.weight({32, 8});
        const TensorId rows = g.gather("embed", table, g.indices({4}), 0);
        const TensorId scores = g.matMul("head", rows, g.transpose("turn", table, {1, 0}));
        const Graph graph = trainingGraph(g.finish({scores}), options);
        checkGraph(graph);
        QStringList adders;
        QStringList sums;
        for (const Op& op : graph.ops) {
            if (op.type == "Accumulate" || op.type == "SparseAccumulate")
                adders << text(op.type);
            if (op.pass == Pass::Backward && op.type == "Sum")
                sums << text(op.name);
        }
        QCOMPARE(adders, (QStringList{"Accumulate", "SparseAccumulate"}));
        QCOMPARE(sums, QStringList());
    }

    /// Without accumulation the gradient itself updates the weight, in the backward pass.
    void withoutAccumulation() {
        const Graph graph = trained(Optimizer::Sgd, 1);
        QCOMPARE(opsOf(graph, Pass::Backward), QStringList{"var_update"});
        QCOMPARE(opsOf(graph, Pass::Update), QStringList());
        QCOMPARE(stateOf(graph), QStringList());
    }
};

TILESCOPE_TEST(OptimizerTest)

} // namespace optimizer_test

#include "optimizer_test.moc"
