// Values that an import keeps: all of them where somebody asks, else none that take memory.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <onnx/onnx_pb.h>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/frontend/import.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/test_main.h"

namespace conformance_values_test {
using namespace tilescope;
using namespace tilescope::sim;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> testModels() {
    const fs::path directory = "/usr/share/libonnx-testdata";
    std::vector<fs::path> files;
    if (!fs::is_directory(directory))
        return files;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
        if (entry.path().filename() == "model.onnx")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

bool isGiven(const Tensor& tensor) {
    return tensor.role == TensorRole::Constant || tensor.role == TensorRole::Weight;
}

/// The first constant or weight that has no value where an import keeps them.
QString complaintOf(const fs::path& file) {
    Graph graph;
    try {
        ImportOptions options;
        options.values = true;
        graph = importOnnx(file, options);
    } catch (const UserError&) {
        return {}; // the frontend's own survey looks at refusals
    }
    for (const Tensor& tensor : graph.tensors) {
        if (!isGiven(tensor))
            continue;
        const QString name = QString("%1: '%2'").arg(file.c_str(), tensor.name.c_str());
        if (!tensor.value || tensor.value->shape() != tensor.shape ||
            tensor.value->type() != tensor.type)
            return name + " has no value of its shape and type";
    }
    return {};
}

Graph builtIn(const std::string& name, std::uint64_t seed, const ZooOptions& sizes = {}) {
    ImportOptions options;
    options.builtIn = true;
    options.values = true;
    options.weightSeed = seed;
    return importOnnx(zooModel(name, sizes), "zoo", options);
}

const TensorData& valueOf(const Graph& graph, const std::string& name) {
    for (const Tensor& tensor : graph.tensors)
        if (tensor.name == name && tensor.value)
            return *tensor.value;
    throw std::logic_error("there is no value of " + name);
}

} // namespace

class ValuesTest : public QObject {
    Q_OBJECT

private slots:
    void allAreKept() {
        QStringList complaints;
        for (const fs::path& file : testModels())
            if (const QString complaint = complaintOf(file); !complaint.isEmpty())
                complaints << complaint;
        QVERIFY2(complaints.isEmpty(), qPrintable(complaints.join('\n')));
    }

    /// Weights of built-in models begin as their layers have them: the same for the same seed.
    void builtInModelsBegin() {
        const Graph graph = builtIn("mnist-tutorial", 1);
        const Graph again = builtIn("mnist-tutorial", 1);
        const Graph other = builtIn("mnist-tutorial", 2);
        QCOMPARE(graph.ops.size(),
                 importOnnx(zooModel("mnist-tutorial", {}), "zoo", {}).ops.size());
        const TensorData& weights = valueOf(graph, "B1/conv.weight");
        const double bound = 1 / std::sqrt(1.0 * 5 * 5); // of 5 x 5 inputs
        double most = 0;
        for (std::int64_t i = 0; i < weights.elements(); ++i)
            most = std::max(most, std::abs(weights.number(i)));
        QVERIFY2(most <= bound && most > 0.8 * bound, qPrintable(QString::number(most)));
        for (std::int64_t i = 0; i < weights.elements(); ++i)
            QCOMPARE(weights.number(i), valueOf(again, "B1/conv.weight").number(i));
        QVERIFY(weights.number(0) != valueOf(other, "B1/conv.weight").number(0));
        QVERIFY(weights.number(0) != weights.number(1));
    }

    /// A normalisation begins with scales of one, a mask with what it hides.
    void buffersOfBuiltInModels() {
        const Graph graph = builtIn("gpt2-small", 1, {{"layers", "1"}, {"sequenceLength", "8"}});
        const TensorData& mask = valueOf(graph, "Mask/causal");
        QCOMPARE(mask.number(0), 0.0);
        QCOMPARE(mask.number(8), 0.0);
        QVERIFY(mask.number(1) < -1000);
        const TensorData& scale = valueOf(graph, "Norm.weight");
        QCOMPARE(scale.number(0), 1.0);
        QCOMPARE(scale.number(scale.elements() - 1), 1.0);
    }

    /// A running sum has a triangle that grows with the square of the length, which nobody needs to
    /// simulate it.
    void noneIsMadeUnasked() {
        const fs::path file = "/usr/share/libonnx-testdata/data/node/test_cumsum_1d/model.onnx";
        if (!fs::exists(file)) {
            qInfo("left out: the package libonnx-testdata is not installed");
            return;
        }
        const Graph graph = importOnnx(file, {});
        for (const Tensor& tensor : graph.tensors)
            QVERIFY2(tensor.elements() == 1 || !tensor.value, tensor.name.c_str());
    }
};

TILESCOPE_TEST(ValuesTest)

} // namespace conformance_values_test

#include "values_test.moc"
