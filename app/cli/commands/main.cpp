#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

#include "app/cli/commands/cli.h"
#include "app/cli/terminal_buffer.h"
#include "core/base/descriptor_buffer.h"
#include "core/base/end_signals.h"
#include "core/base/lack_of_memory.h"

namespace {

/// OpenMP threads, which compute values, spin while they wait for each other; next to any other
/// busy process that makes them many times slower. The library reads the environment once, before
/// main.
void startWithPatientThreads(char** argv) {
    constexpr const char* policy = "OMP_WAIT_POLICY";
    bool computes = argv[0] != nullptr && argv[1] != nullptr && std::strcmp(argv[1], "python") == 0;
    for (char** argument = argv; *argument != nullptr; ++argument)
        computes = computes || std::strncmp(*argument, "--compute", 9) == 0;
    if (!computes || std::getenv(policy) != nullptr || ::setenv(policy, "passive", 0) != 0)
        return;
    ::execv("/proc/self/exe", argv); // on failure we go on unchanged
}

} // namespace

int main(int argc, char** argv) {
    using namespace tilescope::cli;
    startWithPatientThreads(argv);
    // A reader such as `head` may leave early: that shows as a failed write, not as a signal.
    std::signal(SIGPIPE, SIG_IGN);
    // Likewise a file that may not grow further.
    std::signal(SIGXFSZ, SIG_IGN);
    tilescope::removeTemporariesOnSignals();
    tilescope::endOnLackOfMemory("tilescope");
    tilescope::DescriptorBuffer buffer(STDOUT_FILENO);
    TerminalBuffer terminal(buffer);
    std::ostream out(::isatty(STDOUT_FILENO) == 1 ? static_cast<std::streambuf*>(&terminal)
                                                  : &buffer);
    const int status = runCli(std::vector<std::string>(argv + 1, argv + argc),
                              {out, std::cerr, ::isatty(STDERR_FILENO) == 1, true});
    out.flush();
    if (buffer.error() == EPIPE || (buffer.error() == 0 && out))
        return status;
    // A stream that failed without an error of its own ran out of memory.
    std::cerr << "tilescope: error: cannot write standard output: "
              << std::strerror(buffer.error() == 0 ? ENOMEM : buffer.error()) << '\n';
    return exitUsage;
}
