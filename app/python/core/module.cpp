// The extension module tilescope._core. It returns ids, plain values and arrays; the classes for
// scripts are written in Python (app/python/tilescope and pva).
#include "app/python/core/host_trace.h"
#include "app/python/core/profile.h"
#include "core/base/error.h"
#include "core/options/engine_options.h"

namespace tilescope::python {

PyObject* profileError = nullptr;

py::array_t<std::int64_t> arrayOf(const TileSeries& series, std::int32_t tiles) {
    py::array_t<std::int64_t> array(tiles);
    std::fill_n(array.mutable_data(), tiles, 0);
    for (const TileRun& run : series.runs())
        for (std::int32_t tile = run.first; tile < std::min(run.end, tiles); ++tile)
            array.mutable_data()[tile] = run.value;
    return array;
}

py::array_t<std::int64_t> arrayOf(const std::vector<std::int64_t>& values) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

namespace {

/// Poplar's engine options with the effect of each here.
py::dict engineOptions() {
    py::dict options;
    for (const EngineOption& option : engineOptionTable())
        options[py::str(std::string(option.key))] = std::string(displayName(option.effect));
    return options;
}

} // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "Profiles of TileScope as ids, plain values and numpy arrays.";
    module.attr("version") = TILESCOPE_VERSION;
    profileError =
        py::register_local_exception<UserError>(module, "ProfileError", PyExc_RuntimeError).ptr();
    module.def("engine_options", engineOptions,
               "Poplar's engine options by key: 'acts', 'recorded only' or 'no meaning in a "
               "simulator'.");
    ProfileClass profile(module, "Profile",
                         "A profile.pop, whose parts are read on first use. Raises ProfileError "
                         "for a file of another kind, and from any call for a damaged one.");
    profile.def(py::init<const std::string&>(), py::arg("path"));
    bindInfo(profile);
    bindMemory(profile);
    bindPrograms(profile);
    bindVariables(profile);
    bindOperations(profile);
    bindReports(module, profile);
    bindSteps(module, profile);
    bindHostTrace(module);
}

} // namespace tilescope::python
