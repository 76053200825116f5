"""Results of layers that are called before there is data, and how such calls are repeated."""
from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _nest, _types
from ._errors import NotSimulated
from ._graph import Graph, Symbol, current_stage, in_stage
from ._layer import Layer, unique_name
from ._lines import here, said_at
from ._tensor import TensorLike

#: A batch size that stands for an open one while shapes are found: a prime that no layer has.
_OPEN_BATCH = 1000003

_numbers = itertools.count()


class KerasTensor(TensorLike):
    """A result of a layer; its batch is usually open."""

    def __init__(self, shape: Sequence[Optional[int]], dtype: Any, node: Optional["Node"] = None,
                 name: str = "") -> None:
        self.shape = _types.TensorShape(shape)
        self.dtype = _types.dtype_of(dtype)
        self.node, self.name = node, name

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<KerasTensor: shape={tuple(self.shape)} dtype={self.dtype.name} '{self.name}'>"


class Node:
    """A call of a layer."""

    def __init__(self, layer: Layer, args: Tuple[Any, ...], kwargs: Dict[str, Any],
                 results: Any) -> None:
        self.layer, self.args, self.kwargs, self.results = layer, args, kwargs, results
        self.number = next(_numbers)
        self.called_at = here()
        self.index = len(layer._nodes)
        context = current_stage()
        self.stage = context if context is not None else layer._stage
        layer._nodes.append(self)

    @property
    def operands(self) -> Any:
        """The call's first argument."""
        return self.args[0] if self.args else self.results

    def tensors(self) -> List[KerasTensor]:
        """All operands."""
        leaves = _nest.flatten([list(self.args), self.kwargs])
        return [leaf for leaf in leaves if isinstance(leaf, KerasTensor)]


class InputLayer(Layer):
    """Where data enter a model."""

    def __init__(self, input_shape: Any = None, batch_size: Optional[int] = None, dtype: Any = None,
                 name: Optional[str] = None, batch_input_shape: Any = None, **unused: Any) -> None:
        name = name or unique_name("Input", 1)
        if batch_input_shape is None:
            batch_input_shape = (batch_size, *(input_shape or ()))
        super().__init__(name=name, dtype=dtype, batch_input_shape=batch_input_shape)
        self.built = True
        tensor = KerasTensor(batch_input_shape, dtype or _types.float32, name=name)
        tensor.node = Node(self, (), {}, tensor)
        self.tensor = tensor


def Input(shape: Any = None, batch_size: Optional[int] = None,  # noqa: N802
          name: Optional[str] = None, dtype: Any = None, batch_shape: Any = None,
          **unused: Any) -> KerasTensor:
    """The operand of a functional model; `shape` is without the batch."""
    if isinstance(shape, int):
        shape = (shape, )
    sizes = batch_shape if batch_shape is not None else (batch_size, *(shape or ()))
    return InputLayer(batch_input_shape=sizes, dtype=dtype, name=name).tensor


class OperationLayer(Layer):
    """An operation of TensorFlow on results of layers."""
    is_one_operation = True

    def __init__(self, function: Callable[..., Any]) -> None:
        name = getattr(function, "__name__", "operation")
        super().__init__(name=unique_name(f"tf.{name}"))
        self.function = function
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def infer(layer: Layer, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """The results of a call as tensors without a node."""
    graph = Graph("shapes")
    inputs = [leaf for leaf in _nest.flatten([list(args), kwargs]) if isinstance(leaf, KerasTensor)]
    batch = next((x.shape[0] for x in inputs if len(x.shape) and x.shape[0] is not None), None)

    def stand_in(x: Any) -> Any:
        if not isinstance(x, KerasTensor):
            return x
        if None in x.shape[1:]:
            raise ValueError(f"The shape {tuple(x.shape)} is not fully defined: sizes after the "
                             "batch must be known to compile for an IPU.")
        return graph.input("x", (batch or _OPEN_BATCH, *x.shape[1:]), x.dtype)

    with graph.active():
        made = layer(*_nest.map_structure(stand_in, list(args)),
                     **_nest.map_structure(stand_in, kwargs))

    def outcome(symbol: Any) -> Any:
        if not isinstance(symbol, Symbol):
            raise NotSimulated(f"layer {layer.name}: a result that is no tensor is not simulated")
        shape = [None if size == _OPEN_BATCH else size for size in symbol.shape]
        return KerasTensor(shape, symbol.dtype)

    return _nest.map_structure(outcome, made)


def connect(layer: Layer, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """A call on results of layers: a node."""
    results = infer(layer, args, kwargs)
    node = Node(layer, args, kwargs, results)
    for number, tensor in enumerate(_nest.flatten(results)):
        tensor.node, tensor.name = node, f"{layer.name}/{number}"
    return results


class Network(NamedTuple):
    """The calls between some tensors, in the order in which they run."""
    inputs: List[KerasTensor]
    outputs: Any
    nodes: List[Node]

    def run(self, values: List[Any], training: Optional[bool]) -> Any:
        """Repeats the calls on other values of the inputs."""
        made: Dict[int, Any] = {id(x): value for x, value in zip(self.inputs, values)}

        def value_of(x: Any) -> Any:
            return made[id(x)] if isinstance(x, KerasTensor) else x

        for node in self.nodes:
            args = _nest.map_structure(value_of, list(node.args))
            kwargs = _nest.map_structure(value_of, node.kwargs)
            if training is not None and "training" in node.layer._call_arguments():
                kwargs.setdefault("training", training)
            with in_stage(node.stage), said_at(node.called_at):
                results = node.layer(*args, **kwargs)
            for x, value in zip(_nest.flatten(node.results), _nest.flatten(results)):
                made[id(x)] = value
        return _nest.map_structure(value_of, self.outputs)

    def layers(self) -> List[Layer]:
        """The layers, each once, inputs first."""
        found: List[Layer] = [x.node.layer for x in self.inputs if x.node is not None]
        for node in self.nodes:
            if node.layer not in found:
                found.append(node.layer)
        return found


def network(inputs: Sequence[KerasTensor], outputs: Any) -> Network:
    """The calls that make the outputs of the inputs.

    Raises:
        ValueError: if an output depends on an input that is not given.
    """
    depths: Dict[int, int] = {}
    nodes: Dict[int, Node] = {}
    given = {id(x) for x in inputs}
    pending = [(x, 0) for x in _nest.flatten(outputs)]
    while pending:
        x, depth = pending.pop()
        if id(x) in given:
            continue
        node = x.node
        if node is None or isinstance(node.layer, InputLayer):
            raise ValueError(f"Graph disconnected: cannot obtain value for tensor {x!r}.")
        if depths.get(node.number, -1) >= depth:
            continue
        depths[node.number], nodes[node.number] = depth, node
        pending += [(operand, depth + 1) for operand in node.tensors()]
    order = sorted(nodes.values(), key=lambda node: (-depths[node.number], node.number))
    return Network(list(inputs), outputs, order)
