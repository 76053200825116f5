"""Batches for fit(), evaluate() and predict(), of arrays or of data sets."""
from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from . import _nest
from ._dataset import Dataset
from ._errors import NotSimulated
from ._system import logger
from ._tensor import Tensor, Variable
from .initializers import random_state

_PARTIAL = ("The provided set of data has a partial batch, which could result in data being "
            "dropped. Use a batch size that divides the number of samples, or drop the last batch "
            "(drop_remainder=True).")


class Batch(NamedTuple):
    """Operands, labels and weights of the samples of a micro-batch, each nested."""
    x: Any
    y: Any
    weights: Any


def array_of(value: Any) -> numpy.ndarray:
    """An array in a type that the machine takes."""
    array = numpy.asarray(value.numpy() if isinstance(value, (Tensor, Variable)) else value)
    if array.dtype == numpy.float64:
        return array.astype(numpy.float32)  # as Keras casts what it is given
    return array


def unpack(element: Any) -> Batch:
    """An element of a data set: operands, or a tuple with labels and weights, too."""
    if isinstance(element, list):
        element = tuple(element)
    if not isinstance(element, tuple):
        return Batch(element, None, None)
    return Batch(*(*element, None, None)[:3])


class Source:
    """Base of both: batches of an epoch."""
    size: Optional[int] = None  #: batches of an epoch; None: open

    def epoch(self) -> Iterator[Batch]:
        """The batches of the next epoch."""
        raise NotImplementedError


class ArraySource(Source):
    """Arrays, cut into batches."""

    def __init__(self, x: Any, y: Any, weights: Any, batch: int, shuffle: bool) -> None:
        arrays = _nest.map_structure(array_of, [x, y, weights]) if y is not None else [
            _nest.map_structure(array_of, x), None, None]
        self._parts = arrays if weights is not None or y is None else [*arrays[:2], None]
        counts = {len(part) for part in _nest.flatten(self._parts)
                  if isinstance(part, numpy.ndarray) and part.ndim}
        if len(counts) > 1:
            raise ValueError(f"Data cardinality is ambiguous: arrays have {sorted(counts)} samples. "
                             "Make sure all arrays contain the same number of samples.")
        self.samples = counts.pop()
        if self.samples % batch:
            raise ValueError(_PARTIAL)
        self.size, self._batch, self._shuffle = self.samples // batch, batch, shuffle

    def epoch(self) -> Iterator[Batch]:
        order = numpy.arange(self.samples)
        if self._shuffle:
            random_state().shuffle(order)
        for start in range(0, self.samples, self._batch):
            rows = order[start:start + self._batch]
            yield Batch(*_nest.map_structure(
                lambda part: part[rows] if isinstance(part, numpy.ndarray) and part.ndim else None,
                self._parts))


class DatasetSource(Source):
    """A data set; with a number of steps one iterator serves all epochs."""

    def __init__(self, dataset: Dataset, steps: Optional[int]) -> None:
        self._check(dataset)
        count = int(dataset.cardinality())
        if count == -2:
            logger.info("The provided set of data has an unknown size. This can result in runtime "
                        "errors if not enough data is provided during execution.")
        self.size = count if count >= 0 else None
        self._dataset, self._steps = dataset, steps
        self._iterator: Optional[Iterator[Any]] = None

    @staticmethod
    def _check(dataset: Dataset) -> None:
        for spec in _nest.flatten(dataset.element_spec):
            if not spec.shape.is_fully_defined():
                raise ValueError(f"The provided set of data contains a shape {spec.shape} which is "
                                 "not fully defined. Executing with non-fully defined shapes is "
                                 "not supported. Set drop_remainder=True in batch().")

    def epoch(self) -> Iterator[Batch]:
        if self._steps is None or self._iterator is None:
            self._iterator = self._dataset.as_arrays()
        for element in self._iterator:
            yield Batch(*[None if part is None else _nest.map_structure(array_of, part)
                          for part in unpack(element)])


def source_of(x: Any, y: Any, weights: Any, batch_size: Optional[int], steps: Optional[int],
              shuffle: bool) -> Source:
    """The batches for the arguments of fit().

    Raises:
        ValueError: for arguments that do not suit a data set.
    """
    if isinstance(x, Dataset):
        if y is not None:
            raise ValueError("`y` argument is not supported when using dataset as input.")
        if batch_size is not None:
            raise ValueError("The `batch_size` argument must not be specified for the given input "
                             f"type. Received input: {x}, batch_size: {batch_size}")
        return DatasetSource(x, steps)
    if hasattr(x, "__next__"):
        from ._dataset import from_iterator
        return DatasetSource(from_iterator(x), steps)
    return ArraySource(x, y, weights, batch_size or 32, shuffle)


def class_weights(weight_of: Any, y: Any, weights: Any) -> Any:
    """A weight for each sample by the class of its label, times its own weight if it has one; without
    weights of classes only these.

    Raises:
        NotSimulated: unless the labels are one array.
        ValueError: for a class without a weight.
    """
    if weight_of is None:
        return weights
    if y is None or _nest.is_nested(y):
        raise NotSimulated("class_weight is simulated for the labels of one output, given as an array; "
                           "use sample weights")
    labels = array_of(y)
    several = labels.ndim > 1 and labels.shape[-1] > 1
    classes = (labels.argmax(-1) if several else labels.reshape(len(labels), -1)[:, 0]).astype(int)
    missing = sorted(set(classes.flat) - set(weight_of))
    if missing:
        raise ValueError(f"`class_weight` has no weight for the class {missing[0]}, which the labels "
                         "have.")
    made = numpy.array([weight_of[int(number)] for number in classes.flat], numpy.float32)
    made = made.reshape(classes.shape)
    return made if weights is None else made * array_of(weights)


def stacked(batches: List[Any], order: List[int]) -> List[numpy.ndarray]:
    """The leaves of several batches, each with all batches in the given order in front."""
    leaves = [_nest.flatten(batch) for batch in batches]
    return [numpy.stack([leaves[i][number] for i in order]) for number in range(len(leaves[0]))]


def call_order(iterations: int, replicas: int, accumulation: int) -> List[int]:
    """Which batch of the data each micro-batch of a call takes: consecutive batches go to
    consecutive replicas."""
    return [(i * accumulation + m) * replicas + r for i in range(iterations)
            for r in range(replicas) for m in range(accumulation)]


def split_validation(arrays: Tuple[Any, ...], share: float) -> Tuple[Any, Any]:
    """The first part for training, and the last for validation."""
    count = len(_nest.flatten(arrays[0])[0])
    at = int(count * (1 - share))
    return tuple(
        tuple(None if part is None else _nest.map_structure(lambda x: x[keys], part)
              for part in arrays) for keys in (slice(0, at), slice(at, count)))  # type: ignore
