// The Python module tilescope._simulator: a compiled model and the arrays that go in and out of it.
#include <cmath>
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "app/python/simulator/compiled_model.h"
#include "core/base/error.h"
#include "core/options/option_table.h"

namespace py = pybind11;

namespace tilescope::python {
namespace {

using Reals = py::array_t<float, py::array::c_style>;
using Ints = py::array_t<std::int32_t, py::array::c_style>;

std::vector<py::ssize_t> numpyShape(const sim::Shape& shape) {
    return {shape.begin(), shape.end()};
}

/// Stacks several values of one shape in an array with one more dimension.
py::array stacked(const TensorInfo& info, const std::vector<sim::TensorData>& values) {
    std::vector<py::ssize_t> shape = numpyShape(info.shape);
    shape.insert(shape.begin(), static_cast<py::ssize_t>(values.size()));
    const auto fill = [&](auto array, const auto& elementsOf) -> py::array {
        auto* to = array.mutable_data();
        for (const sim::TensorData& value : values) {
            const auto from = elementsOf(value);
            to = std::copy(from.begin(), from.end(), to);
        }
        return array;
    };
    if (sim::isFloating(info.type))
        return fill(Reals(shape), [](const sim::TensorData& v) { return v.reals(); });
    return fill(Ints(shape), [](const sim::TensorData& v) { return v.ints(); });
}

py::array arrayOf(const sim::TensorData& data) {
    if (data.isReal())
        return Reals(numpyShape(data.shape()), data.reals().data());
    return Ints(numpyShape(data.shape()), data.ints().data());
}

sim::TensorData dataOf(const py::array& array) {
    const sim::Shape shape(array.shape(), array.shape() + array.ndim());
    const auto size = static_cast<std::size_t>(array.size());
    if (py::isinstance<Reals>(array)) {
        sim::TensorData data(sim::DataType::Float, shape);
        std::copy_n(static_cast<const float*>(array.data()), size, data.reals().begin());
        return data;
    }
    if (!py::isinstance<Ints>(array))
        throw py::type_error("arrays are of float32 or int32, row after row");
    sim::TensorData data(sim::DataType::Int32, shape);
    std::copy_n(static_cast<const std::int32_t*>(array.data()), size, data.ints().begin());
    return data;
}

CompiledModel::InputElements elementsOf(const py::array& array) {
    const auto size = static_cast<std::size_t>(array.size());
    if (py::isinstance<Reals>(array))
        return {{static_cast<const float*>(array.data()), size}, {}};
    if (py::isinstance<Ints>(array))
        return {{}, {static_cast<const std::int32_t*>(array.data()), size}};
    throw py::type_error("arrays are of float32 or int32, row after row");
}

/// The members of SourceNotes.
using SourceTuple = std::tuple<std::map<std::string, std::string>, std::vector<std::string>,
                               std::map<std::string, PythonStack>>;

std::unique_ptr<CompiledModel> compiled(
    const py::bytes& onnx, const std::string& name,
    const std::map<std::string, std::string>& options,
    const std::map<std::int64_t, py::tuple>& blocks, const std::string& profile, bool computes,
    const std::optional<std::vector<int>>& losses,
    const std::optional<std::set<std::string>>& trained, const std::set<std::string>& parameters,
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& state,
    const std::vector<std::string>& anchors, const std::string& values, std::int64_t valueSamples,
    const std::optional<py::function>& progress, const SourceTuple& source) {
    CompileRequest request{std::string(onnx), name, options, {}, profile, computes, losses, trained,
                           parameters,        {},   anchors};
    for (const auto& [buffer, shape] : state)
        request.state.push_back({buffer, shape});
    RunOptions recorded;
    recorded.compute.enabled = true;
    setRunOptions(recorded, {{"values", values}, {"valueSamples", std::to_string(valueSamples)}});
    request.values = recorded.compute.values;
    request.valueSamples = recorded.compute.valueSamples;
    std::tie(request.source.texts, request.source.libraries, request.source.anchors) = source;
    for (const auto& [number, place] : blocks)
        request.blocks[number] = {place[0].cast<std::int64_t>(), place[1].cast<std::int64_t>(),
                                  place[2].cast<std::int64_t>()};
    CompileProgress report;
    if (progress)
        report = [&progress](std::string_view phase, double done) {
            const py::gil_scoped_acquire acquired;
            (*progress)(std::string(phase), done);
        };
    const py::gil_scoped_release released;
    return std::make_unique<CompiledModel>(std::move(request), report);
}

py::list results(CompiledModel& model, const std::map<std::string, py::array>& inputs,
                 const std::vector<std::int64_t>& wanted,
                 const std::map<std::string, std::vector<std::int64_t>>& anchored) {
    std::map<std::string, CompiledModel::InputElements> elements;
    for (const auto& [name, array] : inputs)
        elements[name] = elementsOf(array);
    std::vector<std::vector<sim::TensorData>> values;
    {
        const py::gil_scoped_release released;
        values = model.run(elements, wanted, anchored);
    }
    py::list list;
    const std::vector<TensorInfo> infos = model.outputs();
    for (std::size_t i = 0; i < infos.size(); ++i)
        list.append(stacked(infos[i], values[i]));
    return list;
}

/// (name, array) of each operation's results in the forward pass.
py::list forwardOf(const CompiledModel& model, const std::map<std::string, py::array>& inputs) {
    std::map<std::string, CompiledModel::InputElements> elements;
    for (const auto& [name, array] : inputs)
        elements[name] = elementsOf(array);
    std::vector<std::pair<TensorInfo, sim::TensorData>> made;
    {
        const py::gil_scoped_release released;
        made = model.forward(elements);
    }
    py::list list;
    for (const auto& [info, value] : made)
        list.append(py::make_tuple(info.name, arrayOf(value)));
    return list;
}

py::list infoList(const std::vector<TensorInfo>& infos) {
    py::list list;
    for (const TensorInfo& info : infos)
        list.append(py::make_tuple(info.name, info.shape, std::string(sim::toString(info.type))));
    return list;
}

py::dict figuresOf(const CompiledModel& model) {
    const CompiledFigures& figures = model.figures();
    py::dict dict;
    dict["fits"] = figures.fits;
    dict["failure"] = figures.failure;
    dict["cycles"] = figures.cycles;
    dict["seconds"] = figures.seconds;
    dict["callSeconds"] = figures.callSeconds;
    dict["throughput"] = figures.throughput;
    dict["ipus"] = figures.ipus;
    dict["messages"] = figures.messages;
    dict["profile"] = figures.profile;
    dict["loss"] = figures.loss;
    return dict;
}

py::dict optionTable() {
    py::dict table;
    for (const OptionSpec& spec : runOptionTable())
        table[py::str(spec.key)] = spec.help;
    return table;
}

/// Checks one value given others, by the option table; checkOptions() checks all of them together.
void checkOption(const std::string& key, const std::string& value,
                 const std::map<std::string, std::string>& others) {
    RunOptions options;
    setRunOptions(options, others);
    setRunOption(options, key, value);
}

/// (name there, key, whether it is a switch, values spelled otherwise there) of each option.
py::list faceOptions(const std::string& name) {
    const std::optional<Face> face = fromName<Face>(name);
    if (!face)
        throw UserError(fmt::format("no face is called '{}'", name));
    py::list list;
    for (const OptionSpec& spec : runOptionTable())
        for (const OptionFace& entry : spec.faces)
            if (entry.face == *face)
                list.append(
                    py::make_tuple(entry.name, spec.key,
                                   spec.type == OptionSpec::Type::Flag ||
                                       spec.choices == std::vector<std::string>{"on", "off"},
                                   std::map(entry.values.begin(), entry.values.end())));
    return list;
}

std::map<std::string, std::string> idleKeys(const std::map<std::string, std::string>& values,
                                            bool computes) {
    RunOptions options;
    options.compute.byProgram = computes;
    setRunOptions(options, values);
    return idleOptions(options);
}

void checkOptions(const std::map<std::string, std::string>& values) {
    RunOptions options;
    options.compute.byProgram = true;
    setRunOptions(options, values);
    validate(options);
}

std::map<std::string, std::string> engineOptions(const std::string& json,
                                                 const std::string& origin) {
    EngineOptions options;
    addEngineOptions(options, json, origin);
    return options.given;
}

py::dict stateOf(const CompiledModel& model) {
    py::dict dict;
    for (const auto& [name, value] : model.state())
        dict[py::str(name)] = arrayOf(value);
    return dict;
}

void setState(CompiledModel& model, const std::map<std::string, py::array>& state) {
    std::map<std::string, sim::TensorData> values;
    for (const auto& [name, array] : state)
        values.emplace(name, dataOf(array));
    model.setState(values);
}

/// Converts the record of libpvti's recorder.
HostRecord recordOf(const py::dict& dict) {
    HostRecord record;
    for (const py::handle& item : dict["events"]) {
        const auto e = item.cast<py::tuple>();
        record.events.push_back({e[0].cast<std::string>(), e[1].cast<std::string>(),
                                 e[2].cast<std::string>(), e[3].cast<double>(),
                                 e[4].cast<std::optional<double>>()});
    }
    for (const py::handle& item : dict["series"]) {
        const auto s = item.cast<py::tuple>();
        HostSeries series{
            s[0].cast<std::string>(), s[1].cast<std::string>(), s[2].cast<std::string>(), {}};
        for (const auto& [time, value] : s[3].cast<std::vector<std::pair<double, double>>>())
            if (std::isfinite(value)) // a diverged loss cannot be plotted
                series.points.push_back({time, value});
        record.series.push_back(std::move(series));
    }
    for (const py::handle& item : dict["heat_maps"]) {
        const auto m = item.cast<py::tuple>();
        HostHeatMap map{m[0].cast<std::string>(),
                        m[1].cast<std::string>(),
                        m[2].cast<std::vector<double>>(),
                        {}};
        for (auto& [time, counts] :
             m[3].cast<std::vector<std::pair<double, std::vector<std::int64_t>>>>())
            map.moments.push_back({time, std::move(counts)});
        record.heatMaps.push_back(std::move(map));
    }
    return record;
}

void finishProfile(CompiledModel& model, const std::optional<py::dict>& record) {
    HostRecord read = record ? recordOf(*record) : HostRecord();
    const py::gil_scoped_release released;
    model.finishProfile(std::move(read));
}

} // namespace
} // namespace tilescope::python

PYBIND11_MODULE(_simulator, m) {
    using namespace tilescope::python;
    m.doc() = "Compiles, times and computes ONNX models on a simulated IPU.";
    // The user's errors are ValueErrors here, and ProfileErrors in tilescope._core; broken
    // invariants stay RuntimeErrors.
    py::register_local_exception_translator([](std::exception_ptr error) {
        try {
            if (error)
                std::rethrow_exception(error);
        } catch (const tilescope::UserError& mistake) {
            PyErr_SetString(PyExc_ValueError, mistake.what());
        } catch (const py::builtin_exception&) {
            throw; // raised by this module itself
        } catch (const std::bad_alloc&) {
            throw; // a MemoryError
        } catch (const std::exception& fault) {
            PyErr_SetString(
                PyExc_RuntimeError,
                fmt::format("internal error of TileScope: {}; please report it with the "
                            "program that led to it",
                            fault.what())
                    .c_str());
        }
    });
    m.def("options", &optionTable, "Keys of a job with their descriptions.");
    m.def("check_option", &checkOption, py::arg("key"), py::arg("value"),
          py::arg("others") = std::map<std::string, std::string>{},
          "Raises ValueError with the option table's message for an invalid value; `others` are "
          "options that bounds depend on.");
    m.def("check_options", &checkOptions, py::arg("values"),
          "The same for all keys of a job, and for their combination.");
    m.def("face_options", &faceOptions, py::arg("face"),
          "The options that 'poptorch', 'popart' (session options) or 'keras' has names for: (name "
          "there, key of a job, whether it is a switch, {value there: value here}).");
    m.def("idle_options", &idleKeys, py::arg("values"), py::arg("computes") = true,
          "Keys of a job that mean nothing beside the others, with the reason; `computes`: whether "
          "its program computes values.");
    m.def("engine_options", &engineOptions, py::arg("json"), py::arg("origin"),
          "Poplar engine options of a JSON object; `origin` names it in errors.");
    py::class_<CompiledModel>(m, "CompiledModel", "A model compiled for a simulated machine.")
        .def(
            py::init(&compiled), py::arg("onnx"), py::arg("name"), py::arg("options"),
            py::arg("blocks") = std::map<std::int64_t, py::tuple>{}, py::arg("profile") = "",
            py::arg("computes") = true, py::arg("losses") = py::none(),
            py::arg("trained") = std::nullopt, py::arg("parameters") = std::set<std::string>{},
            py::arg("state") = py::list(), py::arg("anchors") = std::vector<std::string>{},
            py::arg("values") = "off", py::arg("value_samples") = 50,
            py::arg("progress") = std::nullopt, py::arg("source") = SourceTuple(),
            "Compiles and times a serialised ONNX model. `options` are job keys, `blocks` are "
            "(stage, IPU, phase) by the number in the scope 'tilescope-block-N', -1 for none; "
            "`losses` are the numbers of outputs that training may minimise, None for inference; "
            "`trained` names the weights that training changes, None for all; `parameters` "
            "initialisers that are weights regardless of their size, and `state` those (name, "
            "shape) that the model's last outputs overwrite after each micro-batch; `anchors` are "
            "tensors kept by calls for anchored(). `values` selects the computed values written by "
            "finish_profile(): 'all', 'curves' or 'off'. `source` has (texts of the program's "
            "files "
            "by path, parts of paths of libraries, stacks by anchor). Raises ValueError for errors "
            "of the user.")
        .def_property_readonly("figures", &figuresOf, "Results of the simulation, as a dict.")
        .def_property_readonly(
            "inputs", [](const CompiledModel& model) { return infoList(model.inputs()); },
            "(name, shape of a micro-batch, element type) of each input.")
        .def_property_readonly(
            "outputs", [](const CompiledModel& model) { return infoList(model.outputs()); },
            "The same for each output.")
        .def_property_readonly("micro_batches", &CompiledModel::microBatches,
                               "Micro-batches of a call, over all replicas.")
        .def(
            "run", &results, py::arg("inputs"), py::arg("wanted"),
            py::arg("anchored") = std::map<std::string, std::vector<std::int64_t>>{},
            "One call. `inputs`: arrays of float32 or int32 by name, all micro-batches one after "
            "the other. Returns for each output an array [len(wanted), *shape]; `anchored` are the "
            "micro-batches kept of each anchor.")
        .def("forward", &forwardOf, py::arg("inputs"),
             "(name, array) of each operation's results for the first micro-batch, with the "
             "initial weights.")
        .def("drawing", &CompiledModel::drawing, "Operations that draw random numbers.")
        .def("tensor_names", &CompiledModel::tensorNames, py::call_guard<py::gil_scoped_release>(),
             "Names that anchors may have.")
        .def(
            "anchored",
            [](const CompiledModel& model, const std::string& name) {
                const CompiledModel::AnchoredValue value = model.anchored(name);
                return stacked(value.info, value.rows);
            },
            "An anchor's value in the last call, as run() returns outputs.")
        .def("weights", &CompiledModel::weights, "Names of the weights.")
        .def("constants", &CompiledModel::constants, "Names of all initialisers of the model.")
        .def(
            "weight",
            [](const CompiledModel& model, const std::string& name) {
                return arrayOf(model.weight(name));
            },
            "The current value of a weight.")
        .def(
            "set_weight",
            [](CompiledModel& model, const std::string& name, const py::array& value) {
                model.setWeight(name, dataOf(value));
            },
            "Overwrites a weight on all replicas.")
        .def("finish_profile", &finishProfile, py::arg("record") = std::nullopt,
             "Writes the profile again with the values of the calls so far, and with the program's "
             "recordings, see libpvti. Later calls are not recorded.")
        .def("state", &stateOf, "The optimizer's state, arrays by name.")
        .def("set_state", &setState, "Overwrites the optimizer's state where names agree.")
        .def(
            "set_learning_rates", &CompiledModel::setLearningRates, py::arg("rates"),
            "Sets the learning rates from now on: of the run, then of its parameter groups; a list "
            "for each update of a call, whose last one holds for all further updates.");
}
