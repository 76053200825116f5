"""Norms, distances, variances and standard deviations."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional

import torch

Tensor = torch.Tensor

#: In elements: from here on the exporters' count, by which they divide as a tensor, may be infinite in half.
_LARGE = 65504


def trains() -> bool:
    """Whether a gradient may be needed. Tensors that were changed in place do not tell."""
    return torch.is_grad_enabled()


def _norm(x: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None,
          dtype: Any = None) -> Any:
    if x.dim() == 0 and dtype is None:  # exporters do not reduce a number
        return x.abs() if p != 0 else (x != 0).to(x.dtype)
    if p in (2, "fro") and trains() and dtype is None:
        return vector_norm(x, 2, dim, keepdim)
    if p in (1, 2, "fro", None) or not isinstance(p, (int, float)) or dtype is not None:
        return NotImplemented
    axes = list(range(x.dim())) if dim is None else dim
    size = x.abs()
    if math.isinf(p):
        return size.amax(axes, keepdim) if p > 0 else size.amin(axes, keepdim)
    if p == 0:
        return (x != 0).to(x.dtype).sum(axes, keepdim)
    if not trains():
        return size.pow(p).sum(axes, keepdim).pow(1 / p)
    is_zero = size == 0  # whose power has a slope that is no number
    safe = torch.where(is_zero, torch.ones_like(size), size)
    return _root(torch.where(is_zero, torch.zeros_like(size), safe.pow(p)).sum(axes, keepdim), 1 / p)


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *,
                dtype: Any = None, out: Any = None) -> Any:
    if dtype is not None:
        x = x.to(dtype)
    if ord in (1, 2) and x.dim() > 0:
        axes = list(range(x.dim())) if dim is None else dim
        return x.abs().sum(axes, keepdim) if ord == 1 else _root((x * x).sum(axes, keepdim))
    return _norm(x, ord, dim, keepdim)


def _linalg_norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
    """Of a vector, or of all elements; of matrices only the norm that is one."""
    if named or not trains() or (isinstance(ord, str) and ord != "fro"):
        return NotImplemented
    of_vectors = isinstance(dim, int) or (dim is None and (ord is None or x.dim() == 1)) or (
        isinstance(dim, (list, tuple)) and len(dim) == 1)
    if not of_vectors and ord not in (None, "fro"):
        return NotImplemented
    return vector_norm(x, 2 if ord in (None, "fro") else ord, dim, keepdim)


def _normalize(x: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12,
               out: Optional[Tensor] = None) -> Any:
    return NotImplemented if out is not None else x / vector_norm(x, p, dim, True).clamp(min=eps)


def _root(x: Tensor, power: float = 0.5) -> Tensor:
    """A root whose gradient is zero at zero, as in norms and standard deviations."""
    is_zero = x == 0
    safe = torch.where(is_zero, torch.ones_like(x), x)
    return torch.where(is_zero, torch.zeros_like(x),
                       torch.sqrt(safe) if power == 0.5 else safe.pow(power))


def _std(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    variance = _var(x, *args, **kwargs)
    if variance is NotImplemented and not trains():
        return NotImplemented
    return _root(torch.var(x, *args, **kwargs) if variance is NotImplemented else variance)


def _std_mean(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    made = _var_mean(x, *args, **kwargs)
    if made is NotImplemented and not trains():
        return NotImplemented
    variance, mean = torch.var_mean(x, *args, **kwargs) if made is NotImplemented else made
    return _root(variance), mean


def _cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    if x1.shape == x2.shape and not trains():
        return NotImplemented
    x1, x2 = torch.broadcast_tensors(x1, x2)
    one, other = (x / vector_norm(x, 2, dim, True).clamp(min=eps) for x in (x1, x2))
    return (one * other).sum(dim)


def _var(x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Optional[int] = None,
         out: Any = None) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    axes = list(range(x.dim())) if dim is None or dim in ((), []) else [dim] if isinstance(dim, int) else list(dim)
    count = math.prod(int(x.shape[axis]) for axis in axes)
    if count < _LARGE or not x.is_floating_point():
        return NotImplemented
    off = x - x.mean(axes, True)
    return (off * off).mean(axes, keepdim) * (count / (count - (int(unbiased) if correction is None else correction)))


def _var_mean(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    variance = _var(x, *args, **kwargs)
    return NotImplemented if variance is NotImplemented else (variance, torch.var_mean(x, *args, **kwargs)[1])


NORMS: Dict[str, Callable[..., Any]] = {
    "norm": _norm,
    "normalize": _normalize,
    "vector_norm": vector_norm,
    "linalg_vector_norm": vector_norm,
    "linalg_norm": _linalg_norm,
    "std": _std,
    "std_mean": _std_mean,
    "var": _var,
    "var_mean": _var_mean,
    "cdist": _cdist,
    "cosine_similarity": _cosine_similarity,
}
