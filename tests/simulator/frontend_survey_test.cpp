// Every model of the ONNX project's tests imports, or is refused with a message.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <onnx/onnx_pb.h>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/frontend/import.h"
#include "tests/support/test_main.h"

namespace frontend_survey_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

struct Survey {
    int imported = 0;
    std::map<std::string, int> refusals;
    QStringList failures;
};

/// The refusal without the names in it, so that equal reasons count together.
std::string reasonOf(std::string text, const std::string& file) {
    if (const auto at = text.find(file); at != std::string::npos)
        text.erase(at, file.size() + 2);
    const auto supported = text.find("; replace ");
    if (supported != std::string::npos)
        text.erase(supported);
    std::string result;
    bool quoted = false;
    for (const char c : text) {
        quoted = c == '\'' ? !quoted : quoted;
        if (!quoted && c != '\'')
            result += c;
    }
    return result.substr(0, 120);
}

/// Whether a refusal names one of the model's operators.
bool namesOperator(const std::filesystem::path& file, const std::string& text) {
    std::ifstream stream(file, std::ios::binary);
    onnx::ModelProto model;
    if (!model.ParseFromIstream(&stream))
        return true;
    return std::any_of(
        model.graph().node().begin(), model.graph().node().end(),
        [&](const auto& node) { return text.find(node.op_type()) != std::string::npos; });
}

void examine(const std::filesystem::path& file, Survey& survey) {
    try {
        checkGraph(importOnnx(file, {}));
        ++survey.imported;
    } catch (const UserError& error) {
        if (std::string(error.what()).find(file.string()) == std::string::npos)
            survey.failures
                << QString("%1: does not name the file: %2").arg(file.c_str(), error.what());
        // No model of the ONNX project does; the importer would have made a mistake.
        if (std::string(error.what()).find("contradicts itself") != std::string::npos)
            survey.failures << error.what();
        if (!namesOperator(file, error.what()))
            survey.failures
                << QString("%1: does not name the operator: %2").arg(file.c_str(), error.what());
        ++survey.refusals[reasonOf(error.what(), file.string())];
    } catch (const std::exception& error) {
        survey.failures << QString("%1: %2").arg(file.c_str(), error.what());
    }
}

Survey surveyOf(const std::filesystem::path& directory, const std::string& ending) {
    Survey survey;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        const std::string path = entry.path().string();
        if (path.ends_with(ending))
            examine(entry.path(), survey);
    }
    return survey;
}

void print(const Survey& survey) {
    int refused = 0;
    for (const auto& [reason, count] : survey.refusals)
        refused += count;
    qInfo("%d imported, %d refused:", survey.imported, refused);
    for (const auto& [reason, count] : survey.refusals)
        qInfo("  %4d  %s", count, reason.c_str());
}

} // namespace

class FrontendSurveyTest : public QObject {
    Q_OBJECT

private slots:
    void standardTestModels() {
        const std::filesystem::path directory = "/usr/share/libonnx-testdata";
        if (!std::filesystem::is_directory(directory))
            QSKIP("left out: the package libonnx-testdata is not installed");
        const Survey survey = surveyOf(directory, "model.onnx");
        print(survey);
        QVERIFY2(survey.failures.isEmpty(), qPrintable(survey.failures.join('\n')));
        QVERIFY2(survey.imported >= 950, qPrintable(QString::number(survey.imported)));
    }

    void realModels() {
        const std::filesystem::path directory = TILESCOPE_SHARED_DIR "/models";
        if (!std::filesystem::is_directory(directory))
            QSKIP("left out: there are no real models beside the checkout");
        const Survey survey = surveyOf(directory, ".onnx");
        print(survey);
        QVERIFY2(survey.failures.isEmpty(), qPrintable(survey.failures.join('\n')));
        QVERIFY2(survey.refusals.empty(), "a real model is refused");
    }

    /// What tests/torchvision/import_table.py --keep DIR has exported: a line for each model.
    void torchvisionModels() {
        const std::filesystem::path directory =
            qEnvironmentVariable("TILESCOPE_TORCHVISION_DIR").toStdString();
        if (!std::filesystem::is_directory(directory))
            QSKIP("left out: TILESCOPE_TORCHVISION_DIR names no directory of exported models");
        ImportOptions options;
        options.batchSize = 4;
        options.forceBatch = true;
        QStringList refused;
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().extension() != ".onnx")
                continue;
            try {
                const Graph graph = importOnnx(entry.path(), options);
                checkGraph(graph);
                double flops = 0;
                for (const Op& op : graph.ops)
                    flops += flopsOf(graph, op);
                qInfo("| %s | %zu operations | %.1f GFLOPs |", entry.path().stem().c_str(),
                      graph.ops.size(), flops / 1e9);
            } catch (const UserError& error) {
                refused << error.what();
            }
        }
        QVERIFY2(refused.isEmpty(), qPrintable(refused.join('\n')));
    }
};

TILESCOPE_TEST(FrontendSurveyTest)

} // namespace frontend_survey_test

#include "frontend_survey_test.moc"
