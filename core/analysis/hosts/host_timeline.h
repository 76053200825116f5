// The host's side of an execution, on the axis of the IPUs: compiling, loading, runs and streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/hosts/host_copies.h"
#include "core/analysis/hosts/host_threads.h"
#include "core/profile/host.h"
#include "core/profile/host_record.h"

namespace tilescope {

enum class HostWork {
    Compilation, ///< a phase of it
    Loading,
    Call,     ///< what the host does before a run starts
    Run,      ///< a call of Engine::run
    Callback, ///< data of a stream moves, up to the end of its copy
    IpuWaits, ///< for the host, until it is ready for a stream copy
    HostWaits ///< for the IPUs, in a run between its stream copies
};

/// A piece of a lane. Cycle 0 is where the first run begins: earlier times are negative.
struct HostBox {
    CycleRange cycles;
    HostWork work = HostWork::Run;
    std::string name;       ///< of the phase, the run or the stream; empty of several streams
    std::int64_t steps = 1; ///< number of stream copies that it represents
    bool whole = true;      ///< false: extends beyond the requested range
    friend bool operator==(const HostBox&, const HostBox&) = default;
};

/// Whether it was measured by the host's own clock; all other lanes have cycles of the machine.
inline bool isWallTime(HostWork work) {
    return work == HostWork::Compilation || work == HostWork::Loading;
}

/// Boxes in order of time, which do not overlap.
struct HostLane {
    std::string name; ///< see core/profile/host.h
    std::vector<HostBox> boxes;
};

/// Who waits for whom in a run, in cycles of one IPU. Waits and callbacks add up to the run unless
/// stream copies overlap.
struct HostWaits {
    std::int32_t run = 0;
    IpuId ipu;
    std::int64_t cycles = 0;    ///< of the run
    std::int64_t ipuWaits = 0;  ///< StreamCopyBegin: the IPU waits for the host
    std::int64_t callbacks = 0; ///< StreamCopyMid and StreamCopyEnd
    std::int64_t hostWaits = 0; ///< all other time: the host waits for the IPU
};

/// Totals of a lane. Seconds count from where the first run begins.
struct HostLaneSum {
    std::string name;
    std::int64_t spans = 0; ///< phases, runs, stream copies executed
    double seconds = 0; ///< sum of the spans' own; a copy on several IPUs has that of the longest
    double firstStart = 0;
    double lastEnd = 0;
};

/// The lanes of a profile with an execution. Made once; thread-safe.
class HostTimeline {
public:
    HostTimeline(const std::vector<HostSpan>& spans, TraceIndex index, HostCopies copies,
                 const Target& target);
    /// From a file, whose trace has this index, with the threads of its program if they were read
    /// before. Throws UserError if it is damaged.
    HostTimeline(const ProfileReader& reader, const TraceIndex& index,
                 const IdVector<ProgramId, Program>& programs,
                 const IdVector<StreamId, Stream>& streams,
                 std::shared_ptr<const HostThreads> threads = {});

    /// Compilation and loading, if they were recorded.
    [[nodiscard]] const std::vector<HostLane>& before() const { return before_; }
    /// Where they begin: a negative cycle, or 0 without any.
    [[nodiscard]] std::int64_t firstCycle() const { return firstCycle_; }
    [[nodiscard]] HostLane engine() const;
    /// Tracepoints that the program recorded.
    [[nodiscard]] const HostThreads& threads() const { return *threads_; }
    /// Where they end: a cycle, or 0 without any.
    [[nodiscard]] std::int64_t lastCycle() const { return threads_->lastCycle(); }
    void addThreads(std::shared_ptr<const HostThreads> threads);
    [[nodiscard]] const HostCopies& copies() const { return copies_; }
    [[nodiscard]] double clockHz() const { return clockHz_; }

    /// Callbacks and waits in a range, from copies().spans() of all IPUs that count for it. Copies
    /// of several IPUs that overlap are one box. Boxes of waits of the host end at the range at the
    /// latest, all others keep their whole extent.
    [[nodiscard]] HostLane callbacks(std::vector<TraceSpan> copies, CycleRange range) const;
    /// The same of all IPUs, from the spans of a resolution.
    [[nodiscard]] HostLane callbacks(CycleRange range, std::int64_t minimumCycles) const;

    /// For each run and IPU; empty if the copies are not known.
    [[nodiscard]] std::vector<HostWaits> waits() const;
    /// Lanes that have spans, in order. `programs`: number of programs.
    [[nodiscard]] std::vector<HostLaneSum> sums(std::size_t programs) const;

private:
    void placeBefore(const std::vector<HostSpan>& spans);
    [[nodiscard]] HostLaneSum sumOfCallbacks(std::size_t programs) const;

    TraceIndex index_;
    HostCopies copies_;
    std::int32_t ipus_ = 0;
    double clockHz_ = 0;
    std::vector<HostLane> before_;
    std::shared_ptr<const HostThreads> threads_ = std::make_shared<const HostThreads>();
    std::int64_t firstCycle_ = 0;
};

/// See HostTimeline::callbacks(): a single row of what the host does for any IPU. Where one IPU
/// waits while the host serves another, the host counts as serving.
std::vector<HostBox> callbackBoxes(std::vector<TraceSpan> copies, const HostCopies& of,
                                   const std::vector<TraceRun>& runs, CycleRange range);

} // namespace tilescope
