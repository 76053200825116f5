// Children that write a lot, crash, cannot be started or take input from us.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>

#include "core/base/child_process.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace child_process_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

ChildProcess shell(const char* script, ChildProcess::Input input = ChildProcess::Input::None) {
    return {"/bin/sh", {"sh", "-c", script}, input};
}

void waitForOutput(const ChildProcess& child) {
    std::array<pollfd, 2> pipes{
        {{child.out().number(), POLLIN, 0}, {child.err().number(), POLLIN, 0}}};
    ::poll(pipes.data(), pipes.size(), -1);
}

ChildResult resultOf(ChildProcess child) {
    for (;;) {
        waitForOutput(child);
        child.read();
        if (auto result = child.finish())
            return *std::move(result);
    }
}

std::string lineOf(ChildProcess& child) {
    for (;;) {
        if (auto line = child.takeLine())
            return *line;
        waitForOutput(child);
        child.read();
    }
}

bool hasChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

} // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { QVERIFY2(!hasChildren(), "a child was left behind"); }

    void resultsAndExitCodes() {
        const ChildResult both = resultOf(shell("echo out; echo err >&2"));
        QCOMPARE(text(both.out), "out\n");
        QCOMPARE(text(both.err), "err\n");
        QCOMPARE(both.exitCode, 0);
        QCOMPARE(resultOf(shell("exit 7")).exitCode, 7);
        QCOMPARE(resultOf(shell("kill -SEGV $$")).exitCode, 128 + SIGSEGV);
        QCOMPARE(text(resultOf(shell("read line || echo no input")).out), "no input\n");
    }

    void bigOutputsOnBothPipesDoNotBlock() {
        const ChildResult result =
            resultOf(shell("head -c 5000000 /dev/zero >&2; head -c 5000000 /dev/zero; echo end"));
        QCOMPARE(result.out.size(), std::size_t{5'000'004});
        QCOMPARE(result.err.size(), std::size_t{5'000'000});
    }

    void endlessOutputsAreCut() {
        const ChildResult result =
            resultOf(shell("head -c 200000000 /dev/zero; { head -c 200000000 /dev/zero; echo "
                           "end; } >&2"));
        QVERIFY(result.out.size() < 70'000'000);
        QVERIFY(result.err.size() < 70'000'000);
        QVERIFY(result.err.ends_with("end\n"));
    }

    void linesGoToAndFro() {
        ChildProcess child = shell("while read -r line; do echo noise >&2; echo got $line; done",
                                   ChildProcess::Input::FromUs);
        child.send("one\ntw");
        QCOMPARE(text(lineOf(child)), "got one");
        QVERIFY(!child.takeLine());
        child.send("o\n");
        QCOMPARE(text(lineOf(child)), "got two");
    }

    void moreThanAPipeHoldsIsSent() {
        ChildProcess child =
            shell("head -c 3000000 | wc -c | tr -d ' '", ChildProcess::Input::FromUs);
        child.send(std::string(3'000'000, 'x'));
        QCOMPARE(text(lineOf(child)), "3000000");
    }

    void whoIsGoneTakesNothing() {
        ChildProcess child = shell("exec true", ChildProcess::Input::FromUs);
        waitForOutput(child);
        for (int i = 0; i < 100; ++i)
            child.send(std::string(10'000, 'x'));
        QCOMPARE(resultOf(std::move(child)).exitCode, 0);
    }

    void whatCannotBeStartedIsAnError() {
        QCOMPARE(userError([] { const ChildProcess child("/no/such/program", {"program"}); }),
                 "cannot start a process: No such file or directory");
    }

    void whatIsNotWantedAnyMoreMayTidyUp() {
        const QTemporaryDir directory;
        const std::string file = directory.path().toStdString() + "/tidy";
        {
            const std::string script =
                "trap ': >" + file + "; exit' TERM; echo ready; while :; do sleep 0.01; done";
            ChildProcess child = shell(script.c_str());
            QCOMPARE(text(lineOf(child)), "ready");
        }
        QVERIFY(QFile::exists(QString::fromStdString(file)));
    }

    void whatDoesNotEndIsKilled() {
        ChildProcess child = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
        QCOMPARE(text(lineOf(child)), "ready");
    }

    void ignoredChildSignalsLoseNoExitCode() {
        std::signal(SIGCHLD, SIG_IGN);
        QCOMPARE(resultOf(shell("exit 5")).exitCode, 5);
    }
};

TILESCOPE_TEST(ChildProcessTest)

} // namespace child_process_test

#include "child_process_test.moc"
