"""The parts of generated modules: a row for each operation that poptorch supports.

Another operation is tried by being here.
"""
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import poptorch
import torch
from torch import nn

F = nn.functional


def _no_params(rng, *operands):
    return {}


def _always(*operands):
    return True


@dataclass
class Row:
    """An operation: operands by kind ("f": float, "i": index, "b": bool), the condition on them, the
    numbers it draws, the module it needs, and its computation."""
    name: str
    compute: Callable[..., Any]  #: (module or its own part, numbers, *operands)
    kinds: str = "f"
    fits: Callable[..., bool] = _always
    params: Callable[..., Dict[str, Any]] = _no_params
    part: Optional[Callable[[Dict[str, Any]], nn.Module]] = None
    state: bool = False  #: keeps state between micro-batches
    in_place: bool = False
    half: bool = False  #: exact enough in half precision
    smooth: bool = True  #: has meaningful gradients
    weight: int = 1


ROWS: Dict[str, Row] = {}


def row(name, compute, *args, **named):
    assert name not in ROWS, name
    ROWS[name] = Row(name, compute, *args, **named)


def unary(name, function, **named):
    row(name, lambda m, p, x: function(x), **named)


def binary(name, function, **named):
    named.setdefault("fits", lambda x, y: x.shape == y.shape)
    row(name, lambda m, p, x, y: function(x, y), "ff", **named)


def dims(least, most=9):
    return lambda x, *more: least <= x.dim() <= most


def axis(rng, x, *more):
    """A dimension, counted from either end."""
    return {"dim": rng.randrange(-x.dim(), x.dim())}


def inner_axis(rng, x, *more):
    """A dimension other than the batch."""
    return {"dim": rng.randrange(1, x.dim())}


def _positive(x):
    return x.abs() + 0.2


# Functions of each element.
for _name in ("relu", "sigmoid", "tanh", "abs", "neg", "square", "sin", "cos", "erf"):
    unary(_name, getattr(torch, _name), half=_name in ("relu", "sigmoid", "tanh", "abs", "neg"))
for _name in ("sqrt", "rsqrt", "reciprocal", "log", "log2", "log10", "log1p"):
    unary(_name, lambda x, f=getattr(torch, _name): f(_positive(x)))
for _name in ("exp", "exp2", "expm1", "sinh", "cosh", "asinh", "atan"):
    unary(_name, lambda x, f=getattr(torch, _name): f(x.clamp(-2, 2)))
for _name in ("asin", "acos", "atanh"):
    unary(_name, lambda x, f=getattr(torch, _name): f(x.clamp(-0.8, 0.8)))
unary("acosh", lambda x: torch.acosh(_positive(x) + 1))
unary("tan", lambda x: torch.tan(x.clamp(-1, 1)))
for _name in ("floor", "ceil", "round", "trunc", "sign", "frac"):
    unary(_name, lambda x, f=getattr(torch, _name): f(x * 1.7 + 0.013), smooth=False)
for _name in ("gelu", "silu", "mish", "softplus", "elu", "selu", "celu", "leaky_relu", "relu6",
              "hardtanh", "hardsigmoid", "hardswish", "logsigmoid", "softsign", "tanhshrink",
              "softshrink", "hardshrink"):
    unary(_name, getattr(F, _name))
row("threshold", lambda m, p, x: F.threshold(x, p["at"], p["value"]),
    params=lambda rng, x: {"at": rng.choice([-0.1, 0.3]), "value": rng.choice([-1.0, 0.5])})
row("glu", lambda m, p, x: F.glu(x, p["dim"]), params=axis,
    fits=lambda x: x.dim() > 1 and all(s % 2 == 0 for s in x.shape))
row("clamp", lambda m, p, x: torch.clamp(x, **p),
    params=lambda rng, x: rng.choice([{"min": -0.5}, {"max": 0.4}, {"min": -0.3, "max": 0.6}]))
binary("clamp_tensor", lambda x, y: torch.clamp(x, max=y + 0.01))
row("power", lambda m, p, x: _positive(x).clamp(max=2).pow(p["p"]),
    params=lambda rng, x: {"p": rng.choice([2, 3, 0.5, -1, 1.5, 0])})
row("pow_of_scalar", lambda m, p, x: torch.pow(p["base"], x.clamp(-2, 2)),
    params=lambda rng, x: {"base": rng.choice([2, 0.5, 1.3])})
unary("nan_to_num", lambda x: torch.nan_to_num(torch.log(x * 0 + _positive(x)), nan=0.5))
unary("isnan", lambda x: torch.where(torch.isnan(x), torch.zeros_like(x), x))
unary("logit", lambda x: torch.logit(x.sigmoid().clamp(0.1, 0.9)))
unary("deg2rad", torch.deg2rad)
unary("rad2deg", lambda x: torch.rad2deg(x) * 0.01)
unary("clone", torch.clone)
# Many equal numbers, which share or choose gradients.
unary("quantised", lambda x: x + (torch.round(x) - x).detach(), weight=3)
unary("detach", lambda x: x + x.detach())
unary("contiguous", lambda x: x.contiguous())
unary("positive", lambda x: +x)
unary("to_half_and_back", lambda x: x.to(torch.int32).to(torch.float32) + x, smooth=False)
unary("type_as", lambda x: (x > 0).type_as(x) * x)

def _untied(x):
    """All elements differ: which of equal ones comes first is not defined."""
    return x + torch.arange(1, x.numel() + 1).reshape(x.shape) * 1e-3


# Two operands.
binary("add", torch.add, half=True)
binary("sub", torch.sub, half=True)
binary("mul", torch.mul, half=True)
binary("div", lambda x, y: x / _positive(y))
binary("maximum", torch.maximum)
binary("minimum", torch.minimum)
unary("maximum_with_zero", lambda x: torch.maximum(x, torch.zeros(())))
binary("fmod", lambda x, y: torch.fmod(x, _positive(y)))
binary("remainder",
       lambda x, y: torch.remainder(x, torch.where(y < 0, -1.0, 1.0) * _positive(y)))
binary("floor_divide", lambda x, y: torch.floor_divide(x, y.detach().abs() + 0.3) + x,
       smooth=False)
# Avoids quotients that are whole except for rounding, where one unit more is also right.
binary("div_floor", lambda x, y: torch.div(x * 1.7 + 0.0137, _positive(y), rounding_mode="floor"),
       smooth=False)
binary("div_trunc", lambda x, y: torch.div(x * 1.7 + 0.0137, _positive(y), rounding_mode="trunc"),
       smooth=False)
binary("atan2", lambda x, y: torch.atan2(x, _positive(y)))
binary("hypot", lambda x, y: torch.hypot(x, _positive(y)))
binary("pow", lambda x, y: torch.pow(_positive(x).clamp(max=2), y.clamp(-2, 2)))
binary("xlogy", lambda x, y: torch.xlogy(x, _positive(y)))
binary("logaddexp", lambda x, y: torch.logaddexp(x, y))
binary("lerp", lambda x, y: torch.lerp(x, y, 0.3))
binary("rsub", lambda x, y: torch.rsub(x, y, alpha=2))
binary("add_alpha", lambda x, y: torch.add(x, y, alpha=0.5))
binary("where", lambda x, y: torch.where(x > y + 0.01, x, y * 2))
binary("addcmul", lambda x, y: torch.addcmul(x, x, y, value=0.5))
binary("addcdiv", lambda x, y: torch.addcdiv(x, x, _positive(y), value=0.5))
binary("true_divide", lambda x, y: torch.true_divide(x, _positive(y)))
binary("dist_l2", lambda x, y: ((x - y)**2 + 0.1).sum().sqrt().reshape(1, 1).expand(x.shape[0], 1).clone())
row("scalar_arithmetic", lambda m, p, x: (p["a"] - x) * p["b"] + x / p["c"],
    params=lambda rng, x: {"a": rng.choice([1, 0.5]), "b": rng.choice([2, -0.7]),
                           "c": rng.choice([2, 3.0])})
row("scalar_over", lambda m, p, x: p["a"] / _positive(x),
    params=lambda rng, x: {"a": rng.choice([1, 2.5])})
row("broadcast_row", lambda m, p, x, y: x + y[:1], "ff",
    fits=lambda x, y: x.shape == y.shape)
row("broadcast_column", lambda m, p, x, y: x * y.mean(-1, keepdim=True), "ff",
    fits=lambda x, y: x.shape == y.shape)

# Comparisons and masks.
for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    row(_name, lambda m, p, x, f=getattr(torch, _name): f(x, p["c"]),
        params=lambda rng, x: {"c": rng.choice([0.0, 0.25])})
row("logical", lambda m, p, x, y: getattr(torch, p["f"])(x > 0, y > 0), "ff",
    params=lambda rng, *x: {"f": rng.choice(["logical_and", "logical_or", "logical_xor"])},
    fits=lambda x, y: x.shape == y.shape)
row("not", lambda m, p, b: ~b, "b")
row("masked_fill", lambda m, p, x, b: x.masked_fill(b, p["v"]), "fb",
    params=lambda rng, *x: {"v": rng.choice([0.0, -1.5])}, fits=lambda x, b: x.shape == b.shape)
row("bool_to_float", lambda m, p, b: b.float(), "b")
row("where_scalar", lambda m, p, x, b: torch.where(b, x, torch.tensor(0.5)), "fb",
    fits=lambda x, b: x.shape == b.shape)
row("any_all", lambda m, p, b: getattr(b, p["f"])(p["dim"]), "b",
    params=lambda rng, x: {**axis(rng, x), "f": rng.choice(["any", "all"])}, fits=dims(2))

# Reductions.
for _name in ("sum", "mean", "amax", "amin", "prod", "logsumexp", "norm", "std", "var"):
    row(_name, lambda m, p, x, f=getattr(torch, _name): f(x, **p), fits=dims(2),
        params=lambda rng, x: {"dim": rng.randrange(1, x.dim()), "keepdim": rng.random() < 0.5})
row("sum_dims", lambda m, p, x: x.sum((1, -1)), fits=dims(3))
row("mean_all", lambda m, p, x: x - x.mean())
row("var_biased", lambda m, p, x: x.var(p["dim"], unbiased=False, keepdim=True),
    params=inner_axis, fits=dims(2))
row("std_mean", lambda m, p, x: sum(torch.std_mean(x, p["dim"], keepdim=True)), params=inner_axis,
    fits=lambda x: x.dim() > 1 and min(x.shape[1:]) > 1)
row("max_values", lambda m, p, x: x.max(p["dim"])[0], params=inner_axis, fits=dims(2))
row("min_values", lambda m, p, x: x.min(p["dim"], keepdim=True)[0], params=inner_axis,
    fits=dims(2))
row("argmax", lambda m, p, x: x.argmax(p["dim"]), params=inner_axis, fits=dims(2), smooth=False)
row("argmin", lambda m, p, x: x.argmin(p["dim"]), params=inner_axis, fits=dims(2), smooth=False)
row("topk", lambda m, p, x: torch.topk(_untied(x), 1, p["dim"])[0], params=inner_axis, fits=dims(2))
row("sort", lambda m, p, x: torch.sort(_untied(x), p["dim"], descending=p["d"])[0], fits=dims(2),
    params=lambda rng, x: {**inner_axis(rng, x), "d": rng.random() < 0.5})
row("cumsum", lambda m, p, x: torch.cumsum(x, p["dim"]), params=inner_axis, fits=dims(2))
row("norm_p", lambda m, p, x: torch.norm(x + 0.1, p["p"], p["dim"]),
    params=lambda rng, x: {**inner_axis(rng, x), "p": rng.choice([1, 2, 3])}, fits=dims(2))
row("vector_norm", lambda m, p, x: torch.linalg.vector_norm(x + 0.1, p["p"], p["dim"]),
    params=lambda rng, x: {**inner_axis(rng, x), "p": rng.choice([1, 2, float("inf")])},
    fits=dims(2))
row("softmax", lambda m, p, x: torch.softmax(x, p["dim"]), params=axis, half=True)
row("log_softmax", lambda m, p, x: F.log_softmax(x, p["dim"]), params=axis)
row("softmin", lambda m, p, x: F.softmin(x, p["dim"]), params=axis)
row("normalize", lambda m, p, x: F.normalize(x + 0.1, dim=p["dim"], p=p["p"]), fits=dims(2),
    params=lambda rng, x: {**inner_axis(rng, x), "p": rng.choice([1, 2])})
