#include "app/cli/interrupt.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace tilescope::cli {

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

} // namespace tilescope::cli
