#include "core/analysis/liveness/liveness.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

void sortLargestFirst(std::vector<SizedVariable>& variables) {
    std::sort(variables.begin(), variables.end(),
              [](const SizedVariable& a, const SizedVariable& b) {
                  return a.bytes != b.bytes ? a.bytes > b.bytes
                         : a.name != b.name ? a.name < b.name
                                            : a.variable < b.variable;
              });
}

template <class Wanted>
std::vector<SizedVariable> sized(const Target& target,
                                 const IdVector<VariableId, Variable>& variables,
                                 const TileSelection& selection, Wanted&& wanted) {
    const TileRange range = selection.range(target);
    std::vector<SizedVariable> found;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Variable& v = variables[VariableId(i)];
        if (!wanted(v))
            continue;
        const std::int64_t bytes = v.bytes.sum(range.first, range.end);
        if (bytes != 0)
            found.push_back({VariableId(i), v.name, v.category, v.operation, bytes});
    }
    sortLargestFirst(found);
    return found;
}

const LivenessClass& classOf(const IdVector<LivenessClassId, LivenessClass>& classes,
                             const Variable& variable) {
    if (variable.liveness.index() >= classes.size())
        throw DamagedProfile(fmt::format("variable '{}' has no liveness", variable.name));
    return classes[variable.liveness];
}

} // namespace

std::int64_t LivenessSeries::maxNotAlwaysLive() const {
    return peakStep.valid() ? notAlwaysLive[peakStep.index()] : 0;
}

std::int64_t alwaysLiveBytes(const IdVector<TileId, TileMemory>& tiles, TileRange range) {
    std::int64_t bytes = 0;
    const std::int32_t end = std::min(range.end, static_cast<std::int32_t>(tiles.size()));
    for (std::int32_t tile = range.first; tile < end; ++tile)
        bytes += tiles[TileId(tile)].alwaysLive;
    return bytes;
}

LivenessSeries livenessFromCurve(const LivenessCurve& curve, const Target& target,
                                 const IdVector<TileId, TileMemory>& tiles,
                                 const TileSelection& selection) {
    if (selection.tile().valid())
        throw InternalError("the summary of liveness has no single tiles");
    const TileRange range = selection.range(target);
    LivenessSeries series;
    series.notAlwaysLive = selection.ipu().valid() ? curve.byIpu.at(selection.ipu().index()).all()
                                                   : curve.notAlwaysLive;
    series.alwaysLive = alwaysLiveBytes(tiles, range);
    series.peakStep = LivenessCurve::peakOf(series.notAlwaysLive);
    return series;
}

LivenessSeries livenessOf(const Target& target, const IdVector<VariableId, Variable>& variables,
                          const IdVector<LivenessClassId, LivenessClass>& classes,
                          std::size_t steps, const TileSelection& selection) {
    const TileRange range = selection.range(target);
    LivenessSeries series;
    std::vector<std::int64_t> change(steps + 1, 0);
    for (const Variable& v : variables) {
        const std::int64_t bytes = v.bytes.sum(range.first, range.end);
        if (v.alwaysLive)
            series.alwaysLive += bytes;
        if (v.alwaysLive || !v.liveness.valid() || bytes == 0)
            continue;
        for (const StepInterval& interval : classOf(classes, v).intervals) {
            if (!interval.first.valid() || interval.end < interval.first ||
                interval.end.index() > steps)
                throw DamagedProfile(
                    fmt::format("variable '{}' is live at a step that does not exist", v.name));
            change[interval.first.index()] += bytes;
            change[interval.end.index()] -= bytes;
        }
    }
    for (std::size_t step = 1; step < change.size(); ++step)
        change[step] += change[step - 1];
    change.resize(steps);
    series.notAlwaysLive = std::move(change);
    series.peakStep = LivenessCurve::peakOf(series.notAlwaysLive);
    return series;
}

LivenessSeries livenessOf(const ProfileView& profile, const TileSelection& selection, Stop stop) {
    if (selection.tile().valid())
        return livenessOf(profile.machine(), *profile.variables(stop),
                          *profile.livenessClasses(stop), profile.steps(stop)->size(), selection);
    if (!selection.ipu().valid())
        return livenessFromCurve({*profile.notAlwaysLive(stop), {}}, profile.machine(),
                                 *profile.tileMemory(stop), selection);
    return livenessFromCurve(*profile.livenessCurve(stop), profile.machine(),
                             *profile.tileMemory(stop), selection);
}

// There are few classes and many variables: each class is looked up once.
std::vector<bool> liveClasses(const IdVector<LivenessClassId, LivenessClass>& classes,
                              std::size_t steps, StepId step) {
    if (!step.valid() || step.index() >= steps)
        throw UserError(steps == 0 ? std::string("the program has no steps")
                                   : fmt::format("there is no step {}: steps are 0 to {}",
                                                 step.value(), steps - 1));
    std::vector<bool> live;
    for (const LivenessClass& c : classes)
        live.push_back(c.contains(step));
    return live;
}

std::vector<SizedVariable> alwaysLiveVariables(const Target& target,
                                               const IdVector<VariableId, Variable>& variables,
                                               const TileSelection& selection) {
    return sized(target, variables, selection, [](const Variable& v) { return v.alwaysLive; });
}

std::vector<SizedVariable>
notAlwaysLiveVariables(const Target& target, const IdVector<VariableId, Variable>& variables,
                       const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                       StepId step, const TileSelection& selection) {
    const std::vector<bool> live = liveClasses(classes, steps, step);
    return sized(target, variables, selection, [&](const Variable& v) {
        return !v.alwaysLive && v.liveness.valid() && v.liveness.index() < live.size() &&
               live[v.liveness.index()];
    });
}

std::int64_t totalBytes(const std::vector<SizedVariable>& variables) {
    std::int64_t total = 0;
    for (const SizedVariable& v : variables)
        total += v.bytes;
    return total;
}

std::vector<std::string> stepNames(const IdVector<ProgramId, Program>& programs,
                                   const IdVector<StepId, ProgramId>& steps) {
    std::vector<std::string> names;
    names.reserve(steps.size());
    for (const ProgramId id : steps) {
        if (!id.valid() || id.index() >= programs.size())
            throw DamagedProfile("a step names a program that does not exist");
        names.push_back(programLabel(programs[id]));
    }
    return names;
}

} // namespace tilescope
