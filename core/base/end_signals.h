// What a signal that ends the process leaves behind: nothing half written.
#pragma once

#include <csignal>
#include <cstddef>
#include <optional>
#include <string>

namespace tilescope {

/// From now on SIGINT, SIGTERM and SIGHUP remove all temporary files (RemovedOnSignal) before they
/// end the process as they always do. One that is ignored (as nohup does) stays ignored. For
/// main(), once.
void removeTemporariesOnSignals();

/// While it lives such a signal waits: files are made and noted in one step.
class SignalHold {
public:
    SignalHold();
    ~SignalHold();
    SignalHold(const SignalHold&) = delete;
    SignalHold& operator=(const SignalHold&) = delete;

private:
    sigset_t before_{};
};

/// A file that such a signal removes while this lives.
class RemovedOnSignal {
public:
    RemovedOnSignal() = default;
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

    /// Notes a file that was made during the hold, with so many directories around it; those go
    /// if they are empty. Of very many files at a time, or a path too long to be noted, the file
    /// stays.
    void note(const SignalHold& hold, const std::string& file, std::size_t directories);

private:
    std::optional<std::size_t> place_;
};

} // namespace tilescope
