#include "core/import/trace_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/error.h"
#include "core/import/trace_event_json.h"

namespace tilescope {
namespace {

constexpr double secondsPerMicrosecond = 1e-6;
constexpr double secondsPerYear = 365.25 * 24 * 3600;

using Span = TraceEvents::Span;
using Thread = TraceEvents::Thread;

/// Seconds; 0 of a moment.
double lengthOf(const Span& span) {
    return std::isnan(span.seconds) ? 0 : span.seconds;
}

bool beginsBefore(const Span& a, const Span& b) {
    return std::pair(a.start, -lengthOf(a)) < std::pair(b.start, -lengthOf(b));
}

/// The length from which on at most mostHostEvents are kept.
double shortestKept(const HostRecord& record, const TraceEvents& trace) {
    const std::size_t room = mostHostEvents - std::min(mostHostEvents, record.events.size());
    if (trace.spans.size() <= room)
        return 0;
    std::vector<double> lengths(trace.spans.size());
    std::ranges::transform(trace.spans, lengths.begin(), lengthOf);
    if (room == 0)
        return std::numeric_limits<double>::infinity();
    std::ranges::nth_element(lengths, lengths.begin() + static_cast<std::ptrdiff_t>(room),
                             std::greater<>());
    // The next one is shorter: of equal ones none is kept rather than too many.
    return std::nextafter(lengths[room], std::numeric_limits<double>::infinity());
}

/// Joins events to spans as they come.
class Collector {
public:
    void take(JsonEvent& event, const JsonTraceEnd& said) {
        const char phase = event.phase.size() == 1 ? event.phase.front() : '\0';
        if (phase == 'M') {
            name(event);
            return;
        }
        if (!event.time || !std::isfinite(*event.time)) {
            ++trace_.leftOut;
            return;
        }
        latest_ = std::max(latest_, *event.time);
        switch (phase) {
        case 'X':
            add(event, std::max(0.0, event.length.value_or(0)));
            break;
        case 'B':
            open_[threadOf(event)].push_back(add(event, 0));
            break;
        case 'E':
            close(open_[threadOf(event)], *event.time);
            break;
        case 'b':
            openAsync_[idOf(event)].push_back(add(event, 0));
            break;
        case 'e':
            close(openAsync_[idOf(event)], *event.time);
            break;
        case 'i':
        case 'I':
        case 'R':
        case 'n':
            add(event, std::nullopt);
            break;
        case 'C':
            count(event, said);
            break;
        default:
            ++trace_.leftOut;
        }
    }

    TraceEvents finish(bool isCut) {
        for (auto* all : {&open_, &openAsync_})
            for (auto& [of, spans] : *all)
                while (!spans.empty()) {
                    close(spans, latest_);
                    ++trace_.openSpans;
                }
        const bool isNamingProcesses = hasSeveralProcesses();
        nameThreads(isNamingProcesses);
        for (Line& line : lines_)
            addLine(line, isNamingProcesses);
        std::ranges::stable_sort(trace_.spans, beginsBefore);
        trace_.isCut = isCut;
        return std::move(trace_);
    }

private:
    /// A line of a counter, of a process.
    struct Line {
        std::string process;
        HostSeries series;
    };
    /// Process and thread, or process, category and id.
    using Owner = std::tuple<std::string, std::string, std::string>;

    static bool isAsync(const JsonEvent& event) {
        return event.phase == "b" || event.phase == "e" || event.phase == "n";
    }
    static Owner threadOf(const JsonEvent& event) { return {event.process, event.thread, {}}; }
    static Owner idOf(const JsonEvent& event) { return {event.process, event.category, event.id}; }

    std::uint32_t wordOf(const std::string& text) {
        const auto [at, isNew] =
            words_.try_emplace(text, static_cast<std::uint32_t>(trace_.words.size()));
        if (isNew)
            trace_.words.push_back(text);
        return at->second;
    }
    /// The lane of an event: its thread, or all asynchronous events of a category.
    std::uint32_t laneOf(const JsonEvent& event) {
        const Owner owner =
            isAsync(event) ? Owner(event.process, {}, event.category) : threadOf(event);
        const auto [at, isNew] =
            lanes_.try_emplace(owner, static_cast<std::uint32_t>(trace_.threads.size()));
        if (isNew)
            trace_.threads.push_back(
                isAsync(event)
                    ? Thread{.process = event.process, .threadName = asyncName(event.category)}
                    : Thread{.process = event.process, .thread = event.thread});
        return at->second;
    }
    static std::string asyncName(const std::string& category) {
        return category.empty() ? "asynchronous" : "asynchronous: " + category;
    }
    /// The number of the new span.
    std::size_t add(const JsonEvent& event, std::optional<double> length) {
        Span span{laneOf(event), wordOf(event.category), wordOf(event.name),
                  *event.time * secondsPerMicrosecond};
        if (length)
            span.seconds = *length * secondsPerMicrosecond;
        trace_.spans.push_back(span);
        return trace_.spans.size() - 1;
    }
    void close(std::vector<std::size_t>& open, double time) {
        if (open.empty()) {
            ++trace_.leftOut;
            return;
        }
        Span& span = trace_.spans[open.back()];
        span.seconds = std::max(0.0, time * secondsPerMicrosecond - span.start);
        open.pop_back();
    }
    void name(const JsonEvent& event) {
        if (event.givenName.empty())
            return;
        if (event.name == "process_name")
            processNames_[event.process] = event.givenName;
        else if (event.name == "thread_name")
            threadNames_[{event.process, event.thread, {}}] = event.givenName;
    }
    void count(const JsonEvent& event, const JsonTraceEnd& said) {
        // Only libpvti has the unit as category.
        const std::string unit = said.producer == hostTraceProducer ? event.category : "";
        for (const auto& [label, value] : event.values) {
            if (!std::isfinite(value))
                continue;
            const auto [at, isNew] =
                lineOf_.try_emplace({event.process, event.name, label}, lines_.size());
            if (isNew)
                lines_.push_back({event.process, {event.name, unit, label, {}}});
            lines_[at->second].series.points.push_back(
                {*event.time * secondsPerMicrosecond, value});
        }
    }
    void addLine(Line& line, bool isNamingProcesses) {
        if (isNamingProcesses)
            line.series.graph = processName(line.process) + " / " + line.series.graph;
        std::ranges::stable_sort(line.series.points, {}, &HostSeries::Point::time);
        trace_.series.push_back(std::move(line.series));
    }

    bool hasSeveralProcesses() const {
        std::set<std::string_view> processes;
        for (const Thread& thread : trace_.threads)
            processes.insert(thread.process);
        for (const Line& line : lines_)
            processes.insert(line.process);
        return processes.size() > 1;
    }
    /// An id that is no number is a name.
    static std::string named(std::string_view kind, const std::string& id) {
        const bool isNumber = std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
        return isNumber ? fmt::format("{} {}", kind, id.empty() ? "?" : id) : id;
    }
    std::string processName(const std::string& process) const {
        const auto found = processNames_.find(process);
        return found == processNames_.end() ? named("process", process) : found->second;
    }
    /// Equal names of different threads are numbered.
    void nameThreads(bool isNamingProcesses) {
        std::map<std::string, int> seen;
        for (Thread& thread : trace_.threads) {
            thread.processName = processName(thread.process);
            const auto found = threadNames_.find({thread.process, thread.thread, {}});
            if (thread.threadName.empty())
                thread.threadName =
                    found == threadNames_.end() ? named("thread", thread.thread) : found->second;
            const std::string process = isNamingProcesses ? thread.processName + " / " : "";
            if (const int number = ++seen[process + thread.threadName]; number > 1)
                thread.threadName += fmt::format(" #{}", number);
            thread.lane = process + thread.threadName;
        }
    }

    TraceEvents trace_;
    double latest_ = -std::numeric_limits<double>::infinity(); ///< microseconds
    std::unordered_map<std::string, std::uint32_t> words_;
    std::map<Owner, std::uint32_t> lanes_;
    std::map<Owner, std::vector<std::size_t>> open_, openAsync_;
    std::map<std::string, std::string> processNames_;
    std::map<Owner, std::string> threadNames_;
    std::map<Owner, std::size_t> lineOf_;
    std::vector<Line> lines_;
};

} // namespace

TraceEvents readTraceEvents(const std::filesystem::path& file, const ImportProgress& progress,
                            const std::stop_token& stop) {
    Collector collector;
    const JsonTraceEnd end = readJsonEvents(
        file, [&](JsonEvent& event, const JsonTraceEnd& said) { collector.take(event, said); },
        progress, stop);
    return collector.finish(end.isCut);
}

bool looksLikeTraceEvents(std::string_view beginning) {
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return false;
    return beginning[first] == '[' ||
           (beginning[first] == '{' && beginning.find("\"traceEvents\"") != std::string_view::npos);
}

std::optional<double> startOf(const TraceEvents& trace, std::string_view name) {
    const auto word = std::ranges::find(trace.words, name);
    const auto number = static_cast<std::uint32_t>(word - trace.words.begin());
    const auto first = std::ranges::find(trace.spans, number, &Span::name);
    return first == trace.spans.end() ? std::nullopt : std::optional(first->start);
}

std::optional<double> startOf(const TraceEvents& trace) {
    std::optional<double> first;
    if (!trace.spans.empty())
        first = trace.spans.front().start;
    for (const HostSeries& series : trace.series)
        first = std::min(first.value_or(series.points.front().time), series.points.front().time);
    return first;
}

std::int64_t addTraceEvents(HostRecord& record, const TraceEvents& trace, double zero) {
    const auto placed = [&](double time, std::string_view what) {
        if (std::fabs(time - zero) > mostHostSeconds)
            throw UserError(
                fmt::format("'{}' of the trace is {:.0f} years from the run: the traces "
                            "are of different clocks; give the offset, or add them one "
                            "by one",
                            what, std::fabs(time - zero) / secondsPerYear));
        return time - zero;
    };
    const double shortest = shortestKept(record, trace);
    std::int64_t left = 0;
    for (const Span& span : trace.spans) {
        if (lengthOf(span) < shortest) {
            ++left;
            continue;
        }
        const std::string& name = trace.words[span.name];
        record.events.push_back(
            {trace.threads[span.thread].lane, trace.words[span.channel], name,
             placed(span.start, name),
             std::isnan(span.seconds) ? std::nullopt : std::optional(span.seconds)});
    }
    std::ranges::stable_sort(record.events, [](const HostEvent& a, const HostEvent& b) {
        return std::pair(a.start, -a.seconds.value_or(0)) <
               std::pair(b.start, -b.seconds.value_or(0));
    });
    for (const HostSeries& series : trace.series) {
        record.series.push_back({series.graph, series.unit, series.label, {}});
        for (const HostSeries::Point& point : series.points)
            record.series.back().points.push_back({placed(point.time, series.graph), point.value});
    }
    return left;
}

} // namespace tilescope
