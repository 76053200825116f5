// The run, its machine, and totals of its execution.
#include "app/python/core/profile.h"
#include "core/report/run_fields.h"
#include "core/target/target.h"
#include "core/trace/lanes.h"

namespace tilescope::python {
namespace {

py::dict infoOf(const ProfileHandle& profile) {
    const ProfileInfo& info = profile.info();
    py::dict d;
    d["creator"] = info.creator;
    d["createdAt"] = info.createdAt;
    d["model"] = info.model;
    const auto known = [&info](ProfilePart part, const auto& value) -> py::object {
        return info.coverage.has(part) ? py::object(py::cast(value)) : py::none();
    };
    d["mode"] = known(ProfilePart::Run, info.mode);
    d["options"] = info.options;
    d["engineOptions"] = info.engineOptions;
    d["edges"] = known(ProfilePart::Edges, info.edges);
    d["vertices"] = info.vertices;
    d["fits"] = info.fits;
    d["hasExecution"] = info.hasExecution;
    d["cycles"] = info.cycles;
    const auto add = [&](const std::vector<Field>& fields) {
        for (const Field& field : fields)
            d[field.key.c_str()] = valueOf(field.value);
    };
    add(runSampleFields(info));
    add(runTimeFields(info));
    d["timings"] = info.timings;
    return d;
}

py::dict targetOf(const ProfileHandle& profile) {
    py::dict d;
    visitTargetFields(profile.info().target,
                      [&](const char* name, const auto& value, int) { d[name] = value; });
    return d;
}

std::int64_t schemaVersion(const ProfileHandle& profile) {
    const SqlResult result = profile.load([](const ProfileView& view) {
        return view.reader().query("SELECT user_version FROM pragma_user_version");
    });
    return std::get<std::int64_t>(result.rows.at(0).at(0));
}

py::list runsOf(const ProfileHandle& profile) {
    const auto index = profile.load([](const ProfileView& view) { return view.trace(); });
    py::list runs;
    std::int64_t first = 0;
    for (const TraceRun& run : index->runs()) {
        const std::int64_t steps = index->lanes().stepCount(run.body);
        runs.append(py::make_tuple(run.name, run.start, run.cycles, first, first + steps));
        first += steps;
    }
    return runs;
}

py::array_t<std::int64_t> physicalTiles(const ProfileHandle& profile) {
    const Target& target = profile.info().target;
    std::vector<std::int64_t> ids;
    ids.reserve(static_cast<std::size_t>(target.totalTiles()));
    for (std::int32_t tile = 0; tile < target.totalTiles(); ++tile)
        ids.push_back(physicalTileId(target, tile % target.tilesPerIpu));
    return arrayOf(ids);
}

} // namespace

void bindInfo(ProfileClass& profile) {
    profile.def_property_readonly("info", infoOf, "The run and its main figures, a dict.")
        .def_property_readonly("target", targetOf, "The machine and its constants, a dict.")
        .def_property_readonly("schema_version", schemaVersion, "Version of the file's tables.")
        .def("physical_tiles", physicalTiles,
             "Physical number of each tile on its IPU, an array[tiles].")
        .def("runs", runsOf,
             "(name, first cycle, cycles, first step, end of steps) of each run of the engine.")
        .def(
            "total_cycles",
            [](const ProfileHandle& p) {
                return p.load([](const ProfileView& view) { return view.trace()->totalCycles(); });
            },
            "The cycle in which the last step ends.");
}

} // namespace tilescope::python
