#include "app/cli/sweep/point_runner.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <list>
#include <poll.h>
#include <sys/resource.h>

#include "app/cli/interrupt.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

using Clock = std::chrono::steady_clock;

// What a shell says of a program that it cannot start.
constexpr int cannotStartCode = 127;

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
    Pool(const std::vector<std::size_t>& points, const PointRunner& runner)
        : points_(points)
        , runner_(runner)
        , jobs_(std::min(runner.jobs, jobsWithDescriptors())) {}

    RunnerEnd run() {
        while (next_ < points_.size() || !running_.empty()) {
            if (const auto signal = watch_.taken())
                return interrupted(*signal);
            startMore();
            waitForOutput();
            collect();
        }
        return {};
    }

private:
    void startMore() {
        while (next_ < points_.size() && running_.size() < jobs_) {
            const std::size_t point = points_[next_];
            try {
                running_.push_back({point, Clock::now(),
                                    ChildProcess(runner_.program, runner_.argumentsOf(point))});
            } catch (const UserError& error) {
                // With fewer processes about there may be room for it.
                if (!running_.empty())
                    return;
                runner_.finished(point, {cannotStartCode, "", error.what()}, 0);
            }
            ++next_;
        }
    }

    void waitForOutput() const {
        if (running_.empty())
            return;
        // poll() leaves out the descriptors of pipes that have ended: they are negative.
        std::vector<pollfd> descriptors{{watch_.descriptor().number(), POLLIN, 0}};
        for (const Running& child : running_) {
            descriptors.push_back({child.process.out().number(), POLLIN, 0});
            descriptors.push_back({child.process.err().number(), POLLIN, 0});
        }
        ::poll(descriptors.data(), descriptors.size(), -1);
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

    const std::vector<std::size_t>& points_;
    const PointRunner& runner_;
    InterruptWatch watch_;
    std::list<Running> running_;
    std::size_t jobs_;
    std::size_t next_ = 0;
};

} // namespace

RunnerEnd runPoints(const std::vector<std::size_t>& points, const PointRunner& runner) {
    return Pool(points, runner).run();
}

} // namespace tilescope::cli
