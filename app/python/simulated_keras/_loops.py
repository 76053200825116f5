"""strategy.run(): functions that are recorded once for each kind of arguments and then run.

The body of a loop over tf.range() is recorded twice. Both times it must be the same, and the second
time must not read what the first one made: values that one iteration passes to the next have no
counterpart in the simulated program, which repeats one micro-batch.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from . import _nest, _system, _types
from ._data import array_of
from ._dataset import DatasetIterator
from ._errors import FailedPreconditionError, OutOfRangeError
from ._graph import Graph, Symbol, current_graph, refuse
from ._job import keys_of, profile_path
from ._models import Model
from ._program import Program, mark_loss
from ._queues import IPUInfeedQueue, IPUOutfeedQueue
from ._recording import takes_images
from ._tensor import Tensor, Variable


#: Of a loop, see :func:`_parts_of`: the most parts, and the fewest iterations of one.
_MOST_PARTS, _LEAST_ITERATIONS = 20, 5


class TensorFunction:
    """A function that was given to tf.function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else TensorFunction(self.function.__get__(owner, kind))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> "TensorFunction":
        """The function itself."""
        return self


def tf_function(func: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """tf.function, with or without arguments."""
    return TensorFunction if func is None else TensorFunction(func)


class _Read(NamedTuple):
    iterator: DatasetIterator
    names: List[str]


class _Recording(Graph):
    """The graph of a function: with its loop, its reads and what it sends."""

    def __init__(self, name: str, images_first: bool) -> None:
        super().__init__(name, True, images_first)
        self.iterations = 0  #: of the loop; 0: there is none
        self.reads: List[_Read] = []
        self.sent: List[Tuple[IPUOutfeedQueue, Any]] = []
        self.looping = False
        self.numbers = 0

    def mark(self) -> Tuple[int, ...]:
        """How much has been recorded."""
        return len(self.nodes), len(self.inputs), len(self.reads), len(self.sent)

    def rewind(self, mark: Tuple[int, ...], update: Any) -> None:
        """Forgets what was recorded since."""
        del self.nodes[mark[0]:]
        for name in list(self.inputs)[mark[1]:]:
            del self.inputs[name]
        del self.reads[mark[2]:], self.sent[mark[3]:]
        if update is None:
            self.__dict__.pop("update", None)
        else:
            self.update = update


class DeviceRange:
    """tf.range() in a program."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        graph = current_graph()
        assert isinstance(graph, _Recording)
        if graph.iterations or graph.looping:
            refuse("a second loop")
        if graph.nodes:
            refuse("an operation before a loop")
        graph.looping = True
        mark = graph.mark()
        graph.pass_number = 1
        yield _LoopNumber()
        first = _shape_of(graph, mark)
        graph.rewind(mark, None)
        graph.pass_number = 2
        yield _LoopNumber()
        if _shape_of(graph, mark) != first:
            refuse("a loop whose body is not the same in each iteration")
        graph.pass_number, graph.looping, graph.iterations = 3, False, self._count


class _LoopNumber:
    """The number of the iteration, which a body may have but not use."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return refuse("the number of a loop's iteration")


def _shape_of(graph: _Recording, mark: Tuple[int, ...]) -> Any:
    """What the body is, without names."""
    return [(node.kind, sorted(node.attributes)) for node in graph.nodes[mark[0]:]]


def _recording() -> _Recording:
    graph = current_graph()
    if not isinstance(graph, _Recording):
        refuse("a queue in a layer")
    return graph  # type: ignore[return-value]


def read_feed(iterator: DatasetIterator) -> Any:
    """next() of a data set's iterator in a program."""
    graph = _recording()
    if any(read.iterator is iterator for read in graph.reads):
        refuse("a second next() of one iterator in an iteration")
    names: List[str] = []

    def declare(spec: _types.TensorSpec) -> Symbol:
        if not spec.shape.is_fully_defined():
            raise ValueError(f"The provided set of data contains a shape {spec.shape} which is not "
                             "fully defined. Set drop_remainder=True in batch().")
        graph.numbers += 1
        x = graph.input(f"infeed_{graph.numbers}", spec.shape, spec.dtype)
        names.append(x.value)
        return x

    values = _nest.map_structure(declare, iterator.element_spec)
    graph.reads.append(_Read(iterator, names))
    return values


def write_feed(queue: IPUOutfeedQueue, tensors: Any) -> None:
    """IPUOutfeedQueue.enqueue() in a program."""
    graph = _recording()
    if any(other is queue for other, _ in graph.sent):
        raise ValueError("An outfeed can only be enqueued once.")
    graph.sent.append((queue, _nest.map_structure(graph.symbol, tensors)))


class _Compiled(NamedTuple):
    program: Program
    graph: _Recording
    fed: List[str]  #: inputs that arguments give
    result: Any
    sent: List[Any]
    kept: Any  #: function and arguments, whose identities are in the key


_compiled: Dict[Any, _Compiled] = {}


def _is_value(leaf: Any) -> bool:
    return isinstance(leaf, (Tensor, numpy.ndarray))


def _signature(leaf: Any) -> Any:
    if _is_value(leaf):
        dtype = leaf.dtype if isinstance(leaf, Tensor) else _types.dtype_of(leaf.dtype)
        if dtype.name == "float64":
            raise TypeError("Unsupported data type for input: float64. Please convert it to float32.")
        return tuple(leaf.shape), dtype.name
    if isinstance(leaf, (int, float, str, bool, type(None))):
        return leaf
    if isinstance(leaf, DatasetIterator):
        return str(leaf.element_spec)
    return id(leaf)


def run_function(fn: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """Runs a function as a program of the IPU.

    Raises:
        ValueError: for a function that is no tf.function.
    """
    _system.check_configured()
    if not isinstance(fn, TensorFunction):
        raise ValueError("IPUStrategyV1.run(fn, ...) does not support eager execution. Either convert "
                         "`fn` into a tf.function or consider calling strategy.run inside a "
                         "tf.function.")
    leaves = _nest.flatten([list(args), kwargs])
    key = (id(fn.function), *[_signature(leaf) for leaf in leaves])
    if key not in _compiled:
        _compiled[key] = _compile(fn, args, kwargs)._replace(kept=(fn, args, kwargs))
    return _run(_compiled[key], leaves)


def _compile(fn: TensorFunction, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> _Compiled:
    models = [leaf for leaf in _nest.flatten([list(args), kwargs]) if isinstance(leaf, Model)]
    models += [cell.cell_contents for cell in fn.function.__closure__ or ()
               if isinstance(cell.cell_contents, Model)]
    names = getattr(fn.function, "__code__", None)
    models += [fn.function.__globals__[name] for name in (names.co_names if names else ())
               if isinstance(fn.function.__globals__.get(name), Model)]
    graph = _Recording(fn.function.__name__, any(takes_images(model) for model in models))
    fed: List[str] = []

    def declare(leaf: Any) -> Any:
        if not _is_value(leaf):
            return leaf
        array = array_of(leaf)
        x = graph.input(f"arg_{len(fed)}", array.shape, _types.dtype_of(array.dtype))
        x.pass_number = -1  # the same in every iteration
        fed.append(x.value)
        return x

    with graph.active():
        own = _nest.map_structure(declare, list(args))
        result = fn.function(*own, **_nest.map_structure(declare, kwargs))
        update = getattr(graph, "update", None)
        if update is not None:
            graph.outputs.append(mark_loss(graph, _current(graph, update.loss)))
        sent = [_nest.map_structure(lambda x: _output(graph, x), value) for _, value in graph.sent]
        result = _nest.map_structure(
            lambda x: _output(graph, x) if isinstance(x, (Symbol, Variable)) else x, result)
    return _Compiled(_program_of(graph, update, models), graph, fed, result, sent, None)


def _current(graph: _Recording, x: Any) -> Any:
    """A tensor of the loop's body as an output of the program."""
    if isinstance(x, Symbol):
        x.pass_number = graph.pass_number
    return x


class _Place(int):
    """The number of an output."""


def _output(graph: _Recording, x: Any) -> _Place:
    symbol = graph.symbol(_current(graph, x))
    if symbol.dtype.name == "bool":
        from . import _ops
        symbol = _ops.cast(symbol, _types.int32)
    graph.output(symbol)
    return _Place(len(graph.outputs) - 1)


class _Unpipelined:
    """Options of a program that belongs to no model."""
    _pipelining_kwargs: Dict[str, Any] = {}
    _pipelining_device_mapping = None

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer


def _program_of(graph: _Recording, update: Any, models: List[Model]) -> Program:
    iterations = max(graph.iterations, 1)
    if not graph.outputs:
        raise FailedPreconditionError(f"{graph.name}: the function neither returns nor enqueues "
                                      "anything, and trains nothing")
    training = update is not None
    batch = next((shape[0] for shape, _ in graph.inputs.values() if shape), 1)
    keys = keys_of(_Unpipelined(update.optimizer if training else None), training, 0, iterations,
                   int(batch), 1)
    parts = _parts_of(iterations)
    part = {**keys, "deviceIterations": str(iterations // parts)} if parts > 1 else None
    return Program(graph, graph.name, keys, profile_path(graph.name),
                   update.variables if training else None, update.optimizer if training else None,
                   part)


def _parts_of(iterations: int) -> int:
    """In how many parts a loop's values are computed, so that others can read an outfeed meanwhile."""
    most = min(_MOST_PARTS, max(iterations // _LEAST_ITERATIONS, 1))
    return max(parts for parts in range(1, most + 1) if iterations % parts == 0)


def _run(compiled: _Compiled, leaves: List[Any]) -> Any:
    """All parts of a call; the result is that of the last iteration."""
    result = None
    for _ in range(_parts_of(max(compiled.graph.iterations, 1))):
        result = _run_part(compiled, leaves)
    return result


def _run_part(compiled: _Compiled, leaves: List[Any]) -> Any:
    program, graph = compiled.program, compiled.graph
    count = program.micro_batches
    given = [array_of(leaf) for leaf in leaves if _is_value(leaf)]
    inputs = {name: numpy.broadcast_to(array, (count, *array.shape))
              for name, array in zip(compiled.fed, given)}
    current = [leaf for leaf in leaves if isinstance(leaf, (DatasetIterator, IPUInfeedQueue))]
    for number, read in enumerate(graph.reads):
        iterator = _present(read.iterator, current, number)
        inputs.update(zip(read.names, _next(iterator, count)))
    results = program.run(inputs, range(count))
    length = max(graph.iterations, 1)
    replicas = count * _parts_of(length) // length
    for (queue, _), places in zip(graph.sent, compiled.sent):
        queue._take(places, _rows(places, results, replicas))
    return _nest.map_structure(
        lambda x: Tensor(results[x][-1]) if isinstance(x, _Place) else x, compiled.result)


def _present(recorded: DatasetIterator, current: List[Any], number: int) -> DatasetIterator:
    """The iterator of this call that stands where the recorded one stood."""
    if any(recorded is item for item in current) or number >= len(current):
        return recorded
    item = current[number]
    return item.iterator() if isinstance(item, IPUInfeedQueue) else item


def _next(iterator: DatasetIterator, count: int) -> List[numpy.ndarray]:
    elements = []
    for _ in range(count):
        try:
            elements.append([array_of(leaf) for leaf in _nest.flatten(iterator.next_arrays())])
        except StopIteration:
            raise OutOfRangeError(f"End of sequence: the program reads {count} elements, and the "
                                  f"data set had {len(elements)} left") from None
    return [numpy.stack(column) for column in zip(*elements)]


def _rows(places: Any, results: List[numpy.ndarray], replicas: int) -> List[List[numpy.ndarray]]:
    """What each iteration has sent; with several replicas these are the first dimension."""
    columns = [results[place] for place in _nest.flatten(places)]
    if replicas > 1:
        columns = [column.reshape(-1, replicas, *column.shape[1:]) for column in columns]
    return [list(row) for row in zip(*columns)]
