"""A compiled program, and calls of it with values in PopART's order."""
from __future__ import annotations

import functools
from typing import Any, Dict, List, NamedTuple, Optional

import numpy
from tilescope import _simulator
from tilescope._source_lines import Stack

from ._anchors import Anchored, Source
from ._data_flow import AnchorReturnType, DataFlow
from ._enums import ENUMS
from ._errors import as_popart_exception
from ._tensors import TensorInfo

_Return = ENUMS["AnchorReturnTypeId"]
_ALL = AnchorReturnType("All")


class Counts(NamedTuple):
    """Micro-batches of a call: batches, those of a weight update, replicas."""
    batches: int
    accumulation: int
    replicas: int

    @property
    def all(self) -> int:
        """Micro-batches of a call."""
        return self.batches * self.accumulation * self.replicas

    def number(self, batch: int, micro_batch: int, replica: int) -> int:
        """The simulator's number of a micro-batch."""
        return (batch * self.replicas + replica) * self.accumulation + micro_batch

    def text(self) -> str:
        """How the number of elements of an array comes about."""
        return (f"It is made of batches per step: {self.batches}, gradient accumulation factor: "
                f"{self.accumulation}, replication factor: {self.replicas}")


def leading_shape(kind: AnchorReturnType, counts: Counts) -> List[int]:
    """Leading dimensions of an anchor's array, with those of 1."""
    if kind.id() in (_Return["Final"], _Return["Sum"]):
        return [counts.replicas]
    every = kind.rp() if kind.id() == _Return["EveryN"] else 1
    return [counts.batches // every, counts.accumulation, counts.replicas]


def numbers_of(kind: AnchorReturnType, counts: Counts) -> List[int]:
    """The simulator's numbers of the micro-batches of an anchor, in the array's order."""
    batches, micro_batches = range(counts.batches), range(counts.accumulation)
    if kind.id() == _Return["Final"]:
        batches, micro_batches = batches[-1:], micro_batches[-1:]
    elif kind.id() == _Return["EveryN"]:
        batches = batches[kind.rp() - 1::kind.rp()]
    return [counts.number(b, m, r) for b in batches for m in micro_batches
            for r in range(counts.replicas)]


def _for_simulator(array: numpy.ndarray) -> numpy.ndarray:
    kind = numpy.float32 if array.dtype.kind == "f" else numpy.int32
    return numpy.ascontiguousarray(array, kind).reshape(array.shape)


class Program:
    """A program for a model whose outputs are the anchors of `flow`.

    Args:
        keys: of the job that is timed, and whose profile is written.
        value_keys: of the job that computes values, where it is another.
        anchors: lines of the script, by what happens there.

    Raises:
        popart_exception: for a model that cannot be simulated.
    """

    def __init__(self, anchored: Anchored, infos: Dict[str, TensorInfo], flow: DataFlow,
                 counts: Counts, name: str, keys: Dict[str, str], value_keys: Dict[str, str],
                 profile: str, weights: List[str], anchors: Dict[str, Stack]) -> None:
        self._anchored, self._infos = anchored, infos
        self._flow, self._counts, self.keys = flow, counts, keys
        self.profile = profile
        both = keys == value_keys
        shards = keys.get("execution") == "sharded"
        compiled = functools.partial(_simulator.CompiledModel, anchored.serialized(shards), name,
                                     trained=anchored.trained(weights),
                                     parameters={*weights, *anchored.zeros.values()},
                                     source=anchored.source(anchors))
        with as_popart_exception():
            #: The program whose figures and profile there are.
            self.timed = compiled(keys, profile=profile, computes=both,
                                  anchors=anchored.kept if both else [])
            #: The program that computes values.
            self.model = self.timed if both or not self.figures["fits"] else compiled(
                value_keys, anchors=anchored.kept)

    @property
    def figures(self) -> Dict[str, Any]:
        """Results of the simulation."""
        return dict(self.timed.figures)

    def weight(self, name: str) -> Optional[numpy.ndarray]:
        """A weight's present value; None for one that is a constant of the program."""
        if name not in self.model.weights():
            return None
        return numpy.asarray(self.model.weight(name)).astype(self._infos[name].numpy_type())

    def set_weight(self, name: str, value: numpy.ndarray) -> None:
        """Overwrites a weight, if the program has it."""
        if name in self.model.weights():
            self.model.set_weight(name, _for_simulator(value))

    def run(self, stepio: Any) -> None:
        """A call: reads inputs from `stepio` and gives it the values of anchors."""
        counts, how = self._counts, self._counts.text()
        needed = [name for name, _, _ in self.model.inputs]
        needed += [source.key for source in self._anchored.sources.values()
                   if source.kind == "input"]
        given = {name: stepio._input(name, self._infos[name], counts.all, how)
                 for name in dict.fromkeys(needed)}
        for name in self._flow.anchors():
            stepio._check_output(name)
        outputs, kept = self._call(given)
        for name in self._flow.anchors():
            source = self._anchored.sources[name]
            values = self._values(name, source, given, outputs, kept)
            stepio._output(name, source.info, values.astype(source.info.numpy_type()), how)

    def _call(self, given: Dict[str, numpy.ndarray]) -> Any:
        """Outputs and kept gradients, each by name and the number of its micro-batch."""
        wanted: set = set()
        kept: Dict[str, set] = {}
        for name in self._flow.anchors():
            source, numbers = self._anchored.sources[name], self._numbers(name)
            if source.kind == "output":
                wanted.update(numbers)
            elif source.kind == "kept":
                kept.setdefault(source.key, set()).update(numbers)
            elif source.kind == "accumulated":
                kept.setdefault(source.key, set()).update(range(self._counts.all))
        rows = {key: sorted(numbers) for key, numbers in kept.items()}
        order = sorted(wanted)
        inputs = {name: self._ordered(given[name], self._infos[name])
                  for name, _, _ in self.model.inputs}
        with as_popart_exception():
            arrays = self.model.run(inputs, order, rows)
            gradients = {key: self.model.anchored(key) for key in rows}
        outputs = {name: dict(zip(order, array))
                   for name, array in zip(self._anchored.outputs, arrays)}
        return outputs, {key: dict(zip(rows[key], array)) for key, array in gradients.items()}

    def _numbers(self, name: str) -> List[int]:
        return numbers_of(self._flow.art(name), self._counts)

    def _ordered(self, array: numpy.ndarray, info: TensorInfo) -> numpy.ndarray:
        """An input in the simulator's order: replicas before the micro-batches of an update."""
        rows = _for_simulator(array).reshape(self._counts.all, *info.shape())
        ordered = numpy.empty_like(rows)
        ordered[numbers_of(_ALL, self._counts)] = rows
        return ordered

    def _values(self, name: str, source: Source, given: Dict[str, numpy.ndarray],
                outputs: Any, kept: Any) -> numpy.ndarray:
        """An anchor's values, a row for each leading index of its array."""
        numbers, shape = self._numbers(name), source.info.shape()
        if source.kind == "input":
            ordered = self._ordered(given[source.key], source.info)
            rows = [ordered[number] for number in numbers]
        elif source.kind == "constant":
            rows = [self._anchored.constant(source.key)] * len(numbers)
        elif source.kind == "output":
            rows = [outputs[source.key][number] for number in numbers]
        elif source.kind == "kept":
            rows = [kept[source.key][number] for number in numbers]
        else:
            rows = [self._sum_until(kept[source.key], number) for number in numbers]
        values = numpy.stack(rows).reshape(len(numbers), *shape)
        if self._flow.art(name).id() == _Return["Sum"]:
            values = values.reshape(-1, self._counts.replicas, *shape).sum(0)
        return values

    def _sum_until(self, gradients: Dict[int, numpy.ndarray], number: int) -> numpy.ndarray:
        """The sum of the gradients of an update up to a micro-batch."""
        first = number - number % self._counts.accumulation
        return numpy.sum([gradients[each] for each in range(first, number + 1)], axis=0)
