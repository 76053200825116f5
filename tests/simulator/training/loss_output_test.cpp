// A model's output as its loss, with others beside it, and weights that training leaves alone.
#include <QtTest>
#include <algorithm>

#include "core/base/error.h"
#include "core/options/option_table.h"
#include "model_text.h"
#include "simulator/prepare/prepare.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace loss_output_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

RunOptions training() {
    RunOptions options;
    options.batch.mode = "training";
    options.training.lossOutput = "l";
    return options;
}

/// Scores, their loss and another number, by two weights.
Graph model() {
    ImportOptions options;
    options.training = true;
    Graph graph =
        importText("g (float[4,16] x, int64[4] t, float[16,8] body_w, float[8,8] head_w) => "
                   "(float[4,8] y, float l, float s) "
                   "{ h = MatMul(x, body_w) y = MatMul(h, head_w) "
                   "l = SoftmaxCrossEntropyLoss <reduction = \"mean\"> (y, t) "
                   "s = ReduceSum <keepdims = 0> (y) }",
                   17, options);
    for (Tensor& tensor : graph.tensors)
        if (tensor.name.ends_with("_w")) { // the parser of texts has no dots in names
            tensor.role = TensorRole::Weight;
            tensor.name.replace(tensor.name.size() - 2, 1, ".");
        }
    std::erase_if(graph.inputs,
                  [&](TensorId id) { return graph.tensors[id].role == TensorRole::Weight; });
    return graph;
}

std::string outputsOf(const Graph& graph) {
    std::string names;
    for (const TensorId id : graph.outputs)
        names += graph.tensors[id].name + " ";
    return names;
}

bool isUpdated(const Graph& graph, const std::string& weight) {
    return std::any_of(graph.ops.begin(), graph.ops.end(),
                       [&](const Op& op) { return op.name == weight + "_var_update"; });
}

} // namespace

class LossOutputTest : public QObject {
    Q_OBJECT

private slots:
    /// The samples of a batch are not classes: a model of one number for each needs a loss.
    void oneNumberForEachSampleNeedsALoss() {
        RunOptions options;
        options.batch.mode = "training";
        const auto train = [&](const char* rows) {
            ImportOptions import;
            import.training = true;
            const std::string size = rows;
            static_cast<void>(simulate(importText("g (float[" + size +
                                                      ",16] x, float[16,1] w) => "
                                                      "(float[" +
                                                      size + ",1] y) { y = MatMul(x, w) }",
                                                  17, import),
                                       options));
        };
        for (const char* rows : {"1", "8"}) {
            const QString error = userError([&] { train(rows); });
            QVERIFY2(error.contains("leaves no classes to train on; choose a loss"),
                     qPrintable(error));
        }
        options.training.loss = LossFunction::MeanSquaredError;
        train("8");
    }

    void otherOutputsStayAndTheGradientIsShort() {
        RunOptions options = training();
        options.outline.enabled = false;
        const Graph graph = preparedGraph(model(), options);
        checkGraph(graph);
        QCOMPARE(text(outputsOf(graph)), "y l s ");
        QVERIFY(std::any_of(graph.ops.begin(), graph.ops.end(),
                            [](const Op& op) { return op.type == "NllWithSoftmaxGradDirect"; }));
        QVERIFY(isUpdated(graph, "body.w"));
        QVERIFY(isUpdated(graph, "head.w"));
        const std::string wrong = complaints(simulate(model(), options));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void theFirstOutputIsTheLossWithoutTheOption() {
        RunOptions options = training();
        options.training.lossOutput.clear();
        const Graph graph = preparedGraph(model(), options);
        QCOMPARE(graph.outputs.size(), std::size_t(1));
    }

    void anyScalarMayBeTheLoss() {
        RunOptions options = training();
        options.training.lossOutput = "s";
        options.outline.enabled = false;
        const Graph graph = preparedGraph(model(), options);
        QCOMPARE(text(outputsOf(graph)), "y l s ");
        QVERIFY(isUpdated(graph, "head.w"));
    }

    void wrongOutputsAreRefused_data() {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown") << "z"
                                 << "option lossOutput (--loss-output): model '' has no output "
                                    "'z'; it has y, l, s";
        QTest::newRow("no number") << "y"
                                   << "option lossOutput (--loss-output): output 'y' of shape "
                                      "[4,8] is not one number that operations make; reduce it "
                                      "to one";
    }
    void wrongOutputsAreRefused() {
        QFETCH(QString, output);
        QFETCH(QString, message);
        RunOptions options = training();
        options.training.lossOutput = output.toStdString();
        Graph graph = model();
        graph.name.clear();
        try {
            preparedGraph(graph, options);
            QFAIL("nothing was refused");
        } catch (const UserError& error) {
            QCOMPARE(text(error.what()), message);
        }
    }

    void frozenWeightsStay_data() {
        QTest::addColumn<QString>("frozen");
        QTest::addColumn<bool>("body");
        QTest::addColumn<bool>("head");
        QTest::newRow("by name") << "body.w" << false << true;
        QTest::newRow("by scope") << "head" << true << false;
    }
    void frozenWeightsStay() {
        QFETCH(QString, frozen);
        QFETCH(bool, body);
        QFETCH(bool, head);
        for (const std::int64_t accumulation : {1, 3}) {
            RunOptions options = training();
            options.training.frozen = {frozen.toStdString()};
            options.batch.gradientAccumulation = accumulation;
            options.outline.enabled = false;
            const Graph graph = preparedGraph(model(), options);
            checkGraph(graph);
            QCOMPARE(isUpdated(graph, "body.w"), body);
            QCOMPARE(isUpdated(graph, "head.w"), head);
        }
    }

    void optionsThatDoNotFitAreRefused_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("mode");
        QTest::newRow("loss in inference") << "lossOutput"
                                           << "l"
                                           << "inference";
        QTest::newRow("frozen in inference") << "frozen"
                                             << "a"
                                             << "inference";
        QTest::newRow("two losses") << "loss"
                                    << "mse"
                                    << "training";
    }
    void optionsThatDoNotFitAreRefused() {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, mode);
        RunOptions options;
        options.batch.mode = mode.toStdString();
        if (mode == "training")
            options.training.lossOutput = "l";
        validate(options);
        setRunOption(options, key.toStdString(), value.toStdString());
        QVERIFY_THROWS_EXCEPTION(UserError, validate(options));
    }

    void unknownWeightsAreRefused() {
        RunOptions options = training();
        options.training.frozen = {"bod"};
        QVERIFY_THROWS_EXCEPTION(UserError, preparedGraph(model(), options));
        options.training.frozen.clear();
        options.training.parameterGroups = parameterGroupsFrom(R"({"bod": {}})");
        QVERIFY_THROWS_EXCEPTION(UserError, preparedGraph(model(), options));
        options.training.parameterGroups = parameterGroupsFrom(R"({"body": {}, "body.w": {}})");
        QVERIFY_THROWS_EXCEPTION(UserError, preparedGraph(model(), options));
    }

    /// A weight of a group is updated with the group's numbers, all others with the run's.
    void groupsHaveNumbersOfTheirOwn() {
        const std::string groups = R"({"head":{"learningRate":0.5,"weightDecay":0.25}})";
        RunOptions options = training();
        setRunOptions(options, {{"optimizer", "momentum"}, {"parameterGroups", groups}});
        QCOMPARE(text(findOption("parameterGroups")->get(options)),
                 text(R"({"head":{"learningRate":5E-1,"weightDecay":2.5E-1}})"));
        options.outline.enabled = false;
        const Graph graph = preparedGraph(model(), options);
        checkGraph(graph);
        const auto numbersOf = [&](const std::string& name) {
            const auto op = std::find_if(graph.ops.begin(), graph.ops.end(),
                                         [&](const Op& o) { return o.name == name; });
            return op == graph.ops.end() ? ElementwiseAttributes{ElementwiseFunction::Zero}
                                         : std::get<ElementwiseAttributes>(op->attributes);
        };
        QCOMPARE(numbersOf("body.w_var_update").rate, 0);
        QCOMPARE(numbersOf("head.w_var_update").rate, 1);
        QCOMPARE(numbersOf("head.w_weightDecay").alpha, 0.25);
        QVERIFY(numbersOf("body.w_weightDecay").function == ElementwiseFunction::Zero);
        const std::string wrong = complaints(simulate(model(), options));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

TILESCOPE_TEST(LossOutputTest)

} // namespace loss_output_test

#include "loss_output_test.moc"
