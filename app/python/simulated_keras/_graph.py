"""The operations of one micro-batch, recorded while a model is called, as an ONNX graph."""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy
from tilescope import _source_lines

from . import _onnx, _types
from ._errors import NotSimulated
from ._lines import Stack, lines_now
from ._tensor import Tensor, TensorLike, Variable


class _Thread(threading.local):
    def __init__(self) -> None:
        self.graphs: List["Graph"] = []
        self.stages: List[int] = []


_thread = _Thread()


def current_graph() -> Optional["Graph"]:
    """The graph that is being recorded, if any."""
    return _thread.graphs[-1] if _thread.graphs else None


def place_in_script() -> str:
    """File and line of the script's innermost call into this package."""
    for path, line in _source_lines.places():
        if "simulated_keras" not in path:
            return f"{path}:{line}"
    return "?"


def refuse(what: str) -> None:
    """Raises for something that programs of the simulation cannot have, with its line."""
    raise NotSimulated(f"{what} is not simulated in a program ({place_in_script()})")


def refuse_in_trace(what: str) -> None:
    """The same, only while a program is recorded."""
    if _thread.graphs:
        refuse(what)


def current_stage() -> Optional[int]:
    """The pipeline stage of the innermost context."""
    return _thread.stages[-1] if _thread.stages else None


@contextlib.contextmanager
def in_stage(stage: Optional[int]) -> Iterator[None]:
    """A context whose operations belong to a pipeline stage; None changes nothing."""
    if stage is None:
        yield
        return
    _thread.stages.append(int(stage))
    try:
        yield
    finally:
        _thread.stages.pop()


class Symbol(TensorLike):
    """A tensor of a program. `shape` is in Keras' order; in the ONNX graph the channels of an image
    may come first, which `channels_first` says."""

    def __init__(self, graph: "Graph", value: str, shape: Sequence[int], dtype: _types.DType,
                 channels_first: bool = False) -> None:
        self.graph, self.value, self.dtype = graph, value, dtype
        self.shape = _types.TensorShape(shape)
        self.channels_first = channels_first
        self.pass_number = graph.pass_number
        self.mask: Any = None  #: which steps count, if a layer says so

    name = property(lambda self: self.value)

    def _refused(self, what: str) -> Any:
        refuse(f"{what} of a tensor")

    def numpy(self) -> Any:
        """Refused: there is no value before the program runs."""
        self._refused("numpy()")

    def __bool__(self) -> bool:
        return bool(self._refused("a condition on the value"))

    def __int__(self) -> int:
        return int(self._refused("the number"))

    __float__ = __index__ = __int__  # type: ignore[assignment]

    def __iter__(self) -> Any:
        return self._refused("a loop over the rows")

    def __array__(self, dtype: Any = None) -> Any:
        return self._refused("a numpy array")

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<tensor '{self.value}' shape={tuple(self.shape)} dtype={self.dtype.name}>"


class Packing(NamedTuple):
    """How variables become one initializer of the ONNX graph, and back."""
    variables: Tuple[Variable, ...]
    pack: Callable[[List[numpy.ndarray]], numpy.ndarray]
    unpack: Callable[[numpy.ndarray], List[numpy.ndarray]]


class _Node(NamedTuple):
    kind: str
    name: str
    inputs: Tuple[str, ...]
    outputs: Tuple[str, ...]
    attributes: Dict[str, Any]
    lines: Stack  #: of the script


class Graph:
    """Records operations; see :meth:`emit`."""

    def __init__(self, name: str, training: bool = False, images_first: bool = False) -> None:
        self.name, self.training, self.images_first = name, training, images_first
        self.nodes: List[_Node] = []
        self.inputs: Dict[str, Tuple[Tuple[int, ...], str]] = {}
        self.transposed: Dict[str, bool] = {}  #: inputs whose channels the host puts first
        self.outputs: List[Symbol] = []
        self.constants: Dict[str, numpy.ndarray] = {}
        self.packings: Dict[str, Packing] = {}
        self.moving: Set[str] = set()  #: initializers with moving statistics
        self.penalties: Dict[int, Symbol] = {}  #: of regularized variables, by their id()
        self.pass_number = 0
        self.only_infers = False  #: no gradient is taken, so that the machine's dropout would pass all on
        self._scopes: List[str] = []
        self._alone = False
        self._taken: Dict[str, int] = {}
        self._values: Dict[Tuple[Any, ...], str] = {}
        self._makers: Dict[str, _Node] = {}

    # Scopes

    @contextlib.contextmanager
    def active(self) -> Iterator["Graph"]:
        """A context in which operations are recorded here."""
        _thread.graphs.append(self)
        try:
            yield self
        finally:
            _thread.graphs.pop()

    @contextlib.contextmanager
    def scope(self, name: str, alone: bool = False) -> Iterator[None]:
        """A context whose nodes are named after a layer; `alone`: by its name without the part."""
        before, self._alone = self._alone, alone
        self._scopes.append(name)
        try:
            yield
        finally:
            self._scopes.pop()
            self._alone = before

    def unique(self, name: str) -> str:
        """The name, with a number if it is taken."""
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return name if count == 0 else self.unique(f"{name}_{count}")

    def _named(self, part: str) -> str:
        path = "/".join(self._scopes)
        part = "" if self._alone else part
        return self.unique(f"{path}/{part}" if path and part else path or part or "value")

    # Values

    def input(self, name: str, shape: Sequence[int], dtype: _types.DType) -> Symbol:
        """An input of a micro-batch; images come with their channels first if the model has
        convolutions."""
        kind = _types.device_name(dtype)
        name = self.unique(name)
        rotates = self.images_first and len(shape) >= 4 and kind != "int32"
        stored = (shape[0], shape[-1], *shape[1:-1]) if rotates else tuple(shape)
        self.inputs[name] = (tuple(stored), kind)
        self.transposed[name] = rotates
        return Symbol(self, name, shape, _types.DType(kind), rotates)

    def constant(self, value: Any, dtype: Optional[_types.DType] = None) -> Symbol:
        """A value known now."""
        array = numpy.asarray(value)
        dtype = dtype or _types.dtype_of(array.dtype)
        array = array.astype(_types.device_name(dtype))
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._values:
            name = self._values[key] = self.unique("/".join([*self._scopes, "constant"]))
            self.constants[name] = array
        return Symbol(self, self._values[key], array.shape, _types.dtype_of(array.dtype))

    def integers(self, values: Sequence[int]) -> str:
        """The name of a list of whole numbers that an operator reads."""
        key = ("int64", tuple(values))
        if key not in self._values:
            name = self._values[key] = self.unique("/".join([*self._scopes, "numbers"]))
            self.constants[name] = numpy.array(values, numpy.int64)
        return self._values[key]

    def weight(self, packing: Packing, shape: Sequence[int]) -> Symbol:
        """An initializer made of variables, once for all readers."""
        first = packing.variables[0]
        key = tuple(id(variable) for variable in packing.variables)
        if key not in self._values:
            self._values[key] = name = self.unique(first.path)
            self.packings[name] = packing
        return Symbol(self, self._values[key], shape, first.dtype)

    def variable(self, variable: Variable) -> Symbol:
        """An initializer that is one variable as it is."""
        packing = Packing((variable, ), lambda arrays: arrays[0], lambda array: [array])
        return self.weight(packing, variable.shape)

    def symbol(self, value: Any, dtype: Optional[_types.DType] = None) -> Symbol:
        """Anything as a tensor of this graph."""
        if isinstance(value, Symbol):
            if value.graph is not self:
                refuse("a tensor of another program")
            if value.pass_number not in (-1, self.pass_number) and self.pass_number > 0:
                refuse(f"a value ({value.value}) that one iteration of a loop passes to the next, "
                       "or that leaves a loop,")
            return value
        if isinstance(value, Variable):
            return self.variable(value)
        if isinstance(value, Tensor):
            return self.constant(value.numpy(), value.dtype)
        return self.constant(value, dtype)

    # Operations

    def emit_all(self, kind: str, inputs: Sequence[str], count: int, part: str = "",
                 **attributes: Any) -> List[str]:
        """A node; the names of its results."""
        name = self._named(part)
        outputs = [name, *[self.unique(f"{name}:{i}") for i in range(1, count)]]
        stage = current_stage()
        if stage is not None:
            attributes["__pipeline_stage"] = stage
        node = _Node(kind, name, tuple(inputs), tuple(outputs), attributes, lines_now())
        self.nodes.append(node)
        for output in outputs:
            self._makers[output] = node
        return outputs

    def emit(self, kind: str, inputs: Sequence[Any], shape: Sequence[int], dtype: _types.DType,
             part: str = "", channels_first: bool = False, **attributes: Any) -> Symbol:
        """A node with one result of the given shape. `inputs` are tensors or names; `part` names
        the node within its layer."""
        names = [item.value if isinstance(item, Symbol) else item for item in inputs]
        value = self.emit_all(kind, names, 1, part, **attributes)[0]
        return Symbol(self, value, shape, dtype, channels_first)

    def stages(self) -> Set[Optional[int]]:
        """The pipeline stages of all nodes; None among them if one has none."""
        return {node.attributes.get("__pipeline_stage") for node in self.nodes}

    def maker(self, symbol: Symbol) -> Tuple[str, Tuple[str, ...]]:
        """Operator and operands of the node that makes a tensor; empty for others."""
        node = self._makers.get(symbol.value)
        return (node.kind, node.inputs) if node else ("", ())

    def plain(self, x: Symbol) -> Symbol:
        """The tensor with its dimensions in Keras' order."""
        if not x.channels_first:
            return x
        order = [0, *range(2, len(x.shape)), 1]
        return self.emit("Transpose", [x], x.shape, x.dtype, "channelsLast", perm=order)

    def channels_first(self, x: Symbol) -> Symbol:
        """The tensor with its channels first."""
        if x.channels_first or len(x.shape) < 3:
            return x
        last = len(x.shape) - 1
        return self.emit("Transpose", [x], x.shape, x.dtype, "channelsFirst", True,
                         perm=[0, last, *range(1, last)])

    def axis(self, x: Symbol, axis: int) -> int:
        """The dimension of the ONNX tensor for one in Keras' order."""
        rank = len(x.shape)
        positive = axis + rank if axis < 0 else axis
        if not x.channels_first or positive == 0:
            return positive
        return 1 if positive == rank - 1 else positive + 1

    # Result

    def initial_value(self, name: str) -> numpy.ndarray:
        """The present value of an initializer that variables make."""
        packing = self.packings[name]
        arrays = [numpy.asarray(variable.numpy()) for variable in packing.variables]
        value = numpy.ascontiguousarray(packing.pack(arrays))
        return value.astype(_types.device_name(_types.dtype_of(value.dtype)))

    def drop_unused(self) -> None:
        """Drops nodes, weights and constants that no output needs."""
        needed = {out.value for out in self.outputs}
        kept: List[_Node] = []
        for node in reversed(self.nodes):
            if needed.intersection(node.outputs):
                needed.update(node.inputs)
                kept.insert(0, node)
        self.nodes = kept
        self.packings = {name: p for name, p in self.packings.items() if name in needed}
        self.constants = {name: c for name, c in self.constants.items() if name in needed}

    def output(self, x: Symbol) -> None:
        """Makes a tensor a result of the micro-batch, in Keras' order of dimensions."""
        x = self.plain(x)
        if x.value not in self._makers or any(out.value == x.value for out in self.outputs):
            x = self.emit("Identity", [x], x.shape, x.dtype, "result")
        self.outputs.append(x)

    def source(self, anchors: Dict[str, Stack]) -> _source_lines.Source:
        """What the profile keeps of the script."""
        paths = {path for node in self.nodes for path, _, _ in node.lines}
        return _source_lines.source(paths, anchors=anchors)

    def serialized(self) -> bytes:
        """The graph as an ONNX model."""
        nodes = [_onnx.node(n.kind, n.name, n.inputs, n.outputs, n.attributes,
                            _source_lines.documentation(n.lines)) for n in self.nodes]
        values = {**self.constants, **{name: self.initial_value(name) for name in self.packings}}
        tensors = [_onnx.tensor(name, array) for name, array in values.items()]
        inputs = [_onnx.value_info(name, shape, kind)
                  for name, (shape, kind) in self.inputs.items()]
        outputs = [_onnx.value_info(out.value, out.shape, _types.device_name(out.dtype))
                   for out in self.outputs]
        return _onnx.model(self.name, nodes, tensors, inputs, outputs)
