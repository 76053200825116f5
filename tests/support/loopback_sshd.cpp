#include "tests/support/loopback_sshd.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/directory.h"

namespace tilescope::test {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds tick{10};
constexpr int mostTicks = 500;

// Not in the PATH of users.
fs::path serverProgram() {
    const char* named = std::getenv("TILESCOPE_SSHD");
    return named == nullptr ? "/usr/sbin/sshd" : named;
}

std::string userName() {
    const passwd* user = ::getpwuid(::geteuid());
    return user == nullptr ? std::string() : user->pw_name;
}

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int freePort() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(0);
    socklen_t bytes = sizeof address;
    ::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), bytes);
    ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &bytes);
    return ntohs(address.sin_port);
}

bool listens(int port) {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    return ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address),
                     sizeof address) == 0;
}

std::string contents(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Processes whose parent is one.
std::vector<int> childrenOf(int process) {
    std::vector<int> children;
    for (const std::string& name : namesIn("/proc")) {
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const std::string stat = contents(fs::path("/proc") / name / "stat");
        const std::size_t end = stat.rfind(')');
        // After the name in parentheses: the state and the parent.
        if (end != std::string::npos && end + 4 < stat.size() &&
            std::atoi(stat.c_str() + end + 4) == process)
            children.push_back(std::atoi(name.c_str()));
    }
    return children;
}

ChildResult resultOf(ChildProcess process) {
    for (;;) {
        process.read();
        if (std::optional<ChildResult> result = process.finish())
            return *std::move(result);
        std::this_thread::sleep_for(tick);
    }
}

} // namespace

std::string LoopbackSshd::missing() {
    if (!fs::exists(serverProgram()))
        return "there is no sshd (Debian's openssh-server)";
    if (!fs::exists("/usr/bin/ssh"))
        return "there is no ssh (Debian's openssh-client)";
    return {};
}

LoopbackSshd::LoopbackSshd(fs::path folder)
    : folder_(std::move(folder))
    , port_(freePort()) {
    makeKey("host_key");
    makeKey("user_key");
    fs::copy_file(folder_ / "user_key.pub", folder_ / "authorized_keys");
    writeConfigurations();
    start();
}

LoopbackSshd::~LoopbackSshd() {
    stop();
}

void LoopbackSshd::writeConfigurations() const {
    const auto host = [&](const char* name, const char* more) {
        return fmt::format("Host {0}\n  HostName 127.0.0.1\n  Port {1}\n  User {2}\n"
                           "  IdentityFile {3}/user_key\n  IdentitiesOnly yes\n"
                           "  UserKnownHostsFile {3}/known_{0}\n{4}",
                           name, port_, userName(), folder_.string(), more);
    };
    constexpr const char* quiet = "  StrictHostKeyChecking accept-new\n  BatchMode yes\n";
    writeFileAtomically(folder_ / "config",
                        host("pod", quiet) +
                            host("jumped", fmt::format("{}  ProxyJump pod\n", quiet).c_str()) +
                            host("asked", "  StrictHostKeyChecking ask\n"));
    writeFileAtomically(client(), fmt::format("#!/bin/sh\nexec ssh -F '{}' \"$@\"\n",
                                              (folder_ / "config").string()));
    fs::permissions(client(), fs::perms::owner_all);
    writeFileAtomically(folder_ / "sshd_config",
                        fmt::format("Port {0}\nListenAddress 127.0.0.1\nHostKey {1}/host_key\n"
                                    "AuthorizedKeysFile {1}/authorized_keys\nPidFile {1}/pid\n"
                                    "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                                    "StrictModes no\nUsePAM no\nPrintLastLog no\nPermitUserRC no\n"
                                    // The shell takes itself for an inner one, and starts fast.
                                    "SetEnv SHLVL=1\n",
                                    port_, folder_.string()));
}

std::string LoopbackSshd::problem() const {
    const ChildResult result = resultOf(ChildProcess(client(), {"ssh", "pod", "true"}));
    return result.exitCode == 0 ? std::string() : "sshd cannot be used: " + result.err;
}

void LoopbackSshd::cut() const {
    if (const int server = std::atoi(contents(folder_ / "pid").c_str()); server > 1)
        for (const int session : childrenOf(server))
            ::kill(session, SIGKILL);
}

void LoopbackSshd::changeKey() {
    stop();
    fs::remove(folder_ / "host_key");
    fs::remove(folder_ / "host_key.pub");
    makeKey("host_key");
    start();
}

void LoopbackSshd::makeKey(const char* name) const {
    resultOf(ChildProcess("ssh-keygen", {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                                         (folder_ / name).string()}));
}

void LoopbackSshd::start() {
    // Of the package's service, which need not run.
    if (::geteuid() == 0)
        ::mkdir("/run/sshd", S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
    // It closes as many descriptors as there may be before each command, one by one.
    server_.emplace("sh", std::vector<std::string>{
                              "sh", "-c", "ulimit -n 128 && exec \"$0\" \"$@\"", serverProgram(),
                              "-D", "-E", folder_ / "log", "-f", folder_ / "sshd_config"});
    for (int i = 0; i < mostTicks && !listens(port_); ++i)
        std::this_thread::sleep_for(tick);
}

void LoopbackSshd::stop() {
    cut();
    server_.reset();
}

} // namespace tilescope::test
