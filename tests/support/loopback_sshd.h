// A server of ssh on this machine for tests, which needs neither root nor passwords.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/child_process.h"

namespace tilescope::test {

/// OpenSSH's server on a free port, with keys and a configuration of its own. Its hosts: "pod";
/// "jumped", the same through "pod"; "asked", whose key the user is asked about.
class LoopbackSshd {
public:
    /// Why there can be none; empty if there can.
    static std::string missing();

    /// In an empty folder.
    explicit LoopbackSshd(std::filesystem::path folder);
    ~LoopbackSshd();
    LoopbackSshd(const LoopbackSshd&) = delete;
    LoopbackSshd& operator=(const LoopbackSshd&) = delete;

    /// Why it cannot be used, such as that this user's account is locked; empty if it can.
    [[nodiscard]] std::string problem() const;
    /// The client with the configuration, for TILESCOPE_SSH.
    [[nodiscard]] std::string client() const { return folder_ / "client"; }
    /// Ends all connections, as a cut of the network does.
    void cut() const;
    /// Starts again as another machine would: with another key.
    void changeKey();

private:
    void makeKey(const char* name) const;
    void writeConfigurations() const;
    void start();
    void stop();

    std::filesystem::path folder_;
    int port_ = 0;
    std::optional<ChildProcess> server_;
};

} // namespace tilescope::test
