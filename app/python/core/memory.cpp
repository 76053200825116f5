// Memory of tiles, and liveness.
#include "app/python/core/profile.h"
#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/summary.h"
#include "core/analysis/memory/tile_quantity.h"

namespace tilescope::python {
namespace {

py::array_t<std::int64_t> fieldOf(const IdVector<TileId, TileMemory>& tiles,
                                  std::int64_t TileMemory::*field) {
    std::vector<std::int64_t> values;
    values.reserve(tiles.size());
    for (const TileMemory& tile : tiles)
        values.push_back(tile.*field);
    return arrayOf(values);
}

py::dict summary(const ProfileHandle& profile) {
    const MemorySummary memory =
        profile.load([](const ProfileView& view) { return memorySummary(view); });
    py::dict d;
    d["limitPerTile"] = memory.limitPerTile;
    d["maxTile"] = memory.maxTileId.valid() ? py::object(py::int_(memory.maxTileId.value()))
                                            : py::object(py::none());
    d["maxTileIncludingGaps"] = memory.maxTile.includingGaps;
    d["totalIncludingGaps"] = memory.total.includingGaps;
    d["alwaysLive"] = memory.alwaysLive;
    d["maxNotAlwaysLive"] = memory.maxNotAlwaysLive;
    d["tilesOverLimit"] = memory.tilesOverLimit;
    return d;
}

py::dict tileMemory(const ProfileHandle& profile) {
    const auto tiles = profile.load([](const ProfileView& view) { return view.tileMemory(); });
    py::dict d;
    d["includingGaps"] = fieldOf(*tiles, &TileMemory::includingGaps);
    d["excludingGaps"] = fieldOf(*tiles, &TileMemory::excludingGaps);
    d["nonInterleaved"] = fieldOf(*tiles, &TileMemory::nonInterleaved);
    d["interleaved"] = fieldOf(*tiles, &TileMemory::interleaved);
    d["overflowed"] = fieldOf(*tiles, &TileMemory::overflowed);
    d["alwaysLive"] = fieldOf(*tiles, &TileMemory::alwaysLive);
    d["maxNotAlwaysLive"] = fieldOf(*tiles, &TileMemory::maxNotAlwaysLive);
    return d;
}

py::list categoryMemory(const ProfileHandle& profile) {
    const auto parts = profile.load([](const ProfileView& view) { return view.categoryMemory(); });
    py::list list;
    for (const CategoryMemory& part : *parts)
        list.append(py::make_tuple(std::string(toString(part.category)),
                                   std::string(toString(part.region)), part.overlapped,
                                   arrayOf(part.bytes, profile.tiles())));
    return list;
}

py::list categories() {
    py::list names;
    for (const MemoryCategory category : memoryCategories)
        names.append(std::string(toString(category)));
    return names;
}

TileSelection selectionOf(std::optional<std::int32_t> tile, std::optional<std::int32_t> ipu) {
    // A negative number would be an invalid id, which selects all of them.
    if (tile.value_or(0) < 0 || ipu.value_or(0) < 0)
        throw py::index_error("tiles and IPUs are counted from 0");
    if (tile)
        return TileSelection::ofTile(TileId(*tile));
    return ipu ? TileSelection::ofIpu(IpuId(*ipu)) : TileSelection::all();
}

py::list sized(const std::vector<SizedVariable>& variables) {
    py::list list;
    for (const SizedVariable& variable : variables)
        list.append(py::make_tuple(variable.variable.value(), variable.name, variable.bytes));
    return list;
}

using Number = std::optional<std::int32_t>;

py::list alwaysLive(const ProfileHandle& profile, Number tile, Number ipu) {
    return sized(profile.load([&](const ProfileView& view) {
        return alwaysLiveVariables(view.machine(), *view.variables(), selectionOf(tile, ipu));
    }));
}

py::list notAlwaysLive(const ProfileHandle& profile, std::int32_t step, Number tile, Number ipu) {
    return sized(profile.load([&](const ProfileView& view) {
        return notAlwaysLiveVariables(view.machine(), *view.variables(), *view.livenessClasses(),
                                      view.steps()->size(), StepId(step), selectionOf(tile, ipu));
    }));
}

py::array_t<std::int64_t> livenessCurve(const ProfileHandle& profile, Number tile, Number ipu) {
    return arrayOf(
        profile
            .load([&](const ProfileView& view) { return livenessOf(view, selectionOf(tile, ipu)); })
            .notAlwaysLive);
}

py::array_t<std::int64_t> liveByTile(const ProfileHandle& profile, std::int32_t step) {
    const TileSeries series = profile.load([&](const ProfileView& view) {
        return liveBytesByTile(*view.variables(), *view.livenessClasses(), view.steps()->size(),
                               StepId(step));
    });
    return arrayOf(series, profile.tiles());
}

py::array_t<std::int64_t> stepPrograms(const ProfileHandle& profile) {
    const auto steps = profile.load([](const ProfileView& view) { return view.steps(); });
    return arrayOf(std::vector<ProgramId>(steps->begin(), steps->end()));
}

} // namespace

void bindMemory(ProfileClass& profile) {
    profile.def("memory_summary", summary, "The main figures of memory: a dict.")
        .def("tile_memory", tileMemory,
             "Bytes of each tile by kind of total: a dict of arrays[tiles].")
        .def("category_memory", categoryMemory,
             "(category, region, overlapped, array[tiles] of bytes), where not all are zero.")
        .def_static("categories", categories, "Names of the storage categories.")
        .def("always_live", alwaysLive, py::arg("tile") = py::none(), py::arg("ipu") = py::none(),
             "(variable, name, bytes) of always-live variables, largest first.")
        .def("not_always_live", notAlwaysLive, py::arg("step"), py::arg("tile") = py::none(),
             py::arg("ipu") = py::none(),
             "(variable, name, bytes) of the other variables live at a step.")
        .def("liveness_curve", livenessCurve, py::arg("tile") = py::none(),
             py::arg("ipu") = py::none(), "Not-always-live bytes, an array[steps].")
        .def("live_by_tile", liveByTile, py::arg("step"),
             "Not-always-live bytes at a step, an array[tiles].")
        .def("step_programs", stepPrograms, "The program of each liveness step, an array[steps].");
}

} // namespace tilescope::python
