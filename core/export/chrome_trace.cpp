#include "core/export/chrome_trace.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

#include "core/base/error.h"

namespace tilescope {
namespace {

constexpr std::int64_t ticksPerMicrosecond = 4096;
constexpr std::int64_t trillionthsOfTick = 1'000'000'000'000 / ticksPerMicrosecond; // exactly

std::string jsonText(const std::string& text) {
    return boost::json::serialize(boost::json::value(text));
}

/// The colour group of an event.
const char* categoryOf(ProgramKind kind) {
    switch (kind) {
    case ProgramKind::DoExchange:
    case ProgramKind::GlobalExchange:
        return "exchange";
    case ProgramKind::StreamCopyBegin:
    case ProgramKind::StreamCopyMid:
    case ProgramKind::StreamCopyEnd:
        return "host";
    case ProgramKind::Sync:
        return "sync";
    default:
        return "compute";
    }
}

const char* categoryOf(HostWork work) {
    constexpr std::array categories{"compilation", "loading", "call", "run",
                                    "callback",    "wait",    "wait"};
    return categories.at(static_cast<std::size_t>(work));
}

std::string titleOf(const HostBox& box) {
    switch (box.work) {
    case HostWork::IpuWaits:
        return "IPU waits for host";
    case HostWork::HostWaits:
        return "host waits for IPU";
    default:
        return box.name.empty() ? "stream copies" : box.name;
    }
}

class TraceWriter {
public:
    TraceWriter(std::ostream& out, const ChromeTraceSource& source, CycleRange range,
                std::int64_t minimumCycles)
        : out_(out)
        , source_(source)
        , range_(range)
        , minimumCycles_(minimumCycles)
        , clockHz_(source.info.target.clockHz > 0 ? source.info.target.clockHz : 1e6)
        , whole_(range == CycleRange{0, source.index.totalCycles()})
        , shift_(whole_ && source.host != nullptr ? -cycleTicks(source.host->firstCycle()) : 0) {}

    ChromeTraceResult write() {
        out_ << R"({"displayTimeUnit": "ns", "otherData": {"model": )"
             << jsonText(source_.info.model)
             << ", \"target\": " << jsonText(source_.info.target.name)
             << ", \"clockHz\": " << fmt::format("{}", clockHz_)
             << ", \"creator\": " << jsonText(source_.info.creator) << originField()
             << (shift_ > 0 ? ", \"executionBegins\": " + microseconds(shift_) : std::string())
             << "},\n\"traceEvents\": [\n";
        if (source_.host != nullptr)
            writeHost(*source_.host);
        for (std::int32_t ipu = 0; ipu < source_.info.target.ipus; ++ipu)
            writeIpu(IpuId(ipu));
        out_ << "\n]}\n";
        return result_;
    }

private:
    /// Of an imported profile: where its times come from.
    [[nodiscard]] std::string originField() const {
        const Origin& origin = source_.info.origin;
        return origin == Origin() ? std::string()
                                  : fmt::format(R"(, "origin": {})", jsonText(originText(origin)));
    }

    /// Less than a cycle, so that adjacent steps stay adjacent, and a power of two: readers add
    /// times in floating point, where a sum of such fractions is exact and none overlaps the next.
    [[nodiscard]] std::int64_t cycleTicks(std::int64_t cycle) const {
        return std::llround(static_cast<double>(cycle) / clockHz_ * 1e6 * ticksPerMicrosecond);
    }
    [[nodiscard]] std::int64_t ticks(std::int64_t cycle) const {
        return cycleTicks(cycle) + shift_;
    }
    static std::string microseconds(std::int64_t ticks) {
        std::string text = fmt::format("{}.{:012}", ticks / ticksPerMicrosecond,
                                       ticks % ticksPerMicrosecond * trillionthsOfTick);
        text.erase(text.find_last_not_of('0') + 1);
        return text.ends_with('.') ? text + '0' : text;
    }

    void item(const std::string& json) {
        out_ << (first_ ? "" : ",\n") << json;
        first_ = false;
    }

    void name(const char* what, IpuId ipu, std::size_t track, const std::string& text) {
        item(fmt::format(
            R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"name": {}}}}})", what,
            ipu.value(), track, jsonText(text)));
    }

    void order(const char* what, IpuId process, std::size_t track, std::int64_t place) {
        item(fmt::format(
            R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"sort_index": {}}}}})",
            what, process.value(), track, place));
    }

    void writeHost(const HostTimeline& host) {
        // A number that is not an IPU's.
        const IpuId process(source_.info.target.ipus);
        name("process_name", process, 0, "Host");
        order("process_sort_index", process, 0, -1);
        std::size_t track = 0;
        if (whole_)
            for (const HostLane& lane : host.before())
                writeLane(process, track++, lane);
        writeLane(process, track++, host.engine());
        if (!host.copies().empty() && host.copies().known())
            writeLane(process, track++, host.callbacks(range_, minimumCycles_));
        for (const HostThreads::Thread& thread : host.threads().threads())
            for (const HostThreads::Row& row : thread.rows)
                writeRow(process, track++, host.threads(), thread.name, row);
    }

    void writeRow(IpuId process, std::size_t track, const HostThreads& threads,
                  const std::string& title, const HostThreads::Row& row) {
        nameTrack(process, track, title);
        std::size_t at = whole_ ? 0 : row.firstFrom(range_.begin);
        for (; at < row.events.size() && (whole_ || row.events[at].begin < range_.end); ++at) {
            const HostThreads::Event& of = row.events[at];
            event(process, track, threads.word(of.name), of.isMoment ? "moment" : "tracepoint",
                  {of.begin, of.end}, {});
        }
    }

    void nameTrack(IpuId process, std::size_t track, const std::string& title) {
        name("thread_name", process, track, title);
        order("thread_sort_index", process, track, static_cast<std::int64_t>(track));
    }

    void writeLane(IpuId process, std::size_t track, const HostLane& lane) {
        nameTrack(process, track, lane.name);
        for (const HostBox& box : lane.boxes)
            if (whole_ || (box.cycles.begin < range_.end && box.cycles.end > range_.begin))
                event(process, track, titleOf(box), categoryOf(box.work), box.cycles,
                      box.steps > 1 ? fmt::format(R"(, "steps": {})", box.steps) : std::string());
    }

    void event(IpuId ipu, std::size_t track, const std::string& title, const char* category,
               CycleRange cycles, const std::string& arguments) {
        const std::int64_t begin = ticks(cycles.begin);
        item(fmt::format(R"({{"ph": "X", "name": {}, "cat": "{}", "pid": {}, "tid": {}, )"
                         R"("ts": {}, "dur": {}, "args": {{"cycles": {}{}}}}})",
                         jsonText(title), category, ipu.value(), track, microseconds(begin),
                         microseconds(ticks(cycles.end) - begin), cycles.cycles(), arguments));
        ++result_.events;
    }

    void writeIpu(IpuId ipu) {
        name("process_name", ipu, 0, fmt::format("IPU {}", ipu.value()));
        name("thread_name", ipu, 0, "Runs");
        for (const TraceRun& run : source_.index.runs())
            if (run.start < range_.end && run.start + run.cycles > range_.begin)
                event(ipu, 0, run.name, "run", {run.start, run.start + run.cycles}, "");
        std::vector<std::int64_t> trackEnds;
        for (const TraceSpan& span : source_.index.spans(ipu, range_, minimumCycles_)) {
            std::size_t track = 0;
            while (track < trackEnds.size() && trackEnds[track] > span.begin)
                ++track;
            if (track == trackEnds.size()) {
                trackEnds.push_back(0);
                name("thread_name", ipu, track + 1,
                     track == 0 ? std::string("Steps")
                                : fmt::format("Steps, overlapping {}", track));
            }
            trackEnds[track] = span.end;
            writeSpan(ipu, track + 1, span);
        }
    }

    void writeSpan(IpuId ipu, std::size_t track, const TraceSpan& span) {
        std::string arguments =
            fmt::format(R"(, "step": {}, "kind": "{}")", span.firstStep, toString(span.kind));
        std::string title(toString(span.kind));
        if (span.merged()) {
            title = fmt::format("{} steps", span.steps);
            arguments += fmt::format(R"(, "steps": {})", span.steps);
            result_.mergedSteps += span.steps;
        } else if (span.program.valid() && span.program.index() < source_.programs.size()) {
            const Program& program = source_.programs[span.program];
            if (!program.name.empty())
                title = program.name;
            if (program.operation.valid() && program.operation.index() < source_.operations.size())
                arguments += fmt::format(R"(, "operation": {})",
                                         jsonText(source_.operations[program.operation].name));
        }
        event(ipu, track, title, categoryOf(span.kind), {span.begin, span.end}, arguments);
    }

    std::ostream& out_;
    const ChromeTraceSource& source_;
    CycleRange range_;
    std::int64_t minimumCycles_;
    double clockHz_;
    bool whole_;         ///< the range is all of the execution
    std::int64_t shift_; ///< ticks from the first event of the host to cycle 0
    bool first_ = true;
    ChromeTraceResult result_;
};

} // namespace

ChromeTraceResult writeChromeTrace(std::ostream& out, const ChromeTraceSource& source,
                                   const ChromeTraceOptions& options) {
    const std::int64_t total = source.index.totalCycles();
    CycleRange range = options.range;
    if (range == CycleRange())
        range.end = total;
    if (range.begin < 0 || range.begin >= range.end || range.begin >= total)
        throw UserError(fmt::format("no cycles from {} to {}: the execution has {} cycles",
                                    range.begin, range.end, total));
    range.end = std::min(range.end, total);
    // Merging leaves at most about two spans per minimumCycles of the range on each IPU.
    const std::int64_t steps = source.index.stepCount();
    const std::int64_t mostSteps =
        std::max<std::int64_t>(1, options.mostEvents / std::max(1, source.info.target.ipus));
    const std::int64_t minimum = steps > mostSteps ? 2 * (range.cycles() / mostSteps + 1) : 1;
    return TraceWriter(out, source, range, minimum).write();
}

} // namespace tilescope
