#include "core/analysis/hosts/host_timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/saturating.h"
#include "core/profile/host.h"

namespace tilescope {
namespace {

constexpr double fallbackClockHz = 1e6; // for damaged profiles, so that times stay finite

/// Times of a damaged profile are clamped to where a double still counts single cycles.
std::int64_t cyclesOf(double seconds, double clockHz) {
    constexpr double most = 9007199254740992.0; // 2^53
    return std::llround(std::clamp(seconds * clockHz, -most, most));
}

} // namespace

HostTimeline::HostTimeline(const std::vector<HostSpan>& spans, TraceIndex index, HostCopies copies,
                           const Target& target)
    : index_(std::move(index))
    , copies_(std::move(copies))
    , ipus_(target.ipus)
    , clockHz_(target.clockHz > 0 && std::isfinite(target.clockHz) ? target.clockHz
                                                                   : fallbackClockHz) {
    placeBefore(spans);
}

HostTimeline::HostTimeline(const ProfileReader& reader, const TraceIndex& index,
                           const IdVector<ProgramId, Program>& programs,
                           const IdVector<StreamId, Stream>& streams,
                           std::shared_ptr<const HostThreads> threads)
    : HostTimeline(reader.hostSpans(), index, HostCopies(reader, programs, streams),
                   reader.info().target) {
    addThreads(threads ? std::move(threads)
                       : std::make_shared<const HostThreads>(reader.hostRecord(), clockHz_));
}

void HostTimeline::addThreads(std::shared_ptr<const HostThreads> threads) {
    threads_ = std::move(threads);
    firstCycle_ = std::min(firstCycle_, threads_->firstCycle());
}

void HostTimeline::placeBefore(const std::vector<HostSpan>& spans) {
    double last = 0;
    for (const HostSpan& span : spans)
        last = std::max(last, span.start + span.seconds);
    for (const std::string_view name : {compilationLane, loadingLane, callLane}) {
        HostLane lane{std::string(name), {}};
        const HostWork work = name == compilationLane ? HostWork::Compilation
                              : name == loadingLane   ? HostWork::Loading
                                                      : HostWork::Call;
        std::int64_t end = cyclesOf(-last, clockHz_);
        for (const HostSpan& span : spans) {
            if (span.lane != name)
                continue;
            // A damaged file may have overlapping spans: the later one then begins after the
            // earlier one.
            const std::int64_t begin = std::max(end, cyclesOf(span.start - last, clockHz_));
            end = std::max(begin, cyclesOf(span.start + span.seconds - last, clockHz_));
            lane.boxes.push_back({{begin, end}, work, span.name, 1, true});
        }
        if (lane.boxes.empty())
            continue;
        firstCycle_ = std::min(firstCycle_, lane.boxes.front().cycles.begin);
        before_.push_back(std::move(lane));
    }
}

HostLane HostTimeline::engine() const {
    HostLane lane{std::string(engineLane), {}};
    for (const TraceRun& run : index_.runs())
        lane.boxes.push_back(
            {{run.start, run.start + run.cycles}, HostWork::Run, run.name, 1, true});
    return lane;
}

HostLane HostTimeline::callbacks(std::vector<TraceSpan> copies, CycleRange range) const {
    return {std::string(callbacksLane),
            callbackBoxes(std::move(copies), copies_, index_.runs(), range)};
}

HostLane HostTimeline::callbacks(CycleRange range, std::int64_t minimumCycles) const {
    std::vector<TraceSpan> all;
    for (std::int32_t ipu = 0; ipu < ipus_; ++ipu) {
        const std::vector<TraceSpan> of = copies_.spans(IpuId(ipu), range, minimumCycles);
        all.insert(all.end(), of.begin(), of.end());
    }
    return callbacks(std::move(all), range);
}

std::vector<HostWaits> HostTimeline::waits() const {
    std::vector<HostWaits> all;
    if (!copies_.known())
        return all;
    const std::vector<TraceRun>& runs = index_.runs();
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (std::int32_t ipu = 0; ipu < ipus_; ++ipu) {
            const CycleRange range{runs[run].start, runs[run].start + runs[run].cycles};
            const TraceSums sums = copies_.sums(IpuId(ipu), range);
            HostWaits waits{static_cast<std::int32_t>(run), IpuId(ipu), runs[run].cycles, 0, 0, 0};
            waits.ipuWaits = sums.cycles(ProgramKind::StreamCopyBegin);
            waits.callbacks = sums.host() - waits.ipuWaits;
            waits.hostWaits =
                std::max<std::int64_t>(0, waits.cycles - waits.ipuWaits - waits.callbacks);
            all.push_back(waits);
        }
    return all;
}

std::vector<HostLaneSum> HostTimeline::sums(std::size_t programs) const {
    std::vector<HostLaneSum> all;
    const auto add = [&](const HostLane& lane) {
        if (lane.boxes.empty())
            return;
        std::int64_t cycles = 0;
        for (const HostBox& box : lane.boxes)
            cycles = saturatingSum(cycles, box.cycles.cycles());
        all.push_back({lane.name, static_cast<std::int64_t>(lane.boxes.size()),
                       static_cast<double>(cycles) / clockHz_,
                       static_cast<double>(lane.boxes.front().cycles.begin) / clockHz_,
                       static_cast<double>(lane.boxes.back().cycles.end) / clockHz_});
    };
    for (const HostLane& lane : before_)
        add(lane);
    add(engine());
    if (const HostLaneSum callbacks = sumOfCallbacks(programs); callbacks.spans > 0)
        all.push_back(callbacks);
    return all;
}

HostLaneSum HostTimeline::sumOfCallbacks(std::size_t programs) const {
    HostLaneSum sum{std::string(callbacksLane), 0, 0, 0, 0};
    if (copies_.empty() || !copies_.known())
        return sum;
    const std::vector<ProgramExecutions> executions = index_.executions(programs);
    std::int64_t cycles = 0;
    for (const auto& [program, part] : copies_.programs()) {
        if (program.index() >= executions.size())
            continue;
        const ProgramExecutions& of = executions[program.index()];
        cycles = saturatingSum(cycles, of.cycles);
        if (part.kind == ProgramKind::StreamCopyBegin)
            sum.spans = saturatingSum(sum.spans, of.count);
    }
    if (sum.spans == 0)
        return sum;
    const CycleRange extent = copies_.extent();
    sum.seconds = static_cast<double>(cycles) / clockHz_;
    sum.firstStart = static_cast<double>(extent.begin) / clockHz_;
    sum.lastEnd = static_cast<double>(extent.end) / clockHz_;
    return sum;
}

} // namespace tilescope
