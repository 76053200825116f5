"""TensorFlow's operations: computed by numpy on values, recorded on tensors of a program."""
from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy

from . import _nest, _types
from ._errors import NotSimulated
from ._graph import Graph, Symbol, current_graph
from ._tensor import Tensor, Variable


def operation(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operation that becomes a layer where it is applied to results of layers."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        from ._functional import KerasTensor, OperationLayer
        leaves = _nest.flatten([list(args), kwargs])
        if any(isinstance(leaf, KerasTensor) for leaf in leaves):
            return OperationLayer(function)(*args, **kwargs)
        return function(*args, **kwargs)

    return call


def graph_of(*values: Any) -> Optional[Graph]:
    """The graph in which an operation on these values is recorded; None: it is computed."""
    for value in _nest.flatten(list(values)):
        if isinstance(value, Symbol):
            return value.graph
        if hasattr(value, "refuse_use"):
            value.refuse_use()
    if any(isinstance(value, Variable) for value in _nest.flatten(list(values))):
        return current_graph()
    return None


def _operands(graph: Graph, values: Sequence[Any]) -> List[Symbol]:
    """All as tensors; plain numbers take the type of the others."""
    dtype = next((v.dtype for v in values if isinstance(v, (Symbol, Variable, Tensor))), None)
    symbols = []
    for value in values:
        plain = not isinstance(value, (Symbol, Variable, Tensor))
        if plain and not isinstance(value, (int, float, bool, list, tuple)):
            plain = numpy.asarray(value).dtype.kind == "f"
        symbols.append(graph.symbol(value, dtype if plain else None))
    return symbols


def _arrays(values: Sequence[Any]) -> List[Any]:
    """Values for numpy; plain numbers take the type of the others."""
    kinds = [numpy.asarray(v).dtype for v in values if not isinstance(v, (int, float, bool))]
    return [numpy.asarray(v, kinds[0] if kinds and isinstance(v, (int, float)) else None)
            for v in values]


def _broadcast(kind: str, values: Sequence[Any], result: Optional[_types.DType] = None,
               **attributes: Any) -> Symbol:
    graph = graph_of(*values)
    assert graph is not None
    operands = _operands(graph, values)
    like = operands[0]
    alike = all(x.channels_first == like.channels_first and len(x.shape) == len(like.shape)
                or not x.shape for x in operands)
    if not alike:
        operands = [graph.plain(x) for x in operands]
    first = any(x.channels_first for x in operands)
    shape = numpy.broadcast_shapes(*[tuple(x.shape) for x in operands])
    return graph.emit(kind, operands, shape, result or like.dtype, kind.rpartition("/")[2], first,
                      **attributes)


def _row(kind: str, compute: Callable[..., Any], result: Optional[_types.DType] = None,
         **attributes: Any) -> Callable[..., Any]:
    """An elementwise operation."""

    def apply(*values: Any, name: Optional[str] = None) -> Any:
        if graph_of(*values) is not None:
            return _broadcast(kind, values, result, **attributes)
        return Tensor(numpy.asarray(compute(*_arrays(values))))

    apply.__name__ = kind.lower()
    return operation(apply)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + numpy.exp(-x))


add = _row("Add", numpy.add)
subtract = _row("Sub", numpy.subtract)
multiply = _row("Mul", numpy.multiply)
divide = truediv = _row("Div", numpy.true_divide)
pow = _row("Pow", numpy.power)  # noqa: A001
maximum = _row("Max", numpy.maximum)
minimum = _row("Min", numpy.minimum)
less = _row("Less", numpy.less, _types.bool_)
less_equal = _row("LessOrEqual", numpy.less_equal, _types.bool_)
greater = _row("Greater", numpy.greater, _types.bool_)
greater_equal = _row("GreaterOrEqual", numpy.greater_equal, _types.bool_)
equal = _row("Equal", numpy.equal, _types.bool_)
negative = _row("Neg", numpy.negative)
abs = _row("Abs", numpy.abs)  # noqa: A001
exp = _row("Exp", numpy.exp)
log = _row("Log", numpy.log)
sqrt = _row("Sqrt", numpy.sqrt)
floor = _row("Floor", numpy.floor)
sin = _row("Sin", numpy.sin)
cos = _row("Cos", numpy.cos)
tanh = _row("Tanh", numpy.tanh)
sigmoid = _row("Sigmoid", _sigmoid)
relu = _row("Relu", lambda x: numpy.maximum(x, 0))
softplus = _row("Softplus", lambda x: numpy.log1p(numpy.exp(x)))


def _host_only(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*values: Any) -> Any:
        if graph_of(*values) is not None:
            raise NotSimulated(f"tf.{name} is not simulated in a program")
        return Tensor(numpy.asarray(compute(*_arrays(values))))
    return apply


floordiv = _host_only("floordiv", numpy.floor_divide)
floormod = _host_only("math.floormod", numpy.mod)


@operation
def square(x: Any, name: Optional[str] = None) -> Any:
    """x * x."""
    return multiply(x, x)


@operation
def add_n(inputs: Any, name: Optional[str] = None) -> Any:
    """The sum of several tensors."""
    return functools.reduce(add, inputs)


@operation
def cast(x: Any, dtype: Any, name: Optional[str] = None) -> Any:
    """The same values in another element type."""
    wanted = _types.dtype_of(dtype)
    graph = graph_of(x)
    if graph is None:
        return Tensor(x, wanted)
    x = graph.symbol(x)
    kind = _types.device_name(wanted)
    if _types.device_name(x.dtype) == kind:
        return x
    from ._onnx import ELEMENT_TYPES
    return graph.emit("Cast", [x], x.shape, _types.DType(kind), "Cast", x.channels_first,
                      to=ELEMENT_TYPES[kind])


@operation
def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
           name: Optional[str] = None) -> Any:
    """A product of matrices, or of batches of them."""
    a = swap_last(a) if transpose_a else a
    b = swap_last(b) if transpose_b else b
    graph = graph_of(a, b)
    if graph is None:
        return Tensor(numpy.matmul(*_arrays([a, b])))
    a, b = (graph.plain(x) for x in _operands(graph, [a, b]))
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"Dimensions must be equal, but are {a.shape[-1]} and {b.shape[-2]} for "
                         f"a product of shapes {list(a.shape)} and {list(b.shape)}.")
    lead = numpy.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    return graph.emit("MatMul", [a, b], (*lead, a.shape[-2], b.shape[-1]), a.dtype, "MatMul")


def swap_last(x: Any) -> Any:
    """The transposed matrices."""
    rank = len(x.shape)
    return transpose(x, [*range(rank - 2), rank - 1, rank - 2])


@operation
def transpose(a: Any, perm: Optional[Sequence[int]] = None, name: Optional[str] = None) -> Any:
    """The dimensions in another order."""
    graph = graph_of(a)
    if graph is None:
        return Tensor(numpy.transpose(numpy.asarray(a), perm))
    x = graph.plain(graph.symbol(a))
    order = list(perm) if perm is not None else list(range(len(x.shape)))[::-1]
    return graph.emit("Transpose", [x], [x.shape[i] for i in order], x.dtype, "Transpose",
                      perm=order)


@operation
def reshape(tensor: Any, shape: Any, name: Optional[str] = None) -> Any:
    """The elements in another shape."""
    graph = graph_of(tensor)
    if graph is None:
        return Tensor(numpy.reshape(numpy.asarray(tensor), shape))
    x = graph.plain(graph.symbol(tensor))
    sizes = [int(size) for size in shape]
    if -1 in sizes:
        known = int(numpy.prod([size for size in sizes if size != -1]))
        sizes[sizes.index(-1)] = int(numpy.prod(x.shape)) // max(known, 1)
    return graph.emit("Reshape", [x, graph.integers(sizes)], sizes, x.dtype, "Reshape")


def _axes(rank: int, axis: Any) -> Tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, (list, tuple)) else [axis]
    return tuple(sorted(int(a) % rank for a in given))


def _reduction(kind: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    def apply(input_tensor: Any, axis: Any = None, keepdims: bool = False,
              name: Optional[str] = None) -> Any:
        graph = graph_of(input_tensor)
        if graph is None:
            axes = tuple(axis) if isinstance(axis, list) else axis
            value = numpy.asarray(input_tensor)
            return Tensor(numpy.asarray(compute(value, axis=axes, keepdims=keepdims), value.dtype))
        x = graph.plain(graph.symbol(input_tensor))
        axes = _axes(len(x.shape), axis)
        if kind == "ReduceMean" and hasattr(x, "mean_form") and len(axes) == len(x.shape):
            return x.mean_form()  # a loss that is one operator
        shape = [1 if i in axes else size for i, size in enumerate(x.shape)
                 if keepdims or i not in axes]
        if not axes:
            return x
        if kind == "ReduceSum":
            return graph.emit(kind, [x, graph.integers(axes)], shape, x.dtype, kind,
                              keepdims=int(keepdims))
        return graph.emit(kind, [x], shape, x.dtype, kind, axes=axes, keepdims=int(keepdims))
    return operation(apply)


reduce_mean = _reduction("ReduceMean", numpy.mean)
reduce_sum = _reduction("ReduceSum", numpy.sum)
reduce_max = _reduction("ReduceMax", numpy.max)
reduce_min = _reduction("ReduceMin", numpy.min)


@operation
def argmax(input: Any, axis: int = 0, output_type: Any = _types.int64,  # noqa: A002
           name: Optional[str] = None) -> Any:
    """The place of the largest element."""
    graph = graph_of(input)
    if graph is None:
        return Tensor(numpy.argmax(numpy.asarray(input), axis), output_type)
    x = graph.plain(graph.symbol(input))
    axis = axis % len(x.shape)
    shape = [size for i, size in enumerate(x.shape) if i != axis]
    return graph.emit("ArgMax", [x], shape, _types.int32, "ArgMax", axis=axis, keepdims=0)


@operation
def softmax(logits: Any, axis: int = -1, name: Optional[str] = None) -> Any:
    """Probabilities of classes."""
    graph = graph_of(logits)
    if graph is None:
        x = numpy.asarray(logits)
        shifted = numpy.exp(x - x.max(axis, keepdims=True))
        return Tensor(shifted / shifted.sum(axis, keepdims=True))
    x = graph.symbol(logits)
    return graph.emit("Softmax", [x], x.shape, x.dtype, "Softmax", x.channels_first,
                      axis=graph.axis(x, axis))


@operation
def log_softmax(logits: Any, axis: int = -1, name: Optional[str] = None) -> Any:
    """Logarithms of probabilities of classes."""
    graph = graph_of(logits)
    if graph is None:
        return log(softmax(logits, axis))
    x = graph.plain(graph.symbol(logits))
    return graph.emit("LogSoftmax", [x], x.shape, x.dtype, "LogSoftmax", axis=graph.axis(x, axis))


@operation
def clip_by_value(t: Any, clip_value_min: float, clip_value_max: float,
                  name: Optional[str] = None) -> Any:
    """Values within bounds."""
    graph = graph_of(t)
    if graph is None:
        return Tensor(numpy.clip(numpy.asarray(t), clip_value_min, clip_value_max))
    x = graph.symbol(t)
    low, high = (graph.constant(bound, x.dtype) for bound in (clip_value_min, clip_value_max))
    return graph.emit("Clip", [x, low, high], x.shape, x.dtype, "Clip", x.channels_first)


@operation
def concat(values: Sequence[Any], axis: int, name: Optional[str] = None) -> Any:
    """Tensors one after the other along a dimension."""
    graph = graph_of(*values)
    if graph is None:
        return Tensor(numpy.concatenate([numpy.asarray(v) for v in values], axis))
    parts = _operands(graph, values)
    if not all(part.channels_first for part in parts):
        parts = [graph.plain(part) for part in parts]
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    return graph.emit("Concat", parts, shape, parts[0].dtype, "Concat", parts[0].channels_first,
                      axis=graph.axis(parts[0], axis))


@operation
def expand_dims(input: Any, axis: int, name: Optional[str] = None) -> Any:  # noqa: A002
    """A dimension of size one more."""
    shape = list(input.shape)
    shape.insert(axis if axis >= 0 else axis + len(shape) + 1, 1)
    return reshape(input, shape)


@operation
def squeeze(input: Any, axis: Any = None, name: Optional[str] = None) -> Any:  # noqa: A002
    """Without dimensions of size one."""
    rank = len(input.shape)
    axes = ([i for i, size in enumerate(input.shape) if size == 1] if axis is None
            else _axes(rank, axis))
    return reshape(input, [size for i, size in enumerate(input.shape) if i not in axes])


@operation
def stack(values: Sequence[Any], axis: int = 0, name: Optional[str] = None) -> Any:
    """Tensors of one shape along a new dimension."""
    return concat([expand_dims(value, axis) for value in values], axis)


@operation
def gather(params: Any, indices: Any, axis: int = 0, name: Optional[str] = None) -> Any:
    """Rows by their numbers."""
    graph = graph_of(params, indices)
    if graph is None:
        return Tensor(numpy.take(numpy.asarray(params), numpy.asarray(indices), axis))
    x, rows = graph.plain(graph.symbol(params)), graph.symbol(indices)
    shape = (*x.shape[:axis], *rows.shape, *x.shape[axis + 1:])
    return graph.emit("Gather", [x, rows], shape, x.dtype, "Gather", axis=axis)


@operation
def strided_slice(x: Any, key: Any) -> Any:
    """x[key] for numbers and slices."""
    graph = graph_of(x)
    if graph is None:
        return Tensor(numpy.asarray(x)[key])
    x = graph.plain(graph.symbol(x))
    keys = key if isinstance(key, tuple) else (key, )
    if Ellipsis in keys:
        at = keys.index(Ellipsis)
        missing = len(x.shape) - len([k for k in keys if k is not None]) + 1
        keys = (*keys[:at], *[slice(None)] * missing, *keys[at + 1:])
    if any(k is None for k in keys):
        return _with_new_axes(strided_slice(x, tuple(k for k in keys if k is not None)), keys)
    keys = tuple(int(k) if isinstance(k, (int, numpy.integer)) else k for k in keys)
    if not all(isinstance(k, (int, slice)) for k in keys):
        raise NotSimulated(f"the index {key} of a tensor is not simulated")
    bounds = [(slice(k, k + 1 or None) if isinstance(k, int) else k).indices(size)
              for k, size in zip(keys, x.shape)]
    sizes = [len(range(*bound)) for bound in bounds]
    shape = [*sizes, *x.shape[len(keys):]]
    # ONNX counts a negative end from the back: the place before the first is further back still.
    bounds = [(first, end if end >= 0 else -size - 1, step)
              for (first, end, step), size in zip(bounds, x.shape)]
    if not keys:
        return x
    columns = [graph.integers([bound[i] for bound in bounds]) for i in range(3)]
    axes = graph.integers(list(range(len(keys))))
    y = graph.emit("Slice", [x, columns[0], columns[1], axes, columns[2]], shape, x.dtype, "Slice")
    kept = [size for i, size in enumerate(shape) if i >= len(keys) or not isinstance(keys[i], int)]
    return y if len(kept) == len(shape) else reshape(y, kept)


def _with_new_axes(x: Any, keys: Sequence[Any]) -> Any:
    """A slice's result with a dimension of size one for each None among the keys."""
    at = 0
    for key in keys:
        if key is None:
            x = expand_dims(x, at)
        at += not isinstance(key, (int, numpy.integer))
    return x


@operation
def one_hot(indices: Any, depth: int, dtype: Any = _types.float32,
            name: Optional[str] = None) -> Any:
    """A one at the place of each index."""
    graph = graph_of(indices)
    if graph is None:
        return Tensor(numpy.eye(depth)[numpy.asarray(indices)], dtype)
    rows = graph.symbol(indices)
    wanted = _types.DType(_types.device_name(_types.dtype_of(dtype)))
    depth_name = graph.integers([depth])
    values = graph.constant([0, 1], wanted)
    return graph.emit("OneHot", [rows, depth_name, values], (*rows.shape, depth), wanted, "OneHot",
                      axis=-1)


@operation
def identity(input: Any, name: Optional[str] = None) -> Any:  # noqa: A002
    """The same tensor."""
    graph = graph_of(input)
    return graph.symbol(input) if graph else Tensor(numpy.asarray(input))


@operation
def stop_gradient(input: Any, name: Optional[str] = None) -> Any:  # noqa: A002
    """The same values without a gradient."""
    graph = graph_of(input)
    if graph is None:
        return Tensor(numpy.asarray(input))
    x = graph.symbol(input)
    return graph.emit("ai.graphcore/Detach", [x], x.shape, x.dtype, "Detach", x.channels_first)
