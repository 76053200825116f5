// The stream copies with the host in an execution, apart from everything else in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/store/profile_reader.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// Steps of streams with the host; streams with a remote buffer do not count. StreamCopyBegin is
/// the wait for the host, StreamCopyMid the transfer, StreamCopyEnd the sync after it.
class HostCopies {
public:
    /// From a file. Only steps that involve the host are kept, so that the cost of every query
    /// depends on its stream copies, however many other steps there are. See readStreamCopies() for
    /// traces whose copies stay unknown. Throws UserError on damage.
    HostCopies(const ProfileReader& reader, const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);
    /// The same from a trace in memory.
    HostCopies(const Trace& trace, const Target& target,
               const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);

    /// Whether no program copies a stream of the host.
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// False if there are copies that could not be read; the functions below then return nothing.
    [[nodiscard]] bool known() const { return known_; }

    /// Copies of one IPU that touch a range, in order of start. Those shorter than `minimumCycles`
    /// are merged into a span of waits and one of the rest, each as long as all copies that it
    /// represents.
    [[nodiscard]] std::vector<TraceSpan> spans(IpuId ipu, CycleRange range,
                                               std::int64_t minimumCycles) const;

    /// Sums over a range of one IPU; their host() is the time that involves the host.
    [[nodiscard]] TraceSums sums(IpuId ipu, CycleRange range) const;

    /// From the first copy's begin to the last one's end, on any IPU; empty if none is executed.
    [[nodiscard]] CycleRange extent() const;

    /// The stream of a program; none if it is not a copy with the host.
    [[nodiscard]] StreamId streamOf(ProgramId program) const;
    [[nodiscard]] const std::string& nameOf(StreamId stream) const;

    /// A program that copies a stream of the host, or begins or ends such a copy.
    struct Part {
        ProgramKind kind = ProgramKind::StreamCopyBegin;
        StreamId stream;
    };
    [[nodiscard]] const std::map<ProgramId, Part>& programs() const { return parts_; }

private:
    void find(const IdVector<ProgramId, Program>& programs,
              const IdVector<StreamId, Stream>& streams);
    void keep(const Trace& trace, const Target& target);

    TraceIndex index_; ///< of the copies alone
    std::int32_t ipus_ = 0;
    bool known_ = true;
    std::map<ProgramId, Part> parts_;
    std::map<StreamId, std::string> names_;
};

} // namespace tilescope
