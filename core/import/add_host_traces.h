// Traces of programs on the host as part of a profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/import/import.h"

namespace tilescope {

/// How the clock of the traces is that of the machine; at most one is given. With none the first
/// event begins with the first run.
struct HostTraceClock {
    std::optional<double>
        offset;       ///< seconds from the beginning of the first run to the first event
    std::string zero; ///< the first event of this name begins with the first run
};

struct AddedHostTraces {
    std::int64_t events = 0, points = 0;
    std::int64_t leftOut = 0;   ///< of kinds that no view shows
    std::int64_t openSpans = 0; ///< without an end in the trace
    std::int64_t tooMany = 0;   ///< the shortest, above mostHostEvents
    bool isCut = false;         ///< a trace has no end
};
/// What was added, in a few words, and what of it is not as in the traces, each in a sentence.
std::string textOf(const AddedHostTraces& added);
std::vector<std::string> notesOf(const AddedHostTraces& added);

/// Adds traces of one clock to a profile's host, and a message that says which. Threads and
/// counters of several are named with their process, or with their file where processes have one
/// name. Throws UserError as readTraceEvents() does, and if a trace has no event of the name.
AddedHostTraces addHostTraces(Profile& profile, std::span<const std::filesystem::path> traces,
                              const HostTraceClock& clock, const ImportProgress& progress = {},
                              const std::stop_token& stop = {});

/// Traces alone, as a profile of a machine that runs nothing: the first event is at its cycle 0.
/// Throws UserError as addHostTraces() does.
Imported importHostTraces(std::span<const std::filesystem::path> traces,
                          const ImportOptions& options, const ImportProgress& progress = {},
                          const std::stop_token& stop = {});

/// The same for a file, which becomes `output`; that may be the same file. Throws UserError for a
/// damaged profile, too.
AddedHostTraces addHostTraces(const std::filesystem::path& profile,
                              std::span<const std::filesystem::path> traces,
                              const HostTraceClock& clock, const std::filesystem::path& output,
                              const ImportProgress& progress = {},
                              const std::stop_token& stop = {});

} // namespace tilescope
