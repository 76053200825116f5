// Executed steps for Python. As there may be ten million of them, a step is three words that refer
// to a batch shared by many, and its class uses the interpreter's C API directly.
#include "app/python/core/steps.h"

#include <algorithm>
#include <array>
#include <new>

namespace tilescope::python {
namespace {

// Number of steps read at once, and kept as long as any of them is used.
constexpr std::size_t stepsOfBatch = 1024;

/// A batch with the data its steps share: the report they belong to, and the classes of steps and
/// IPUs.
struct BatchObject {
    PyObject_HEAD StepBatch batch;
    std::int32_t ipus;
    PyObject* owner;
    PyTypeObject* ipuClass;
};

struct StepObject {
    PyObject_HEAD BatchObject* batch;
    std::size_t at;
    [[nodiscard]] const StepBatch::Step& step() const { return batch->batch.steps[at]; }
};

/// The activity of a step on its IPUs, as a sequence; `ipu` is -1, or selects one of them.
struct IpusObject {
    PyObject_HEAD BatchObject* batch;
    std::size_t at;
    std::int32_t ipu;
    /// Null if the IPU has nothing to do in the step.
    [[nodiscard]] const StepOnIpu* times() const {
        const StepBatch& all = batch->batch;
        const StepBatch::Step& step = all.steps[at];
        const auto first = all.ipus.begin() + step.firstIpu;
        const auto end = all.ipus.begin() + step.endIpu;
        const auto found = std::lower_bound(first, end, ipu, [](const StepOnIpu& on, int wanted) {
            return on.ipu.value() < wanted;
        });
        return found != end && found->ipu.value() == ipu ? &*found : nullptr;
    }
};

PyTypeObject* batchType = nullptr;
PyTypeObject* ipusType = nullptr;

void freeObject(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

void freeBatch(PyObject* self) {
    auto* batch = reinterpret_cast<BatchObject*>(self);
    batch->batch.~StepBatch();
    Py_XDECREF(batch->owner);
    Py_XDECREF(reinterpret_cast<PyObject*>(batch->ipuClass));
    freeObject(self);
}

template <class Object> void freeView(PyObject* self) {
    Py_XDECREF(reinterpret_cast<PyObject*>(reinterpret_cast<Object*>(self)->batch));
    freeObject(self);
}

BatchObject* newBatch(std::int32_t ipus, PyObject* owner, PyTypeObject* ipuClass) {
    auto* made = reinterpret_cast<BatchObject*>(batchType->tp_alloc(batchType, 0));
    if (made == nullptr)
        throw py::error_already_set();
    new (&made->batch) StepBatch;
    made->ipus = ipus;
    made->owner = Py_NewRef(owner);
    made->ipuClass =
        reinterpret_cast<PyTypeObject*>(Py_NewRef(reinterpret_cast<PyObject*>(ipuClass)));
    return made;
}

template <class Object> Object* newView(PyTypeObject* type, BatchObject* batch, std::size_t at) {
    auto* made = reinterpret_cast<Object*>(type->tp_alloc(type, 0));
    if (made != nullptr) {
        made->batch = reinterpret_cast<BatchObject*>(Py_NewRef(reinterpret_cast<PyObject*>(batch)));
        made->at = at;
    }
    return made;
}

const StepObject& stepOf(PyObject* self) {
    return *reinterpret_cast<const StepObject*>(self);
}

PyObject* number(std::int64_t value) {
    return PyLong_FromLongLong(value);
}

PyObject* stepIndex(PyObject* self, void*) {
    return number(stepOf(self).step().index);
}
PyObject* stepRun(PyObject* self, void*) {
    return number(stepOf(self).step().run);
}
PyObject* stepProgram(PyObject* self, void*) {
    return number(stepOf(self).step().program.value());
}
PyObject* stepKind(PyObject* self, void*) {
    const std::string_view name = toString(stepOf(self).step().kind);
    return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* stepOwner(PyObject* self, void*) {
    return Py_NewRef(stepOf(self).batch->owner);
}
PyObject* stepIpus(PyObject* self, void*) {
    const StepObject& step = stepOf(self);
    auto* ipus = newView<IpusObject>(ipusType, step.batch, step.at);
    if (ipus != nullptr)
        ipus->ipu = -1;
    return reinterpret_cast<PyObject*>(ipus);
}

std::array stepFields{
    PyGetSetDef{"index", stepIndex, nullptr, "Place in the order of execution, from 0.", nullptr},
    PyGetSetDef{"run", stepRun, nullptr, "The run that it is part of, from 0.", nullptr},
    PyGetSetDef{"program_id", stepProgram, nullptr, "Id of its program; -1 for a sync.", nullptr},
    PyGetSetDef{"kind", stepKind, nullptr, "Kind of its program: 'OnTileExecute'.", nullptr},
    PyGetSetDef{"owner", stepOwner, nullptr, "The object that the steps belong to.", nullptr},
    PyGetSetDef{"ipus", stepIpus, nullptr, "The activity of each IPU in the step, by IPU.",
                nullptr},
    PyGetSetDef{nullptr, nullptr, nullptr, nullptr, nullptr}};

const IpusObject& ipusOf(PyObject* self) {
    return *reinterpret_cast<const IpusObject*>(self);
}

Py_ssize_t ipusLength(PyObject* self) {
    return ipusOf(self).batch->ipus;
}

PyObject* ipusItem(PyObject* self, Py_ssize_t at) {
    const IpusObject& ipus = ipusOf(self);
    if (at < 0 || at >= ipus.batch->ipus) {
        PyErr_Format(PyExc_IndexError, "there is no IPU %zd: IPUs are 0 to %d", at,
                     ipus.batch->ipus - 1);
        return nullptr;
    }
    auto* one = newView<IpusObject>(ipus.batch->ipuClass, ipus.batch, ipus.at);
    if (one != nullptr)
        one->ipu = static_cast<std::int32_t>(at);
    return reinterpret_cast<PyObject*>(one);
}

template <std::int64_t StepOnIpu::*field> PyObject* ipuField(PyObject* self, void*) {
    const StepOnIpu* times = ipusOf(self).times();
    return number(times == nullptr ? 0 : times->*field);
}

PyObject* ipuNumber(PyObject* self, void*) {
    return number(ipusOf(self).ipu);
}
PyObject* ipuStep(PyObject* self, void*) {
    return number(ipusOf(self).batch->batch.steps[ipusOf(self).at].index);
}
PyObject* ipuOwner(PyObject* self, void*) {
    return Py_NewRef(ipusOf(self).batch->owner);
}
PyObject* ipuProgram(PyObject* self, void*) {
    return number(ipusOf(self).batch->batch.steps[ipusOf(self).at].program.value());
}

std::array ipuFields{
    PyGetSetDef{"ipu", ipuNumber, nullptr, "Number of the IPU.", nullptr},
    PyGetSetDef{"step_index", ipuStep, nullptr, "Place of the step in the order of execution.",
                nullptr},
    PyGetSetDef{"program_id", ipuProgram, nullptr, "Id of the step's program; -1 for a sync.",
                nullptr},
    PyGetSetDef{"owner", ipuOwner, nullptr, "The object that the steps belong to.", nullptr},
    PyGetSetDef{"start", ipuField<&StepOnIpu::start>, nullptr, "First cycle.", nullptr},
    PyGetSetDef{"cycles", ipuField<&StepOnIpu::cycles>, nullptr,
                "Cycles until its slowest tile is done.", nullptr},
    PyGetSetDef{"activeTiles", ipuField<&StepOnIpu::activeTiles>, nullptr, "Tiles that take part.",
                nullptr},
    PyGetSetDef{"tileCycles", ipuField<&StepOnIpu::activeCycles>, nullptr,
                "Cycles of all tiles together.", nullptr},
    PyGetSetDef{"dataIn", ipuField<&StepOnIpu::bytesIn>, nullptr, "Bytes received.", nullptr},
    PyGetSetDef{"dataOut", ipuField<&StepOnIpu::bytesOut>, nullptr, "Bytes sent.", nullptr},
    PyGetSetDef{nullptr, nullptr, nullptr, nullptr, nullptr}};

/// A class that cannot be instantiated from Python.
PyTypeObject* makeType(const char* name, std::size_t size, std::vector<PyType_Slot> slots) {
    slots.push_back({0, nullptr});
    PyType_Spec spec{name, static_cast<int>(size), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     slots.data()};
    PyObject* type = PyType_FromSpec(&spec);
    if (type == nullptr)
        throw py::error_already_set();
    return reinterpret_cast<PyTypeObject*>(type);
}

template <class Function> PyType_Slot slot(int id, Function* function) {
    return {id, reinterpret_cast<void*>(function)};
}
PyType_Slot documented(const char* text) {
    return {Py_tp_doc, const_cast<char*>(text)};
}

/// Checks that a class given by the caller is derived from ours.
PyTypeObject* classOf(const py::object& given, PyTypeObject* base) {
    if (!PyType_Check(given.ptr()) ||
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(given.ptr()), base) == 0)
        throw py::type_error(std::string("a subclass of ") + base->tp_name + " is expected");
    return reinterpret_cast<PyTypeObject*>(given.ptr());
}

PyTypeObject* stepType = nullptr;
PyTypeObject* ipuType = nullptr;

} // namespace

StepIterator::StepIterator(const ProfileHandle& profile, std::int64_t first, std::int64_t end,
                           py::object owner, py::object stepClass, py::object ipuClass)
    : walk_(*profile.load([](const ProfileView& view) { return view.trace(); }), first, end)
    , ipus_(profile.info().target.ipus)
    , owner_(std::move(owner))
    , stepClass_(std::move(stepClass))
    , ipuClass_(std::move(ipuClass)) {
    classOf(stepClass_, stepType);
    classOf(ipuClass_, ipuType);
}

py::object StepIterator::next() {
    auto* batch = reinterpret_cast<BatchObject*>(batch_.ptr());
    if (batch == nullptr || at_ == batch->batch.steps.size()) {
        batch_ = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(
            newBatch(ipus_, owner_.ptr(), reinterpret_cast<PyTypeObject*>(ipuClass_.ptr()))));
        batch = reinterpret_cast<BatchObject*>(batch_.ptr());
        at_ = 0;
        const py::gil_scoped_release released;
        if (!walk_.next(batch->batch, stepsOfBatch))
            return {};
    }
    auto* step =
        newView<StepObject>(reinterpret_cast<PyTypeObject*>(stepClass_.ptr()), batch, at_++);
    if (step == nullptr)
        throw py::error_already_set();
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(step));
}

namespace {

PyTypeObject* iteratorType = nullptr;

struct IteratorObject {
    PyObject_HEAD StepIterator* steps;
};

void freeIterator(PyObject* self) {
    delete reinterpret_cast<IteratorObject*>(self)->steps;
    freeObject(self);
}

PyObject* iteratorNext(PyObject* self) {
    try {
        return reinterpret_cast<IteratorObject*>(self)->steps->next().release().ptr();
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const UserError& error) {
        PyErr_SetString(profileError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

py::object steps(const ProfileHandle& profile, std::int64_t first, std::int64_t end,
                 py::object owner, const py::object& stepClass, const py::object& ipuClass) {
    auto made =
        std::make_unique<StepIterator>(profile, first, end, std::move(owner), stepClass, ipuClass);
    auto* object = reinterpret_cast<IteratorObject*>(iteratorType->tp_alloc(iteratorType, 0));
    if (object == nullptr)
        throw py::error_already_set();
    object->steps = made.release();
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
}

void makeTypes() {
    batchType = makeType("tilescope._core.StepBatch", sizeof(BatchObject),
                         {slot(Py_tp_dealloc, freeBatch)});
    stepType = makeType("tilescope._core.Step", sizeof(StepObject),
                        {slot(Py_tp_dealloc, freeView<StepObject>),
                         {Py_tp_getset, stepFields.data()},
                         documented("An executed step.")});
    ipusType =
        makeType("tilescope._core.StepIpus", sizeof(IpusObject),
                 {slot(Py_tp_dealloc, freeView<IpusObject>), slot(Py_sq_length, ipusLength),
                  slot(Py_sq_item, ipusItem), documented("The activity of each IPU in a step.")});
    ipuType = makeType("tilescope._core.StepIpu", sizeof(IpusObject),
                       {slot(Py_tp_dealloc, freeView<IpusObject>),
                        {Py_tp_getset, ipuFields.data()},
                        documented("The activity of one IPU in a step.")});
    iteratorType =
        makeType("tilescope._core.StepIterator", sizeof(IteratorObject),
                 {slot(Py_tp_dealloc, freeIterator), slot(Py_tp_iter, PyObject_SelfIter),
                  slot(Py_tp_iternext, iteratorNext),
                  documented("Steps one after the other; they are not kept in memory.")});
}

} // namespace

void bindSteps(py::module_& module, ProfileClass& profile) {
    makeTypes();
    for (const auto& [name, type] : {std::pair("Step", stepType), std::pair("StepIpu", ipuType)})
        module.add_object(name, reinterpret_cast<PyObject*>(type));
    profile
        .def(
            "step_count",
            [](const ProfileHandle& p) {
                return p.load([](const ProfileView& view) { return view.trace()->stepCount(); });
            },
            "Executed steps of all runs.")
        .def("steps", steps, py::arg("first"), py::arg("end"), py::arg("owner"),
             py::arg("step_class"), py::arg("ipu_class"),
             "An iterator over executed steps [first, end), objects of the class given.");
}

} // namespace tilescope::python
