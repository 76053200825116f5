"""What all layers have in common: names, weights, and what happens when they are called."""
from __future__ import annotations

import contextlib
import inspect
import re
import threading
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy

from . import _nest, _types, initializers, regularizers
from ._errors import NotSimulated
from ._graph import Graph, Symbol, current_graph, current_stage, in_stage
from ._lines import here
from ._tensor import Tensor, Variable

_counts: Dict[str, int] = {}


def unique_name(kind: str, first: int = 0) -> str:
    """"dense", then "dense_1" and so on, counted in the process; inputs begin with "input_1"."""
    base = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z0-9])", "_", kind).lower()
    count = _counts.get(base, first)
    _counts[base] = count + 1
    return base if count == 0 else f"{base}_{count}"


def forget_names() -> None:
    """keras.backend.clear_session(): names are counted from the start."""
    _counts.clear()


class _Mode(threading.local):
    training: Optional[bool] = None


_mode = _Mode()


@contextlib.contextmanager
def training_mode(training: Optional[bool]) -> Iterator[None]:
    """Whether layers called within behave as in training; None: as outside."""
    before = _mode.training
    _mode.training = before if training is None else bool(training)
    try:
        yield
    finally:
        _mode.training = before


class Layer:
    """Base of all layers and models."""

    #: Whether the nodes of a call are named after the layer alone.
    is_one_operation = False

    #: Whether results have a mask, that of :meth:`compute_mask`, where operands have one.
    supports_masking = False

    #: Weights that a regularizer can be given for: kernel_regularizer is that of "kernel".
    regularized: Tuple[str, ...] = ()

    _given: Tuple[Tuple[Any, ...], Dict[str, Any]]  #: to the constructor

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made.__dict__["_given"] = (args, kwargs)
        return made

    def __init__(self, trainable: bool = True, name: Optional[str] = None, dtype: Any = None,
                 input_shape: Optional[Sequence[Optional[int]]] = None,
                 batch_input_shape: Optional[Sequence[Optional[int]]] = None,
                 input_dim: Optional[int] = None, batch_size: Optional[int] = None,
                 **unknown: Any) -> None:
        unknown = {key: value for key, value in unknown.items()
                   if value is not None or not key.endswith("_regularizer")}
        self._regularizers = {
            part: regularizers.get(unknown.pop(f"{part}_regularizer"))
            for part in self.regularized if f"{part}_regularizer" in unknown}
        if unknown:
            raise TypeError(f"{type(self).__name__}: arguments {sorted(unknown)} are not simulated")
        self._own: List[Variable] = []
        self._parts: List["Layer"] = []
        self._nodes: List[Any] = []
        self._name = name or unique_name(type(self).__name__)
        self._stage = current_stage()
        self.made_at = here()
        self.trainable = trainable
        self.built = False
        self.dtype = _types.dtype_of(dtype).name if dtype is not None else "float32"
        if input_dim is not None:
            input_shape = (input_dim, )
        if batch_input_shape is None and input_shape is not None:
            batch_input_shape = (batch_size, *input_shape)
        self._batch_input_shape = batch_input_shape

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in ("_own", "_parts", "_nodes", "_layers") and "_parts" in self.__dict__:
            for part in _parts_of(value):
                if isinstance(part, Layer) and part not in self._parts:
                    self._parts.append(part)
                elif isinstance(part, Variable) and all(part is not own for own in self._own):
                    self._own.append(part)
        super().__setattr__(key, value)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    # Weights

    def add_weight(self, name: Optional[str] = None, shape: Sequence[int] = (), dtype: Any = None,
                   initializer: Any = None, regularizer: Any = None, trainable: bool = True,
                   constraint: Any = None, **unused: Any) -> Variable:
        """A new variable of the layer."""
        if constraint is not None:
            raise NotSimulated(f"{type(self).__name__}.add_weight: constraint is not simulated")
        make = initializers.get(initializer or "glorot_uniform")
        kind = _types.dtype_of(dtype or self.dtype)
        value = make(tuple(int(size) for size in shape), kind)
        variable = Variable(value, trainable, f"{self.name}/{name or 'Variable'}", kind)
        part = (name or "").replace("_kernel", "")
        variable.regularizer = regularizers.get(regularizer) or self._regularizers.get(part)
        self._own.append(variable)
        return variable

    def build(self, input_shape: Any) -> None:
        """Makes the weights; layers of one's own override it."""
        self.built = True

    def _all(self) -> List[Tuple[Variable, bool]]:
        """All variables in Keras' order, with whether they are trained."""
        found = [(variable, self.trainable and variable.trainable) for variable in self._own]
        for part in self._parts:
            found += [(variable, trains and self.trainable) for variable, trains in part._all()]
        seen: Dict[int, Tuple[Variable, bool]] = {}
        for variable, trains in found:
            seen.setdefault(id(variable), (variable, trains))
        return list(seen.values())

    @property
    def trainable_weights(self) -> List[Variable]:
        """Variables that training changes."""
        return [variable for variable, trains in self._all() if trains]

    @property
    def non_trainable_weights(self) -> List[Variable]:
        """All others."""
        return [variable for variable, trains in self._all() if not trains]

    @property
    def weights(self) -> List[Variable]:
        """All variables, trained ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    def get_weights(self) -> List[numpy.ndarray]:
        """The values of all variables."""
        return [numpy.array(variable.numpy()) for variable in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the values of all variables.

        Raises:
            ValueError: if their number or shapes differ.
        """
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(f'You called `set_weights(weights)` on layer "{self.name}" with a '
                             f"weight list of length {len(weights)}, but the layer was expecting "
                             f"{len(own)} weights.")
        for variable, value in zip(own, weights):
            variable.assign(value)

    def count_params(self) -> int:
        """The number of elements of all variables."""
        return sum(int(numpy.prod(variable.shape)) for variable in self.weights)

    def get_config(self) -> Dict[str, Any]:
        """The constructor's arguments that Keras writes."""
        return {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}

    @property
    def losses(self) -> List[Any]:
        """The penalties of regularizers, each once: of the layers called so far in a program, else of
        all."""
        graph = current_graph()
        variables = [v for v, _ in self._all() if v.regularizer is not None]
        if graph is None:
            return [variable.regularizer(variable) for variable in variables]
        return [graph.penalties[id(v)] for v in variables if id(v) in graph.penalties]

    def add_loss(self, losses: Any, **unused: Any) -> None:
        """Refused: only weights have penalties."""
        raise NotSimulated(f"{type(self).__name__}.add_loss() is not simulated; regularizers of "
                           "weights are")

    # Calls

    def call(self, inputs: Any) -> Any:
        """The layer's operations."""
        return inputs

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Which steps of the results count, of the mask of the operands."""
        return mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The result's shape."""
        from ._functional import KerasTensor, infer
        shapes = input_shape if _is_list_of_shapes(input_shape) else [input_shape]
        tensors = [KerasTensor(shape, _types.dtype_of(self.dtype)) for shape in shapes]
        made = infer(self, (tensors if shapes is input_shape else tensors[0], ), {})
        return _nest.map_structure(lambda x: x.shape, made)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from ._functional import KerasTensor, connect
        leaves = _nest.flatten([list(args), kwargs])
        if any(isinstance(leaf, KerasTensor) for leaf in leaves):
            return connect(self, args, kwargs)
        if current_graph() is None:
            from ._eager import run_layer
            return run_layer(self, args, kwargs)
        return self._record(args, kwargs)

    def _record(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """Records the call in the current graph."""
        graph = current_graph()
        assert graph is not None
        args = tuple(_nest.map_structure(lambda x: _as_symbol(graph, x), arg) for arg in args)
        self._build_for(args[0] if args else None)
        training = kwargs.pop("training", None)
        if "training" in self._call_arguments():
            kwargs["training"] = _mode.training if training is None else training
        mask = _nest.map_structure(lambda x: getattr(x, "mask", None), args[0]) if args else None
        if "mask" in self._call_arguments() and _is_masked(mask):
            kwargs.setdefault("mask", mask)
        stage = None if current_stage() is not None else self._stage
        alone = self.is_one_operation
        with graph.scope(self.name, alone), in_stage(stage), training_mode(training):
            results = self.call(*args, **kwargs)
            self._record_penalties(graph)
            self._pass_mask(args, kwargs.get("mask", mask), results)
            return results

    def _pass_mask(self, args: Tuple[Any, ...], mask: Any, results: Any) -> None:
        """Gives the first result the mask, if the layer has one of its own or passes it on."""
        makes = type(self).compute_mask is not Layer.compute_mask
        if args and (makes or self.supports_masking and _is_masked(mask)):
            first = _nest.flatten(results)[0]
            if isinstance(first, Symbol):
                first.mask = self.compute_mask(args[0], mask)

    def _record_penalties(self, graph: Graph) -> None:
        for variable in self._own:
            if variable.regularizer is not None and id(variable) not in graph.penalties:
                graph.penalties[id(variable)] = variable.regularizer(graph.symbol(variable))

    def _call_arguments(self) -> Any:
        return inspect.signature(self.call).parameters

    def _build_for(self, inputs: Any) -> None:
        if not self.built:
            shapes = _nest.map_structure(lambda x: getattr(x, "shape", None), inputs)
            with _outside_graphs():
                self.build(shapes)
            self.built = True

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object '{self.name}'>"

    def _node_of(self) -> Any:
        if not self._nodes:
            raise AttributeError(f"The layer {self.name} has never been called and thus has no "
                                 "defined input or output.")
        return self._nodes[0]

    @property
    def input(self) -> Any:
        """The operand of the layer's first call."""
        return self._node_of().operands

    @property
    def output(self) -> Any:
        """The result of the layer's first call."""
        return self._node_of().results

    @property
    def input_shape(self) -> Any:
        """The operand's shape."""
        return _nest.map_structure(lambda x: tuple(x.shape), self.input)

    @property
    def output_shape(self) -> Any:
        """The result's shape."""
        return _nest.map_structure(lambda x: tuple(x.shape), self.output)


def _parts_of(value: Any) -> Iterator[Any]:
    """The leaves of lists, tuples and dicts, whatever their keys are."""
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts_of(part)
    else:
        yield value


def _is_masked(mask: Any) -> bool:
    return any(part is not None for part in _nest.flatten(mask))


@contextlib.contextmanager
def _outside_graphs() -> Iterator[None]:
    """A context in which variables are made, not recorded."""
    from ._graph import _thread
    before, _thread.graphs = _thread.graphs, []
    try:
        yield
    finally:
        _thread.graphs = before


def _is_list_of_shapes(shape: Any) -> bool:
    return isinstance(shape, list) and bool(shape) and isinstance(shape[0], (list, tuple))


def _as_symbol(graph: Graph, value: Any) -> Any:
    if isinstance(value, (Tensor, Variable, numpy.ndarray)):
        return graph.symbol(value)
    return value


def as_float(x: Symbol) -> Symbol:
    """Whole numbers become float32; Keras casts what a layer cannot multiply."""
    from . import _ops
    return x if x.dtype.is_floating else _ops.cast(x, _types.float32)


def refuse_extras(layer: Layer, **extras: Any) -> None:
    """Refuses arguments that would change the loss or the weights."""
    for name, value in extras.items():
        if value is not None:
            raise TypeError(f"{type(layer).__name__}: {name} is not simulated")
