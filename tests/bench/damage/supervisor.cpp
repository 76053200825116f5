#include "tests/bench/damage/supervisor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A busy machine makes a job last longer, but not take more: it may last so many times its limit
/// of processor time, for one that waits forever.
constexpr double longestWait = 6;

/// A line of text to the parent; line feeds in it become blanks.
void send(int pipe, char kind, std::string text) {
    for (char& c : text)
        if (c == '\n')
            c = ' ';
    const std::string line = kind + text + '\n';
    if (write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        _exit(1);
}

[[noreturn]] void beChild(int pipe, int first, int jobs, const Job& job) {
    for (int i = first; i < jobs; ++i) {
        send(pipe, 'B', "");
        const JobResult result = job(i, [pipe](const std::string& at) { send(pipe, 'P', at); });
        send(pipe, 'E',
             std::to_string(static_cast<int>(result.verdict)) + result.text.substr(0, 2000));
    }
    // Not exit(): what the parent registered is not the child's to end.
    std::fflush(nullptr);
    _exit(0);
}

class Child {
public:
    Child(int first, int jobs, const Job& job) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0)
            std::abort();
        std::fflush(nullptr);
        process_ = fork();
        if (process_ == 0) {
            close(ends[0]);
            beChild(ends[1], first, jobs, job);
        }
        close(ends[1]);
        pipe_ = ends[0];
    }
    ~Child() { close(pipe_); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    enum class Heard { Line, End, Nothing };
    /// Waits for a line until the child has taken so much processor time more.
    Heard listen(double seconds, std::string& line) {
        const auto start = Clock::now();
        const double before = processorSeconds();
        for (;;) {
            if (const auto end = buffer_.find('\n'); end != std::string::npos) {
                line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return Heard::Line;
            }
            const double left = std::min(seconds - (processorSeconds() - before),
                                         seconds * longestWait - since(start));
            if (left <= 0)
                return Heard::Nothing;
            pollfd wait{pipe_, POLLIN, 0};
            if (poll(&wait, 1, static_cast<int>(left * 1000) + 1) == 0)
                continue;
            std::array<char, 4096> block{};
            const ssize_t got = read(pipe_, block.data(), block.size());
            if (got <= 0)
                return Heard::End;
            buffer_.append(block.data(), static_cast<std::size_t>(got));
        }
    }

    /// Of the child itself, without what it has started; when it has ended, as it last was.
    double processorSeconds() {
        clockid_t clock{};
        timespec time{};
        if (clock_getcpuclockid(process_, &clock) == 0 && clock_gettime(clock, &time) == 0)
            taken_ = std::max(taken_, static_cast<double>(time.tv_sec) +
                                          static_cast<double>(time.tv_nsec) * 1e-9);
        return taken_;
    }

    void kill() const { ::kill(process_, SIGKILL); }
    [[nodiscard]] std::string wait() const {
        int status = 0;
        waitpid(process_, &status, 0);
        return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                   : "exit " + std::to_string(WEXITSTATUS(status));
    }

private:
    pid_t process_ = -1;
    int pipe_ = -1;
    double taken_ = 0;
    std::string buffer_;
};

/// One child from job `first` on; returns the job that the next child begins with.
int runChild(int first, int jobs, double limit, const Job& job,
             const std::function<void(const JobResult&)>& each) {
    Child child(first, jobs, job);
    JobResult current{first, Verdict::Fine, {}, 0};
    std::string at;
    double start = child.processorSeconds();
    for (;;) {
        std::string line;
        const Child::Heard heard = child.listen(limit, line);
        if (heard == Child::Heard::Line && line[0] == 'B') {
            start = child.processorSeconds();
            at.clear();
        } else if (heard == Child::Heard::Line && line[0] == 'P') {
            at = line.substr(1);
        } else if (heard == Child::Heard::Line) {
            current.verdict = static_cast<Verdict>(line[1] - '0');
            current.text = line.substr(2);
            current.seconds = child.processorSeconds() - start;
            each(current);
            ++current.job;
        } else {
            if (heard == Child::Heard::Nothing)
                child.kill();
            const std::string end = child.wait();
            if (current.job >= jobs && end == "exit 0")
                return jobs;
            current.verdict = heard == Child::Heard::Nothing ? Verdict::Hang : Verdict::Crash;
            current.text = at + " (" + end + ")";
            current.seconds = child.processorSeconds() - start;
            each(current);
            return current.job + 1;
        }
    }
}

} // namespace

const char* toString(Verdict verdict) {
    static constexpr std::array<const char*, verdicts> names{
        "fine", "message", "no message", "internal error", "crash", "hang"};
    return names.at(static_cast<std::size_t>(verdict));
}

void runJobs(int jobs, double limitSeconds, const Job& job,
             const std::function<void(const JobResult&)>& each) {
    for (int next = 0; next < jobs;)
        next = runChild(next, jobs, limitSeconds, job, each);
}

} // namespace tilescope::bench
