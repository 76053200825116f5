// Values that an import keeps: all of them where somebody asks, else none that take memory.
#include <algorithm>
#include <filesystem>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/frontend/import.h"
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
