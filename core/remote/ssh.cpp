#include "core/remote/ssh.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/printable.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr int sshFailed = 255; // status of ssh itself
// Of output that nobody takes as it comes: the names in a folder.
constexpr std::size_t mostKept = std::size_t{64} << 20;
// ssh's limit is that of a socket's name (108); its own name there has 57 characters.
constexpr std::size_t longestFolder = 48;

/// A folder of ours that others cannot enter.
bool isPrivate(const fs::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// For sockets of shared connections; none: each command connects.
std::optional<fs::path> socketFolder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const fs::path folder = runtime != nullptr && *runtime == '/'
                                ? fs::path(runtime) / "tilescope"
                                : fs::path(fmt::format("/tmp/tilescope-{}", ::geteuid()));
    ::mkdir(folder.c_str(), S_IRWXU);
    if (folder.string().size() > longestFolder || !isPrivate(folder) ||
        folder.string().find('%') != std::string::npos)
        return std::nullopt;
    return folder;
}

std::vector<std::string> argumentsFor(const SshProgram& ssh, const RemoteAddress& at,
                                      const std::string& command) {
    // The user's forwardings and commands are for shells, not for copies.
    std::vector<std::string> words{"ssh",
                                   "-T",
                                   "-oClearAllForwardings=yes",
                                   "-oRemoteCommand=none",
                                   "-oPermitLocalCommand=no",
                                   "-oConnectTimeout=20",
                                   "-oServerAliveInterval=10",
                                   "-oServerAliveCountMax=3"};
    if (!ssh.asks)
        words.emplace_back("-oBatchMode=yes");
    if (const auto folder = socketFolder()) {
        words.emplace_back("-oControlMaster=auto");
        words.emplace_back("-oControlPersist=60");
        words.push_back("-oControlPath=" + (*folder / "%C").string());
    }
    if (at.port != 0)
        words.push_back(fmt::format("-p{}", at.port));
    if (!at.user.empty())
        words.push_back("-l" + at.user);
    words.insert(words.end(), {"--", at.host, command});
    return words;
}

// Startup files of shells may print what they like before a command does.
constexpr std::string_view beginning = "[tilescope begins]\n";
constexpr std::size_t longestGreeting = std::size_t{1} << 20;

std::string withBeginning(const std::string& command) {
    return fmt::format("echo {}; {}", shellWord(beginning.substr(0, beginning.size() - 1)),
                       command);
}

ChildProcess startSsh(const SshProgram& ssh, const RemoteAddress& at, const std::string& command,
                      bool hasInput) {
    ChildProcess::Start start;
    start.input = hasInput ? ChildProcess::Input::FromUs : ChildProcess::Input::None;
    start.group = ChildProcess::Group::OwnSession; // without a terminal
    if (!ssh.askpass.empty())
        // Versions of ssh before 8.4 ask by the program only where there is a display.
        start.environment = {"SSH_ASKPASS=" + ssh.askpass, "SSH_ASKPASS_REQUIRE=force",
                             "TILESCOPE_ASKPASS=1"};
    else if (ssh.asks)
        start.group = ChildProcess::Group::Ours;
    try {
        return ChildProcess(ssh.program, argumentsFor(ssh, at, withBeginning(command)), start);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: '{}'. Opening remote files needs OpenSSH's client",
                                    error.what(), ssh.program));
    }
}

bool says(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The last line that says something.
std::string lastLine(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    const std::size_t before = text.rfind('\n');
    return printable(before == std::string_view::npos ? text : text.substr(before + 1));
}

[[noreturn]] void failed(const RemoteAddress& at, std::string_view err, bool began) {
    const std::string host = at.port == 0 ? at.host : fmt::format("[{}]:{}", at.host, at.port);
    if (says(err, "REMOTE HOST IDENTIFICATION HAS CHANGED"))
        throw UserError(fmt::format(
            "the key of '{0}' is not the one that ssh knows: it was installed again, or another "
            "machine answers in its place. Ask who runs it for the new key; then 'ssh-keygen -R "
            "{0}' forgets the old one",
            host));
    if (says(err, "Host key verification failed"))
        throw UserError(fmt::format("the key of '{}' is not known to ssh and was not accepted: "
                                    "'ssh {}' in a terminal asks for it",
                                    host, at.host));
    if (says(err, "Permission denied ("))
        throw UserError(fmt::format("'{}' refuses the login{}: {}", at.host,
                                    at.user.empty() ? "" : fmt::format(" of '{}'", at.user),
                                    lastLine(err)));
    const std::string why = lastLine(err);
    const std::string text =
        fmt::format("{} '{}'{}{}", began ? "lost the connection to" : "cannot reach", at.host,
                    why.empty() ? "" : ": ", why);
    if (began)
        throw ConnectionLost(text);
    throw UserError(text);
}

/// Drops what comes before the command's own output.
class Greeting {
public:
    std::string without(std::string output) {
        if (over_)
            return output;
        held_ += output;
        const std::size_t at = held_.find(beginning);
        over_ = at != std::string::npos;
        if (!over_ && held_.size() > longestGreeting)
            held_.erase(0, held_.size() - beginning.size());
        return over_ ? held_.substr(at + beginning.size()) : std::string();
    }

private:
    std::string held_;
    bool over_ = false;
};

/// Listens to a child until it has ended.
class Listening {
public:
    Listening(ChildProcess& child, const TakeOutput& take)
        : child_(child)
        , take_(take) {}
    /// Waits for output a little; false: the taker has enough.
    bool listen() {
        constexpr int waitMs = 100;
        std::array<pollfd, 2> ends{pollfd{child_.out().number(), POLLIN, 0},
                                   pollfd{child_.err().number(), POLLIN, 0}};
        ::poll(ends.data(), ends.size(), waitMs);
        child_.read();
        const std::string output = greeting_.without(child_.takeOutput());
        began_ = began_ || !output.empty();
        if (take_)
            return output.empty() || take_(output);
        if (out_.size() < mostKept)
            out_ += output;
        return true;
    }
    /// The result, when there is one.
    std::optional<RemoteResult> result() {
        // A shared connection that stays behind keeps the errors of older versions open.
        constexpr std::chrono::milliseconds longEnough{300};
        const auto now = std::chrono::steady_clock::now();
        if (!child_.outputEnded())
            ended_ = now;
        else if (now - ended_ > longEnough)
            child_.closeErrors();
        std::optional<ChildResult> done = child_.finish();
        if (!done)
            return std::nullopt;
        return RemoteResult{done->exitCode, std::move(out_), std::move(done->err)};
    }
    [[nodiscard]] bool began() const { return began_; }

private:
    ChildProcess& child_;
    const TakeOutput& take_;
    Greeting greeting_;
    std::string out_;
    std::chrono::steady_clock::time_point ended_ = std::chrono::steady_clock::now();
    bool began_ = false;
};

} // namespace

SshProgram sshFromEnvironment() {
    SshProgram ssh;
    if (const char* program = std::getenv("TILESCOPE_SSH"); program != nullptr && *program != 0)
        ssh.program = program;
    return ssh;
}

namespace {

/// What a command did; no result if the taker had enough.
struct Attempt {
    std::optional<RemoteResult> result;
    bool began = false; ///< it had output
    [[nodiscard]] bool lost() const {
        return result && (result->status >= sshFailed || (result->status > 128 && began));
    }
};

Attempt attempt(const SshProgram& ssh, const RemoteAddress& at, const std::string& command,
                const std::stop_token& stop, const TakeOutput& take, std::string_view input) {
    ChildProcess child = startSsh(ssh, at, command, !input.empty());
    if (!input.empty()) {
        child.send(input);
        child.closeInput();
    }
    Listening listening(child, take);
    for (;;) {
        if (stop.stop_requested())
            throw Cancelled();
        if (!listening.listen())
            return {};
        if (std::optional<RemoteResult> result = listening.result())
            return {std::move(result), listening.began()};
    }
}

} // namespace

RemoteResult runRemote(const SshProgram& ssh, const RemoteAddress& at, const std::string& command,
                       const std::stop_token& stop, const TakeOutput& take,
                       std::string_view input) {
    Attempt done = attempt(ssh, at, command, stop, take, input);
    // A shared connection that ends just then takes the command with it, and says nothing.
    if (done.lost() && !done.began && lastLine(done.result->err).empty())
        done = attempt(ssh, at, command, stop, take, input);
    if (done.lost())
        failed(at, done.result->err, done.began);
    return done.result.value_or(RemoteResult{});
}

} // namespace tilescope
