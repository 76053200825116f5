#include "core/base/end_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <poll.h>
#include <unistd.h>

namespace tilescope {

enum class NoteState { Free, Taken, Filled, Removed };

struct RemovalNote {
    std::atomic<NoteState> state = NoteState::Taken;
    std::size_t directories = 0;
    std::size_t room = 0;
    std::unique_ptr<char[]> path = {};
    RemovalNote* next = nullptr; ///< notes are reused and never freed, as the handler walks them

    bool change(NoteState from, NoteState to) { return state.compare_exchange_strong(from, to); }
};
static_assert(std::atomic<NoteState>::is_always_lock_free);

namespace {

// A handler only gets its signal and may neither wait for a lock nor allocate memory: everything
// that it needs is here from the start.
std::atomic<RemovalNote*> notes = nullptr;
std::atomic<int> holds = 0;
thread_local int ownHolds = 0;
std::atomic<bool> ending = false;
std::atomic<EndStepHook> stepHook = nullptr;
/// A child between fork() and exec() has our handlers and notes, but no files.
std::atomic<pid_t> owner = 0;
static_assert(std::atomic<RemovalNote*>::is_always_lock_free);

sigset_t endSignalSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : endSignals)
        sigaddset(&set, signal);
    return set;
}

[[noreturn]] void waitForTheEnd() {
    atEndStep(EndStep::WaitsForTheEnd);
    for (;;)
        ::pause();
}

/// From here on these functions do only what POSIX allows in a handler.
void removeDirectories(RemovalNote& note) {
    char* const path = note.path.get();
    for (std::size_t i = 0; i < note.directories; ++i) {
        char* end = std::strrchr(path, '/');
        while (end != nullptr && end > path && *(end - 1) == '/')
            --end;
        if (end == nullptr || end == path)
            return;
        *end = '\0';
        ::rmdir(path);
    }
}

void removeNoted() {
    while (holds.load() > ownHolds) {
        // Another thread is making a file.
        atEndStep(EndStep::HandlerWaits);
        constexpr int aMoment = 1; // ms
        ::poll(nullptr, 0, aMoment);
    }
    atEndStep(EndStep::HandlerRemoves);
    for (RemovalNote* note = notes; note != nullptr; note = note->next)
        if (note->change(NoteState::Filled, NoteState::Removed))
            ::unlink(note->path.get());
    // One thread's file may be in a directory that another one has made.
    for (RemovalNote* note = notes; note != nullptr; note = note->next)
        if (note->state == NoteState::Removed)
            removeDirectories(*note);
    atEndStep(EndStep::HandlerRemoved);
}

extern "C" void removeAndEnd(int signal) {
    const int error = errno;
    if (::getpid() == owner) {
        atEndStep(EndStep::HandlerBegins);
        if (ending.exchange(true))
            waitForTheEnd(); // another thread does it; a second signal does not cut it short
        removeNoted();
    }
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
    ::raise(signal); // takes effect on return
    errno = error;
}

RemovalNote* takeNote() {
    for (RemovalNote* note = notes; note != nullptr; note = note->next)
        if (note->change(NoteState::Free, NoteState::Taken))
            return note;
    auto made = std::make_unique<RemovalNote>();
    made->next = notes;
    while (!notes.compare_exchange_weak(made->next, made.get())) {
        // Another thread was faster; `next` is its note now.
    }
    return made.release();
}

} // namespace

void setEndStepHook(EndStepHook hook) {
    stepHook = hook;
}

void atEndStep(EndStep step) {
    if (const EndStepHook hook = stepHook.load(std::memory_order_relaxed))
        hook(step);
}

void removeTemporariesOnSignals() {
    owner = ::getpid();
    for (const int signal : endSignals) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = {};
        action.sa_handler = removeAndEnd;
        action.sa_mask = endSignalSet();
        ::sigaction(signal, &action, nullptr);
    }
    // A thread that comes to the program's end meanwhile must not cut the removal short.
    std::atexit(goNoFurtherAtTheEnd);
}

void goNoFurtherAtTheEnd() {
    if (ending && ownHolds == 0 && ::getpid() == owner)
        waitForTheEnd();
}

void removeTemporariesAndExit(int status) {
    const sigset_t set = endSignalSet();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    if (ending.exchange(true)) {
        holds -= ownHolds; // this thread makes no more files
        waitForTheEnd();
    }
    removeNoted();
    ::_exit(status);
}

SignalHold::SignalHold() {
    const sigset_t set = endSignalSet();
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    atEndStep(EndStep::HoldBegins);
    ++holds;
    ++ownHolds;
    atEndStep(EndStep::HoldCounted);
    if (ending) {
        --holds;
        waitForTheEnd();
    }
}

SignalHold::~SignalHold() {
    atEndStep(EndStep::HoldEnds);
    --ownHolds;
    --holds;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    atEndStep(EndStep::HoldEnded);
}

void RemovedOnSignal::reserve(const SignalHold& /*hold*/, std::size_t pathLength) {
    if (note_ == nullptr)
        note_ = takeNote();
    if (note_->room > pathLength)
        return;
    note_->path = std::make_unique<char[]>(pathLength + 1);
    note_->room = pathLength + 1;
}

void RemovedOnSignal::note(const SignalHold& /*hold*/, const std::string& file,
                           std::size_t directories) {
    *std::copy(file.begin(), file.end(), note_->path.get()) = '\0';
    note_->directories = directories;
    note_->state = NoteState::Filled;
}

RemovedOnSignal::~RemovedOnSignal() {
    // A note taken by the handler belongs to it; the process ends.
    if (note_ != nullptr && !note_->change(NoteState::Filled, NoteState::Free))
        note_->change(NoteState::Taken, NoteState::Free);
}

} // namespace tilescope
