"""A compiled program: it shares its weights with the variables of the script."""
from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy
from tilescope import _simulator

from ._errors import ResourceExhaustedError
from ._graph import Graph
from ._job import split_rate
from ._lines import Stack, here
from ._system import logger
from ._tensor import Variable

_LOSS_MARK = "ai.graphcore/IdentityLoss"


def mark_loss(graph: Graph, loss: Any) -> Any:
    """The number that training minimises, as the simulator finds it."""
    return graph.emit(_LOSS_MARK, [graph.plain(loss)], (), loss.dtype, "loss", reduction="none",
                      __marked=1)


class Program:
    """What the simulator has compiled of a graph."""

    def __init__(self, graph: Graph, name: str, keys: Dict[str, str], profile: str = "",
                 trained: Optional[Sequence[Variable]] = None, optimizer: Any = None,
                 part: Optional[Dict[str, str]] = None, made_at: Optional[Stack] = None) -> None:
        """`made_at` are the lines that make the model. `part` are the keys of a program of fewer iterations, which computes a call's values one
        part after the other; the times and the profile are those of the whole."""
        graph.drop_unused()
        self.graph, self._optimizer = graph, optimizer
        training = trained is not None
        ids = {id(variable) for variable in trained or ()}
        names = {key for key, packing in graph.packings.items()
                 if any(id(variable) in ids for variable in packing.variables)}

        def compiled(own: Dict[str, str], file: str, computes: bool) -> Any:
            return _simulator.CompiledModel(
                graph.serialized(), name, own, profile=file, computes=computes,
                losses=[0] if training else None, trained=names if training else None,
                parameters=set(graph.packings), source=source)

        anchors = {"model": made_at, "optimizer": getattr(optimizer, "made_at", None), "call": here()}
        source = graph.source({kind: lines for kind, lines in anchors.items() if lines})
        self._compiled = compiled(keys, profile, part is None)
        self.figures: Dict[str, Any] = self._compiled.figures
        self._log()
        if not self.figures["fits"]:
            raise ResourceExhaustedError(self.figures["failure"])
        if part is not None:
            self._compiled = compiled(part, "", True)
        self._changing: Set[str] = names | graph.moving
        self._held = set(self._compiled.weights())
        self._versions: Dict[str, Tuple[int, ...]] = {}
        self._lock = threading.RLock()
        #: weight updates of a call
        self._updates = int((keys if part is None else part).get("deviceIterations", 1))
        self._rates: List[Optional[float]] = [split_rate(keys)[1]]
        self._has_state = False

    def _log(self) -> None:
        for severity, text, _ in self.figures["messages"]:
            if severity == "warning":
                logger.warning(text)

    @property
    def micro_batches(self) -> int:
        """Micro-batches of a call, over all replicas."""
        return int(self._compiled.micro_batches)

    def run(self, inputs: Dict[str, numpy.ndarray], wanted: Sequence[int]) -> List[numpy.ndarray]:
        """A call. `inputs` have all micro-batches in their first dimension; results of the wanted
        ones."""
        known = {name for name, _, _ in self._compiled.inputs}
        arrays = {name: self._stored(name, array) for name, array in inputs.items()
                  if name in known}
        with self._lock:
            self._upload()
            results = self._compiled.run(arrays, list(wanted))
            if self._optimizer is not None:
                self._optimizer.iterations.assign_add(self._updates)
            self._claim()
        return list(results)

    def _stored(self, name: str, array: numpy.ndarray) -> numpy.ndarray:
        """An input in the machine's type and order of dimensions."""
        kind = "float32" if self.graph.inputs[name][1].startswith("float") else "int32"
        if self.graph.transposed[name]:
            array = numpy.moveaxis(array, -1, 2)
        return numpy.ascontiguousarray(array, kind)

    # Weights

    def _upload(self) -> None:
        """Sends variables that have changed elsewhere."""
        for name, packing in self.graph.packings.items():
            for variable in packing.variables:
                if variable._fetch is not None and variable._fetch != self._fetch:
                    variable.numpy()
            versions = tuple(variable.version for variable in packing.variables)
            if name in self._held and self._versions.get(name) != versions:
                value = self.graph.initial_value(name)
                self._compiled.set_weight(name, value.astype(numpy.float32))
                self._versions[name] = versions
        if self._optimizer is not None:
            self._prepare_optimizer()

    def _prepare_optimizer(self) -> None:
        if not self._has_state and self._optimizer.state:
            self._compiled.set_state(self._optimizer.state)
        self._has_state = True
        rates = self._optimizer.next_rates(self._updates)
        if rates != self._rates:
            self._compiled.set_learning_rates([[rate] for rate in rates])
            self._rates = rates

    def _claim(self) -> None:
        """Makes the variables ask here for their values."""
        for name in self._changing & self._held:
            for variable in self.graph.packings[name].variables:
                variable.hold(self._fetch)

    def _fetch(self) -> None:
        """Brings all values that the program has changed."""
        with self._lock:
            for name in self._changing & self._held:
                packing = self.graph.packings[name]
                if not any(v._fetch == self._fetch for v in packing.variables):
                    continue
                arrays = packing.unpack(numpy.asarray(self._compiled.weight(name)))
                for variable, array in zip(packing.variables, arrays):
                    variable.receive(array)
                self._versions[name] = tuple(v.version for v in packing.variables)

    def retire(self) -> None:
        """Hands weights and the optimizer's moments over before another program takes them."""
        self._fetch()
        if self._optimizer is not None and self._has_state:
            self._optimizer.state = dict(self._compiled.state())
