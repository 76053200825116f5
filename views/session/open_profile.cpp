#include "views/session/open_profile.h"

#include <QCoreApplication>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"

namespace tilescope::views {

OpenProfile::OpenProfile(std::filesystem::path file, ProfileInfo info)
    : file_(std::move(file))
    , info_(std::move(info)) {}

QString OpenProfile::title() const {
    const QString model = QString::fromStdString(info_.model);
    const QString machine = QString::fromStdString(info_.target.name);
    return machine.isEmpty()
               ? model
               : QCoreApplication::translate("OpenProfile", "%1 on %2").arg(model, machine);
}

ProfileReader OpenProfile::reader(const std::stop_token& stop) const {
    // SQLite looks for a stop only now and then: small reads would not notice.
    if (stop.stop_requested())
        throw Cancelled();
    ProfileReader reader(file_);
    reader.stopWith(stop);
    return reader;
}

template <class T, class Read>
OpenProfile::Part<T> OpenProfile::load(const LazyPart<T>& part, Stop stop, Read read) const {
    return part.get(
        [&] { return namingFile(file_.string(), [&] { return (reader(stop).*read)(); }); });
}

OpenProfile::Part<std::vector<Message>> OpenProfile::messages(Stop stop) const {
    return load(messages_, stop, &ProfileReader::messages);
}
OpenProfile::Part<IdVector<OperationId, Operation>> OpenProfile::operations(Stop stop) const {
    return load(operations_, stop, &ProfileReader::operations);
}
OpenProfile::Part<ModelGraph> OpenProfile::modelGraph(Stop stop) const {
    return load(modelGraph_, stop, &ProfileReader::modelGraph);
}
OpenProfile::Part<IdVector<LivenessClassId, LivenessClass>>
OpenProfile::livenessClasses(Stop stop) const {
    return load(livenessClasses_, stop, &ProfileReader::livenessClasses);
}
OpenProfile::Part<IdVector<VariableId, Variable>> OpenProfile::variables(Stop stop) const {
    return load(variables_, stop, &ProfileReader::variables);
}
OpenProfile::Part<IdVector<VertexTypeId, VertexType>> OpenProfile::vertexTypes(Stop stop) const {
    return load(vertexTypes_, stop, &ProfileReader::vertexTypes);
}
OpenProfile::Part<IdVector<ComputeSetId, ComputeSet>> OpenProfile::computeSets(Stop stop) const {
    return load(computeSets_, stop, &ProfileReader::computeSets);
}
OpenProfile::Part<IdVector<ExchangeId, Exchange>> OpenProfile::exchanges(Stop stop) const {
    return load(exchanges_, stop, &ProfileReader::exchanges);
}
OpenProfile::Part<IdVector<CopyId, Copy>> OpenProfile::copies(Stop stop) const {
    return load(copies_, stop, &ProfileReader::copies);
}
OpenProfile::Part<IdVector<StreamId, Stream>> OpenProfile::streams(Stop stop) const {
    return load(streams_, stop, &ProfileReader::streams);
}

OpenProfile::Part<IdVector<ProgramId, Program>> OpenProfile::programs(Stop stop) const {
    return load(programs_, stop, &ProfileReader::programs);
}
OpenProfile::Part<IdVector<StepId, ProgramId>> OpenProfile::steps(Stop stop) const {
    return load(steps_, stop, &ProfileReader::steps);
}
OpenProfile::Part<LivenessCurve> OpenProfile::livenessCurve(Stop stop) const {
    return load(livenessCurve_, stop, &ProfileReader::livenessCurve);
}
OpenProfile::Part<std::vector<CategoryMemory>> OpenProfile::categoryMemory(Stop stop) const {
    return load(categoryMemory_, stop, &ProfileReader::categoryMemory);
}
OpenProfile::Part<IdVector<TileId, TileMemory>> OpenProfile::tileMemory(Stop stop) const {
    return load(tileMemory_, stop, &ProfileReader::tileMemory);
}
OpenProfile::Part<TraceIndex> OpenProfile::trace(Stop stop) const {
    return trace_.get(
        [&] { return namingFile(file_.string(), [&] { return reader(stop).traceIndex(); }); });
}

} // namespace tilescope::views
