// All models that the ONNX project tests runtimes with: each is computed as it should be, or
// refused with words.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include <QtTest>

#include "onnx_case.h"
#include "tests/support/test_main.h"

namespace conformance_operators_test {
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

struct Counts {
    int right = 0, statistics = 0, wrong = 0, refused = 0;

    void count(const CaseOutcome& outcome) {
        right += outcome.result == CaseResult::Right ? 1 : 0;
        statistics += outcome.result == CaseResult::Right && outcome.byStatistics ? 1 : 0;
        wrong += outcome.result == CaseResult::Wrong ? 1 : 0;
        refused += outcome.result == CaseResult::Refused ? 1 : 0;
    }
};

struct Survey {
    Counts all;
    std::map<std::string, Counts> operators;
    std::map<std::string, std::vector<std::string>> refusals; ///< cases by reason
    QStringList wrong;
};

std::vector<fs::path> modelFiles(const fs::path& directory) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
        if (entry.path().filename() == "model.onnx")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Survey surveyOf(const std::vector<fs::path>& files) {
    Survey survey;
    for (const fs::path& file : files) {
        const CaseOutcome outcome = runCase(file);
        const std::string name = file.parent_path().filename().string();
        survey.all.count(outcome);
        for (const std::string& type : outcome.operators)
            survey.operators[type].count(outcome);
        if (outcome.result == CaseResult::Refused)
            survey.refusals[outcome.reason].push_back(name);
        if (outcome.result == CaseResult::Wrong)
            survey.wrong << QString("%1: %2").arg(name.c_str(), outcome.reason.c_str());
    }
    return survey;
}

/// The first line begins with the number of right answers.
std::string tableOf(const Survey& survey) {
    std::string text = fmt::format(
        "{} right ({} of them by shape and statistics: random numbers), {} wrong, {} refused\n\n"
        "Models of ONNX's test data (libonnx-testdata), computed and compared with their outputs: "
        "reals within\n1e-7 + 1e-3 of the expected one, whole numbers and truth values exactly. A "
        "model counts for each of its\noperators.\n\n{:<32} {:>6} {:>6} {:>8}\n",
        survey.all.right, survey.all.statistics, survey.all.wrong, survey.all.refused, "operator",
        "right", "wrong", "refused");
    for (const auto& [name, counts] : survey.operators)
        text += fmt::format("{:<32} {:>6} {:>6} {:>8}\n", name, counts.right, counts.wrong,
                            counts.refused);
    text += "\nRefused:\n";
    for (const auto& [reason, cases] : survey.refusals)
        text += fmt::format("{:>4}  {}\n      {}\n", cases.size(), reason, fmt::join(cases, " "));
    return text;
}

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

} // namespace

class OperatorsTest : public QObject {
    Q_OBJECT

private slots:
    void standardTestModels() {
        const fs::path directory = "/usr/share/libonnx-testdata";
        if (!fs::is_directory(directory)) {
            qInfo("left out: the package libonnx-testdata is not installed");
            return;
        }
        const Survey survey = surveyOf(modelFiles(directory));
        const std::string table = tableOf(survey);
        const std::string committed =
            contentOf(fs::path(TILESCOPE_SOURCE_DIR) / "tests/conformance/operators.txt");
        if (table != committed) {
            const fs::path now = fs::current_path() / "conformance_operators.txt";
            std::ofstream(now) << table;
            qInfo("the table differs from tests/conformance/operators.txt; it is now in %s",
                  now.c_str());
        }
        QVERIFY2(survey.wrong.isEmpty(), qPrintable(QString::number(survey.wrong.size()) +
                                                    " wrong\n" + survey.wrong.join('\n')));
        const int before = std::atoi(committed.c_str());
        QVERIFY2(survey.all.right >= std::max(before, 900),
                 qPrintable(QString("%1 right, before %2").arg(survey.all.right).arg(before)));
    }
};

TILESCOPE_TEST(OperatorsTest)

} // namespace conformance_operators_test

#include "operators_test.moc"
