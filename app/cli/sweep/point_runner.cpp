#include "app/cli/sweep/point_runner.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/cli/streams.h"
#include "app/cli/sweep/point_worker.h"
#include "core/base/end_signals.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

using Clock = std::chrono::steady_clock;

// The exit code of shells for a program that cannot be started.
constexpr int cannotStartCode = 127;

/// Ctrl+C as a descriptor to wait for.
/// During its lifetime, signals that would end the program (endSignals) make a descriptor readable
/// instead. Ignored signals (nohup) stay ignored. For single-threaded programs: the signals are
/// blocked in the calling thread only.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// For poll().
    [[nodiscard]] const Descriptor& descriptor() const { return descriptor_; }
    /// The signal that came, if any did.
    [[nodiscard]] std::optional<int> taken() const;

private:
    sigset_t before_{};
    Descriptor descriptor_;
};

InterruptWatch::InterruptWatch() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : endSignals) {
        // The system queues a blocked signal even if it is ignored.
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&watched, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &watched, &before_);
    descriptor_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    // Without a descriptor the signals must work as before.
    if (!descriptor_.open())
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

InterruptWatch::~InterruptWatch() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> InterruptWatch::taken() const {
    signalfd_siginfo info{};
    if (!descriptor_.open() || ::read(descriptor_.number(), &info, sizeof info) != sizeof info)
        return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

/// Each worker takes three descriptors here; some are left for the database and other open files.
std::size_t jobsWithDescriptors() {
    constexpr rlim_t kept = 64;
    constexpr rlim_t each = 3;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::size_t>::max();
    return limit.rlim_cur > kept + each ? static_cast<std::size_t>((limit.rlim_cur - kept) / each)
                                        : 1;
}

/// Simulates one point at a time.
struct Worker {
    std::optional<ChildProcess> process = {};
    std::optional<std::size_t> point = {}; ///< that it has been or is to be given
    bool sent = false;                     ///< the point has been sent to it
    bool used = false;                     ///< its process has simulated others before
    Clock::time_point start = {};
};

class Pool {
public:
    explicit Pool(const PointRunner& runner)
        : runner_(runner)
        , workers_(std::clamp<std::size_t>(runner.jobs, 1, jobsWithDescriptors())) {}

    RunnerEnd run() {
        for (;;) {
            if (const auto signal = watch_.taken())
                return interrupted(*signal);
            const bool attended = runner_.attend && runner_.attend();
            handOut();
            if (!busy() && drained_ && !attended)
                return {};
            waitForOutput();
            for (Worker& worker : workers_)
                collect(worker);
        }
    }

private:
    [[nodiscard]] bool busy() const {
        return std::any_of(workers_.begin(), workers_.end(),
                           [](const Worker& worker) { return worker.point.has_value(); });
    }

    void handOut() {
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            Worker& worker = workers_[i];
            while (!worker.sent) {
                if (!worker.point && !drained_)
                    worker.point = runner_.next(i);
                drained_ = drained_ || !worker.point;
                if (!worker.point) {
                    worker.process.reset(); // what it keeps is no longer needed
                    break;
                }
                if (!send(worker))
                    break;
            }
        }
    }

    /// Gives a worker its point. False if its process cannot be started now; if it cannot be
    /// started even without other workers, the point fails.
    bool send(Worker& worker) {
        try {
            if (!worker.process) {
                worker.process.emplace(runner_.program, runner_.arguments,
                                       ChildProcess::Input::FromUs);
                worker.used = false;
            }
        } catch (const UserError& error) {
            // There may be room for it when other workers have ended.
            const auto runs = [](const Worker& other) { return other.sent; };
            if (std::any_of(workers_.begin(), workers_.end(), runs))
                return false;
            const std::size_t point = *std::exchange(worker.point, std::nullopt);
            runner_.finished(point, {cannotStartCode, "", error.what()}, 0);
            return true;
        }
        worker.process->read();
        worker.process->forgetErrors();
        worker.start = Clock::now();
        worker.sent = true;
        worker.process->send(requestLine(runner_.wordsOf(*worker.point)));
        return true;
    }

    void waitForOutput() const {
        // poll() ignores the descriptors of closed pipes, as they are negative.
        std::vector<pollfd> descriptors{{watch_.descriptor().number(), POLLIN, 0}};
        for (const Worker& worker : workers_)
            if (worker.sent)
                for (const Descriptor* pipe : {&worker.process->out(), &worker.process->err()})
                    descriptors.push_back({pipe->number(), POLLIN, 0});
        if (descriptors.size() > 1 || runner_.attend)
            ::poll(descriptors.data(), descriptors.size(), runner_.attend ? runner_.attendMs : -1);
    }

    void collect(Worker& worker) {
        if (!worker.sent)
            return;
        worker.process->read();
        std::optional<ChildResult> result;
        bool gone = false;
        if (const auto line = worker.process->takeLine()) {
            result = answerFrom(*line);
        } else {
            result = worker.process->finish();
            gone = result.has_value();
        }
        if (!result)
            return;
        // A fault of ours, or lack of memory, possibly because of what earlier points left behind.
        const bool broken = gone || result->exitCode == exitInternal;
        const bool again = broken && worker.used;
        if (broken)
            worker.process.reset();
        worker.sent = false;
        worker.used = true;
        if (again)
            return;
        const std::chrono::duration<double> time = Clock::now() - worker.start;
        runner_.finished(*std::exchange(worker.point, std::nullopt), *result, time.count());
    }

    RunnerEnd interrupted(int signal) {
        RunnerEnd end{signal, {}};
        for (Worker& worker : workers_) {
            worker.process.reset();
            if (worker.sent)
                end.cancelled.push_back(*worker.point);
        }
        return end;
    }

    const PointRunner& runner_;
    InterruptWatch watch_;
    std::vector<Worker> workers_;
    bool drained_ = false;
};

} // namespace

RunnerEnd runPoints(const PointRunner& runner) {
    return Pool(runner).run();
}

} // namespace tilescope::cli
