// Behaviour common to all interfaces: checks of options, limits of queries, text that is safe to
// show.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <pty.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/printable.h"
#include "core/options/job.h"
#include "core/options/option_error.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "core/store/profile_writer.h"
#include "core/table/csv_field.h"
#include "core/table/table.h"
#include "tests/app/cli_result.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace faces_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

const std::string command = "\x1b[31m"; // switches a terminal to red

/// What a program prints on a terminal.
std::string onTerminal(const std::vector<std::string>& words) {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        std::vector<char*> pointers;
        for (const std::string& word : words)
            pointers.push_back(const_cast<char*>(word.c_str()));
        pointers.push_back(nullptr);
        ::execv(pointers.front(), pointers.data());
        ::_exit(127);
    }
    std::string all;
    std::array<char, 4096> block{};
    for (;;) {
        const ssize_t got = ::read(terminal, block.data(), block.size());
        if (got <= 0)
            break;
        all.append(block.data(), static_cast<std::size_t>(got));
    }
    ::close(terminal);
    ::waitpid(child, nullptr, 0);
    return all;
}

class FacesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

private slots:
    void initTestCase() {
        fs::current_path(directory_.path().toStdString());
        Profile profile = sampleProfile();
        profile.info.model = "model" + command;
        writeProfile(profile, "sample.pop");
        writeFileAtomically("model.onnx", "no model");
    }

    /// A value refused by one interface is refused by all, with the same text.
    void optionsAreCheckedAlike() {
        const std::vector<std::string> values{
            "", "nan", "inf", "-1", "1e999", "99999999999999999999", " 4", "0x10", "1,5", "x=y"};
        std::size_t refused = 0;
        for (const OptionSpec& spec : runOptionTable()) {
            if (spec.type == OptionSpec::Type::Flag || spec.type == OptionSpec::Type::Json)
                continue;
            const auto problemOf = [&](const std::map<std::string, std::string>& given) {
                return userError([&] {
                    RunOptions options;
                    setRunOptions(options, given);
                    validate(options);
                });
            };
            std::string last;
            for (const std::string& value : values) {
                const QString problem = problemOf({{spec.key, value}});
                const boost::json::object job{{"model", "mlp"}, {spec.key, value}};
                // Files are searched next to the job.
                if (spec.key != "customOperations")
                    QCOMPARE(
                        problemOf(parseJob(boost::json::serialize(job), "job.json", "").options),
                        problem);
                if (problem == "no error" || value.empty())
                    continue;
                ++refused;
                last = value;
            }
            if (last.empty())
                continue;
            const QString problem = problemOf({{spec.key, last}});
            const CliResult flag =
                runCommand({"run", "mlp", "--no-profile", spec.flag + "=" + last});
            QCOMPARE(flag.status, 2);
            QVERIFY2(flag.err.contains(problem), qPrintable(flag.err + problem));
        }
        QVERIFY(refused > 300);
    }

    void anErrorNamesTheFile() {
        const CliResult result = runCommand({"run", "model.onnx", "--no-profile"});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("model.onnx"), qPrintable(result.err));
        writeFileAtomically("pairs.json", R"({"model": "mlp", "modelOptions": "x"})");
        QVERIFY(runCommand({"run", "pairs.json"}).err.startsWith("tilescope: error: pairs.json: "));
        writeFileAtomically("wrong.json", R"({"model": "mlp", "batchSize": 0})");
        QCOMPARE(
            runCommand({"run", "wrong.json", "--no-profile"}).err,
            "tilescope: error: wrong.json: option batchSize (--batch-size): '0' is not a whole "
            "number from 1 to 1000000\n");
    }

    void absurdTextsAreShortened() {
        const std::string huge(100'000, 'x');
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"run", "mlp", "--batch-size=" + huge},
              {"query", "sample.pop", "SELECT " + huge},
              {"report", "sample.pop", "memory", "--filter", "[" + huge},
              {"run", huge},
              {huge}}) {
            const CliResult result = runCommand(words);
            QCOMPARE(result.status, 2);
            QVERIFY2(result.err.size() < 9000, words[0].substr(0, 20).c_str());
        }
        const std::string ends = boundedMessage("begin" + huge + "end");
        QVERIFY(ends.starts_with("begin") && ends.ends_with("end"));
    }

    void queriesHaveLimits() {
        const CliResult value =
            runCommand({"query", "sample.pop", "SELECT hex(zeroblob(100000000))"});
        QCOMPARE(value.status, 2);
        QVERIFY2(value.err.contains("longer than 64.0 MiB"), qPrintable(value.err));
        const std::string endless =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT count(*) FROM c";
        QElapsedTimer timer;
        timer.start();
        const CliResult time = runCommand({"query", "sample.pop", endless, "--timeout", "0.1"});
        QCOMPARE(time.status, 2);
        QVERIFY2(time.err.contains("'sample.pop': the query took longer than 0.1 s (--timeout)"),
                 qPrintable(time.err));
        QVERIFY(timer.elapsed() < 20'000);
        for (const char* wrong : {"0", "-1", "nan", "1e9", "x"})
            QCOMPARE(runCommand({"query", "sample.pop", "SELECT 1", "--timeout", wrong}).status, 2);
        QCOMPARE(runCommand({"query", "sample.pop", "SELECT 1", "--timeout", "60"}).status, 0);
    }

    void namesCommandNoTerminal() {
        const std::string sql = "SELECT 1 AS \"" + command + "\"";
        QVERIFY(!runCommand({"query", "sample.pop", sql}).out.contains('\x1b'));
        const CliResult dot = runCommand({"export", "sample.pop", "--format", "dot"});
        QCOMPARE(dot.status, 0);
        QVERIFY(dot.out.contains("model") && !dot.out.contains('\x1b'));
        // Data are unchanged, except on a terminal.
        const std::vector<std::string> words{"query", "sample.pop", sql, "--csv"};
        QVERIFY(runCommand(words).out.contains('\x1b'));
        std::vector<std::string> program{test::programPath("tilescope").toStdString()};
        program.insert(program.end(), words.begin(), words.end());
        const std::string shown = onTerminal(program);
        QVERIFY2(shown.find("[31m") != shown.npos && shown.find('\x1b') == shown.npos,
                 shown.c_str());
    }

    void anExportDoesNotReplaceItsProfile() {
        const std::string before = readFile("sample.pop");
        const CliResult result =
            runCommand({"export", "sample.pop", "--format", "json", "-o", "./sample.pop"});
        QCOMPARE(result.status, 2);
        QVERIFY(readFile("sample.pop") == before);
    }

    void textInCsvIsNoFormula_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        for (const char* formula :
             {"=1", "+1+1", "-x", "@a", "\t1", " =1", "\u00A0=1", "\uFEFF=1", "\u3000+a", "\uFF1Da",
              "\uFF0Ba", "\uFF0Da", "\uFF20a", "\u200B\uFEFF =1"})
            QTest::newRow(formula) << QString(formula) << QString("'") + formula;
        QTest::newRow("lines") << "\n=1"
                               << "\"'\n=1\"";
        for (const char* plain : {"12", "a=1", "conv", " conv", "\uFEFFconv", ""})
            QTest::addRow("plain '%s'", plain) << QString(plain) << QString(plain);
    }
    void textInCsvIsNoFormula() {
        QFETCH(QString, text);
        QFETCH(QString, field);
        QCOMPARE(QString::fromStdString(csvField(text.toStdString())), field);
        Table table;
        table.columns = {{text.toStdString(), "title"}};
        table.add({text.toStdString()});
        std::ostringstream out;
        writeCsv(out, table);
        QCOMPARE(QString::fromStdString(out.str()), field + "\n" + field + "\n");
    }
};

TILESCOPE_TEST(FacesTest)

} // namespace faces_test

#include "faces_test.moc"
