// The end by a signal, in real processes: each order of a thread that writes and of the handler is
// forced by stopping both at their steps.
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/end_signals.h"
#include "core/base/error.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace end_signals_test {
using namespace tilescope;
using tilescope::test::text;
namespace fs = std::filesystem;

/// Communication between the processes, in shared memory.
struct Board {
    std::atomic<int> writerStop = -1;  ///< a step at which the writing thread waits for writerGo
    std::atomic<int> handlerStop = -1; ///< likewise of the handler
    std::atomic<bool> writerGo = false;
    std::atomic<bool> handlerGo = false;
    std::atomic<int> writerAt = -1;
    std::atomic<int> handlerAt = -1;
    std::atomic<bool> finished = false; ///< the file is written
    std::atomic<bool> reported = false; ///< an error was
    std::atomic<int> waiting = 0;       ///< threads that do not continue
    std::atomic<pid_t> writer = 0;
};
static_assert(std::atomic<int>::is_always_lock_free);

Board* board = nullptr;
thread_local bool isWriter = false;

void stopAt(const std::atomic<int>& stop, std::atomic<int>& at, const std::atomic<bool>& go,
            EndStep step) {
    at = static_cast<int>(step);
    while (stop == static_cast<int>(step) && !go)
        ::sched_yield();
}

void noteStep(EndStep step) {
    if (step == EndStep::WaitsForTheEnd)
        ++board->waiting;
    else if (step >= EndStep::HandlerBegins)
        stopAt(board->handlerStop, board->handlerAt, board->handlerGo, step);
    else if (isWriter)
        stopAt(board->writerStop, board->writerAt, board->writerGo, step);
}

template <class Condition> bool becomes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition())
        if (std::chrono::steady_clock::now() > end)
            return false;
        else
            ::sched_yield();
    return true;
}

void writeInThread(const fs::path& file) {
    isWriter = true;
    board->writer = static_cast<pid_t>(::syscall(SYS_gettid));
    try {
        writeFileAtomically(file, "whole");
        board->finished = true;
    } catch (const UserError&) {
        board->reported = true;
    }
    for (;;)
        ::pause();
}

/// A process with a thread that writes a file in a new directory; another thread does nothing.
class Writing {
public:
    explicit Writing(const fs::path& file) {
        child_ = ::fork();
        if (child_ != 0)
            return;
        for (const int signal : endSignals)
            std::signal(signal, SIG_DFL);
        const rlimit noCore{0, 0};
        ::setrlimit(RLIMIT_CORE, &noCore);
        removeTemporariesOnSignals();
        setEndStepHook(noteStep);
        const std::jthread writer(writeInThread, file);
        for (;;)
            ::pause();
    }
    ~Writing() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    void signalMain(int signal) const { ::syscall(SYS_tgkill, child_, child_, signal); }
    void signalWriter(int signal) const {
        ::syscall(SYS_tgkill, child_, board->writer.load(), signal);
    }
    /// The signal that ended it; 0 if none did.
    int end() {
        int status = 0;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    [[nodiscard]] bool ended() {
        if (child_ > 0 && ::waitpid(child_, nullptr, WNOHANG) == child_)
            child_ = -1;
        return child_ < 0;
    }

private:
    pid_t child_ = -1;
};

bool isHeld(EndStep step) {
    return step >= EndStep::HoldCounted && step <= EndStep::HoldEnds;
}

const std::array writerSteps{
    EndStep::HoldBegins, EndStep::HoldCounted,    EndStep::DirectoriesMade, EndStep::FileMade,
    EndStep::Noted,      EndStep::HoldEnds,       EndStep::HoldEnded,       EndStep::BeforeRename,
    EndStep::Renamed,    EndStep::BeforeForgotten};
const std::array handlerSteps{EndStep::HandlerBegins, EndStep::HandlerWaits,
                              EndStep::HandlerRemoves, EndStep::HandlerRemoved};

class EndSignalsTest : public QObject {
    Q_OBJECT

    /// The file is complete or there is nothing at all.
    void checkRemains(const fs::path& folder) {
        const fs::path file = folder / "a" / "file.txt";
        if (fs::exists(file)) {
            QCOMPARE(text(readFile(file)), "whole");
            QCOMPARE(std::distance(fs::recursive_directory_iterator(folder), {}), 2);
        } else {
            QVERIFY(fs::is_empty(folder));
        }
    }

private slots:
    void initTestCase() {
        void* const shared = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        QVERIFY(shared != MAP_FAILED);
        board = new (shared) Board;
    }
    void init() { board = new (board) Board; }

    void eachOrderLeavesNothing_data() {
        QTest::addColumn<int>("writerStop");
        QTest::addColumn<int>("handlerStop");
        for (const EndStep writer : writerSteps)
            for (const EndStep handler : handlerSteps)
                if (handler != EndStep::HandlerWaits || isHeld(writer))
                    QTest::addRow("writer at %d, handler at %d", static_cast<int>(writer),
                                  static_cast<int>(handler))
                        << static_cast<int>(writer) << static_cast<int>(handler);
    }
    void eachOrderLeavesNothing() {
        QFETCH(int, writerStop);
        QFETCH(int, handlerStop);
        board->writerStop = writerStop;
        board->handlerStop = handlerStop;
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        Writing process(folder / "a" / "file.txt");
        QVERIFY(becomes([&] { return board->writerAt == writerStop; }));
        process.signalMain(SIGTERM);
        // It reaches its step, or has to wait for the thread first.
        QVERIFY(becomes([&] {
            return board->handlerAt == handlerStop ||
                   board->handlerAt == static_cast<int>(EndStep::HandlerWaits);
        }));
        board->writerGo = true;
        QVERIFY(becomes([&] { return board->finished || board->reported || board->waiting > 0; }));
        board->handlerGo = true;
        QCOMPARE(process.end(), SIGTERM);
        QVERIFY(!board->reported);
        checkRemains(folder);
    }

    void theThreadItselfIsInterrupted_data() {
        QTest::addColumn<int>("writerStop");
        for (const EndStep step : writerSteps)
            if (step >= EndStep::HoldEnded)
                QTest::addRow("at %d", static_cast<int>(step)) << static_cast<int>(step);
    }
    void theThreadItselfIsInterrupted() {
        QFETCH(int, writerStop);
        board->writerStop = writerStop;
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        Writing process(folder / "a" / "file.txt");
        QVERIFY(becomes([&] { return board->writerAt == writerStop; }));
        process.signalWriter(SIGTERM);
        QCOMPARE(process.end(), SIGTERM);
        checkRemains(folder);
    }

    /// Ctrl+C twice, by an impatient user.
    void aSecondSignalDoesNotCutItShort() {
        board->writerStop = static_cast<int>(EndStep::BeforeRename);
        board->handlerStop = static_cast<int>(EndStep::HandlerRemoves);
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        Writing process(folder / "a" / "file.txt");
        QVERIFY(becomes([&] { return board->writerAt == board->writerStop; }));
        process.signalMain(SIGINT);
        QVERIFY(becomes([&] { return board->handlerAt == board->handlerStop; }));
        process.signalWriter(SIGINT);
        QVERIFY(becomes([&] { return process.ended() || board->waiting > 0; }));
        QVERIFY2(!process.ended(), "the second signal has ended it before its files are removed");
        board->handlerGo = true;
        QCOMPARE(process.end(), SIGINT);
        checkRemains(folder);
    }

    void aSignalThatEndsTheProcessRemovesTemporaries_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl+C") << SIGINT;
        QTest::newRow("kill") << SIGTERM;
        QTest::newRow("terminal closed") << SIGHUP;
        QTest::newRow("Ctrl+backslash") << SIGQUIT;
        QTest::newRow("no processor time left") << SIGXCPU;
    }
    void aSignalThatEndsTheProcessRemovesTemporaries() {
        QFETCH(int, signal);
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        std::array<int, 2> pipe{};
        QCOMPARE(::pipe(pipe.data()), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            std::signal(signal, SIG_DFL);
            const rlimit noCore{0, 0};
            ::setrlimit(RLIMIT_CORE, &noCore);
            removeTemporariesOnSignals();
            writeFileAtomically(folder / "whole.txt", "whole");
            const AtomicFile deep(folder / "a" / "b" / "file.txt");
            const AtomicFile inItsDirectory(folder / "a" / "b" / "other.txt");
            std::vector<std::unique_ptr<AtomicFile>> many;
            for (int i = 0; i < 100; ++i)
                many.push_back(std::make_unique<AtomicFile>(folder / (std::to_string(i) + ".txt")));
            { const AtomicFile given(folder / "c" / "up.txt"); }
            while (::write(pipe[1], "x", 1) == 1)
                ::pause();
        }
        char ready = 0;
        QCOMPARE(::read(pipe[0], &ready, 1), ssize_t{1});
        QVERIFY(fs::exists(folder / "a" / "b"));
        QCOMPARE(::kill(child, signal), 0);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), signal);
        QVERIFY(fs::exists(folder / "whole.txt"));
        QCOMPARE(std::distance(fs::recursive_directory_iterator(folder), {}), 1);
        for (const int end : pipe)
            ::close(end);
    }

    /// Between fork() and exec() a child has the handlers of its parent, but not its files.
    void aChildLeavesTheFilesOfItsParent() {
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        const pid_t parent = ::fork();
        if (parent == 0) {
            std::signal(SIGTERM, SIG_DFL);
            removeTemporariesOnSignals();
            AtomicFile file(folder / "file.txt");
            const pid_t child = ::fork();
            if (child == 0) {
                ::raise(SIGTERM);
                ::_exit(1);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            const bool good = WIFSIGNALED(status) && fs::exists(file.temporaryPath());
            ::_exit(good ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(parent, &status, 0), parent);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
};

TILESCOPE_TEST(EndSignalsTest)

} // namespace end_signals_test

#include "end_signals_test.moc"
