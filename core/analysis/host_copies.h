// The stream copies with the host in an execution, apart from everything else in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/trace_window.h"
#include "core/profile/profile.h"

namespace tilescope {

/// Steps of streams with the host, which streams with a remote buffer are not. StreamCopyBegin is the
/// wait for the host, StreamCopyMid the transfer, StreamCopyEnd the sync behind it.
class HostCopies {
public:
    /// `index` has looked at the same trace before. Of a trace in memory only what the host takes
    /// part in is kept, so that cost and accuracy of all that is asked follow from its stream
    /// copies. A trace that stays in its file is asked step by step as it is shown: there a merged
    /// span counts as the host's where most of it is stream copies, and never in a profile that has
    /// remote buffers, whose stream copies look alike.
    HostCopies(const ProfileReader& reader, const TraceIndex& index,
               const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);
    /// The same of a trace in memory.
    HostCopies(const Trace& trace, const Target& target,
               const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);

    /// Whether any stream of the host is copied by any program.
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// Whether spans and sums are exact.
    [[nodiscard]] bool exact() const { return apart_; }

    /// Copies of one IPU that touch a range, in order of start. What takes less than `minimumCycles`
    /// comes merged, a span of the wait and one of the rest, each as long as all it stands for.
    [[nodiscard]] std::vector<TraceSpan> spans(IpuId ipu, CycleRange range,
                                               std::int64_t minimumCycles) const;

    /// Sums over a range of one IPU; host() of them is what the host takes part in. Exact or, in a
    /// file, of all stream copies.
    [[nodiscard]] TraceSums sums(IpuId ipu, CycleRange range) const;

    /// From the first copy's begin to the last one's end, on any IPU; empty if none is executed.
    [[nodiscard]] CycleRange extent() const;

    /// The stream of a program; none if it is no copy with the host.
    [[nodiscard]] StreamId streamOf(ProgramId program) const;
    [[nodiscard]] const std::string& nameOf(StreamId stream) const;

    /// A program that copies a stream of the host, or begins or ends to.
    struct Part {
        ProgramKind kind = ProgramKind::StreamCopyBegin;
        StreamId stream;
    };
    [[nodiscard]] const std::map<ProgramId, Part>& programs() const { return parts_; }

private:
    void find(const IdVector<ProgramId, Program>& programs,
              const IdVector<StreamId, Stream>& streams);
    void keep(const Trace& trace, const Target& target);
    [[nodiscard]] std::vector<TraceSpan> split(IpuId ipu, const std::vector<TraceSpan>& all) const;

    [[nodiscard]] CycleRange extentByOrder() const;

    TraceIndex index_; ///< of the copies if they are apart, else of everything
    std::int32_t ipus_ = 0;
    std::map<ProgramId, Part> parts_;
    std::map<StreamId, std::string> names_;
    bool apart_ = false;
    bool remote_ = false; ///< other programs copy streams of remote buffers
};

} // namespace tilescope
