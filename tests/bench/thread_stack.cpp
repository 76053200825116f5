#include "tests/bench/thread_stack.h"

#include <array>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <unistd.h>

namespace tilescope::bench {
namespace {

constexpr int wakeUp = SIGUSR2;
constexpr int deepest = 60;

void print(int) {
    std::array<void*, deepest> frames{};
    const int count = backtrace(frames.data(), deepest);
    constexpr const char* title = "-- the window's thread is here:\n";
    (void)!write(STDERR_FILENO, title, std::strlen(title));
    backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
}

bool prepared() {
    // The first call loads a library, which must not happen in a signal handler.
    std::array<void*, 1> frame{};
    (void)backtrace(frame.data(), 1);
    struct sigaction action {};
    action.sa_handler = print;
    action.sa_flags = SA_RESTART;
    return sigaction(wakeUp, &action, nullptr) == 0;
}

} // namespace

void printStack(pthread_t thread) {
    static const bool ready = prepared();
    if (ready)
        pthread_kill(thread, wakeUp);
}

} // namespace tilescope::bench
