// Workers that answer, crash at their first or a later point, and cannot be started.
#include <QTest>
#include <cerrno>
#include <csignal>
#include <map>
#include <numeric>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app/cli/sweep/point_runner.h"
#include "app/cli/sweep/point_worker.h"
#include "core/base/error.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace point_runner_test {
using namespace tilescope;
using namespace tilescope::cli;
using namespace tilescope::test;

namespace {

// Runs the only word of each request; `points` counts those of the process.
const char* const worker =
    "points=0\n"
    "answer() { echo \"{\\\"exitCode\\\":$1,\\\"out\\\":\\\"$2\\\",\\\"err\\\":\\\"\\\"}\"; }\n"
    "while read -r line; do\n"
    "    script=${line#'[\"'}\n"
    "    eval \"${script%'\"]'}\"\n"
    "    points=$((points + 1))\n"
    "done\n";

struct Done {
    std::map<std::size_t, ChildResult> results;
    std::size_t most = 0; ///< points at a time
};

/// A script for each point.
PointRunner runnerOf(const std::vector<std::string>& scripts, std::size_t jobs, Done& done) {
    PointRunner runner{"/bin/sh", {"sh", "-c", worker}, jobs, {}, {}};
    runner.wordsOf = [scripts](std::size_t point) { return std::vector{scripts.at(point)}; };
    runner.finished = [&done](std::size_t point, const ChildResult& result, double) {
        done.results[point] = result;
    };
    runner.next = [&done, count = scripts.size(),
                   at = std::size_t{0}](std::size_t) mutable -> std::optional<std::size_t> {
        if (at == count)
            return std::nullopt;
        done.most = std::max(done.most, at + 1 - done.results.size());
        return at++;
    };
    return runner;
}

Done run(const std::vector<std::string>& scripts, std::size_t jobs) {
    Done done;
    runPoints(runnerOf(scripts, jobs, done));
    return done;
}

bool hasChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

} // namespace

class PointRunnerTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { QVERIFY2(!hasChildren(), "a worker was left behind"); }

    void requestsAndAnswersPassAnyBytes() {
        const std::vector<std::string> words{"run", "--output=a b", "x\"y\\z\n", "\xff\xfe"};
        std::istringstream requests(requestLine(words) + requestLine({"second"}));
        std::ostringstream answers;
        std::vector<std::vector<std::string>> asked;
        QCOMPARE(servePoints(requests, answers,
                             [&](const std::vector<std::string>& given, const Streams& streams) {
                                 asked.push_back(given);
                                 streams.out << "o\n\xff";
                                 streams.err << "e\n";
                                 return static_cast<int>(asked.size());
                             }),
                 0);
        QCOMPARE(asked.size(), std::size_t{2});
        QCOMPARE(asked[0], words);
        std::istringstream lines(answers.str());
        std::string line;
        for (const int expected : {1, 2}) {
            QVERIFY(std::getline(lines, line));
            const ChildResult result = answerFrom(line);
            QCOMPARE(result.exitCode, expected);
            QCOMPARE(result.out, std::string("o\n\xff"));
            QCOMPARE(result.err, std::string("e\n"));
        }
    }

    void noAnswerIsAnInternalError() {
        for (const char* line : {"", "[]", "{\"exitCode\":1}", "noise"})
            QCOMPARE(answerFrom(line).exitCode, static_cast<int>(exitInternal));
    }

    void aWorkerTakesManyPoints() {
        const Done done = run(std::vector<std::string>(5, "answer 1 $points"), 1);
        QCOMPARE(done.results.size(), std::size_t{5});
        for (const auto& [point, result] : done.results) {
            QCOMPARE(result.exitCode, 1);
            QCOMPARE(result.out, std::to_string(point));
        }
    }

    void aCrashIsOnePoints() {
        const Done done = run({"answer 0 a", "echo why >&2; kill -SEGV $$", "answer 0 $points"}, 1);
        QCOMPARE(done.results.size(), std::size_t{3});
        QCOMPARE(done.results.at(0).exitCode, 0);
        QCOMPARE(done.results.at(1).exitCode, 128 + SIGSEGV);
        QCOMPARE(text(done.results.at(1).err), "why\n");
        QCOMPARE(text(done.results.at(2).out), "0"); // in a fresh worker
    }

    void aPointIsNotBlamedForWhatOthersLeft() {
        // Crashes, or fails with an internal error, in a worker used by others before.
        for (const char* script : {"test $points = 0 || kill -KILL $$; answer 0 b",
                                   "test $points = 0 && answer 0 b || answer 3 b",
                                   "test $points = 0 && answer 0 b || echo nonsense"}) {
            const Done done = run({"answer 0 a", script}, 1);
            QCOMPARE(done.results.at(1).exitCode, 0);
            QCOMPARE(text(done.results.at(1).out), "b");
        }
        QCOMPARE(run({"answer 0 a", "answer 3 b"}, 1).results.at(1).exitCode, 3);
    }

    void neverMoreThanAllowed() {
        const Done done = run(std::vector<std::string>(20, "answer 0 a"), 3);
        QCOMPARE(done.results.size(), std::size_t{20});
        QCOMPARE(done.most, std::size_t{3});
    }

    void moreJobsThanTheSystemAllowsAreNoErrors() {
        rlimit before{};
        ::getrlimit(RLIMIT_NOFILE, &before);
        rlimit few = before;
        few.rlim_cur = 80;
        ::setrlimit(RLIMIT_NOFILE, &few);
        const Done done = run(std::vector<std::string>(50, "answer 0 a"), 50);
        ::setrlimit(RLIMIT_NOFILE, &before);
        QCOMPARE(done.results.size(), std::size_t{50});
        for (const auto& [point, result] : done.results)
            QCOMPARE(result.exitCode, 0);
    }

    void whatCannotBeStartedFails() {
        Done done;
        PointRunner runner = runnerOf({"answer 0 a", "answer 0 b"}, 1, done);
        runner.program = "/no/such/program";
        runPoints(runner);
        QCOMPARE(done.results.size(), std::size_t{2});
        QCOMPARE(done.results.at(1).exitCode, 127);
        QCOMPARE(text(done.results.at(1).err), "cannot start a process: No such file or directory");
    }

    void anExceptionEndsTheOthers() {
        Done done;
        PointRunner runner = runnerOf({"answer 0 a", "exec tail -f /dev/null"}, 2, done);
        runner.finished = [](std::size_t, const ChildResult&, double) {
            throw UserError("the disk is full");
        };
        QCOMPARE(userError([&] { runPoints(runner); }), "the disk is full");
    }
};

TILESCOPE_TEST(PointRunnerTest)

} // namespace point_runner_test

#include "point_runner_test.moc"
