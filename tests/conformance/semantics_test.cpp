// What ONNX says about operators and its own test data leave out, with results by hand.
#include <cmath>
#include <map>
#include <set>

#include <QtTest>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "onnx_case.h"
#include "tests/simulator/model_text.h"
#include "tests/support/test_main.h"

namespace conformance_semantics_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Numbers = std::vector<double>;

Graph valued(const std::string& text, bool folds = false) {
    ImportOptions options;
    options.values = true;
    options.foldBatchNorm = folds;
    return importText(text, 17, options);
}

/// All results in a row, of the numbers of the inputs by name.
Numbers resultsOf(const Graph& graph, const std::map<std::string, Numbers>& inputs) {
    const auto outputs = computedOutputs(graph, [&](const Tensor& input) {
        TensorData data(input.type, input.shape);
        const Numbers& numbers = inputs.at(input.name);
        for (std::int64_t i = 0; i < data.elements(); ++i)
            data.setNumber(i, numbers.at(static_cast<std::size_t>(i)));
        return data;
    });
    Numbers all;
    for (const TensorData& output : outputs)
        for (std::int64_t i = 0; i < output.elements(); ++i)
            all.push_back(output.number(i));
    return all;
}

QString toText(const Numbers& numbers) {
    QStringList parts;
    for (const double number : numbers)
        parts << QString::number(number);
    return parts.join(' ');
}

bool areNear(const Numbers& a, const Numbers& b) {
    constexpr double most = 1e-5;
    bool near = a.size() == b.size();
    for (std::size_t i = 0; near && i < a.size(); ++i)
        near = std::abs(a[i] - b[i]) <= most;
    return near;
}

} // namespace

class SemanticsTest : public QObject {
    Q_OBJECT

private slots:
    void results_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QVector<double>>("x");
        QTest::addColumn<QVector<double>>("second");
        QTest::addColumn<QVector<double>>("expected");
        const auto add = [](const char* name, const char* graph, const Numbers& x,
                            const Numbers& second, const Numbers& expected) {
            QTest::newRow(name) << graph << QVector<double>(x.begin(), x.end())
                                << QVector<double>(second.begin(), second.end())
                                << QVector<double>(expected.begin(), expected.end());
        };
        add("of equal keys the first",
            "g (float[2,5] x) => (float[2,3] v, int64[2,3] i) <int64[1] k = {3}> "
            "{ v, i = TopK(x, k) }",
            {1, 3, 3, 2, 3, 0, 0, 0, 0, 0}, {}, {3, 3, 3, 0, 0, 0, 1, 2, 4, 0, 1, 2});
        add("the smallest",
            "g (float[6] x) => (float[2] v, int64[2] i) <int64[1] k = {2}> "
            "{ v, i = TopK <largest = 0> (x, k) }",
            {5, -1, 7, -1, 9, 0}, {}, {-1, -1, 1, 3});
        add("all of eight in order",
            "g (int32[8] x) => (int32[8] v, int64[8] i) <int64[1] k = {8}> "
            "{ v, i = TopK(x, k) }",
            {3, 1, 4, 1, 5, 9, 2, 6}, {}, {9, 6, 5, 4, 3, 2, 1, 1, 5, 7, 4, 2, 0, 6, 1, 3});
        add("elements counted from the end",
            "g (float[2,3] x, int64[2,2] s) => (float[2,2] y) "
            "{ y = GatherElements <axis = 1> (x, s) }",
            {1, 2, 3, 4, 5, 6}, {-1, 0, -3, -1}, {3, 1, 4, 6});
        add("blocks counted from the end",
            "g (float[2,2] x, int64[1,2] s) => (float[1] y) { y = GatherND(x, s) }", {0, 1, 2, 3},
            {-1, -2}, {2});
        add("scattered from the end",
            "g (float[2,2] x, int64[1,2] s) => (float[2,2] y) <float[1] u = {9}> "
            "{ y = ScatterND(x, s, u) }",
            {0, 1, 2, 3}, {0, -1}, {0, 9, 2, 3});
        add("running sum from the end without itself",
            "g (int32[3] x) => (int32[3] y) <int64 axis = {0}> "
            "{ y = CumSum <exclusive = 1, reverse = 1> (x, axis) }",
            {1, 2, 3}, {}, {5, 3, 0});
        add("the last of equal maxima",
            "g (float[4] x) => (int64[1] y) { y = ArgMax <select_last_index = 1> (x) }",
            {1, 3, 3, 0}, {}, {2});
        add("remainder with the divisor's sign",
            "g (int32[2] x, int32[2] s) => (int32[2] y) { y = Mod(x, s) }", {-7, 7}, {3, -3},
            {2, -2});
        add("remainder with the dividend's sign",
            "g (int32[2] x, int32[2] s) => (int32[2] y) { y = Mod <fmod = 1> (x, s) }", {-7, 7},
            {3, -3}, {-1, 1});
        add("whole number to a fraction",
            "g (int32[2] x, float[2] s) => (int32[2] y) { y = Pow(x, s) }", {4, 9}, {0.5, 0.5},
            {2, 3});
        add("mirrored twice",
            "g (float[1,1,1,3] x, float[1,1,2,2] s) => (float[1,1,1,2] y) { y = GridSample "
            "<align_corners = 1, mode = \"nearest\", padding_mode = \"reflection\"> (x, s) }",
            {10, 20, 30}, {3, 0, -2.5, 0}, {10, 30});
        add("sequences that end before others",
            "g (float[2,2,1] x) => (float[2,1,2,1] y, float[1,2,1] h) <float[1,1,1] w = {1}, "
            "float[1,1,1] r = {1}, float[1,2] b = {0, 0}, int32[2] n = {1, 2}> "
            "{ y, h = RNN <hidden_size = 1, activations = [\"Relu\"]> (x, w, r, b, n) }",
            {1, 2, 3, 4}, {}, {1, 2, 0, 6, 1, 6});
        add("both biases and the reset after the product",
            "g (float[1,1,1] x, float[1,1,1] s) => (float[1,1,1] h) <float[1,3,1] w = {0, 0, 0}, "
            "float[1,3,1] r = {0, 0, 1}, float[1,6] b = {0, 0, 0, 0, 0, 0.5}, int32[1] n = {1}> "
            "{ y, h = GRU <hidden_size = 1, linear_before_reset = 1> (x, w, r, b, n, s) }",
            {7}, {2}, {1.424142});
        add("a reversed sequence begins with its own last step",
            "g (float[3,2,1] x) => (float[3,1,2,1] y, float[1,2,1] h) <float[1,1,1] w = {1}, "
            "float[1,1,1] r = {2}, float[1,2] b = {0, 0}, int32[2] n = {2, 3}> { y, h = RNN "
            "<hidden_size = 1, direction = \"reverse\", activations = [\"Relu\"]> "
            "(x, w, r, b, n) }",
            {1, 2, 3, 4, 5, 6}, {}, {7, 34, 3, 16, 0, 6, 7, 34});
        add("what activations take is bounded",
            "g (float[1,1,1] x) => (float[1,1,1] h) <float[1,1,1] w = {1}, float[1,1,1] r = {1}> "
            "{ y, h = RNN <hidden_size = 1, clip = 2.0, activations = [\"Relu\"]> (x, w, r) }",
            {7}, {}, {2});
        add("an activation with numbers of its own",
            "g (float[1,1,1] x) => (float[2,1,1] h) <float[2,1,1] w = {1, 1}, float[2,1,1] r = "
            "{1, 1}> { y, h = RNN <hidden_size = 1, direction = \"bidirectional\", activations = "
            "[\"LeakyRelu\", \"HardSigmoid\"], activation_alpha = [0.5, 0.25], activation_beta = "
            "[0.75]> (x, w, r) }",
            {-2}, {}, {-1, 0.25});
        add("an activation that changes nothing",
            "g (float[2,1,1] x) => (float[1,1,1] h) <float[1,1,1] w = {1}, float[1,1,1] r = {3}> "
            "{ y, h = RNN <hidden_size = 1, activations = [\"Affine\"]> (x, w, r) }",
            {-2, 5}, {}, {-1});
        add("zero points by row",
            "g (uint8[2,2] x, uint8[2,2] s) => (int32[2,2] y) <uint8[2] z = {1, 2}> "
            "{ y = MatMulInteger(x, s, z) }",
            {1, 2, 3, 4}, {1, 0, 0, 1}, {0, 1, 1, 2});
        add("products beyond what half holds",
            "g (uint8[1,2] x, uint8[2,1] s) => (int32[1,1] y) { y = MatMulInteger(x, s) }",
            {255, 1}, {255, 2}, {65027});
        add("a slope of whole numbers",
            "g (int32[2] x, int32[1] s) => (int32[2] y) { y = PRelu(x, s) }", {-2, 5}, {3},
            {-6, 5});
        add("length of a vector of whole numbers",
            "g (int32[2] x) => (int32[1] y) { y = ReduceL2 (x) }", {3, 4}, {}, {5});
        add("low bits as a signed number",
            "g (int32[2] x) => (int16[2] y) { y = Cast <to = 5> (x) }", {70000, -40000}, {},
            {4464, 25536});
        add("low bits as an unsigned number",
            "g (int32[2] x) => (uint16[2] y) { y = Cast <to = 4> (x) }", {70000, -1}, {},
            {4464, 65535});
        add("a loss is a mean over labels",
            "g (float[2,3] x, int64[2] s) => (float y) { y = NegativeLogLikelihoodLoss(x, s) }",
            {-1, -2, -3, -4, -5, -6}, {0, 2}, {3.5});
    }

    void results() {
        QFETCH(QString, graph);
        QFETCH(QVector<double>, x);
        QFETCH(QVector<double>, second);
        QFETCH(QVector<double>, expected);
        const std::map<std::string, Numbers> inputs{{"x", Numbers(x.begin(), x.end())},
                                                    {"s", Numbers(second.begin(), second.end())}};
        const Numbers got = resultsOf(valued(graph.toStdString()), inputs);
        const Numbers wanted(expected.begin(), expected.end());
        QVERIFY2(areNear(got, wanted), qPrintable(toText(got) + " where " + toText(wanted)));
    }

    /// With the factors of a normalisation in the weights a convolution gives the same.
    void foldedNormalisation_data() {
        QTest::addColumn<QString>("bias");
        QTest::newRow("without a bias") << "";
        QTest::newRow("with a bias") << ", c";
    }
    void foldedNormalisation() {
        QFETCH(QString, bias);
        const std::string text =
            "g (float[1,2,1,2] x) => (float[1,2,1,2] y) <float[2,2,1,1] w = {1, 2, 3, -4}, "
            "float[2] c = {0.5, -1}, float[2] scale = {2, 0.5}, float[2] shift = {1, -2}, "
            "float[2] mean = {3, -1}, float[2] variance = {4, 9}> "
            "{ z = Conv(x, w" +
            bias.toStdString() +
            ") y = BatchNormalization <epsilon = 0.25> (z, scale, shift, mean, variance) }";
        const std::map<std::string, Numbers> inputs{{"x", {1, -2, 3, 0.5}}};
        const Graph folded = valued(text, true);
        const Graph plain = valued(text);
        QVERIFY(folded.ops.size() < plain.ops.size());
        const Numbers a = resultsOf(folded, inputs);
        const Numbers b = resultsOf(plain, inputs);
        QVERIFY2(areNear(a, b), qPrintable(toText(a) + " where " + toText(b)));
    }

    /// Where it is computed a recurrent layer reads its weights by the names and in the shapes that
    /// the file has: they are trained and saved so.
    void recurrentWeights_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<int>("gates");
        QTest::newRow("LSTM") << "LSTM <hidden_size = 2, direction = \"bidirectional\">" << 4;
        QTest::newRow("GRU") << "GRU <hidden_size = 2, direction = \"bidirectional\">" << 3;
        QTest::newRow("GRU, reset after the product")
            << "GRU <hidden_size = 2, direction = \"bidirectional\", linear_before_reset = 1>" << 3;
        QTest::newRow("RNN") << "RNN <hidden_size = 2, direction = \"bidirectional\">" << 1;
    }
    void recurrentWeights() {
        QFETCH(QString, node);
        QFETCH(int, gates);
        const auto numbers = [&](int count, double first) {
            Numbers made;
            for (int i = 0; i < count; ++i)
                made.push_back(std::sin(first + i));
            return made;
        };
        const std::map<std::string, Numbers> inputs{{"x", numbers(12, 0)},
                                                    {"w", numbers(2 * gates * 2 * 3, 20)},
                                                    {"r", numbers(2 * gates * 2 * 2, 90)},
                                                    {"b", numbers(2 * gates * 4, 150)}};
        const auto declared = [&](const char* name, const std::string& shape, bool isWeight) {
            std::string text = fmt::format("float[{}] {}", shape, name);
            if (isWeight)
                text += fmt::format(" = {{{}}}", fmt::join(inputs.at(name), ", "));
            return text;
        };
        const auto results = [&](bool areWeights) {
            const std::string rows = std::to_string(2 * gates);
            const std::string all = declared("w", "2," + rows + ",3", areWeights) + ", " +
                                    declared("r", "2," + rows + ",2", areWeights) + ", " +
                                    declared("b", "2," + std::to_string(4 * gates), areWeights);
            const std::string text =
                "g (float[2,2,3] x" + (areWeights ? "" : ", " + all) +
                ") => (float[2,2,2,2] y, float[2,2,2] h) " + (areWeights ? "<" + all + ">" : "") +
                "{ y, h = " + QString(node).replace(">", "> (x, w, r, b)").toStdString() + " }";
            const Graph graph = valued(text);
            std::set<std::string> weights;
            for (const Tensor& tensor : graph.tensors)
                if (tensor.role == TensorRole::Weight)
                    weights.insert(tensor.name + toString(tensor.shape));
            std::set<std::string> wanted;
            if (areWeights)
                wanted = {"w" + toString(Shape{2, 2 * gates, 3}),
                          "r" + toString(Shape{2, 2 * gates, 2}),
                          "b" + toString(Shape{2, 4 * gates})};
            if (weights != wanted)
                return Numbers{static_cast<double>(weights.size())};
            return resultsOf(graph, inputs);
        };
        const Numbers own = results(true);
        const Numbers given = results(false);
        QVERIFY2(areNear(own, given), qPrintable(toText(own) + " where " + toText(given)));
    }

    /// What no operation here computes is refused by name, but simulated without values.
    void refusals_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("text");
        QTest::newRow("mean beyond the padding")
            << "g (float[1,1,4] x) => (float[1,1,2] y) { y = AveragePool <kernel_shape = [3], "
               "strides = [2], ceil_mode = 1, count_include_pad = 1> (x) }"
            << "AveragePool";
        QTest::newRow("coupled gates")
            << "g (float[1,1,1] x) => (float[1,1,1] h) <float[1,4,1] w = {1, 1, 1, 1}, "
               "float[1,4,1] r = {1, 1, 1, 1}> { y, h = LSTM <hidden_size = 1, input_forget = 1> "
               "(x, w, r) }"
            << "LSTM";
        QTest::newRow("scaled activation")
            << "g (float[1,1,1] x) => (float[1,1,1] h) <float[1,1,1] w = {1}, float[1,1,1] r = "
               "{1}> { y, h = RNN <hidden_size = 1, activations = [\"Affine\"], activation_alpha "
               "= [2.0]> (x, w, r) }"
            << "RNN";
        QTest::newRow("bfloat16") << "g (bfloat16[2] x) => (float[2] y) { y = Cast <to = 1> (x) }"
                                  << "Cast";
    }
    void refusals() {
        QFETCH(QString, graph);
        QFETCH(QString, text);
        importText(graph.toStdString());
        try {
            valued(graph.toStdString());
            QFAIL("it is not refused");
        } catch (const UserError& error) {
            QVERIFY2(QString(error.what()).contains(text), error.what());
        }
    }
};

TILESCOPE_TEST(SemanticsTest)

} // namespace conformance_semantics_test

#include "semantics_test.moc"
