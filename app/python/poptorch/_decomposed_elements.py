"""Functions of each element that torch.onnx has no form for, or a wrong one."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict

import torch

from ._aliases import untraced
from ._errors import Error

Tensor = torch.Tensor


def _logical_not(x: Tensor) -> Tensor:
    return torch.bitwise_not(x) if x.dtype == torch.bool else x == 0


def _copysign(x: Tensor, other: Any) -> Tensor:
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    if not isinstance(other, Tensor):
        return -x.abs() if math.copysign(1, other) < 0 else x.abs()
    is_negative = torch.where(other == 0, 1 / other, other) < 0  # also of -0
    return torch.where(is_negative, -x.abs(), x.abs())


def _heaviside(x: Tensor, values: Tensor) -> Tensor:
    return torch.where(x == 0, values, (x > 0).to(x.dtype))


def _sinc(x: Tensor) -> Tensor:
    is_zero = x == 0
    angle = torch.where(is_zero, torch.ones_like(x), x) * math.pi
    return torch.where(is_zero, torch.ones_like(x), torch.sin(angle) / angle)


def _logaddexp(x: Tensor, other: Tensor) -> Tensor:
    most = torch.maximum(x, other).detach()
    most = torch.where(most.abs() == math.inf, torch.zeros_like(most), most)  # nothing to subtract
    return most + torch.log(torch.exp(x - most) + torch.exp(other - most))


def _logaddexp2(x: Tensor, other: Tensor) -> Tensor:
    scale = math.log(2)
    return _logaddexp(x * scale, other * scale) / scale


def _xlogy(x: Any, other: Any) -> Tensor:
    """x = 0 gives zero where y has no finite logarithm; elsewhere x = 0 has its normal gradient."""
    kind = torch.result_type(x, other)
    kind = kind if kind.is_floating_point else torch.get_default_dtype()
    x, other = _as_tensor(x, kind), _as_tensor(other, kind)
    is_zero = (x == 0) & ((other <= 0) | (other == math.inf))
    return x * torch.log(torch.where(is_zero, torch.ones_like(other), other))


def _as_tensor(value: Any, kind: torch.dtype) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(kind)
    with untraced():
        return torch.tensor(value, dtype=kind)


def _entr(x: Tensor) -> Tensor:
    """Minus infinity for negative numbers."""
    return torch.where(x < 0, torch.full_like(x, -math.inf), -_xlogy(x, x.abs()))


def _one_is_nan(largest: bool) -> Callable[[Tensor, Tensor], Tensor]:

    def best(x: Tensor, other: Tensor) -> Tensor:
        """Of equal elements the first has the whole gradient."""
        is_first = (x >= other if largest else x <= other) | (other != other)
        return torch.where(is_first, x, other)

    return best


def _isclose(x: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8,
             equal_nan: bool = False) -> Tensor:
    if x.dtype == torch.bool:
        return x == other
    near = (x - other).abs() <= atol + rtol * other.abs()
    near = torch.logical_or(torch.logical_and(near, other.abs() < math.inf), x == other)
    if equal_nan:
        near = torch.logical_or(near, torch.logical_and(x != x, other != other))
    return near


def _softplus(x: Tensor, beta: float = 1, threshold: float = 20) -> Any:
    """Exporters ignore the threshold, above which the function is the identity."""
    if beta * threshold == 0:
        return NotImplemented
    is_large = x * beta > threshold
    smooth = torch.log1p(torch.exp(torch.where(is_large, torch.zeros_like(x), x * beta))) / beta
    return torch.where(is_large, x, smooth)


def _converted_first(name: str) -> Callable[..., Any]:
    """With a type for the result, which the operand is converted to; exporters convert the result."""

    def function(x: Tensor, dim: Any = None, *rest: Any, dtype: Any = None, **named: Any) -> Any:
        if dtype is None and rest and isinstance(rest[-1], torch.dtype):
            dtype = rest[-1]
        if dtype is None or dtype == x.dtype or not isinstance(dim, int):
            return NotImplemented
        return getattr(torch, name)(x.to(dtype), dim)

    return function


def _round(x: Tensor, *, decimals: int = 0) -> Any:
    if not x.is_floating_point():
        return x.clone() if decimals == 0 else NotImplemented
    scale = 10.0**abs(decimals)
    if decimals == 0:
        return torch.round(x)
    return torch.round(x * scale) / scale if decimals > 0 else torch.round(x / scale) * scale


def _whole(x: Tensor) -> Any:
    """Whole numbers, rounded up or down; exporters do so with real ones only."""
    return NotImplemented if x.is_floating_point() else x.clone()


def _of_truths(name: str) -> Callable[..., Any]:
    """all() and any() of numbers, for which exporters take bits."""

    def reduced(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        return NotImplemented if input.dtype == torch.bool else getattr(input != 0, name)(*args, **kwargs)

    return reduced


def _view(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    kind = kwargs.get("dtype", args[0] if args else None)
    if not isinstance(kind, torch.dtype):
        return NotImplemented
    if kind == x.dtype:
        return x.view(x.shape)
    raise Error(f"view({kind}): the bits of numbers as numbers of another type are not simulated",
                "poptorch_cpp_error")


ELEMENTS: Dict[str, Callable[..., Any]] = {
    "all": _of_truths("all"),
    "any": _of_truths("any"),
    "view": _view,
    "erfc": lambda x: 1 - torch.erf(x),
    "logical_not": _logical_not,
    "softplus": _softplus,
    "softmax": _converted_first("softmax"),
    "log_softmax": _converted_first("log_softmax"),
    "round": _round,
    "ceil": _whole,
    "floor": _whole,
    "copysign": _copysign,
    "heaviside": _heaviside,
    "sinc": _sinc,
    "sgn": torch.sign,
    "float_power": lambda x, exponent: x.to(torch.float32)**exponent,
    "fmax": _one_is_nan(True),
    "fmin": _one_is_nan(False),
    "isclose": _isclose,
    "xlogy": _xlogy,
    "special_xlogy": _xlogy,
    "special_xlog1py": lambda x, other: _xlogy(x, other + 1),
    "special_entr": _entr,
    "logaddexp": _logaddexp,
    "logaddexp2": _logaddexp2,
    "ldexp": lambda x, other: x * torch.pow(2.0, other),
}
