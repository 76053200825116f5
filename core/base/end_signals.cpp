#include "core/base/end_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <unistd.h>

namespace tilescope {
namespace {

constexpr std::array endSignals{SIGINT, SIGTERM, SIGHUP};

enum class NoteState { Free, Taken, Filled, Removed };

struct Note {
    std::atomic<NoteState> state = NoteState::Free;
    std::size_t directories = 0;
    std::array<char, PATH_MAX> path{};

    bool change(NoteState from, NoteState to) { return state.compare_exchange_strong(from, to); }
};
static_assert(std::atomic<NoteState>::is_always_lock_free);

// A handler is given nothing but its signal and may neither wait for a lock nor ask for memory:
// what it needs is here, from the start.
constexpr std::size_t mostNotes = 32;
std::array<Note, mostNotes> notes;
std::atomic<int> holds = 0;
std::atomic<bool> ending = false;

sigset_t endSignalSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : endSignals)
        sigaddset(&set, signal);
    return set;
}

[[noreturn]] void waitForTheEnd() {
    for (;;)
        ::pause();
}

/// Only with what POSIX allows in a handler.
void removeFile(Note& note) {
    char* const path = note.path.data();
    ::unlink(path);
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

extern "C" void removeAndEnd(int signal) {
    if (ending.exchange(true))
        waitForTheEnd(); // another thread is at it
    while (holds.load() > 0) {
        // Another thread is making a file; this one is not, as it would hold the signal back.
    }
    for (Note& note : notes)
        if (note.change(NoteState::Filled, NoteState::Removed))
            removeFile(note);
    ::raise(signal); // whose action is the usual one again; it acts as this returns
}

} // namespace

void removeTemporariesOnSignals() {
    for (const int signal : endSignals) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = {};
        action.sa_handler = removeAndEnd;
        action.sa_mask = endSignalSet();
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    }
}

SignalHold::SignalHold() {
    const sigset_t set = endSignalSet();
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    ++holds;
    if (ending) {
        --holds;
        waitForTheEnd();
    }
}

SignalHold::~SignalHold() {
    --holds;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void RemovedOnSignal::note(const SignalHold& /*hold*/, const std::string& file,
                           std::size_t directories) {
    if (file.size() >= notes.front().path.size())
        return;
    const auto found = std::find_if(notes.begin(), notes.end(), [](Note& note) {
        return note.change(NoteState::Free, NoteState::Taken);
    });
    if (found == notes.end())
        return;
    *std::copy(file.begin(), file.end(), found->path.begin()) = '\0';
    found->directories = directories;
    found->state = NoteState::Filled;
    place_ = static_cast<std::size_t>(found - notes.begin());
}

RemovedOnSignal::~RemovedOnSignal() {
    // One that a handler has taken is its own; the process ends.
    if (place_)
        notes[*place_].change(NoteState::Filled, NoteState::Free);
}

} // namespace tilescope
