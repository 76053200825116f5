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

/// Steps of streams with the host, which streams with a remote buffer are not. StreamCopyBegin is
/// the wait for the host, StreamCopyMid the transfer, StreamCopyEnd the sync after it.
class HostCopies {
public:
    /// Of a file, whose trace has this index. Only what the host takes part in is kept, so that the
    /// cost of all that is asked follows from its stream copies, however many other steps there
    /// are. See readStreamCopies() for traces whose copies stay unknown. Throws UserError on
    /// damage.
    HostCopies(const ProfileReader& reader, const TraceIndex& index,
               const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);
    /// The same of a trace in memory.
    HostCopies(const Trace& trace, const Target& target,
               const IdVector<ProgramId, Program>& programs,
               const IdVector<StreamId, Stream>& streams);

    /// Whether no program copies a stream of the host.
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// False: there are copies that could not be read; all that follows is empty.
    [[nodiscard]] bool known() const { return known_; }

    /// Copies of one IPU that touch a range, in order of start. What takes less than
    /// `minimumCycles` comes merged, a span of the wait and one of the rest, each as long as all it
    /// stands for.
    [[nodiscard]] std::vector<TraceSpan> spans(IpuId ipu, CycleRange range,
                                               std::int64_t minimumCycles) const;

    /// Sums over a range of one IPU; host() of them is what the host takes part in.
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

    TraceIndex index_; ///< of the copies alone
    std::int32_t ipus_ = 0;
    bool known_ = true;
    std::map<ProgramId, Part> parts_;
    std::map<StreamId, std::string> names_;
};

} // namespace tilescope
