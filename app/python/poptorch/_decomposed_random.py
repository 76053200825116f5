"""Random numbers that torch.onnx has no form for, in terms of uniform ones."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional

import torch

Tensor = torch.Tensor

#: Scale and shape of the SELU, whose negative limit alpha dropout puts in.
_SELU_LIMIT = -1.7580993408473766


def _uniform_like(x: Tensor) -> Tensor:
    """Numbers in [0, 1) of a tensor's shape, and in float also for whole numbers."""
    return torch.rand([int(size) for size in x.shape],
                      dtype=x.dtype if x.is_floating_point() else torch.float32)


def _whole(uniform: Tensor, low: int, high: int, dtype: torch.dtype) -> Tensor:
    """Whole numbers in [low, high)."""
    count = high - low
    return (torch.floor(uniform * count).clamp(max=count - 1) + low).to(dtype)


def _randint(*args: Any, low: int = 0, high: Optional[int] = None, size: Any = None,
             generator: Any = None, dtype: Any = None, **named: Any) -> Tensor:
    numbers = [value for value in args if isinstance(value, int)]
    sizes = [value for value in args if not isinstance(value, int)]
    size = sizes[0] if sizes else size
    if high is None or numbers:
        low, high = (low, numbers[0]) if len(numbers) == 1 and high is None else (
            (numbers[0], high) if len(numbers) == 1 else tuple(numbers))  # type: ignore[assignment]
    assert size is not None and high is not None
    return _whole(torch.rand([int(s) for s in size]), low, high, dtype or torch.int64)


def _randint_like(x: Tensor, *args: int, low: int = 0, high: Optional[int] = None,
                  dtype: Any = None, **named: Any) -> Tensor:
    if len(args) == 2:
        low, high = args
    elif args:
        low, high = (low, args[0]) if high is None else (args[0], high)
    assert high is not None
    return _whole(_uniform_like(x).to(torch.float32), low, high, dtype or x.dtype)


def _randperm(n: int, *, dtype: Any = None, **named: Any) -> Tensor:
    return torch.argsort(torch.rand(n)).to(dtype or torch.int64)


def _normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None,
            **named: Any) -> Tensor:
    shape = next((t.shape for t in (mean, std) if isinstance(t, Tensor)), size)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        shape = torch.broadcast_shapes(mean.shape, std.shape)
    return torch.randn([int(s) for s in shape]) * std + mean


def _uniform(x: Tensor, *bounds: float, generator: Any = None, **named: float) -> Tensor:
    low, high = [*bounds, *[named.get("from", 0.0), named.get("to", 1.0)][len(bounds):]]
    return _uniform_like(x) * (high - low) + low


def _normal_of(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    return torch.randn([int(size) for size in x.shape]).to(x.dtype) * std + mean


def _random(x: Tensor, *bounds: int, generator: Any = None, **named: int) -> Any:
    if len(bounds) == 1:
        low, high = 0, bounds[0]
    else:
        low, high = bounds or (named.get("from", 0), named.get("to", 0))
    return _whole(_uniform_like(x), low, high, x.dtype) if high > low else NotImplemented


def _bernoulli_of(x: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    return (_uniform_like(x) < p).to(x.dtype)


def _exponential(x: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    return -torch.log(1 - _uniform_like(x)) / lambd


def _geometric(x: Tensor, p: float, *, generator: Any = None) -> Tensor:
    trials = torch.ceil(torch.log(1 - _uniform_like(x)) / math.log(1 - p))
    return trials.clamp(min=1).to(x.dtype)


def _log_normal(x: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    return torch.exp(_normal_of(x, mean, std))


def _cauchy(x: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    return median + sigma * torch.tan(math.pi * (_uniform_like(x) - 0.5))


def _multinomial(x: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
                 ) -> Any:
    """The largest of log(p) + Gumbel noise are drawn as one after the other without replacement."""
    if replacement or num_samples == 1:
        return NotImplemented
    noise = -torch.log(-torch.log(_uniform_like(x).clamp(min=1e-20)))
    return torch.topk(torch.log(x) + noise, num_samples, -1)[1]


# Dropout


def _features(dims: int) -> Callable[..., Any]:
    """Dropout of whole features; `dims`: of an operand without batch, 0 if there is always one."""

    def dropout(x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not training or p == 0:
            return x
        if inplace:
            return NotImplemented
        batch = 1 if x.dim() == dims else 2
        return x * torch.nn.functional.dropout(_ones(x, batch), p, True)

    return dropout


def _ones(x: Tensor, dims: int) -> Tensor:
    """One for each element of the first dimensions."""
    sizes = [int(size) if d < dims else 1 for d, size in enumerate(x.shape)]
    return torch.ones(sizes, dtype=x.dtype)


def _alpha(features: bool) -> Callable[..., Any]:

    def dropout(x: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        if not training or p == 0:
            return x
        if inplace:
            return NotImplemented
        if p == 1:
            return x * 0
        kept = (_uniform_like(_ones(x, 2) if features else x) >= p).to(x.dtype)
        scale = 1 / math.sqrt((1 - p) * (1 + p * _SELU_LIMIT**2))
        return (x * kept + _SELU_LIMIT * (1 - kept)) * scale - scale * _SELU_LIMIT * p

    return dropout


RANDOM: Dict[str, Callable[..., Any]] = {
    "randint": _randint,
    "randint_like": _randint_like,
    "randperm": _randperm,
    "normal": _normal,
    "multinomial": _multinomial,
    "dropout1d": _features(2),
    "dropout2d": _features(0),
    "dropout3d": _features(4),
    "feature_dropout": _features(0),
    "alpha_dropout": _alpha(False),
    "feature_alpha_dropout": _alpha(True),
}

#: Methods that fill a tensor.
FILLS: Dict[str, Callable[..., Any]] = {
    "uniform_": _uniform,
    "normal_": _normal_of,
    "random_": _random,
    "bernoulli_": _bernoulli_of,
    "exponential_": _exponential,
    "geometric_": _geometric,
    "log_normal_": _log_normal,
    "cauchy_": _cauchy,
}
