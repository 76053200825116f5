#include "app/cli/sweep/point_runner.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <list>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/error.h"

namespace tilescope::cli {
namespace {

using Clock = std::chrono::steady_clock;

// What a shell says of a program that it cannot start.
constexpr int cannotStartCode = 127;

/// Ctrl+C as something to wait for.
/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the program; they make a descriptor
/// readable. One that is ignored (as nohup does) stays ignored. For programs of one thread: the
/// signals are held back in this one.
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
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        // The system queues a blocked signal even if it is ignored.
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&watched, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &watched, &before_);
    descriptor_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    // Without a descriptor the signals must do their work as before.
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

struct Running {
    std::size_t point;
    Clock::time_point start;
    ChildProcess process;
};

/// Each process takes two descriptors here; some are left for the database and what else is open.
std::size_t jobsWithDescriptors() {
    constexpr rlim_t kept = 64;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::size_t>::max();
    return limit.rlim_cur > kept + 2 ? static_cast<std::size_t>((limit.rlim_cur - kept) / 2) : 1;
}

class Pool {
public:
    explicit Pool(const PointRunner& runner)
        : runner_(runner)
        , jobs_(std::min(runner.jobs, jobsWithDescriptors())) {}

    RunnerEnd run() {
        for (;;) {
            if (const auto signal = watch_.taken())
                return interrupted(*signal);
            const bool attended = runner_.attend && runner_.attend();
            startMore();
            if (running_.empty() && drained_ && !attended)
                return {};
            waitForOutput();
            collect();
        }
    }

private:
    void startMore() {
        while (!drained_ && running_.size() < jobs_) {
            if (!next_)
                next_ = runner_.next();
            drained_ = !next_;
            if (drained_)
                return;
            try {
                running_.push_back({*next_, Clock::now(),
                                    ChildProcess(runner_.program, runner_.argumentsOf(*next_))});
            } catch (const UserError& error) {
                // With fewer processes about there may be room for it.
                if (!running_.empty())
                    return;
                runner_.finished(*next_, {cannotStartCode, "", error.what()}, 0);
            }
            next_.reset();
        }
    }

    void waitForOutput() const {
        if (running_.empty() && !runner_.attend)
            return;
        // poll() leaves out the descriptors of pipes that have ended: they are negative.
        std::vector<pollfd> descriptors{{watch_.descriptor().number(), POLLIN, 0}};
        for (const Running& child : running_) {
            descriptors.push_back({child.process.out().number(), POLLIN, 0});
            descriptors.push_back({child.process.err().number(), POLLIN, 0});
        }
        ::poll(descriptors.data(), descriptors.size(), runner_.attend ? runner_.attendMs : -1);
    }

    void collect() {
        for (auto child = running_.begin(); child != running_.end();) {
            child->process.read();
            const auto result = child->process.finish();
            if (!result) {
                ++child;
                continue;
            }
            const std::size_t point = child->point;
            const std::chrono::duration<double> time = Clock::now() - child->start;
            child = running_.erase(child);
            runner_.finished(point, *result, time.count());
        }
    }

    RunnerEnd interrupted(int signal) {
        RunnerEnd end{signal, {}};
        for (const Running& child : running_)
            end.cancelled.push_back(child.point);
        running_.clear();
        return end;
    }

    const PointRunner& runner_;
    InterruptWatch watch_;
    std::list<Running> running_;
    std::size_t jobs_;
    std::optional<std::size_t> next_; ///< taken, not yet started
    bool drained_ = false;
};

} // namespace

RunnerEnd runPoints(const PointRunner& runner) {
    return Pool(runner).run();
}

std::function<std::optional<std::size_t>()> inOrder(const std::vector<std::size_t>& points) {
    return [&points, at = std::size_t{0}]() mutable {
        return at < points.size() ? std::optional(points[at++]) : std::nullopt;
    };
}

RunnerEnd runPoints(const std::vector<std::size_t>& points, PointRunner runner) {
    runner.next = inOrder(points);
    return runPoints(runner);
}

} // namespace tilescope::cli
