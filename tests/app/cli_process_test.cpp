// Behaviour visible only in a process: exit statuses, broken pipes, unwritable standard output.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace cli_process_test {
using namespace tilescope;
using namespace tilescope::test;

class CliProcessTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    struct Result {
        int status = 0;
        QString out;
        QString err;
    };
    /// Runs a shell command in the directory of the sample profiles; $T is the program.
    Result shell(const QString& command) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("T", test::programPath("tilescope"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(directory_.path());
        process.start("sh", {"-c", command});
        process.waitForFinished(-1);
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

private slots:
    void initTestCase() {
        writeProfile(sampleProfile(),
                     std::filesystem::path(directory_.path().toStdString()) / "sample.pop");
    }

    void exitStatuses() {
        QCOMPARE(shell("$T info sample.pop").status, 0);
        QCOMPARE(shell("$T info none.pop").status, 2);
        QCOMPARE(shell("$T --help").status, 0);
        const Result help = shell("$T report --help");
        QCOMPARE(help.status, 0);
        QVERIFY(help.out.contains("tilescope report"));
        QCOMPARE(help.err, "");
    }

    void resultsGoToStandardOutputOnly() {
        const Result result = shell("$T info sample.pop --json");
        QVERIFY(result.out.startsWith("{"));
        QCOMPARE(result.err, "");
    }

    void aReaderThatLeavesIsNoError() {
        const Result result = shell("{ $T query sample.pop 'SELECT * FROM vars_info'; echo "
                                    "status $? >&2; } | head -1");
        QCOMPARE(result.err, "status 0\n");
        QVERIFY(result.out.startsWith("id"));
    }

    void outputThatCannotBeWrittenIsOne() {
        const Result result = shell("$T info sample.pop > /dev/full");
        QCOMPARE(result.status, 2);
        QCOMPARE(result.err,
                 "tilescope: error: cannot write standard output: No space left on device\n");
    }
};

TILESCOPE_TEST(CliProcessTest, QCoreApplication)

} // namespace cli_process_test

#include "cli_process_test.moc"
