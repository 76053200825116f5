"""The host's copy of weights and optimizer state."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy
import onnx
from onnx import numpy_helper

from ._builder import model_of
from ._errors import as_popart_exception, popart_runtime_error
from ._graph import Graph
from ._optimizers import Optimizer
from ._program import Program
from ._session_options import SessionOptions
from ._stepio import PyWeightsIO


class HostWeights:
    """A session's methods for weights: they go from the host's copy to the device and back."""

    _graph: Graph
    _options: SessionOptions
    _program: Optional[Program]
    _optimizer: Optional[Optimizer]
    _training: bool
    _host: Dict[str, numpy.ndarray]
    _is_loaded: bool

    def _prepared(self, what: str) -> Program:
        raise NotImplementedError

    def _load_host_weights(self) -> None:
        tensors = self._graph.model.graph.initializer
        self._host = {tensor.name: numpy_helper.to_array(tensor).copy() for tensor in tensors}
        self._is_loaded = False

    def _weight_names(self) -> List[str]:
        """Weights, which are floating-point initialisers; others are constants."""
        return [name for name, value in self._host.items()
                if name in self._graph.infos and value.dtype.kind == "f"]

    def _state(self) -> Dict[str, numpy.ndarray]:
        """The optimizer's state on the device."""
        state = self._program.model.state() if self._training and self._program else {}
        return {self._state_name(name): value for name, value in state.items()
                if name.partition("___")[2] in self._graph.infos}

    def _state_name(self, name: str) -> str:
        """PopART's name of state that the simulator calls `name`."""
        for ours, theirs in (self._optimizer._prefixes if self._optimizer else {}).items():
            if name.startswith(ours):
                return theirs + name[len(ours):]
        return name

    def _all_names(self) -> List[str]:
        return [*self._host, *(name for name in self._state() if name not in self._host)]

    def weightsFromHost(self) -> None:
        """Copies weights and optimizer state to the device."""
        program = self._prepared("weightsFromHost")
        with as_popart_exception():
            for name in self._weight_names():
                program.set_weight(name, self._host[name])
            state = {name: self._host[self._state_name(name)].astype(value.dtype, order="C")
                     for name, value in program.model.state().items()
                     if self._state_name(name) in self._host}
            program.model.set_state(state)
        self._is_loaded = True

    def weightsToHost(self) -> None:
        """Copies weights and optimizer state to the host."""
        program = self._prepared("weightsToHost")
        for name in self._weight_names():
            value = program.weight(name)
            if value is not None:
                self._host[name] = value
        self._host.update(self._state())

    def readWeights(self, weightsIo: PyWeightsIO) -> None:
        """Copies the host's weights into the arrays of the caller."""
        for name, array in weightsIo._weights.items():
            self._check_name(name, "readWeights")
            array[...] = self._host[name].reshape(array.shape)

    def writeWeights(self, weightsIo: PyWeightsIO) -> None:
        """Copies arrays of the caller to the host's weights."""
        self._check_constant("writeWeights")
        for name, array in weightsIo._weights.items():
            self._check_name(name, "writeWeights")
            self._replace(name, numpy.asarray(array))

    def _replace(self, name: str, array: numpy.ndarray) -> None:
        old = self._host.get(name)
        if old is not None and old.size != array.size:
            raise popart_runtime_error(f"tensor '{name}' has {old.size} elements, not {array.size}")
        self._host[name] = array.copy() if old is None else (
            array.astype(old.dtype).reshape(old.shape))

    def _check_name(self, name: str, what: str) -> None:
        if name not in self._host:
            raise popart_runtime_error(f"{what}, no tensor '{name}' in tensors")

    def _check_constant(self, what: str) -> None:
        if not self._training and self._options.constantWeights:
            raise popart_runtime_error(
                f"Cannot call {what} when constantWeights is set. Set `constantWeights` to False in "
                "the `SessionOption`s when creating the session.")

    def modelToHost(self, filename: str) -> None:
        """Writes the model with the device's weights, and the optimizer's state as further
        initialisers ("Accl___w")."""
        self.weightsToHost()
        model = onnx.ModelProto()
        model.CopyFrom(self._graph.model)
        known = {tensor.name: tensor for tensor in model.graph.initializer}
        for name, value in self._host.items():
            made = numpy_helper.from_array(numpy.ascontiguousarray(value).reshape(value.shape), name)
            if name in known:
                known[name].CopyFrom(made)
            else:
                model.graph.initializer.append(made)
        onnx.save(model, filename)

    def resetHostWeights(self, modelProtoOrFilename: Any,
                         ignoreWeightsInModelWithoutCorrespondingHostWeight: bool = False) -> None:
        """Takes the host's weights from a model; weightsFromHost() copies them to the device.

        Raises:
            popart_exception: if the model has weights that the session does not have.
        """
        self._check_constant("resetHostWeights")
        known = self._all_names()
        found = {tensor.name: numpy_helper.to_array(tensor)
                 for tensor in model_of(modelProtoOrFilename).graph.initializer}
        for name in found:
            if name not in known and not ignoreWeightsInModelWithoutCorrespondingHostWeight:
                raise popart_runtime_error(f"resetWeights, no tensor '{name}' in tensors")
        for name in known:
            if name in found:
                self._replace(name, found[name])
