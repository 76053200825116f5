#include "core/view/profile_view.h"

#include <utility>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"

namespace tilescope {

ProfileView::ProfileView(std::filesystem::path file, ProfileInfo info)
    : file_(std::move(file))
    , info_(std::move(info)) {}

ProfileView::ProfileView(const std::filesystem::path& file)
    : ProfileView(file, ProfileReader(file).info()) {}

ProfileView::ProfileView(std::shared_ptr<const Profile> profile)
    : memory_(std::move(profile))
    , info_(memory_->info) {}

ProfileReader ProfileView::reader(Stop stop) const {
    if (memory_)
        throw InternalError("a profile in memory has no file to read");
    // SQLite looks for a stop only now and then: small reads would not notice.
    if (stop.stop_requested())
        throw Cancelled();
    ProfileReader reader(file_);
    reader.stopWith(stop);
    return reader;
}

template <class T, class Read>
ProfileView::Part<T> ProfileView::load(const LazyPart<T>& part, Stop stop, Read read,
                                       T Profile::*member) const {
    if (memory_)
        return {memory_, &(memory_.get()->*member)};
    return part.get(
        [&] { return namingFile(file_.string(), [&] { return (reader(stop).*read)(); }); });
}

// One line a part: where it is kept, how a file gives it and where a profile in memory has it.
#define TILESCOPE_PART(type, name)                                                                 \
    ProfileView::Part<type> ProfileView::name(Stop stop) const {                                   \
        return load(name##_, stop, &ProfileReader::name, &Profile::name);                          \
    }
#define TILESCOPE_LIST_PART(id, type, name)                                                        \
    ProfileView::Part<IdVector<id, type>> ProfileView::name(Stop stop) const {                     \
        return load(name##_, stop, &ProfileReader::name, &Profile::name);                          \
    }
TILESCOPE_PART(std::vector<Message>, messages)
TILESCOPE_LIST_PART(OperationId, Operation, operations)
TILESCOPE_PART(ModelGraph, modelGraph)
TILESCOPE_LIST_PART(LivenessClassId, LivenessClass, livenessClasses)
TILESCOPE_LIST_PART(VariableId, Variable, variables)
TILESCOPE_LIST_PART(VertexTypeId, VertexType, vertexTypes)
TILESCOPE_LIST_PART(ComputeSetId, ComputeSet, computeSets)
TILESCOPE_LIST_PART(ExchangeId, Exchange, exchanges)
TILESCOPE_LIST_PART(CopyId, Copy, copies)
TILESCOPE_LIST_PART(StreamId, Stream, streams)
TILESCOPE_LIST_PART(RemoteBufferId, RemoteBuffer, remoteBuffers)
TILESCOPE_LIST_PART(ProgramId, Program, programs)
TILESCOPE_PART(std::vector<ProgramId>, controlPrograms)
TILESCOPE_PART(std::vector<ProgramId>, functions)
TILESCOPE_PART(std::vector<ProgramId>, phases)
TILESCOPE_LIST_PART(StepId, ProgramId, steps)
TILESCOPE_PART(std::vector<CategoryMemory>, categoryMemory)
TILESCOPE_LIST_PART(TileId, TileMemory, tileMemory)
TILESCOPE_PART(Pipeline, pipeline)
#undef TILESCOPE_PART
#undef TILESCOPE_LIST_PART

ProfileView::Part<LivenessCurve> ProfileView::livenessCurve(Stop stop) const {
    return livenessCurve_.get([&] {
        if (memory_)
            return livenessCurveOf(*memory_);
        return namingFile(file_.string(), [&] { return reader(stop).livenessCurve(); });
    });
}

ProfileView::Part<TraceIndex> ProfileView::trace(Stop stop) const {
    return trace_.get([&] {
        if (memory_)
            return TraceIndex(memory_->trace, machine().ipus, machine().tilesPerIpu);
        return namingFile(file_.string(), [&] { return reader(stop).traceIndex(); });
    });
}

ProfileView::Part<Trace> ProfileView::wholeTrace(Stop stop) const {
    if (memory_)
        return {memory_, &memory_->trace};
    return namingFile(file_.string(),
                      [&] { return std::make_shared<const Trace>(reader(stop).trace()); });
}

ProfileView::Part<std::vector<ProgramExecutions>> ProfileView::executions(Stop stop) const {
    return executions_.get([&] {
        return info_.hasExecution ? trace(stop)->executions(programs(stop)->size())
                                  : std::vector<ProgramExecutions>{};
    });
}

} // namespace tilescope
