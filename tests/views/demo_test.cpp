// The demo: another program simulates it, and may be missing, fail or hang.
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "app/gui/window/demo_run.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"

namespace demo_test {
using namespace tilescope;
using namespace tilescope::gui;

class DemoTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    const QByteArray path_ = qgetenv("PATH");

    // A program of this name that is a shell script, alone in a folder of its own.
    QString script(const QString& folder, const QByteArray& text) const {
        const QString name = folder_.filePath(folder + "/tilescope");
        QDir(folder_.path()).mkpath(folder);
        QFile file(name);
        if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + text + "\n") < 0)
            qFatal("cannot write %s", qPrintable(name));
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return name;
    }
    static QPushButton* button(const MainWindow& window, const QString& text) {
        for (auto* each : window.findChild<HomeScreen*>()->findChildren<QPushButton*>())
            if (each->text() == text)
                return each;
        qFatal("no button '%s'", qPrintable(text));
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void cleanup() { qputenv("PATH", path_); }
    void cleanupTestCase() { QDir(DemoRun::defaultFolder()).removeRecursively(); }

    void theButtonOpensTheProfile() {
        QDir(DemoRun::defaultFolder()).removeRecursively();
        qputenv("PATH", test::programFolder().toUtf8() + ':' + path_);
        QCOMPARE(SimulationRun::findProgram(), test::programPath("tilescope"));
        MainWindow window(Memory::None);
        window.show();
        QPushButton* open = button(window, "Open demo");
        QVERIFY(open->isEnabled());
        open->click();
        QVERIFY(!open->isEnabled());
        QVERIFY(button(window, "Cancel")->isVisible());
        // It does not fit (status 1), but is opened anyway.
        QTRY_VERIFY_WITH_TIMEOUT(window.context().reports.source(), 120000);
        QVERIFY(!window.context().reports.source()->info().fits);
        QVERIFY(window.windowTitle().contains("resnext50_32x4d on mk2"));
        QTRY_VERIFY(window.context().workers.idle());
    }

    void withoutTheProgramTheButtonSaysWhy() {
        qputenv("PATH", "/nowhere");
        QVERIFY(SimulationRun::findProgram().isEmpty());
        const MainWindow window(Memory::None);
        QPushButton* open = button(window, "Open demo");
        QVERIFY(!open->isEnabled());
        QVERIFY(open->toolTip().contains("neither beside this program nor in PATH"));
    }

    void aFailureIsShownInPlace() {
        script("fails", "echo 'tilescope: error: the <b>disk</b> is full' >&2; exit 2");
        qputenv("PATH", QFile::encodeName(folder_.filePath("fails")) + ":" + path_);
        MainWindow window(Memory::None);
        window.show();
        button(window, "Open demo")->click();
        const QLabel* error = window.findChild<QLabel*>("error");
        QTRY_VERIFY(error->isVisible());
        QCOMPARE(error->text(), QStringLiteral("The demo could not be simulated:\n"
                                               "tilescope: error: the <b>disk</b> is full"));
        QCOMPARE(error->textFormat(), Qt::PlainText);
        QVERIFY(button(window, "Open demo")->isEnabled());
        QVERIFY(!window.context().reports.source());
    }

    void aHangingProgramCanBeCancelled() {
        // Like tilescope, it removes half-written files when it is terminated.
        script("hangs", "mkdir -p \"$4\"; part=\"$4/.profile.pop.abc123\"; "
                        "trap 'rm -f \"$part\"; exit' TERM; : > \"$part\"; "
                        "while :; do sleep 0.01; done");
        qputenv("PATH", QFile::encodeName(folder_.filePath("hangs")) + ":" + path_);
        MainWindow window(Memory::None);
        window.show();
        button(window, "Open demo")->click();
        QPushButton* cancel = button(window, "Cancel");
        QVERIFY(cancel->isVisible());
        QProcess* process = window.findChild<QProcess*>();
        QTRY_COMPARE(process->state(), QProcess::Running);
        const QString part = DemoRun::defaultFolder() + "/.profile.pop.abc123";
        QTRY_VERIFY(QFileInfo::exists(part));
        cancel->click();
        QVERIFY(!QFileInfo::exists(part));
        QVERIFY(!cancel->isVisible());
        QVERIFY(button(window, "Open demo")->isEnabled());
        QVERIFY(!window.findChild<QLabel*>("error")->isVisible());
    }

    void aClosedWindowEndsTheProgram() {
        const QString program = script("hangs", "exec cat");
        qint64 id = 0;
        {
            DemoRun run(program);
            run.startDemo(folder_.filePath("out"));
            const QProcess* process = run.findChild<QProcess*>();
            QTRY_COMPARE(process->state(), QProcess::Running);
            id = process->processId();
        }
        QVERIFY(!QFileInfo::exists(QStringLiteral("/proc/%1").arg(id)));
    }

    void failures_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("text");
        QTest::newRow("no program") << folder_.filePath("none") << "Cannot start";
        QTest::newRow("silent") << script("silent", "exit 3") << "ended with status 3";
        QTest::newRow("killed") << script("killed", "kill -9 $$") << "was killed or crashed";
        QTest::newRow("no profile") << script("nothing", "exit 0") << "wrote no profile";
        QTest::newRow("much text") << script("much", "yes | head -c 100000 >&2; exit 2") << "…";
    }
    void failures() {
        QFETCH(QString, program);
        QFETCH(QString, text);
        DemoRun run(program);
        QSignalSpy failed(&run, &DemoRun::failed);
        QSignalSpy ended(&run, &DemoRun::ended);
        run.startDemo(folder_.filePath("out"));
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(ended.count(), 1);
        QVERIFY(!run.running());
        const QString message = failed[0][0].toString();
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY(message.size() < 2100);
    }
};

TILESCOPE_TEST(DemoTest, QApplication)

} // namespace demo_test

#include "demo_test.moc"
