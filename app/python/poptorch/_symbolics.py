"""Exports operations for which torch.onnx has no form, or not the one that an IPU runs."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import torch
import torch.onnx
from torch.onnx import symbolic_helper as helper
from torch.onnx import symbolic_opset9, symbolic_opset11, symbolic_opset12, symbolic_opset13, symbolic_opset14

from ._errors import Error
from ._functions import GRAPHCORE, add_node, identity_loss_node

#: Operator set of the exported models.
OPSET = 16

#: ONNX's numbers for element types.
_FLOAT, _BOOL = 1, 9

_REDUCTION = ["none", "mean", "sum"]

#: Bound in binary cross-entropy, so that it stays finite.
_LEAST_LOGARITHM = -100


def _constant(graph: Any, value: float) -> Any:
    return graph.op("Constant", value_t=torch.tensor(float(value)))


def _loss(graph: Any, terms: Any, reduction: Any) -> Any:
    """Ends a loss for which PopART has no operator."""
    return identity_loss_node(graph, terms, _REDUCTION[helper._maybe_get_const(reduction, "i")])


def _mse_loss(graph: Any, x: Any, target: Any, reduction: Any) -> Any:
    error = graph.op("Sub", x, target)
    return _loss(graph, graph.op("Mul", error, error), reduction)


def _l1_loss(graph: Any, x: Any, target: Any, reduction: Any) -> Any:
    return _loss(graph, graph.op("Abs", graph.op("Sub", x, target)), reduction)


def _huber(graph: Any, x: Any, target: Any, delta: float, scale: float) -> Any:
    """scale * (error^2 / 2 where |error| < delta, else delta * (|error| - delta / 2))"""
    size = graph.op("Abs", graph.op("Sub", x, target))
    # With m = min(|e|, delta) both branches are m * (|e| - m / 2).
    least = graph.op("Min", size, _constant(graph, delta))
    half = graph.op("Mul", least, _constant(graph, 0.5))
    terms = graph.op("Mul", least, graph.op("Sub", size, half))
    return terms if scale == 1 else graph.op("Mul", terms, _constant(graph, scale))


def _smooth_l1_loss(graph: Any, x: Any, target: Any, reduction: Any, beta: Any) -> Any:
    width = helper._maybe_get_const(beta, "f")
    if width == 0:
        return _l1_loss(graph, x, target, reduction)
    return _loss(graph, _huber(graph, x, target, width, 1 / width), reduction)


def _huber_loss(graph: Any, x: Any, target: Any, reduction: Any, delta: Any) -> Any:
    return _loss(graph, _huber(graph, x, target, helper._maybe_get_const(delta, "f"), 1), reduction)


def _binary_cross_entropy(graph: Any, x: Any, target: Any, weight: Any, reduction: Any) -> Any:
    one = _constant(graph, 1)
    rest = graph.op("Sub", one, x)
    yes = graph.op("Mul", target, graph.op("Log", x, __least_result_i=_LEAST_LOGARITHM))
    no = graph.op("Mul", graph.op("Sub", one, target),
                  graph.op("Log", rest, __least_result_i=_LEAST_LOGARITHM))
    terms = graph.op("Neg", graph.op("Add", yes, no))
    if not helper._is_none(weight):
        terms = graph.op("Mul", terms, weight)
    return _loss(graph, terms, reduction)


def _bce_with_logits(graph: Any, x: Any, target: Any, weight: Any, pos_weight: Any,
                     reduction: Any) -> Any:
    # -(p t log s(x) + (1 - t) log(1 - s(x))), where -log s(x) is m + log(e^-m + e^(-x - m)): it
    # cannot overflow, and does not depend on the gradient of m = max(-x, 0) at zero.
    one = _constant(graph, 1)
    minus = graph.op("Neg", x)
    most = graph.op("Relu", minus)
    powers = graph.op("Add", graph.op("Exp", graph.op("Neg", most)),
                      graph.op("Exp", graph.op("Sub", minus, most)))
    minus_log = graph.op("Add", graph.op("Log", powers), most)  # -log s(x)
    rest = graph.op("Sub", one, target)
    factor = rest
    if not helper._is_none(pos_weight):
        weighed = graph.op("Mul", graph.op("Sub", pos_weight, one), target)
        minus_log = graph.op("Mul", graph.op("Add", one, weighed), minus_log)
    terms = graph.op("Add", graph.op("Mul", factor, x), minus_log)
    if not helper._is_none(weight):
        terms = graph.op("Mul", terms, weight)
    return _loss(graph, terms, reduction)


def _log_sigmoid(graph: Any, x: Any) -> Any:
    """The logarithm of a sigmoid that is zero in single precision is not infinite."""
    return graph.op("Neg", graph.op("Softplus", graph.op("Neg", x)))


def _kl_div(graph: Any, x: Any, target: Any, reduction: Any, log_target: Any) -> Any:
    if helper._maybe_get_const(log_target, "b"):
        difference = graph.op("Mul", graph.op("Exp", target), graph.op("Sub", target, x))
        return _loss(graph, difference, reduction)
    terms = graph.op("Mul", target, graph.op("Sub", graph.op("Log", target), x))
    zero = _constant(graph, 0)
    is_positive = graph.op("Greater", target, zero)
    return _loss(graph, graph.op("Where", is_positive, terms, zero), reduction)


def _is_over_classes(graph: Any, x: Any) -> bool:
    """Whether it is the logarithm of a softmax over its second dimension."""
    node = x.node()
    if node.kind() == "onnx::Cast":
        node = next(node.inputs()).node()
    sizes = next(graph.original_node.inputs()).type().sizes()
    return node.kind() == "onnx::LogSoftmax" and sizes is not None and node.i("axis") % len(sizes) == 1


def _nll(function: Callable[..., Any]) -> Callable[..., Any]:
    """Exporters join a loss with the softmax before it whatever that runs over, and skip a view between."""

    def nll(graph: Any, x: Any, *rest: Any) -> Any:
        apart = x if _is_over_classes(graph, x) else graph.op("Identity", x)
        return function(graph, apart, *rest)

    return nll


def _group_norm(graph: Any, x: Any, groups: Any, weight: Any, bias: Any, epsilon: Any,
                enabled: Any) -> Any:
    sizes = helper._get_tensor_sizes(x)
    if (sizes is None or sizes[1] is None) and not helper._is_none(weight):
        sizes = [None, *(helper._get_tensor_sizes(weight) or [None])]
    if sizes is None or sizes[1] is None:
        raise Error("group_norm: the number of channels does not follow from the model's inputs")
    if helper._is_none(weight):
        weight = graph.op("Constant", value_t=torch.ones(sizes[1]))
    if helper._is_none(bias):
        bias = graph.op("Constant", value_t=torch.zeros(sizes[1]))
    result = add_node(graph, GRAPHCORE, "GroupNormalization", x, weight, bias,
                      num_groups_i=helper._maybe_get_const(groups, "i"),
                      epsilon_f=helper._maybe_get_const(epsilon, "f"),
                      outputs=3)[0]
    result.setType(x.type())
    return result


def _batch_norm(graph: Any, x: Any, weight: Any, bias: Any, mean: Any, variance: Any,
                *rest: Any) -> Any:
    """For norms without weights, as exporters do not always know the channels of the operand."""
    channels = (helper._get_tensor_sizes(mean) or [None])[0]
    if channels is not None and helper._is_none(weight):
        weight = graph.op("Constant", value_t=torch.ones(channels))
    if channels is not None and helper._is_none(bias):
        bias = graph.op("Constant", value_t=torch.zeros(channels))
    return symbolic_opset14.batch_norm(graph, x, weight, bias, mean, variance, *rest)


def _as_float(graph: Any, x: Any) -> Any:
    return x if helper._is_fp(x) else graph.op("Cast", x, to_i=_FLOAT)


def _near_zero(name: str) -> Callable[..., Any]:
    """PopART's operator for a function whose plain form loses all digits near zero."""

    def function(graph: Any, x: Any) -> Any:
        operand = _as_float(graph, x)
        result = add_node(graph, GRAPHCORE, name, operand)
        result.setType(operand.type())
        return result

    return function


def _integers(graph: Any, values: List[int]) -> Any:
    return graph.op("Constant", value_t=torch.tensor(values, dtype=torch.int64))


def _floor_divide(graph: Any, x: Any, other: Any) -> Any:
    if helper._is_fp(x) or helper._is_fp(other):
        return graph.op("Floor", graph.op("Div", _as_float(graph, x), _as_float(graph, other)))
    # ONNX's remainder has the divisor's sign, so that subtracting it leaves a multiple.
    return graph.op("Div", graph.op("Sub", x, graph.op("Mod", x, other)), other)


def _right_shift(graph: Any, x: Any, by: Any) -> Any:
    """A quotient that is rounded down: a negative number keeps its sign bit."""
    power = graph.op("Pow", _constant(graph, 2.0), graph.op("Cast", by, to_i=_FLOAT))
    return _floor_divide(graph, x, graph.op("CastLike", power, x))


def _norm_of(graph: Any, x: Any, p: float, keeps: bool) -> Any:
    """The p-norm over the last dimension."""
    size = graph.op("Abs", x)
    axes = _integers(graph, [-1])
    if p == float("inf"):
        return graph.op("ReduceMax", size, axes_i=[-1], keepdims_i=int(keeps))
    if p == 0:
        size = graph.op("Cast", graph.op("Cast", size, to_i=_BOOL), to_i=_FLOAT)
    elif p != 1:
        size = graph.op("Mul", x, x) if p == 2 else graph.op("Pow", size, _constant(graph, p))
    total = graph.op("ReduceSum", size, axes, keepdims_i=int(keeps))
    if p in (0, 1):
        return total
    return graph.op("Sqrt", total) if p == 2 else graph.op("Pow", total, _constant(graph, 1 / p))


def _pairwise_distance(graph: Any, x: Any, other: Any, p: Any, eps: Any, keepdim: Any) -> Any:
    shift = _constant(graph, helper._maybe_get_const(eps, "f"))
    difference = graph.op("Add", graph.op("Sub", x, other), shift)
    return _norm_of(graph, difference, helper._maybe_get_const(p, "f"),
                    bool(helper._maybe_get_const(keepdim, "b")))


def _index_put(graph: Any, x: Any, indices: Any, values: Any, accumulate: Any = False) -> Any:
    result = symbolic_opset11.index_put(graph, x, indices, values, False)
    if helper._maybe_get_const(accumulate, "b"):
        result.node().s_("reduction", "add")
    return result


def _clamp(function: Callable[..., Any]) -> Callable[..., Any]:
    """clamp() lets the gradient pass at its bounds, unlike hardtanh() and relu6()."""

    def clamp(graph: Any, x: Any, *bounds: Any) -> Any:
        result = function(graph, x, *bounds)
        if result.node().kind() == "onnx::Clip":
            result.node().i_("__slopes_at_ends", 1)
        return result

    return clamp


def _squeeze(graph: Any, x: Any, dim: Any = None) -> Any:
    """Exporters branch on a size that they have lost; the trace still has it."""
    before = next(graph.original_node.inputs()).type().sizes()
    number = None if dim is None else helper._maybe_get_const(dim, "i")
    if before is None or not isinstance(number, int):
        return symbolic_opset11.squeeze(graph, x, *([] if dim is None else [dim]))
    if before and before[number] != 1:
        return x
    return graph.op("Squeeze", x, _integers(graph, [number % max(1, len(before))]))


def _size(graph: Any, x: Any, dim: Any = None) -> Any:
    """Exporters take apart a shape that they have lost; the trace still has it."""
    sizes = next(graph.original_node.inputs()).type().sizes()
    number = None if dim is None else helper._maybe_get_const(dim, "i")
    if sizes is None or not (dim is None or isinstance(number, int)):
        return symbolic_opset11.size(graph, x, dim)
    made = torch.tensor(sizes if dim is None else sizes[number], dtype=torch.int64)
    return graph.op("Constant", value_t=made)


def _transposed(graph: Any, x: Any, order: List[int]) -> Any:
    return x if order == sorted(order) else graph.op("Transpose", x, perm_i=order)


def _permute(graph: Any, x: Any, dims: Any) -> Any:
    """ONNX does not count dimensions from the end, and exporters read beyond the shape."""
    order = helper._get_const(dims, "is", "dims")
    return _transposed(graph, x, [dim % len(order) for dim in order])


def _movedim(graph: Any, x: Any, source: Any, destination: Any) -> Any:
    """The same."""
    sizes = next(graph.original_node.inputs()).type().sizes()
    count = helper._get_tensor_rank(x) if sizes is None else len(sizes)
    if count is None:
        raise Error("movedim: the number of dimensions does not follow from the model's inputs")
    given, places = ([dim % count for dim in helper._parse_arg(dims, "t").reshape(-1).tolist()]
                     for dims in (source, destination))
    order = [dim for dim in range(count) if dim not in given]
    for place, dim in sorted(zip(places, given)):
        order.insert(place, dim)
    return _transposed(graph, x, order)


def _feature_dropout(graph: Any, x: Any, p: Any, train: Any) -> Any:
    """Dropout of whole channels: of a factor for each."""
    if not helper._maybe_get_const(train, "b"):
        return x
    sizes = helper._get_tensor_sizes(x)
    ones = graph.op("Constant", value_t=torch.ones([*sizes[:2], *[1] * (len(sizes) - 2)]))
    training = graph.op("Constant", value_t=torch.tensor(True))
    ratio = _constant(graph, helper._maybe_get_const(p, "f"))
    return graph.op("Mul", x, graph.op("Dropout", ones, ratio, training, outputs=2)[0])


def _drawn(function: Callable[..., Any]) -> Callable[..., Any]:
    """ONNX draws tensors with at least one dimension; a single number is one of these."""

    def draw(graph: Any, shape: Any, *rest: Any) -> Any:
        if helper._maybe_get_const(shape, "is") != []:
            return function(graph, shape, *rest)
        return graph.op("Squeeze", function(graph, [1], *rest), _integers(graph, [0]))

    return draw


def _scatter_add(graph: Any, x: Any, dim: Any, index: Any, source: Any) -> Any:
    """Exporters require a source of the index's sizes, which they do not always know."""
    return graph.op("ScatterElements", x, index, source, axis_i=helper._maybe_get_const(dim, "i"),
                    reduction_s="add")


def _unsafe_chunk(graph: Any, x: Any, chunks: Any, dim: Any, _outputs: Optional[int] = None) -> Any:
    """The gates of a recurrent cell, all of one size, which exporters want to know."""
    if _outputs is None:
        return symbolic_opset13.unsafe_chunk(graph, x, chunks, dim)
    return graph.op("Split", x, axis_i=helper._maybe_get_const(dim, "i"), outputs=_outputs)


SYMBOLICS: Dict[str, Callable[..., Any]] = {
    "aten::mse_loss": _mse_loss,
    "aten::l1_loss": _l1_loss,
    "aten::smooth_l1_loss": _smooth_l1_loss,
    "aten::huber_loss": _huber_loss,
    "aten::binary_cross_entropy": _binary_cross_entropy,
    "aten::binary_cross_entropy_with_logits": _bce_with_logits,
    "aten::kl_div": _kl_div,
    "aten::log_sigmoid": _log_sigmoid,
    "aten::nll_loss": _nll(symbolic_opset12.nll_loss),
    "aten::nll_loss2d": _nll(symbolic_opset12.nll_loss2d),
    "aten::nll_loss_nd": _nll(symbolic_opset12.nll_loss_nd),
    "aten::batch_norm": _batch_norm,
    "aten::group_norm": _group_norm,
    "aten::expm1": _near_zero("Expm1"),
    "aten::log1p": _near_zero("Log1p"),
    "aten::floor_divide": _floor_divide,
    "aten::__rshift_": _right_shift,
    "aten::index_put": _index_put,
    "aten::clamp": _clamp(symbolic_opset11.clamp),
    "aten::clamp_min": _clamp(symbolic_opset11.clamp_min),
    "aten::clamp_max": _clamp(symbolic_opset11.clamp_max),
    "aten::squeeze": _squeeze,
    "aten::permute": _permute,
    "aten::movedim": _movedim,
    "aten::size": _size,
    "aten::scatter_add": _scatter_add,
    "aten::unsafe_chunk": _unsafe_chunk,
    "aten::feature_dropout": _feature_dropout,
    "aten::rand": _drawn(symbolic_opset9.rand),
    "aten::randn": _drawn(symbolic_opset9.randn),
    "aten::pairwise_distance": _pairwise_distance,
}


class Registered:
    """A context in which torch.onnx exports with these forms; afterwards its own are restored."""

    def __enter__(self) -> None:
        for name, function in SYMBOLICS.items():
            torch.onnx.register_custom_op_symbolic(name, function, OPSET)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        for name in SYMBOLICS:
            torch.onnx.unregister_custom_op_symbolic(name, OPSET)
