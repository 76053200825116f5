// A program under test, loaded once, in which the n-th call of a kind fails (fault_library.cpp).
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tilescope::test {

class FaultServer {
public:
    struct Result {
        int status = 0; ///< of waitpid()
        long calls = 0; ///< of the kind, up to the end
    };

    /// The program, then its arguments; file names in them are looked for in the folder of each
    /// run.
    explicit FaultServer(std::vector<std::string> words);
    ~FaultServer();
    FaultServer(const FaultServer&) = delete;
    FaultServer& operator=(const FaultServer&) = delete;

    /// `kind`: open, read, write, fsync, rename or allocate, with '@' in front in the program that
    /// the one under test starts; `which` counts from 1, and 0 makes nothing fail. What it prints
    /// is in the folder's .out and .err.
    Result run(const std::string& kind, long which, const std::filesystem::path& folder);

private:
    pid_t process_ = -1;
    std::FILE* orders_ = nullptr;
    std::FILE* answers_ = nullptr;
};

} // namespace tilescope::test
