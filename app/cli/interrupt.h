// Ctrl+C as something to wait for.
#pragma once

#include <csignal>
#include <optional>

#include "app/cli/child_process.h"

namespace tilescope::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the program; they make a descriptor
/// readable. One that is ignored (as nohup does) stays ignored. For programs of one thread: the
/// signals are held back in this one.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// For poll().
    [[nodiscard]] const Descriptor& descriptor() const { return descriptor_; }
    /// The signal that came, if any did.
    [[nodiscard]] std::optional<int> taken() const;

private:
    sigset_t before_{};
    Descriptor descriptor_;
};

} // namespace tilescope::cli
