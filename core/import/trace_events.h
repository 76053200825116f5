// Traces of programs on the host in the trace event format, as JSON: of Chrome, Perfetto, PyTorch's
// profiler and libpvti. The format is described in Google's document "Trace Event Format".
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/import.h"
#include "core/profile/host_record.h"

namespace tilescope {

/// Events on the trace's own clock, in seconds.
struct TraceEvents {
    struct Thread {
        std::string process = {}, thread = {}; ///< ids: "4711"; of asynchronous events no id
        std::string processName = {}, threadName = {}; ///< never empty
        /// As shown: with the process if there are several. Those of two threads differ.
        std::string lane = {};
    };
    /// Numbers of a thread, and of words.
    struct Span {
        std::uint32_t thread = 0, channel = 0, name = 0;
        double start = 0;
        double seconds = std::numeric_limits<double>::quiet_NaN(); ///< not a number: a moment
    };
    std::vector<Thread> threads;
    std::vector<std::string> words;
    std::vector<Span> spans;        ///< by start; of equal ones the longer first
    std::vector<HostSeries> series; ///< counters
    std::int64_t openSpans = 0;     ///< without an end: they last until the trace's end
    /// Flows, ends without a beginning, snapshots of objects and others, which no view shows.
    std::int64_t leftOut = 0;
    bool isCut = false; ///< the list of events has no end, as of a program that was killed
};

/// Reads a trace, which may be gzipped, in memory of the events that it has. Throws UserError that
/// names the file, the byte and the remedy, and Cancelled after a stop.
TraceEvents readTraceEvents(const std::filesystem::path& file, const ImportProgress& progress = {},
                            const std::stop_token& stop = {});

/// Whether a text, of which this is the beginning, is such a trace.
bool looksLikeTraceEvents(std::string_view beginning);

/// When the first event of a name begins; none if there is no such event.
std::optional<double> startOf(const TraceEvents& trace, std::string_view name);
/// When the first of all events and points is; none if there is none.
std::optional<double> startOf(const TraceEvents& trace);

/// Most events that a profile keeps: a view has them all in memory, some 200 bytes each.
inline constexpr std::size_t mostHostEvents = 2'000'000;

/// Adds a trace to what a profile says of its host. `zero` on the trace's clock is the beginning of
/// the first run. Of more than `mostHostEvents` the longest remain; returns how many do not. Throws
/// UserError for times that are years from the run.
std::int64_t addTraceEvents(HostRecord& record, const TraceEvents& trace, double zero);

} // namespace tilescope
