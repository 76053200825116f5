#include "core/import/add_host_traces.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/database/page_checksum.h"
#include "core/import/trace_events.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/target/target.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<TraceEvents> readAll(std::span<const fs::path> files, const ImportProgress& progress,
                                 const std::stop_token& stop) {
    std::vector<TraceEvents> traces;
    for (const fs::path& file : files) {
        traces.push_back(readTraceEvents(file, progress, stop));
        if (!startOf(traces.back()))
            throw UserError(
                fmt::format("'{}' has no event that a view shows: nothing to add", file.string()));
    }
    return traces;
}

std::string processOf(const TraceEvents& trace) {
    return trace.threads.empty() ? std::string() : trace.threads.front().processName;
}

/// Tells threads and counters of several traces apart: by their processes unless a trace has named
/// several itself.
void nameProcesses(std::vector<TraceEvents>& traces, std::span<const fs::path> files) {
    std::map<std::string, int> processes;
    for (const TraceEvents& trace : traces)
        ++processes[processOf(trace)];
    for (std::size_t i = 0; i < traces.size() && traces.size() > 1; ++i) {
        const std::string own = processOf(traces[i]);
        const bool isAlone = !own.empty() && processes[own] == 1;
        const std::string name = isAlone ? own : files[i].filename().string();
        const auto mark = [&](std::string& text) {
            if (!text.starts_with(name + " / "))
                text.insert(0, name + " / ");
        };
        for (TraceEvents::Thread& thread : traces[i].threads)
            mark(thread.lane);
        for (HostSeries& series : traces[i].series)
            mark(series.graph);
    }
}

/// The least of what traces say, each by `of`.
template <class Of>
std::optional<double> earliest(const std::vector<TraceEvents>& traces, const Of& of) {
    std::optional<double> first;
    for (const TraceEvents& trace : traces)
        if (const std::optional<double> start = of(trace))
            first = std::min(first.value_or(*start), *start);
    return first;
}

/// The beginning of the first run on the traces' clock.
double zeroOf(const std::vector<TraceEvents>& traces, const HostTraceClock& clock) {
    if (clock.zero.empty()) {
        const auto first =
            earliest(traces, [](const TraceEvents& trace) { return startOf(trace); });
        return first.value_or(0) - clock.offset.value_or(0);
    }
    const auto named =
        earliest(traces, [&](const TraceEvents& trace) { return startOf(trace, clock.zero); });
    if (!named)
        throw UserError(fmt::format("no event of the traces is named '{}': name one that begins "
                                    "with the first run, or give the offset in seconds",
                                    clock.zero));
    return *named;
}

} // namespace

std::string textOf(const AddedHostTraces& added) {
    return fmt::format("{} events and {} points of counters of the host",
                       withThousands(added.events), withThousands(added.points));
}

std::vector<std::string> notesOf(const AddedHostTraces& added) {
    std::vector<std::string> notes;
    const auto note = [&](std::int64_t count, std::string_view what) {
        if (count > 0)
            notes.push_back(fmt::format("{} {}", withThousands(count), what));
    };
    note(added.openSpans, "without an end last until the trace's");
    note(added.leftOut, "are of kinds that no view shows (flows, snapshots, ends alone)");
    note(added.tooMany, fmt::format("are left out, the shortest: a profile keeps {}",
                                    withThousands(mostHostEvents)));
    if (added.isCut)
        notes.emplace_back("the trace has no end: its program was stopped");
    return notes;
}

AddedHostTraces addHostTraces(Profile& profile, std::span<const fs::path> files,
                              const HostTraceClock& clock, const ImportProgress& progress,
                              const std::stop_token& stop) {
    std::vector<TraceEvents> traces = readAll(files, progress, stop);
    nameProcesses(traces, files);
    const double zero = zeroOf(traces, clock);
    AddedHostTraces added;
    const std::size_t before = profile.hostRecord.events.size();
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const TraceEvents& trace = traces[i];
        added.tooMany += addTraceEvents(profile.hostRecord, trace, zero);
        added.leftOut += trace.leftOut;
        added.openSpans += trace.openSpans;
        added.isCut = added.isCut || trace.isCut;
        for (const HostSeries& series : trace.series)
            added.points += static_cast<std::int64_t>(series.points.size());
        profile.messages.push_back(
            {Severity::Info,
             fmt::format("the host's trace '{}' was added: its first event begins {:.6f} s {} the "
                         "first run",
                         files[i].filename().string(), std::abs(*startOf(trace) - zero),
                         *startOf(trace) < zero ? "before" : "after"),
             {}});
    }
    added.events = static_cast<std::int64_t>(profile.hostRecord.events.size() - before);
    for (const std::string& note : notesOf(added))
        profile.messages.push_back({Severity::Info, "the host's trace: " + note, {}});
    return added;
}

Imported importHostTraces(std::span<const fs::path> files, const ImportOptions& options,
                          const ImportProgress& progress, const std::stop_token& stop) {
    Imported result;
    Profile& profile = result.profile;
    profile.info.target = targetPreset(options.target.empty() ? "mk2" : options.target);
    profile.info.model = files.empty() ? std::string() : files.front().stem().string();
    profile.info.creator = "a program on the host";
    profile.info.origin = {OriginKind::Measured, "trace events", {}, {}};
    profile.info.batchSize = 0;
    profile.info.deviceIterations = 0;
    profile.info.hasExecution = true;
    for (const ProfilePart part : profileParts)
        profile.info.coverage.rows.push_back(
            {part, Covered::None,
             "a trace of a program on the host says nothing of the machine: 'tilescope import "
             "TRACE --into PROFILE' shows it beside one"});
    const AddedHostTraces added = addHostTraces(profile, files, {}, progress, stop);
    result.host = notesOf(added);
    result.host.insert(result.host.begin(), textOf(added));
    return result;
}

AddedHostTraces addHostTraces(const fs::path& file, std::span<const fs::path> traces,
                              const HostTraceClock& clock, const fs::path& output,
                              const ImportProgress& progress, const std::stop_token& stop) {
    Profile profile = namingFile(file.string(), [&] {
        ProfileReader reader(file);
        reader.stopWith(stop);
        verifyChecksums(file);
        return reader.load();
    });
    AddedHostTraces added = addHostTraces(profile, traces, clock, progress, stop);
    if (stop.stop_requested())
        throw Cancelled();
    writeProfile(profile, output);
    return added;
}

} // namespace tilescope
