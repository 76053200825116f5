// The passes that prepare a graph can be watched, and some left out.
#include <QtTest>

#include "core/base/error.h"
#include "simulator/graph/graph_text.h"
#include "simulator/simulate.h"
#include "tests/simulator/support/graph_builder.h"
#include "tests/simulator/support/invariants.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace passes_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Options under which every optional pass has something to do.
RunOptions training() {
    return optionsOf({{"mode", "training"},
                      {"batchSize", "4"},
                      {"replicas", "2"},
                      {"distributedBatchNormReplicaGroupSize", "2"},
                      {"recompute", "standard"},
                      {"optimizer", "momentum"},
                      {"offload", "optimizer"},
                      {"tilesPerIpu", "64"}});
}

/// Residual blocks: what is normalised, recomputed and outlined in ResNet-50, in few operations.
Graph model() {
    GraphBuilder b;
    const Shape shape{4, 16, 8, 8};
    const auto normalised = [&](const std::string& name, TensorId x) {
        std::vector<TensorId> operands{b.conv(name + "/conv", x, shape[1], 3)};
        while (operands.size() < 5) // scale, shift, running mean and variance
            operands.push_back(b.weight({shape[1], 1, 1}));
        return b.add(name + "/norm", NormAttributes{{0, 2, 3}, true}, std::move(operands), shape);
    };
    TensorId x = b.input(shape);
    for (const std::string block : {"B1", "B2", "B3"}) {
        const TensorId inner =
            b.unary(block + "/relu", ElementwiseFunction::Relu, normalised(block + "/first", x));
        x = b.binary(block + "/sum", ElementwiseFunction::Add, x,
                     normalised(block + "/second", inner), shape);
    }
    return b.finish({x});
}

} // namespace

class PassesTest : public QObject {
    Q_OBJECT

private slots:
    void areReportedInOrderWithTheirGraphs() {
        const RunOptions options = training();
        std::vector<std::string> names;
        std::string last;
        const Graph prepared = preparedGraph(model(), options, {{}, [&](const PassReport& pass) {
                                                                    QVERIFY(pass.seconds >= 0);
                                                                    names.emplace_back(pass.name);
                                                                    last = graphText(pass.graph);
                                                                }});
        QCOMPARE(names.front(), "random numbers");
        QCOMPARE(names.back(), "outline");
        const auto at = [&](const char* name) {
            return std::find(names.begin(), names.end(), name) - names.begin();
        };
        QVERIFY(at("training") < at("recomputation"));
        QVERIFY(at("recomputation") < at("off-chip"));
        for (const std::string_view name : optionalPasses())
            QVERIFY2(at(std::string(name).c_str()) < std::ssize(names), std::string(name).c_str());
        QCOMPARE(last, graphText(prepared));
        QVERIFY(last.starts_with("function 0\n"));
        QVERIFY(last.find(" (VarUpdate, ") != std::string::npos);
    }

    void canBeLeftOut_data() {
        QTest::addColumn<QString>("pass");
        for (const std::string_view name : optionalPasses())
            QTest::newRow(std::string(name).c_str()) << QString::fromUtf8(name.data());
    }
    void canBeLeftOut() {
        QFETCH(QString, pass);
        const RunOptions options = training();
        const Graph graph = model();
        bool ran = false;
        static const Profile with = simulate(graph, options);
        const Profile without =
            simulate(graph, options, {}, {{pass.toStdString()}, [&](const auto& done) {
                                              ran |= done.name == pass.toStdString();
                                          }});
        QVERIFY(!ran);
        const std::string broken = complaints(without);
        QVERIFY2(broken.empty(), broken.c_str());
        if (pass == "convolutions together") // there are none to gather
            QCOMPARE(without.info.cycles, with.info.cycles);
        else if (pass == "record of the model")
            QVERIFY(without.modelGraph.tensors.empty() && !with.modelGraph.tensors.empty());
        else
            QVERIFY(without.programs.size() != with.programs.size());
    }

    void whatIsNeededCannotBeLeftOut() {
        const RunOptions options = training();
        for (const char* name : {"training", "no such pass"})
            try {
                preparedGraph(model(), options, {{name}, {}});
                QFAIL(name);
            } catch (const UserError& error) {
                const std::string text = error.what();
                QVERIFY(text.find(name) != std::string::npos);
                QVERIFY(text.find("outline") != std::string::npos);
            }
    }
};

TILESCOPE_TEST(PassesTest)

} // namespace passes_test

#include "passes_test.moc"
