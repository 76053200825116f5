// Every file in golden/ is a session: lines that start with "$ " are commands, followed by their
// standard output, then their standard error (lines that start with "! "), then "[exit N]" unless
// the status is 0. With TILESCOPE_UPDATE_GOLDEN=1 in the environment the files are rewritten;
// review the diff before committing it.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <sstream>

#include "core/base/atomic_file.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/app/typed_command.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace golden_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// The text in a session for one command.
std::string transcript(const std::string& command) {
    const CliResult result = runTyped(typedCommand(command));
    std::string shown = "$ " + command + "\n" + result.out.toStdString();
    std::istringstream errors(result.err.toStdString());
    for (std::string line; std::getline(errors, line);)
        shown += "! " + line + "\n";
    return shown + (result.status == 0 ? "" : "[exit " + std::to_string(result.status) + "]\n");
}

} // namespace

class GoldenTest : public QObject {
    Q_OBJECT

    const QString golden_ = QStringLiteral(TILESCOPE_SOURCE_DIR "/tests/app/golden");
    QTemporaryDir directory_;

    /// A machine with another constant stands in for a real one.
    static void writeMeasured() {
        writeFileAtomically("job.json", R"({"model": "mlp", "tilesPerIpu": 16})");
        writeFileAtomically("real.json",
                            R"({"base": "mk2", "constants": {"internalSyncCycles": 171}})");
        QCOMPARE(runCommand({"run", "job.json", "--target", "real.json", "-o", "real"}).status, 0);
        Profile measured = ProfileReader("real/profile.pop").load();
        measured.info.target.name = "mk2";
        measured.info.origin = {OriginKind::Measured, "Poplar", "3.3.0", {}};
        measured.info.options.clear();
        measured.info.coverage.rows = {{ProfilePart::Run, Covered::None, "not in the file"},
                                       {ProfilePart::Options, Covered::None, "not in the file"}};
        writeProfile(measured, "measured.pop");
    }

private slots:
    void initTestCase() {
        // Sessions name files without a directory, so that texts do not depend on the machine.
        QVERIFY(QDir::setCurrent(directory_.path()));
        writeProfile(sampleProfile(), "sample.pop");
        writeProfile(sampleProfile({.ipus = 2}), "two.pop");
        writeProfile(sampleProfile({.tooLarge = true}), "large.pop");
        writeProfile(sampleProfile({.withCopy = true}), "copy.pop");
        writeProfile(sampleProfile({.withGraph = false}), "old.pop");
        writeProfile(sampleProfile({.withValues = true}), "values.pop");
        writeProfile(sampleProfile({.changed = true, .withValues = true}), "values2.pop");
        QVERIFY(QDir().mkdir("run"));
        writeProfile(sampleProfile({.changed = true}), "run/profile.pop");
        writeFileAtomically("empty.pop", "");
        writeFileAtomically("text.pop", std::string(2000, 'x'));
        writeFileAtomically("unknown-key.json", R"({"model": "mlp", "batchsize": 4})");
        writeFileAtomically("broken.json", "{\"model\": \"mlp\",\n \"batchSize\": }");
        writeMeasured();
        for (const char* variable :
             {"POPLAR_ENGINE_OPTIONS", "POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL"})
            qunsetenv(variable);
    }

    void sessionsPrintWhatTheyDid_data() {
        QTest::addColumn<QString>("file");
        for (const QString& name : QDir(golden_).entryList({"*.txt"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << golden_ + "/" + name;
    }
    void sessionsPrintWhatTheyDid() {
        QFETCH(QString, file);
        const std::string expected = readFile(file.toStdString());
        std::string actual;
        std::istringstream lines(expected);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("$ "))
                actual += (actual.empty() ? "" : "\n") + transcript(line.substr(2));
        if (qEnvironmentVariableIntValue("TILESCOPE_UPDATE_GOLDEN") != 0) {
            writeFileAtomically(file.toStdString(), actual);
            return;
        }
        const QStringList actualLines = text(actual).split('\n');
        const QStringList expectedLines = text(expected).split('\n');
        for (qsizetype i = 0; i < std::min(actualLines.size(), expectedLines.size()); ++i)
            QVERIFY2(actualLines[i] == expectedLines[i],
                     qPrintable(QString("line %1\n  expected: %2\n  actual:   %3")
                                    .arg(i + 1)
                                    .arg(expectedLines[i], actualLines[i])));
        QCOMPARE(actualLines.size(), expectedLines.size());
    }
};

TILESCOPE_TEST(GoldenTest, QCoreApplication)

} // namespace golden_test

#include "golden_test.moc"
