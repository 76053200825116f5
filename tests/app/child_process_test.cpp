// Children that write much, crash, cannot be started or are cancelled.
#include <QTest>
#include <cerrno>
#include <csignal>
#include <map>
#include <numeric>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app/cli/sweep/point_runner.h"
#include "tests/support/qt_text.h"

using namespace tilescope;
using namespace tilescope::cli;
using namespace tilescope::test;

namespace {

PointRunner shell(const std::vector<std::string>& scripts, std::size_t jobs,
                  std::map<std::size_t, ChildResult>& results) {
    PointRunner runner{"/bin/sh", jobs, {}, {}};
    runner.argumentsOf = [scripts](std::size_t point) {
        return std::vector<std::string>{"sh", "-c", scripts.at(point)};
    };
    runner.finished = [&results](std::size_t point, const ChildResult& result, double) {
        results[point] = result;
    };
    return runner;
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
        std::map<std::size_t, ChildResult> results;
        const RunnerEnd end =
            runPoints({0, 1, 2, 3}, shell({"echo out; echo err >&2", "exit 7", "kill -SEGV $$",
                                           "read line || echo no input"},
                                          2, results));
        QVERIFY(!end.interruptedBy);
        QCOMPARE(results.size(), std::size_t{4});
        QCOMPARE(text(results[0].out), "out\n");
        QCOMPARE(text(results[0].err), "err\n");
        QCOMPARE(results[0].exitCode, 0);
        QCOMPARE(results[1].exitCode, 7);
        QCOMPARE(results[2].exitCode, 128 + SIGSEGV);
        QCOMPARE(text(results[3].out), "no input\n");
    }

    void bigOutputsOnBothPipesDoNotBlock() {
        std::map<std::size_t, ChildResult> results;
        const char* script = "head -c 5000000 /dev/zero >&2; head -c 5000000 /dev/zero; echo end";
        runPoints({0, 1, 2}, shell({script, script, script}, 3, results));
        for (const auto& [point, result] : results) {
            QCOMPARE(result.out.size(), std::size_t{5'000'004});
            QCOMPARE(result.err.size(), std::size_t{5'000'000});
        }
        QCOMPARE(results.size(), std::size_t{3});
    }

    void endlessOutputsAreCut() {
        std::map<std::size_t, ChildResult> results;
        runPoints({0}, shell({"head -c 200000000 /dev/zero; { head -c 200000000 /dev/zero; echo "
                              "end; } >&2"},
                             1, results));
        QVERIFY(results[0].out.size() < 70'000'000);
        QVERIFY(results[0].err.size() < 70'000'000);
        QVERIFY(results[0].err.ends_with("end\n"));
    }

    void neverMoreThanAllowed() {
        std::map<std::size_t, ChildResult> results;
        std::size_t started = 0;
        std::size_t most = 0;
        PointRunner runner = shell(std::vector<std::string>(20, "true"), 3, results);
        const auto argumentsOf = runner.argumentsOf;
        runner.argumentsOf = [&](std::size_t point) {
            most = std::max(most, ++started - results.size());
            return argumentsOf(point);
        };
        std::vector<std::size_t> points(20);
        std::iota(points.begin(), points.end(), 0);
        runPoints(points, runner);
        QCOMPARE(results.size(), std::size_t{20});
        QCOMPARE(most, std::size_t{3});
    }

    void moreJobsThanTheSystemAllowsAreNoErrors() {
        rlimit before{};
        ::getrlimit(RLIMIT_NOFILE, &before);
        rlimit few = before;
        few.rlim_cur = 80;
        ::setrlimit(RLIMIT_NOFILE, &few);
        std::map<std::size_t, ChildResult> results;
        std::vector<std::size_t> points(50);
        std::iota(points.begin(), points.end(), 0);
        runPoints(points, shell(std::vector<std::string>(50, "echo"), 50, results));
        ::setrlimit(RLIMIT_NOFILE, &before);
        QCOMPARE(results.size(), points.size());
        for (const auto& [point, result] : results)
            QCOMPARE(result.exitCode, 0);
    }

    void whatCannotBeStartedFails() {
        std::map<std::size_t, ChildResult> results;
        PointRunner runner = shell({"true", "true"}, 1, results);
        runner.program = "/no/such/program";
        runPoints({0, 1}, runner);
        QCOMPARE(results.size(), std::size_t{2});
        QCOMPARE(results[1].exitCode, 127);
        QCOMPARE(text(results[1].err), "cannot start a process: No such file or directory");
    }

    void anExceptionEndsTheOthers() {
        std::map<std::size_t, ChildResult> results;
        PointRunner runner = shell({"true", "exec tail -f /dev/null"}, 2, results);
        runner.finished = [](std::size_t, const ChildResult&, double) {
            throw UserError("the disk is full");
        };
        QCOMPARE(userError([&] { runPoints({0, 1}, runner); }), "the disk is full");
    }

    void ignoredChildSignalsLoseNoExitCode() {
        std::signal(SIGCHLD, SIG_IGN);
        std::map<std::size_t, ChildResult> results;
        runPoints({0}, shell({"exit 5"}, 1, results));
        QCOMPARE(results[0].exitCode, 5);
    }
};

QTEST_APPLESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
