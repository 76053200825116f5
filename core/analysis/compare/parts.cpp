#include "core/analysis/compare/parts.h"

#include "core/analysis/liveness/liveness.h"

namespace tilescope {
namespace {

template <class T> std::shared_ptr<const T> owned(T value) {
    return std::make_shared<const T>(std::move(value));
}

/// A pointer that owns nothing.
template <class T> std::shared_ptr<const T> referring(const T& value) {
    return {std::shared_ptr<const void>(), &value};
}

} // namespace

ProfileParts partsOf(const ProfileReader& reader) {
    ProfileParts parts;
    parts.info = reader.info();
    parts.messages = owned(reader.messages());
    parts.operations = owned(reader.operations());
    parts.livenessClasses = owned(reader.livenessClasses());
    parts.variables = owned(reader.variables());
    parts.vertexTypes = owned(reader.vertexTypes());
    parts.computeSets = owned(reader.computeSets());
    parts.exchanges = owned(reader.exchanges());
    parts.copies = owned(reader.copies());
    parts.programs = owned(reader.programs());
    parts.controlPrograms = owned(reader.controlPrograms());
    parts.steps = owned(reader.steps());
    parts.categoryMemory = owned(reader.categoryMemory());
    parts.tileMemory = owned(reader.tileMemory());
    parts.notAlwaysLive = owned(reader.notAlwaysLive());
    parts.trace = owned(reader.info().hasExecution ? reader.trace() : Trace());
    return parts;
}

ProfileParts partsOf(const Profile& profile) {
    ProfileParts parts;
    parts.info = profile.info;
    parts.messages = referring(profile.messages);
    parts.operations = referring(profile.operations);
    parts.livenessClasses = referring(profile.livenessClasses);
    parts.variables = referring(profile.variables);
    parts.vertexTypes = referring(profile.vertexTypes);
    parts.computeSets = referring(profile.computeSets);
    parts.exchanges = referring(profile.exchanges);
    parts.copies = referring(profile.copies);
    parts.programs = referring(profile.programs);
    parts.controlPrograms = referring(profile.controlPrograms);
    parts.steps = referring(profile.steps);
    parts.categoryMemory = referring(profile.categoryMemory);
    parts.tileMemory = referring(profile.tileMemory);
    parts.notAlwaysLive =
        owned(livenessOf(profile.info.target, profile.variables, profile.livenessClasses,
                         profile.steps.size(), TileSelection::all())
                  .notAlwaysLive);
    parts.trace = referring(profile.trace);
    return parts;
}

} // namespace tilescope
