"""Sessions: a model, compiled for a device, and its calls."""
from __future__ import annotations

import copy
import json
import tempfile
import weakref
from typing import Any, Dict, List, Optional

import numpy
from libpvti._recorder import recorder as _pvti
from tilescope import _profile_files, _source_lines
from tilescope._learning_rates import split_learning_rates

from . import _jobs
from ._anchors import ACCUMULATOR, GRADIENT, Anchored
from ._builder import model_of
from ._data_flow import DataFlow, InputShapeInfo
from ._devices import DeviceInfo
from ._enums import ENUMS
from ._errors import (OutOfMemoryException, as_popart_exception, popart_exception,
                      popart_runtime_error, refused)
from ._graph import Graph
from ._host_weights import HostWeights
from ._logging import getLogger
from ._optimizers import Optimizer
from ._program import Counts, Program, leading_shape
from ._session_options import SessionOptions
from ._tensors import TensorInfo


def _finish(program: Any, profile: str, zero: List[float]) -> None:
    try:
        _profile_files.finish_profile(program, profile, zero)
    except ValueError as error:
        getLogger("session").warn(str(error))


class Session(HostWeights):
    """What inference and training have in common."""

    _training = False

    def __init__(self, fnModel: Any, dataFlow: DataFlow, deviceInfo: DeviceInfo,
                 inputShapeInfo: Optional[InputShapeInfo], userOptions: Optional[SessionOptions],
                 name: str, loss: Optional[str], optimizer: Optional[Optimizer]) -> None:
        self._options = copy.deepcopy(userOptions or SessionOptions())
        self._flow, self._device, self._name = dataFlow, deviceInfo, name
        self._optimizer, self._loss = copy.deepcopy(optimizer), loss
        self._made_at = _source_lines.here()
        self._graph = Graph()
        self._graph.load(_with_shapes(model_of(fnModel), inputShapeInfo))
        self._counts = Counts(dataFlow.batchesPerStep(),
                              _jobs.accumulation_of(self._options, self._training),
                              _jobs.replicas_of(self._options))
        self._check_loss()
        self._anchored = Anchored(self._graph, dataFlow.anchors(), loss)
        self._program: Optional[Program] = None
        self._seed: Optional[int] = None
        self._zero: List[float] = []
        self._has_run = False
        self._load_host_weights()
        if self._optimizer is not None:
            weights = {name: self._host[name] for name in self._weight_names()}
            self._optimizer._check_weights(weights)
        self._keys()  # options that do not suit the model are errors already here

    def _check_loss(self) -> None:
        if self._loss is None:
            return
        info = self._graph.infos.get(self._loss)
        if info is None:
            raise popart_exception(f"Could not find loss tensor '{self._loss}' in main graph "
                                   "tensors")
        if info.nelms() != 1:
            raise popart_exception(f"Loss tensor, '{self._loss}', must be a scalar tensor")

    def _keys(self, for_values: bool = False) -> Dict[str, str]:
        """Keys of the job that is timed, or that computes values."""
        with as_popart_exception():
            keys = _jobs.job_options(self._options, self._device, self._flow,
                                     self._anchored.live_nodes(), self._optimizer, self._seed,
                                     for_values)
        if self._loss is not None:
            keys["lossOutput"] = self._anchored.loss
            groups = json.loads(keys.get("parameterGroups", "{}"))
            if self._anchored.zeros and "globalClipNorm" in keys:
                name = next(iter(self._anchored.zeros))
                raise refused(f"the anchor 'Gradient___{name}' with clip_norm_settings",
                              "only gradients of weights are anchors then")
            groups.update({zero: {"learningRate": 0.0} for zero in self._anchored.zeros.values()})
            if groups:
                keys["parameterGroups"] = json.dumps(groups)
        return keys

    @property
    def dataFlow(self) -> DataFlow:
        """Batches of a call and its anchors."""
        return self._flow

    @property
    def replicationFactor(self) -> int:
        """Replicas."""
        return self._counts.replicas

    @property
    def accumulationFactor(self) -> int:
        """Micro-batches of a weight update."""
        return self._counts.accumulation

    def getInfo(self, id: str) -> TensorInfo:
        """Type and shape of a tensor of one micro-batch."""
        plain = id
        for prefix in (GRADIENT, ACCUMULATOR):
            plain = plain[len(prefix):] if plain.startswith(prefix) else plain
        if plain not in self._graph.infos:
            raise popart_runtime_error(f"TensorInfo for `{id}' not set")
        return self._graph.infos[plain]

    def initAnchorArrays(self) -> Dict[str, numpy.ndarray]:
        """Arrays for the anchors; leading dimensions of 1 are left out."""
        arrays = {}
        for name in self._flow.anchors():
            info = self._anchored.sources[name].info
            leading = leading_shape(self._flow.art(name), self._counts)
            shape = [size for size in leading if size != 1] + info.shape()
            arrays[name] = numpy.zeros(shape, info.numpy_type())
        return arrays

    # Compiling

    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Compiles the model and writes its profile, if POPLAR_ENGINE_OPTIONS or engineOptions ask
        for one.

        Raises:
            popart.OutOfMemoryException: for a model that does not fit, with Poplar's text.
            popart_exception: for a model that cannot be simulated.
        """
        with as_popart_exception():
            profile = _jobs.profile_of(self._options, self._name)
        self._compile(profile)

    def _compile(self, profile: str) -> None:
        program = self._compiled(profile)
        figures = program.figures
        for severity, text, _ in figures["messages"]:
            if severity in ("warning", "info"):
                getattr(getLogger("session"), severity[:4])(text)
        _profile_files.note_writer(program.timed, profile)
        weakref.finalize(self, _finish, program.timed, profile, self._zero)
        if not figures["fits"]:
            raise OutOfMemoryException(figures["failure"], figures["profile"])
        self._program = program

    def _compiled(self, profile: str) -> Program:
        return Program(self._anchored, self._graph.infos, self._flow, self._counts, self._name,
                       self._keys(), self._keys(for_values=True), profile, self._weight_names(),
                       self._lines())

    def _lines(self) -> Dict[str, _source_lines.Stack]:
        """Lines outside of the model: where the session and the optimizer were made, and this one."""
        lines = {"model": self._made_at, "call": _source_lines.here()}
        if self._optimizer is not None:
            lines["optimizer"] = self._optimizer.made_at
        return lines

    def _compile_again(self) -> None:
        """Compiles for other values of the optimizer; weights and state stay."""
        if self._program is None:
            return
        before = self._program
        weights = {name: before.weight(name) for name in self._weight_names()}
        state = before.model.state()
        self._compile(before.profile)
        assert self._program is not None
        for name, value in weights.items():
            if value is not None:
                self._program.set_weight(name, value)
        self._program.model.set_state(state)

    def _prepared(self, what: str) -> Program:
        if self._program is None:
            raise popart_runtime_error(f"Devicex::prepare() must be called before {what} is called.")
        return self._program

    def setRandomSeed(self, seedValue: int) -> None:
        """Determines the random numbers of calls from now on."""
        program = self._prepared("Devicex::setRandomSeedFromHost(uint64_t)")
        if program.model.drawing() and seedValue != self._seed:
            self._seed = int(seedValue)
            self._compile_again()

    # Calling

    def run(self, stepio: Any, debugName: str = "") -> None:
        """A call: all micro-batches of its batches; fills the anchors' arrays."""
        if self._device.connectionType == ENUMS["DeviceConnectionType"]["Never"]:
            raise popart_runtime_error("Offline IPU device is not configured for execution")
        program = self._prepared("run")
        if self._training and self._host and not self._is_loaded:
            raise popart_runtime_error(
                "Must call weightsFromHost before run as the model has initializers and the session "
                "has been created in training mode")
        self._zero[:] = self._zero or [_pvti.now()]
        if program.keys.get("ignoreData") != "on":
            program.run(stepio)
        self._has_run = True

    def getCycleCount(self, id: str = "") -> int:
        """Cycles of a call, as simulated."""
        if not self._has_run:
            raise popart_runtime_error("Must call run before getCycleCount.")
        if not self._options.instrumentWithHardwareCycleCounter:
            raise popart_runtime_error("SessionOption 'instrumentWithHardwareCycleCounter' must be "
                                       "set to true in order to measure cycle count")
        if id not in ("", "inner_ipu_0"):
            raise popart_runtime_error(f"Invalid id for cycle counter, '{id}'. Make sure you have "
                                       "set SessionOption::hardwareInstrumentations correctly.")
        return int(self._prepared("getCycleCount").figures["cycles"])

    def getReport(self) -> Any:
        """The profile, as a pva.Report; one that was not asked for is written to a folder of its
        own."""
        import pva
        program = self._prepared("getReport")
        if program.profile:
            return pva.openReport(program.profile)
        self._folder = tempfile.TemporaryDirectory(prefix="popart")
        path = f"{self._folder.name}/profile.pop"
        self._compiled(path)
        return pva.openReport(path)


#: Methods of PopART's sessions that are refused, and what to do instead.
_REFUSED = {
    "compileAndExport": "call prepareDevice(); enableEngineCaching keeps programs",
    "connectStreamToCallback": "gradients are reduced on the device",
    "fromIr": "make a session of an ONNX model",
    "getRNGState": "random numbers follow from setRandomSeed() alone",
    "getSerializedGraph": "the profile shows the graph",
    "getSummaryReport": "use getReport(), or `tilescope report` on the profile",
    "loadExecutable": "call prepareDevice()",
    "saveExecutable": "call prepareDevice(); enableEngineCaching keeps programs",
    "saveExecutableToFile": "call prepareDevice(); enableEngineCaching keeps programs",
    "setRNGState": "random numbers follow from setRandomSeed() alone",
    "updateExternallySavedTensorLocations": "weights stay in the model",
    "_serializeIr": "the profile shows the graph",
}


def _refuse(name: str, instead: str) -> None:
    def method(*args: Any, **kwargs: Any) -> None:
        raise refused(name, instead)

    method.__name__, method.__doc__ = name, f"Refused: {instead}."
    setattr(Session, name, method)


for _name, _instead in _REFUSED.items():
    _refuse(_name, _instead)


def _with_shapes(model: Any, shapes: Optional[InputShapeInfo]) -> Any:
    """The model with the shapes of inputs that it leaves open."""
    if shapes is not None and shapes._infos:
        for value in model.graph.input:
            if shapes.has(value.name):
                value.CopyFrom(shapes.get(value.name).value_info(value.name))
    return model


class InferenceSession(Session):
    """A session that computes a model's anchors.

    >>> session = popart.InferenceSession(builder.getModelProto(), flow, device)
    """

    def __init__(self, fnModel: Any, dataFlow: DataFlow, deviceInfo: DeviceInfo,
                 inputShapeInfo: Optional[InputShapeInfo] = None, patterns: Any = None,
                 userOptions: Optional[SessionOptions] = None, name: str = "inference") -> None:
        super().__init__(fnModel, dataFlow, deviceInfo, inputShapeInfo, userOptions, name, None,
                         None)


class TrainingSession(Session):
    """A session that trains a model's weights.

    >>> session = popart.TrainingSession(model, flow, loss, popart.ConstSGD(0.1), device)
    """

    _training = True

    def __init__(self, fnModel: Any, dataFlow: DataFlow, loss: str, optimizer: Optimizer,
                 deviceInfo: DeviceInfo, inputShapeInfo: Optional[InputShapeInfo] = None,
                 patterns: Any = None, userOptions: Optional[SessionOptions] = None,
                 name: str = "training") -> None:
        super().__init__(fnModel, dataFlow, deviceInfo, inputShapeInfo, userOptions, name,
                         loss[0] if isinstance(loss, list) else loss, optimizer)

    def updateOptimizerFromHost(self, optimizer: Optimizer) -> None:
        """Uses other values of the optimizer from now on, where they may change. Learning rates
        change at once; for others the program is compiled again.

        Raises:
            popart_exception: for a value that is constant.
        """
        assert self._optimizer is not None
        self._optimizer._check_replacement(optimizer)
        _, before = split_learning_rates(self._keys())
        self._optimizer = copy.deepcopy(optimizer)
        rates, rest = split_learning_rates(self._keys())
        if self._program is None:
            return
        if rest != before:
            self._compile_again()
            return
        with as_popart_exception():
            self._program.model.set_learning_rates([rates])
        self._program.keys = self._keys()
