// Ensures that a signal that ends the process leaves nothing half-written behind.
//
// The protocol between threads that make files and the handler (end_protocol_test.cpp explores all
// interleavings): a thread makes a file and notes it within a hold. The handler announces the end,
// waits until no thread is in a hold, and removes all noted files; a hold that begins after that
// never returns. So each file is noted before the handler looks, or is never made. A thread past
// its hold may find its file gone; before it reports an error it calls goNoFurtherAtTheEnd().
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string>

namespace tilescope {

/// Signals that end a program from outside and can be caught: sent by its user or by batch systems.
inline constexpr std::array endSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

/// From now on these signals remove all temporary files (RemovedOnSignal) before they end the
/// process as usual. Ignored signals (as under nohup) stay ignored. For main(), once.
void removeTemporariesOnSignals();

/// Returns, unless such a signal is ending the process: then it waits for that. To be called before
/// reporting an error that may be due to a removed file.
void goNoFurtherAtTheEnd();

/// Removes all temporary files now, as such a signal does, and ends the process with this status.
[[noreturn]] void removeTemporariesAndExit(int status);

/// Delays such signals during its lifetime, so that files are made and noted in one step.
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

/// A file that such a signal removes during the lifetime of this object.
class RemovedOnSignal {
public:
    RemovedOnSignal() = default;
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

    /// Allocates memory for note(), so that noting a file that was made cannot fail.
    void reserve(const SignalHold& hold, std::size_t pathLength);
    /// Notes a file that was made during the hold, and the number of directories made for it, which
    /// are removed too if they are empty. Its path is no longer than was reserved.
    void note(const SignalHold& hold, const std::string& file, std::size_t directories);

private:
    RemovalNote* note_ = nullptr;
};

/// Points at which tests can stop a thread or the handler.
enum class EndStep {
    HoldBegins,      ///< signals are blocked in this thread, but its hold is not counted yet
    HoldCounted,     ///< the handler waits for it
    DirectoriesMade, ///< missing parent directories of a file
    FileMade,        ///< but not noted yet
    Noted,
    HoldEnds, ///< but still counted
    HoldEnded,
    BeforeRename,
    Renamed,
    BeforeForgotten, ///< the file has its final name, or is removed
    WaitsForTheEnd,  ///< the thread does not continue
    HandlerBegins,
    HandlerWaits,   ///< for holds; reached repeatedly
    HandlerRemoves, ///< no thread is in a hold, and nothing is removed yet
    HandlerRemoved, ///< all files are removed; the process ends next
};
using EndStepHook = void (*)(EndStep);
/// Called at each step; nullptr for none. It may only do what is allowed in a signal handler.
void setEndStepHook(EndStepHook hook);
void atEndStep(EndStep step);

} // namespace tilescope
