// Every model of the ONNX project's test data that imports also simulates, and soundly.
#include <algorithm>
#include <filesystem>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/frontend/import.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace onnx_survey_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class OnnxSurveyTest : public QObject {
    Q_OBJECT

private slots:
    void standardTestModels() {
        const std::filesystem::path directory = "/usr/share/libonnx-testdata";
        if (!std::filesystem::is_directory(directory)) {
            qInfo("left out: the package libonnx-testdata is not installed");
            return;
        }
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
            if (entry.path().filename() == "model.onnx")
                files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        // Fewer tiles than a real chip, so that the many models stay quick.
        RunOptions chip, fewTiles;
        fewTiles.machine.target.tilesPerIpu = 7;
        const std::size_t each = everyNth();
        int simulated = 0;
        QStringList failures;
        for (std::size_t i = 0; i < files.size(); i += each) {
            Graph graph;
            try {
                graph = importOnnx(files[i], {});
            } catch (const UserError&) {
                continue; // the frontend's own survey looks at refusals
            }
            try {
                for (const RunOptions& options : {chip, fewTiles}) {
                    const std::string wrong = complaints(simulate(graph, options));
                    if (!wrong.empty())
                        failures << QString("%1:\n%2").arg(files[i].c_str(), wrong.c_str());
                }
                ++simulated;
            } catch (const std::exception& error) {
                failures << QString("%1: %2").arg(files[i].c_str(), error.what());
            }
        }
        qInfo("%d models simulated", simulated);
        QVERIFY2(failures.isEmpty(), qPrintable(QString::number(failures.size()) + " failures\n" +
                                                failures.join('\n')));
        QVERIFY(simulated > static_cast<int>(900 / each));
    }

private:
    static std::size_t everyNth() { return test::hasAddressSanitizer() ? 5 : 1; }
};

TILESCOPE_TEST(OnnxSurveyTest)

} // namespace onnx_survey_test

#include "onnx_survey_test.moc"
