"""tf.data.Dataset: elements are nested arrays, made when they are asked for."""
from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Iterator, List, Optional

import numpy

from . import _nest, _types
from ._errors import InvalidArgumentError, NotSimulated, refuse_unknown
from ._graph import current_graph
from ._tensor import Tensor, Variable
from .initializers import random_state

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, AUTOTUNE = -1, -2, -1

Elements = Callable[[], Iterator[Any]]


def _array(value: Any) -> numpy.ndarray:
    if isinstance(value, numpy.ndarray):
        return value
    return numpy.asarray(Tensor(value).numpy() if not isinstance(value, (Tensor, Variable)) else
                         value.numpy())


def _arrays(element: Any) -> Any:
    """Lists are one tensor, as TensorFlow has them, unless their parts are tensors."""
    if isinstance(element, list) and not any(isinstance(x, (Tensor, numpy.ndarray, list, tuple))
                                             for x in element):
        return _array(element)
    if isinstance(element, dict):
        return {key: _arrays(part) for key, part in element.items()}
    if isinstance(element, (list, tuple)) and not hasattr(element, "_fields"):
        return tuple(_arrays(part) for part in element)
    return _array(element)


def _spec_of(element: Any) -> Any:
    return _nest.map_structure(lambda x: _types.TensorSpec(x.shape, _types.dtype_of(x.dtype)),
                               element)


def _probe_of(spec: Any) -> Any:
    """An element of zeros."""
    return _nest.map_structure(
        lambda s: numpy.zeros([size or 1 for size in s.shape], s.dtype.as_numpy_dtype), spec)


def _joined_spec(one: Any, other: Any) -> Any:
    """Of elements of either; sizes that differ are not known."""
    if _nest.map_structure(lambda s: s.dtype, one) != _nest.map_structure(lambda s: s.dtype, other):
        raise TypeError(f"Two datasets to concatenate have different types {one} and {other}")

    def joined(a: Any, b: Any) -> Any:
        if len(a.shape) != len(b.shape):
            raise NotSimulated(f"Dataset.concatenate: elements of different ranks, {a} and {b}, are not simulated")
        return _types.TensorSpec([x if x == y else None for x, y in zip(a.shape, b.shape)], a.dtype)

    return _nest.map_structure(joined, one, other)


def _called(function: Callable[..., Any], element: Any) -> Any:
    """A function of an element, of which a tuple's parts are arguments of their own."""
    tensors = _nest.map_structure(Tensor, element)
    return function(*tensors) if isinstance(tensors, tuple) else function(tensors)


class Dataset:
    """A sequence of elements; every method returns another one."""

    def __init__(self, elements: Elements, count: int, spec: Any) -> None:
        self._elements, self._count, self._spec = elements, count, spec

    # Making

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Optional[str] = None) -> "Dataset":
        """The rows of tensors."""
        arrays = _arrays(tensors)
        count = len(_nest.flatten(arrays)[0])
        if any(len(leaf) != count for leaf in _nest.flatten(arrays)):
            raise ValueError("Dimensions of the tensors' rows are not equal")
        spec = _spec_of(_nest.map_structure(lambda x: numpy.empty(x.shape[1:], x.dtype), arrays))

        def elements() -> Iterator[Any]:
            return (_nest.map_structure(lambda x: x[i], arrays) for i in range(count))  # noqa: B023

        return Dataset(elements, count, spec)

    @staticmethod
    def from_tensors(tensors: Any, name: Optional[str] = None) -> "Dataset":
        """One element."""
        arrays = _arrays(tensors)
        return Dataset(lambda: iter([arrays]), 1, _spec_of(arrays))

    @staticmethod
    def from_generator(generator: Callable[..., Any], output_types: Any = None,
                       output_shapes: Any = None, args: Any = None, output_signature: Any = None,
                       name: Optional[str] = None) -> "Dataset":
        """What a generator yields."""
        if output_signature is None:
            shapes = output_shapes if output_shapes is not None else _nest.map_structure(
                lambda _: None, output_types)
            output_signature = _nest.map_structure(
                lambda kind, shape: _types.TensorSpec(shape, kind), output_types, shapes)
        spec = output_signature

        def elements() -> Iterator[Any]:
            for element in generator(*(args or ())):
                yield _nest.map_structure(
                    lambda wanted, part: numpy.asarray(part, wanted.dtype.as_numpy_dtype), spec,
                    element)

        return Dataset(elements, UNKNOWN_CARDINALITY, spec)

    @staticmethod
    def range(*args: int, **unused: Any) -> "Dataset":
        """Whole numbers."""
        numbers = range(*args)
        return Dataset(lambda: (numpy.int64(i) for i in numbers), len(numbers),
                       _types.TensorSpec((), _types.int64))

    @staticmethod
    def zip(datasets: Any) -> "Dataset":
        """Elements side by side."""
        counts = [d._count for d in datasets if d._count != INFINITE_CARDINALITY]
        count = UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in counts else min(counts, default=-1)
        return Dataset(lambda: zip(*[d._elements() for d in datasets]), count,
                       tuple(d._spec for d in datasets))

    # Changing

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
            deterministic: Any = None, name: Optional[str] = None) -> "Dataset":
        """A function of each element; a tuple's parts are its arguments."""

        def applied(element: Any) -> Any:
            return _arrays(_called(map_func, element))

        spec = _spec_of(applied(_probe_of(self._spec)))
        if any(None in s.shape[:1] for s in _nest.flatten(self._spec) if s.shape):
            spec = _nest.map_structure(
                lambda s: _types.TensorSpec((None, *s.shape[1:]), s.dtype), spec)
        return Dataset(lambda: map(applied, self._elements()), self._count, spec)

    def batch(self, batch_size: int, drop_remainder: bool = False, num_parallel_calls: Any = None,
              deterministic: Any = None, name: Optional[str] = None) -> "Dataset":
        """Several elements stacked."""
        size = int(batch_size)

        def elements() -> Iterator[Any]:
            source = self._elements()
            while rows := list(itertools.islice(source, size)):
                if len(rows) == size or not drop_remainder:
                    yield _nest.map_structure(lambda *parts: numpy.stack(parts), *rows)

        count = self._count
        if count >= 0:
            count = count // size if drop_remainder else -(-count // size)
        lead = size if drop_remainder else None
        spec = _nest.map_structure(lambda s: _types.TensorSpec((lead, *s.shape), s.dtype),
                                   self._spec)
        return Dataset(elements, count, spec)

    def unbatch(self) -> "Dataset":
        """The rows of each element."""

        def elements() -> Iterator[Any]:
            for element in self._elements():
                for row in range(len(_nest.flatten(element)[0])):
                    yield _nest.map_structure(lambda x: x[row], element)  # noqa: B023

        spec = _nest.map_structure(lambda s: _types.TensorSpec(s.shape[1:], s.dtype), self._spec)
        return Dataset(elements, UNKNOWN_CARDINALITY, spec)

    def repeat(self, count: Optional[int] = None, name: Optional[str] = None) -> "Dataset":
        """The whole again and again."""
        endless = count is None or count < 0

        def elements() -> Iterator[Any]:
            for _ in itertools.count() if endless else range(int(count or 0)):
                yield from self._elements()

        if endless:
            total = 0 if self._count == 0 else INFINITE_CARDINALITY
        else:
            total = self._count * int(count or 0) if self._count >= 0 else self._count
        return Dataset(elements, total, self._spec)

    def shuffle(self, buffer_size: int, seed: Optional[int] = None,
                reshuffle_each_iteration: Optional[bool] = None,
                name: Optional[str] = None) -> "Dataset":
        """Each element is drawn at random from a buffer."""
        generator = random_state(seed)

        def elements() -> Iterator[Any]:
            source = self._elements()
            buffer = list(itertools.islice(source, int(buffer_size)))
            for element in source:
                at = generator.randint(len(buffer))
                buffer[at], chosen = element, buffer[at]
                yield chosen
            generator.shuffle(order := list(range(len(buffer))))
            yield from (buffer[i] for i in order)

        return Dataset(elements, self._count, self._spec)

    def take(self, count: int, name: Optional[str] = None) -> "Dataset":
        """The first elements."""
        count = int(count)
        total = count if self._count == INFINITE_CARDINALITY else (
            min(count, self._count) if self._count >= 0 else self._count)
        return Dataset(lambda: itertools.islice(self._elements(), count), total, self._spec)

    def skip(self, count: int, name: Optional[str] = None) -> "Dataset":
        """All but the first elements."""
        count = int(count)
        total = max(self._count - count, 0) if self._count >= 0 else self._count
        return Dataset(lambda: itertools.islice(self._elements(), count, None), total, self._spec)

    def filter(self, predicate: Callable[..., Any], name: Optional[str] = None) -> "Dataset":
        """Elements for which a function says yes."""

        def keep(element: Any) -> bool:
            return bool(_called(predicate, element))

        return Dataset(lambda: filter(keep, self._elements()), UNKNOWN_CARDINALITY, self._spec)

    def enumerate(self, start: int = 0, name: Optional[str] = None) -> "Dataset":
        """Elements and their numbers."""
        numbers = Dataset(lambda: (numpy.int64(i) for i in itertools.count(int(start))), INFINITE_CARDINALITY,
                          _types.TensorSpec((), _types.int64))
        return Dataset.zip((numbers, self))

    def concatenate(self, dataset: "Dataset", name: Optional[str] = None) -> "Dataset":
        """The elements of both, one data set after the other."""
        spec = _joined_spec(self._spec, dataset._spec)
        counts = (self._count, dataset._count)
        total = sum(counts) if min(counts) >= 0 else INFINITE_CARDINALITY if INFINITE_CARDINALITY in counts else UNKNOWN_CARDINALITY
        return Dataset(lambda: itertools.chain(self._elements(), dataset._elements()), total, spec)

    def shard(self, num_shards: int, index: int, name: Optional[str] = None) -> "Dataset":
        """Each of `num_shards` elements that follow each other."""
        shards, first = int(num_shards), int(index)
        if not 0 <= first < shards:
            raise InvalidArgumentError(f"index must be in the range [0, {shards}), but it is {first}")
        total = max(-(-(self._count - first) // shards), 0) if self._count >= 0 else self._count
        return Dataset(lambda: itertools.islice(self._elements(), first, None, shards), total, self._spec)

    def interleave(self, map_func: Callable[..., "Dataset"], cycle_length: Optional[int] = None,
                   block_length: Optional[int] = None, num_parallel_calls: Any = None,
                   deterministic: Any = None, name: Optional[str] = None) -> "Dataset":
        """The elements of the data sets that a function makes, blocks of several in turn."""
        block = int(block_length or 1)

        def elements() -> Iterator[Any]:
            source = (_called(map_func, element)._elements() for element in self._elements())
            cycle = list(itertools.islice(source, max(int(cycle_length or 1), 1)))
            while cycle:
                following: List[Iterator[Any]] = []
                for one in cycle:
                    rows = list(itertools.islice(one, block))
                    yield from rows
                    # One that has ended leaves its turn to the next data set.
                    following += [one] if len(rows) == block else itertools.islice(source, 1)
                cycle = following

        return Dataset(elements, UNKNOWN_CARDINALITY, _called(map_func, _probe_of(self._spec))._spec)

    def flat_map(self, map_func: Callable[..., "Dataset"], name: Optional[str] = None) -> "Dataset":
        """The elements of the data sets that a function makes."""

        def elements() -> Iterator[Any]:
            for element in self._elements():
                yield from _called(map_func, element)._elements()

        return Dataset(elements, UNKNOWN_CARDINALITY, _called(map_func, _probe_of(self._spec))._spec)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: Optional[str] = None) -> Any:
        """What a function makes of the state so far and each element."""
        state = _nest.map_structure(Tensor, _arrays(initial_state))
        for element in self._elements():
            state = _nest.map_structure(Tensor, _arrays(reduce_func(state, _nest.map_structure(Tensor, element))))
        return state

    def apply(self, transformation_func: Callable[["Dataset"], "Dataset"]) -> "Dataset":
        """What a function makes of the data set."""
        return transformation_func(self)

    def cache(self, filename: str = "", name: Optional[str] = None) -> "Dataset":
        """Elements are made once."""
        kept: List[Any] = []
        lock = threading.Lock()

        def elements() -> Iterator[Any]:
            with lock:
                if not kept:
                    kept.append(list(self._elements()))
            return iter(kept[0])

        return Dataset(elements, self._count, self._spec)

    def prefetch(self, buffer_size: Any = None, name: Optional[str] = None) -> "Dataset":
        """The same: the host is not simulated."""
        return self

    def with_options(self, options: Any) -> "Dataset":
        """The same."""
        return self

    # Reading

    @property
    def element_spec(self) -> Any:
        """Shapes and types."""
        return self._spec

    def cardinality(self) -> Tensor:
        """The number of elements, -1 for endless, -2 for unknown."""
        return Tensor(numpy.int64(self._count))

    def __len__(self) -> int:
        if self._count == INFINITE_CARDINALITY:
            raise TypeError("dataset length is infinite.")
        if self._count == UNKNOWN_CARDINALITY:
            raise TypeError("dataset length is unknown.")
        return self._count

    def __bool__(self) -> bool:
        return True

    def as_arrays(self) -> Iterator[Any]:
        """The elements as nested arrays."""
        return self._elements()

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The elements as nested arrays."""
        return self._elements()

    def __iter__(self) -> "DatasetIterator":
        return DatasetIterator(self)

    def __getattr__(self, name: str) -> Any:
        return refuse_unknown("tf.data.Dataset", dir(Dataset))(name)

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self._spec}>"


class DatasetIterator:
    """Reads a data set; in a program next() reads the stream of the host."""

    def __init__(self, dataset: Dataset) -> None:
        self.element_spec = dataset.element_spec
        self._elements = dataset.as_arrays()

    def __iter__(self) -> "DatasetIterator":
        return self

    def __next__(self) -> Any:
        if current_graph() is not None:
            from ._loops import read_feed
            return read_feed(self)
        return _nest.map_structure(Tensor, next(self._elements))

    get_next = __next__

    def next_arrays(self) -> Any:
        """The next element as nested arrays."""
        return next(self._elements)


def from_iterator(iterator: Any) -> Dataset:
    """A data set of what a Python iterator yields."""
    first = _arrays(next(iterator))
    whole = itertools.chain([first], map(_arrays, iterator))
    return Dataset(lambda: whole, UNKNOWN_CARDINALITY, _spec_of(first))
