// What a signal that ends the process leaves behind: nothing half written.
//
// The protocol, between threads that make files and the handler (end_protocol_test.cpp explores all
// of its orders): a thread makes a file and notes it within a hold. The handler says that the end
// has begun, waits until nobody is in a hold, and removes what is noted; a hold that begins after
// that never returns. So each file is noted before the handler looks, or is never made. A thread
// past its hold may find its file gone; before it reports anything it asks goNoFurtherAtTheEnd().
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string>

namespace tilescope {

/// What ends a program from outside and can be caught: by its user, and by batch systems.
inline constexpr std::array endSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

/// From now on these signals remove all temporary files (RemovedOnSignal) before they end the
/// process as they always do. One that is ignored (as nohup
/// does) stays ignored. For main(), once.
void removeTemporariesOnSignals();

/// Returns, unless such a signal is ending the process: then it waits for that. For what may fail
/// because its file has been removed, before it says so.
void goNoFurtherAtTheEnd();

/// Removes all temporary files now, as such a signal does, and ends the process with this status.
[[noreturn]] void removeTemporariesAndExit(int status);

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

struct RemovalNote;

/// A file that such a signal removes while this lives.
class RemovedOnSignal {
public:
    RemovedOnSignal() = default;
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

    /// Gets what note() needs, so that noting a file that was made cannot fail.
    void reserve(const SignalHold& hold, std::size_t pathLength);
    /// Notes a file that was made during the hold, with so many directories around it; those go
    /// if they are empty. Its path is no longer than what was reserved.
    void note(const SignalHold& hold, const std::string& file, std::size_t directories);

private:
    RemovalNote* note_ = nullptr;
};

/// Where a thread or the handler is, for tests that stop it there.
enum class EndStep {
    HoldBegins,      ///< signals are held back in this thread, and nobody knows of its hold yet
    HoldCounted,     ///< the handler waits for it
    DirectoriesMade, ///< those that were missing around a file
    FileMade,        ///< and not noted yet
    Noted,
    HoldEnds, ///< still counted
    HoldEnded,
    BeforeRename,
    Renamed,
    BeforeForgotten, ///< the file is there under its name, or removed
    WaitsForTheEnd,  ///< the thread goes no further
    HandlerBegins,
    HandlerWaits,   ///< for holds; called again and again
    HandlerRemoves, ///< nobody is in a hold, and nothing is removed yet
    HandlerRemoved, ///< all files are removed, the process ends next
};
using EndStepHook = void (*)(EndStep);
/// Called at each step; nullptr for none. What it does must be allowed in a handler.
void setEndStepHook(EndStepHook hook);
void atEndStep(EndStep step);

} // namespace tilescope
