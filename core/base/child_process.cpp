#include "core/base/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"

namespace tilescope {
namespace {

// Larger than any summary; a child that writes more is broken.
constexpr std::size_t mostKept = std::size_t{64} << 20;
// A child that writes as fast as we read must not hold us.
constexpr std::size_t mostAtOnce = std::size_t{1} << 20;
constexpr int firstSignalCode = 128;

struct PipeEnds {
    Descriptor from;
    Descriptor to;
};

[[noreturn]] void fail(int code) {
    throw UserError(fmt::format("cannot start a process: {}", std::strerror(code)));
}

/// Above the three standard descriptors, or a child's dup2() onto those could overwrite it.
Descriptor aboveStandard(Descriptor descriptor) {
    if (descriptor.number() > STDERR_FILENO)
        return descriptor;
    const int moved = ::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0)
        fail(errno);
    return Descriptor(moved);
}

PipeEnds makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail(errno);
    PipeEnds pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    pipe.from = aboveStandard(std::move(pipe.from));
    pipe.to = aboveStandard(std::move(pipe.to));
    // Only our end is non-blocking; the child writes normally.
    ::fcntl(pipe.from.number(), F_SETFL, O_NONBLOCK);
    return pipe;
}

/// A socket instead of a pipe, since writing to it after the reader has gone raises no signal.
PipeEnds makeInput() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        fail(errno);
    PipeEnds input{Descriptor(ends[0]), Descriptor(ends[1])};
    input.from = aboveStandard(std::move(input.from));
    input.to = aboveStandard(std::move(input.to));
    return input;
}

/// Our environment, with some variables replaced.
std::vector<std::string> environmentWith(const std::vector<std::string>& changed) {
    std::vector<std::string> all = changed;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string_view variable(*at);
        const std::string_view name = variable.substr(0, variable.find('=') + 1);
        if (std::none_of(changed.begin(), changed.end(),
                         [name](const std::string& other) { return other.starts_with(name); }))
            all.emplace_back(variable);
    }
    return all;
}

/// For C: ended by a null pointer.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Arguments of posix_spawn, freed at the end.
class SpawnPlan {
public:
    /// `in`: -1 for no input.
    SpawnPlan(int in, int out, int err, ChildProcess::Group group) {
        posix_spawn_file_actions_init(&actions_);
        if (in < 0)
            posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        else
            posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setpgroup(&attributes_, 0);
        // We block some signals and ignore SIGPIPE; the child starts as from a shell.
        sigset_t set;
        sigemptyset(&set);
        posix_spawnattr_setsigmask(&attributes_, &set);
        sigaddset(&set, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &set);
        const int ofGroup = group == ChildProcess::Group::Own          ? POSIX_SPAWN_SETPGROUP
                            : group == ChildProcess::Group::OwnSession ? POSIX_SPAWN_SETSID
                                                                       : 0;
        posix_spawnattr_setflags(&attributes_, static_cast<short>(ofGroup | POSIX_SPAWN_SETSIGMASK |
                                                                  POSIX_SPAWN_SETSIGDEF));
    }
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    [[nodiscard]] pid_t start(const std::string& program, std::vector<std::string> arguments,
                              std::vector<std::string> environment) const {
        const std::vector<char*> words = pointersTo(arguments);
        const std::vector<char*> variables = pointersTo(environment);
        pid_t process = -1;
        const int code = ::posix_spawnp(&process, program.c_str(), &actions_, &attributes_,
                                        words.data(), variables.data());
        if (code != 0)
            fail(code);
        return process;
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

int waitFor(pid_t process) {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return firstSignalCode; // somebody else waited for it: its status is lost
    return WIFSIGNALED(status) ? firstSignalCode + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Waits for the child to end, but only for as long as a graceful exit takes.
void waitALittle(pid_t process) {
    constexpr int mostMs = 2000;
    // The C library's own function has C++ linkage in its header.
    const Descriptor descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    pollfd ended{descriptor.number(), POLLIN, 0};
    if (descriptor.open())
        ::poll(&ended, 1, mostMs);
}

} // namespace

Descriptor::~Descriptor() {
    close();
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        close();
        number_ = std::exchange(other.number_, -1);
    }
    return *this;
}

void Descriptor::close() {
    if (number_ >= 0)
        ::close(std::exchange(number_, -1));
}

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const Start& start)
    : ownGroup_(start.group != Group::Ours) {
    // With SIGCHLD ignored, as some parents leave it, the system discards exit codes.
    std::signal(SIGCHLD, SIG_DFL);
    PipeEnds out = makePipe();
    PipeEnds err = makePipe();
    PipeEnds in = start.input == Input::FromUs ? makeInput() : PipeEnds{};
    process_ = SpawnPlan(in.from.number(), out.to.number(), err.to.number(), start.group)
                   .start(program, arguments, environmentWith(start.environment));
    input_ = std::move(in.to);
    out_.from = std::move(out.from);
    err_.from = std::move(err.from);
}

ChildProcess::~ChildProcess() {
    if (process_ < 0)
        return;
    signal(SIGTERM);
    waitALittle(process_);
    signal(SIGKILL);
    waitFor(process_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1))
    , ownGroup_(other.ownGroup_)
    , input_(std::move(other.input_))
    , out_(std::move(other.out_))
    , err_(std::move(other.err_)) {}

void ChildProcess::signal(int number) const {
    ::kill(ownGroup_ ? -process_ : process_, number);
}

void ChildProcess::readPipe(Pipe& pipe, bool keepEnd) {
    std::array<char, 1 << 16> block;
    for (std::size_t taken = 0; pipe.from.open() && taken < mostAtOnce;) {
        const ssize_t got = ::read(pipe.from.number(), block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (got < 0)
            signal(SIGTERM); // its output is unreadable: this ends the other pipe too
        if (got <= 0) {
            pipe.from.close();
            return;
        }
        taken += static_cast<std::size_t>(got);
        if (keepEnd && pipe.text.size() > mostKept)
            pipe.text.erase(0, mostKept / 2);
        if (pipe.text.size() < mostKept || keepEnd)
            pipe.text.append(block.data(), static_cast<std::size_t>(got));
    }
}

void ChildProcess::read() {
    readPipe(out_, false);
    readPipe(err_, true);
}

void ChildProcess::send(std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(input_.number(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

std::optional<std::string> ChildProcess::takeLine() {
    const std::size_t end = out_.text.find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    std::string line = out_.text.substr(0, end);
    out_.text.erase(0, end + 1);
    return line;
}

std::optional<ChildResult> ChildProcess::finish() {
    if (out_.from.open() || err_.from.open())
        return std::nullopt;
    const int exitCode = waitFor(std::exchange(process_, -1));
    return ChildResult{exitCode, std::move(out_.text), std::move(err_.text)};
}

} // namespace tilescope
